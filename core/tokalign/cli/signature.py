"""The line to quote with a figure: what was scored, by what, and how."""

from __future__ import annotations

import hashlib
import importlib.metadata
from pathlib import Path

from tokalign.model.shipped import MODEL_SUFFIX, model_path, shipped_models
from tokalign.systems import SYSTEMS

N_DIGITS = 12
"""Digits of a digest that are shown."""


def signature(*, gold: Path | None, n_pairs: int, **settings: object) -> str:
    """Return a line that names the version, the gold and the settings of a figure.

    Parameters
    ----------
    gold : Path, optional
    n_pairs : int
    **settings
        In the order in which they are shown; those that are None or empty are left out.

    Examples
    --------
    >>> signature(gold=None, n_pairs=2, links="sure", style="").partition("; ")[2]
    '2 pairs; links sure'
    """
    parts = [f"tokalign {importlib.metadata.version('tokalign')}"]
    if gold is not None:
        parts.append(f"gold {gold.name} sha256 {digest_of_file(gold)}")
    parts.append(f"{n_pairs} pairs")
    parts += [
        f"{name.replace('_', ' ')} {value}"
        for name, value in settings.items()
        if value is not None and value != ""
    ]
    return "; ".join(parts)


def digest_of_file(path: Path) -> str:
    """Return the first digits of the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:N_DIGITS]


def quoted_model(name: str) -> str:
    """Return how a model, a system or a file of links is named in a signature."""
    if name in SYSTEMS:
        return name
    if name in shipped_models() or name.endswith(MODEL_SUFFIX):
        from tokalign.model import load_model

        header = load_model(model_path(name)).header
        return f"{header.name} {header.version} sha256 {header.digest[:N_DIGITS]}"
    path = Path(name)
    return f"{path.name} sha256 {digest_of_file(path)}" if path.is_file() else name
