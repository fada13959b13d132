"""The tokalign gRPC server.

The parent process runs one event loop: it takes calls (service), queues their pairs (batching)
and hands shards of them to supervised worker processes (pool, process), which annotate, align
and serialise (worker, engine). Only the parent imports grpc, after the fork server has started.
"""
