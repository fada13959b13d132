"""The files that ship with tokalign, possibly in a package of their own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tokalign.errors import ResourceError, quoted

DATA_DIR = Path(__file__).resolve().parents[1] / "data"
DEFAULT_MODEL = "en"
VERSION = "0.1.0"
"""Of the library: asking importlib.metadata took an eighth of a process's start."""
VERSIONS = {"tokalign-data": "version.txt", "tokalign-neural-data": "neural-version.txt"}
"""Data package -> its file with the version of tokalign it is for. Only wheels have the file: in a
source checkout all data have one version."""


def check_versions(folder: Path, version: str) -> None:
    """Raise ResourceError unless a folder holds the data of this version."""
    for package, name in VERSIONS.items():
        try:
            found = (folder / name).read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            if package == "tokalign-data":
                raise ResourceError(
                    f"{folder} lacks {name}: the package {package} is not installed; "
                    f"pip install '{package}=={version}'"
                ) from None
            continue
        if found != version:
            raise ResourceError(
                f"{package} is of version {quoted(found)}, and tokalign of {version}; "
                f"pip install '{package}=={version}'"
            )


@cache
def data_dir() -> Path:
    """Return the folder of the shipped files; its version is checked once per process:
    ResourceError if it is missing, or not the library's."""
    check_versions(DATA_DIR, VERSION)
    return DATA_DIR
