"""The tokalign gRPC server."""
