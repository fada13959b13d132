"""Measured figures for the headers of models, out of lab/figures.json.

The measuring commands write that file: under each key an object with the figure as ``value``.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path

from tokalign.errors import FormatError

FIGURES = Path(__file__).parents[1] / "figures.json"

logger = logging.getLogger(__name__)


def accuracy_keys(what: str, key: str) -> dict[str, str]:
    """Return name in the header -> key of F1 and exact match, of one data set and one model.

    Examples
    --------
    >>> accuracy_keys("X dev, joint", "x-dev.en")
    {'F1 on X dev, joint': 'x-dev.en.f1', 'exact match on X dev, joint': 'x-dev.en.exact_match'}
    """
    return {f"F1 on {what}": f"{key}.f1", f"exact match on {what}": f"{key}.exact_match"}


def read_figures(keys: Mapping[str, str], path: Path = FIGURES) -> dict[str, float]:
    """Return the measured values of some figures, by the name that a header gives them.

    Parameters
    ----------
    keys : mapping of str to str
        Name in the header -> key in the file. Figures that are not in the file (none is, where
        there is no file) are left out, and a warning is logged for each.
    path : Path

    Raises
    ------
    FormatError
        If the file is not an object of objects that each have a number as their value.
    """
    try:
        measured = dict(json.loads(path.read_text(encoding="utf-8")) if path.exists() else {})
        found = {
            name: float(measured[key]["value"]) for name, key in keys.items() if key in measured
        }
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"is not an object of measured figures: {error!r}", path=path) from error
    for name, key in keys.items():
        if name not in found:
            logger.warning("%s has no %s: the header goes without %r", path.name, key, name)
    return found


KEYS: dict[str, dict[str, str]] = {
    "en-rte2": accuracy_keys("RTE2 dev, 5 folds, sure, joint", "rte2-folds.en-rte2"),
    "en": accuracy_keys("RTE2 dev, 5 folds, sure, joint, strict", "styles.strict")
    | accuracy_keys("MTRef dev, sure+possible, joint, free", "mtref-dev.en")
    | accuracy_keys("Wiki dev, sure+possible, joint, edits", "wiki-dev.en"),
    "en-open": accuracy_keys("RTE2 dev, sure, joint", "rte2-dev.en-open")
    | accuracy_keys("MTRef dev, sure+possible, joint", "mtref-dev.en-open")
    | accuracy_keys("Wiki dev, sure+possible, joint", "wiki-dev.en-open"),
    "en-rte2-neural": accuracy_keys(
        "RTE2 dev, 5 folds nested, sure, joint", "rte2-nested.en-rte2-neural"
    ),
    **{
        name: accuracy_keys("RTE2 dev, a fifth, sure, joint, strict", f"rte2-fifth.{name}")
        | accuracy_keys("MTRef dev, sure+possible, joint, free", f"mtref-dev.{name}")
        | accuracy_keys("Wiki dev, sure+possible, joint, edits", f"wiki-dev.{name}")
        for name in ("en-neural", "en-neural-large")
    },
}
"""Model -> name of a figure in its header -> key in lab/figures.json."""
