"""Generated protobuf messages and gRPC stubs of the service contract (see protos/)."""
