"""Every module with rows: importing this fills the registry."""

from bench.attack import memory, strangers

__all__ = ["memory", "strangers"]
