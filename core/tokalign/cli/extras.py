"""Extras, and a check, before a command begins, that their packages are there."""

import importlib.util

from tokalign.errors import MissingPackageError

NEEDS = {
    "arrow": ("pyarrow",),
    "dedupe": ("rensa",),
    "mcp": ("mcp",),
    "neural": ("tokenizers",),
    "nltk": ("nltk",),
    "server": (
        *("grpc", "google.protobuf", "grpc_health", "grpc_reflection", "grpc_status"),
        *("h2", "hpack", "httptools", "msgspec", "starlette", "uvicorn"),
    ),
    "spacy": ("spacy",),
    "stanza": ("stanza",),
    "train": ("scipy",),
}
"""Packages without which nothing of an extra works."""


def absent(extra: str) -> list[str]:
    """Return the packages of an extra that are not installed; nothing is imported to look."""
    return [package for package in NEEDS[extra] if not _is_there(package)]


def _is_there(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # of "google", in which "google.protobuf" is looked for
        return False


def require(command: str, extra: str) -> None:
    """Raise MissingPackageError where a package of an extra is missing."""
    for package in absent(extra):
        error = ModuleNotFoundError(f"No module named {package!r}", name=package)
        raise MissingPackageError.of(command, error, extra)
