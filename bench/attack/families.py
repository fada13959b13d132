"""Every module with rows: importing this fills the registry."""

from bench.attack import (
    connections,
    cost,
    files,
    floods,
    memory,
    processes,
    requests,
    strangers,
    tls,
)

__all__ = [
    "connections",
    "cost",
    "files",
    "floods",
    "memory",
    "processes",
    "requests",
    "strangers",
    "tls",
]
