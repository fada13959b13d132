"""Similarity of pairs by an encoder of sentences and by their alignment together.

An encoder knows what a sentence is about, an alignment which words have no counterpart. Where a
model has an encoder,

    share      = ALIGNED * covered + (1 - ALIGNED) * max(0, cosine)
    similarity = share, lowered by conflicts

as tokalign.decoding.link_decision lowers what is covered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.link_decision import lowered_shares
from tokalign.types.columns import AlignmentColumns, EncoderFigures

ALIGNED: Final = 0.2
"""What the alignment counts: the most with which no set of judged pairs is followed less well than
by the cosine alone. lab/experiments.md has what was tried."""

Cosines: TypeAlias = Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]
"""Takes sources and as many targets, and returns the cosine of each pair, in [-1, 1]."""


def comparing(cosines: Cosines) -> Callable[[AlignmentColumns], EncoderFigures]:
    """Return what AlignmentColumns.compare is, of an encoder that gives cosines."""
    return partial(_compared, cosines)


def _compared(cosines: Cosines, columns: AlignmentColumns) -> EncoderFigures:
    sources, targets = ([each.text for each in side] for side in (columns.sources, columns.targets))
    found = cosines(sources, targets) if sources else np.empty(0)
    return found, mixed_similarity(columns.covered, found, columns.agreement)


def mixed_similarity(
    covered: NDArray[np.float64],
    cosine: NDArray[np.float64],
    agreement: NDArray[np.float64],
    *,
    aligned: float = ALIGNED,
) -> NDArray[np.float64]:
    """Return similarities in [0, 1], shape (n_pairs,), of what alignments and an encoder say.

    Parameters
    ----------
    covered, agreement : float64 array, shape (n_pairs,)
        See Alignment.
    cosine : float64 array, shape (n_pairs,)
        In [-1, 1].
    aligned : float
        What `covered` counts, in [0, 1].

    Examples
    --------
    >>> one = np.ones(2)
    >>> mixed_similarity(one, np.array([1.0, -0.5]), one).tolist()
    [1.0, 0.2]
    """
    shares = aligned * covered + (1 - aligned) * np.maximum(cosine, 0.0)
    return lowered_shares(shares, agreement)
