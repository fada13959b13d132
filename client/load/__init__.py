"""Load on a running server, and its measurement; no part of the server or of the library.

A generator sends calls (generator) to a method (methods), over gRPC (connection) or HTTP
(http_connection). They are measured in steps (measure) and shown (report).
"""
