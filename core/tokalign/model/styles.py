"""Styles: conventions of what deserves a link, of which one model can hold several.

Corpora disagree on what they link. A model's shared weights come from all of them; a style adds
weights of its own, a threshold, and a map from posteriors to confidences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from tokalign.files.headers import Name

MAX_STYLES = 8
MAX_KNOTS = 16
DEFAULT_THRESHOLD = 0.4
"""Of models without styles. Cross-validated on RTE2's development half F1 is flat between 0.3 and
0.4 (three divisions into folds), and exact match best at 0.4."""


class StyleHeader(TypedDict):
    """A style's part of a model's header.

    Attributes
    ----------
    name : str
    links : str
        What it links, for people.
    threshold : float
        Mean posterior from which the joint decision takes a link; in (0, 1].
    raw, calibrated : tuple of float, optional
        Knots of the piecewise linear map from mean posteriors to confidences, from 0 to 1; both
        rise, so that the order of links is kept. Without any, they are the same.
    """

    name: Name
    links: str
    threshold: float
    raw: NotRequired[tuple[float, ...]]
    calibrated: NotRequired[tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class OwnWeights:
    """Weights that a style adds to the shared ones.

    Attributes
    ----------
    slots : int32 array, shape (n,)
        Rising.
    weights : float32 array, shape (n, 2)
        Column 0 for s2t, column 1 for t2s.
    transitions : float64 array, shape (2, 34)
    """

    slots: NDArray[np.int32]
    weights: NDArray[np.float32]
    transitions: NDArray[np.float64]


def check_styles(styles: Sequence[StyleHeader]) -> None:
    """Raise ValueError unless styles are few, named apart, and their numbers make sense."""
    if len(styles) > MAX_STYLES:
        raise ValueError(f"it has {len(styles)} styles; wanted at most {MAX_STYLES}")
    names = [style["name"] for style in styles]
    if len(set(names)) < len(names):
        raise ValueError(f"two styles have one name among {', '.join(names)}")
    for style in styles:
        where = f"style {style['name']}"
        if not 0.0 < style["threshold"] <= 1.0:
            raise ValueError(f"{where}: threshold is {style['threshold']}; wanted one in (0, 1]")
        raw, calibrated = style.get("raw", ()), style.get("calibrated", ())
        if not raw and not calibrated:
            continue
        if len(raw) != len(calibrated) or not 2 <= len(raw) <= MAX_KNOTS:
            raise ValueError(
                f"{where}: {len(raw)} raw and {len(calibrated)} calibrated knots; wanted as many "
                f"of both, 2 to {MAX_KNOTS}"
            )
        if (raw[0], raw[-1]) != (0, 1):
            raise ValueError(f"{where}: raw goes from {raw[0]} to {raw[-1]}; wanted 0 to 1")
        for name, knots in (("raw", raw), ("calibrated", calibrated)):
            if not all(low < high for low, high in pairwise(knots)):
                raise ValueError(f"{where}: {name} does not rise")
