"""HTTP by the server itself: JSON in, the same methods as gRPC's, JSON out.

A request is read and bounded by the listener, routed by Starlette, and answered by an endpoint: a
method that makes a message of the contract of the JSON, has the service answer it, and writes the
answer as JSON. Admission, tokens, metrics and traces are those of every call (rpc/calls.py).
"""
