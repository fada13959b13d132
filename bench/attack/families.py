"""All rows, which register themselves."""

from bench.attack import callers, faults, malformed, strangers

__all__ = ["callers", "faults", "malformed", "strangers"]
