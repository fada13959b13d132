"""Pairs of sets that overlap, found without comparing all.

Sets that share a band of their signatures are compared by their sketches (locality-sensitive
hashing: Indyk and Motwani 1998). Memory grows with the sets and with the pairs that are found.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tokalign.comparison.signatures import Signatures, estimated_overlap

MOST_NEIGHBOURS = 100
"""In a band that more sets share, each is compared with so many that follow it alone. Texts made
from one form would have all of their pairs compared otherwise."""
_AT_ONCE = 200_000


def candidate_pairs(signatures: Signatures, overlap: float) -> NDArray[np.int64]:
    """Return pairs of sets that seem to overlap at least so much.

    Parameters
    ----------
    signatures : Signatures
    overlap : float
        Jaccard overlap, in [0, 1]. It is estimated with an error of 0.04.

    Returns
    -------
    int64 array, shape (n_pairs, 2)
        Numbers of sets, the smaller first; sorted, each pair once.
    """
    bands, sketches = signatures.bands(), signatures.sketches()
    n_sets = len(bands)
    found = np.empty(0, dtype=np.int64)
    for band in range(bands.shape[1]):
        codes = [found]
        for first, second in _pairs_of_equals(bands[:, band]):
            close = estimated_overlap(sketches, first, second) >= overlap
            codes.append(first[close] * n_sets + second[close])
        found = np.unique(np.concatenate(codes))
    return np.stack([found // max(n_sets, 1), found % max(n_sets, 1)], axis=1)


def _pairs_of_equals(
    keys: NDArray[np.uint32],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield pairs of places whose keys are equal, the smaller place first, not too many at once.

    Of the k-th place of a key each step pairs it with the one that is `step` later.
    """
    order = np.argsort(keys, kind="stable").astype(np.int64)
    ordered = keys[order]
    left = np.arange(len(keys) - 1)
    for step in range(1, MOST_NEIGHBOURS + 1):
        # A place that has no equal so far ahead has none farther ahead.
        left = left[left < len(keys) - step]
        left = left[ordered[left] == ordered[left + step]]
        if not len(left):
            return
        for start in range(0, len(left), _AT_ONCE):
            some = left[start : start + _AT_ONCE]
            yield order[some], order[some + step]
