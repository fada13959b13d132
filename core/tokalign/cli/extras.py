"""A check, before a command begins, that the packages of an extra are there."""

from __future__ import annotations

import importlib.util

from tokalign.errors import MissingPackageError

SERVER = ("grpc", "google.protobuf", "grpc_health", "grpc_reflection", "grpc_status", "h2", "hpack")
"""Packages without which nothing of the extra "server" works; nothing is imported to look."""


def require(command: str, extra: str, packages: tuple[str, ...]) -> None:
    """Raise MissingPackageError where a package of an extra is missing."""
    for package in packages:
        try:
            found = importlib.util.find_spec(package)
        except ModuleNotFoundError:  # of "google", in which "google.protobuf" is looked for
            found = None
        if found is None:
            error = ModuleNotFoundError(f"No module named {package!r}", name=package)
            raise MissingPackageError.of(command, error, extra)
