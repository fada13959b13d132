"""Links of mean posteriors, as a style's numbers decide them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tokalign.decoding.joint import joint_links
from tokalign.model.styles import StyleHeader
from tokalign.types import Links


def links_at(mean: NDArray[np.floating], threshold: float, beside: float) -> Links:
    """Return the links that the joint decision takes of mean posteriors.

    Parameters
    ----------
    mean : float array, shape (n_source, n_target)
    threshold, beside : float
        As a style's header has them.
    """
    rows = np.pad(np.asarray(mean, dtype=np.float64), ((0, 0), (1, 0)))
    columns = np.pad(np.asarray(mean, dtype=np.float64).T, ((0, 0), (1, 0)))
    found = joint_links(rows, np.ascontiguousarray(columns), threshold, beside)
    return frozenset((i, j) for i, j, _ in found)


def links_of(mean: NDArray[np.floating], style: StyleHeader) -> Links:
    """Return the links that a style takes of mean posteriors."""
    return links_at(mean, style["threshold"], style.get("beside", style["threshold"]))
