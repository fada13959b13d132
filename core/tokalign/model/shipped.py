"""The models in the package, by name."""

import os
from pathlib import Path

from tokalign.errors import MissingPackageError, ModelError, quoted
from tokalign.files.shipped import DEFAULT_MODEL as DEFAULT_MODEL
from tokalign.files.shipped import data_dir
from tokalign.systems import SYSTEMS

MODEL_SUFFIX = ".tokalign"
NEURAL_MODELS = ("en-neural", "en-neural-large", "en-neural-open", "en-rte2-neural")
"""Models of the extra `neural`, whose data are a package of their own."""


def shipped_models() -> list[str]:
    """Return the names of the models in the package, the default first."""
    names = sorted(path.stem for path in data_dir().glob(f"*{MODEL_SUFFIX}"))
    return sorted(names, key=lambda name: name != DEFAULT_MODEL)


def model_path(model: str | os.PathLike[str]) -> Path:
    """Return the file of a shipped model's name, or the path itself; raise ModelError if it is
    neither a shipped name nor an existing file, MissingPackageError if it belongs to the extra
    `neural`, which is not installed."""
    if isinstance(model, str) and model in shipped_models():
        return data_dir() / f"{model}{MODEL_SUFFIX}"
    path = Path(model)
    if model in NEURAL_MODELS and not path.exists():
        missing = ImportError("the package tokalign-neural-data is not installed")
        raise MissingPackageError.of(f"the model {model}", missing, "neural")
    try:
        is_file = path.is_file()
    except OSError:  # such as a name that is too long for a file
        is_file = False
    if not is_file:
        raise ModelError(
            f"no model {quoted(str(model))}: not a file, not one of the shipped models "
            f"{', '.join(shipped_models()) or '(none)'}, and not one of the systems "
            f"{', '.join(SYSTEMS)}"
        )
    return path
