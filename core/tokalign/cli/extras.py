"""A check, before a command begins, that the packages of an extra are there."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable

from tokalign.errors import MissingPackageError

SERVER = ("grpc", "google.protobuf", "grpc_health", "grpc_reflection", "grpc_status", "h2", "hpack")
"""Packages without which nothing of the extra "server" works; nothing is imported to look."""


def absent(packages: Iterable[str]) -> list[str]:
    """Return those of some packages that are not installed; nothing is imported to look."""
    return [package for package in packages if not _is_there(package)]


def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of "google", in which "google.protobuf" is looked for
        return False


def require(command: str, extra: str, packages: Iterable[str]) -> None:
    """Raise MissingPackageError where a package of an extra is missing."""
    for package in absent(packages):
        error = ModuleNotFoundError(f"No module named {package!r}", name=package)
        raise MissingPackageError.of(command, error, extra)
