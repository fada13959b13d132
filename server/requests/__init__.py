"""Requests: cut into pairs, checked and costed, and their answers. No grpc in here."""
