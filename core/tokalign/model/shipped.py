"""The models in the package, by name."""

from __future__ import annotations

import os
from pathlib import Path

from tokalign.errors import ModelError, quoted
from tokalign.files.tables import DATA_DIR
from tokalign.systems import SYSTEMS

DEFAULT_MODEL = "en"
MODEL_SUFFIX = ".tokalign"


def shipped_models() -> list[str]:
    """Return the names of the models in the package, the default first."""
    names = sorted(path.stem for path in DATA_DIR.glob(f"*{MODEL_SUFFIX}"))
    return sorted(names, key=lambda name: name != DEFAULT_MODEL)


def model_path(model: str | os.PathLike[str]) -> Path:
    """Return the file of a shipped model's name, or the path itself.

    Raises
    ------
    ModelError
        If it is neither a shipped name nor an existing file.
    """
    if isinstance(model, str) and model in shipped_models():
        return DATA_DIR / f"{model}{MODEL_SUFFIX}"
    path = Path(model)
    try:
        is_file = path.is_file()
    except OSError:  # as of a name that is too long for any file
        is_file = False
    if not is_file:
        raise ModelError(
            f"no model {quoted(str(model))}: not a file, not one of the shipped models "
            f"{', '.join(shipped_models()) or '(none)'}, and not one of the systems "
            f"{', '.join(SYSTEMS)}"
        )
    return path
