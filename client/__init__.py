"""Clients of the tokalign server."""
