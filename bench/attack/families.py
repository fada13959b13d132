"""Every module with rows: importing this fills the registry."""

from bench.attack import connections, cost, floods, memory, strangers

__all__ = ["connections", "cost", "floods", "memory", "strangers"]
