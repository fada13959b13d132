"""The port and the methods that callers see. Only this room imports grpc."""
