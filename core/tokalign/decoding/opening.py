"""Opening of backends by name or file, and of aligners that are unpickled."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol, TypeVar

from tokalign.errors import ModelError, quoted
from tokalign.model.file import Model, ModelHeader, load_model
from tokalign.model.shipped import model_path, shipped_models
from tokalign.systems import SYSTEMS, System, load_system


class _WithHeader(Protocol):
    header: ModelHeader


T = TypeVar("T", bound=_WithHeader)


def open_model(model: str | os.PathLike[str]) -> tuple[Model | System, str]:
    """Return a model or a system of the literature, and what opens it again from any folder.

    Parameters
    ----------
    model : str or path-like
        A name out of shipped_models() or tokalign.systems.SYSTEMS, or the path of a model file.

    Raises
    ------
    ModelError
        If the model cannot be found or read.
    """
    if isinstance(model, str) and model in SYSTEMS:
        return load_system(model), model
    path = model_path(model)
    is_shipped = model in shipped_models()
    return load_model(path), os.fspath(model if is_shipped else path.resolve())


def load_again(load: Callable[..., T], model: str, annotator: str, device: str, digest: str) -> T:
    """Return what `load` gives, an aligner that was pickled; ModelError if its model is not that
    of the digest."""
    aligner = load(model, annotator=annotator, device=device)
    if aligner.header.digest != digest:
        raise ModelError(
            f"the model {quoted(model)} has the digest {aligner.header.digest[:12]} here; the "
            f"aligner that was pickled had {digest[:12]}"
        )
    return aligner
