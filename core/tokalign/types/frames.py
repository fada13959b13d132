"""Data frames of optional packages."""

from __future__ import annotations

import importlib
from typing import Any

from tokalign.errors import MissingPackageError


def frame_maker(package: str) -> Any:
    """Return the class DataFrame of a package; MissingPackageError without the package."""
    try:
        return importlib.import_module(package).DataFrame
    except ImportError:
        raise MissingPackageError(
            f"a data frame of {package} needs the package {package}; run: pip install {package}"
        ) from None
