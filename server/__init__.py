"""The tokalign gRPC server.

The parent process runs one event loop: it takes calls (rpc), queues their pairs and hands shards
of them to supervised worker processes (workers), which annotate, align and serialise. Only the
parent imports grpc, and only rpc does, after the fork server has started. What operators see is
observe. Here are the configuration, the life of the server (app), and what all of them share.
"""
