"""What callers see: the port, the methods and what is around each call. Imports grpc."""
