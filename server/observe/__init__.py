"""Logs, metrics and traces for operators, and the watch over the server's own process."""
