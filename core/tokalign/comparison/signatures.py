"""MinHash signatures of sets, and pairs of sets that overlap, found without comparing all.

Broder (1997), "On the resemblance of containers and documents": the probability that a slot of two
signatures is equal is the sets' Jaccard overlap. The slots are made by rensa. Sets that share a
band of their signatures are compared by their sketches (locality-sensitive hashing: Indyk and
Motwani 1998). Memory grows with the sets and with the pairs that are found.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import MissingPackageError

N_BANDS: Final = 64
SLOTS_PER_BAND: Final = 4
"""Sets that overlap by 0.3, 0.4, 0.5, 0.6 share a band with probability .41, .81, .98, 1.00."""
SKETCHED: Final = 128
"""Slots whose last byte is kept, to estimate overlaps with an error of 0.04."""
_SEED: Final = 1
_MIXER: Final = np.uint32(0x9E3779B1)


def _rensa() -> Any:
    """Return the package rensa, or raise MissingPackageError."""
    try:
        import rensa
    except ImportError as error:
        raise MissingPackageError.of("the search for near-duplicates", error, "dedupe") from None
    return rensa


class Signatures:
    """Signatures of sets, in the order they were added: 384 bytes for each set.

    MissingPackageError is raised if the package of the extra "dedupe" is missing.
    """

    def __init__(self) -> None:
        self._make = _rensa().RMinHash.digest_matrix_from_token_sets
        self._bands: list[NDArray[np.uint32]] = []
        self._sketches: list[NDArray[np.uint8]] = []

    def add(self, sets: Sequence[Sequence[str]]) -> None:
        """Add sets, each of at least one string."""
        if not sets:
            return
        rows = self._make(list(sets), N_BANDS * SLOTS_PER_BAND, _SEED).to_rows()
        slots = np.array(rows, dtype=np.uint32)
        self._bands.append(_mixed(slots.reshape(len(slots), N_BANDS, SLOTS_PER_BAND)))
        self._sketches.append(slots[:, :SKETCHED].astype(np.uint8))

    def bands(self) -> NDArray[np.uint32]:
        """Return a number for each band of each set, shape (n_sets, N_BANDS).

        Sets with equal slots in a band have the same number there; others almost never do.
        """
        self._bands = [np.concatenate([np.empty((0, N_BANDS), np.uint32), *self._bands])]
        return self._bands[0]

    def sketches(self) -> NDArray[np.uint8]:
        """Return the last bytes of some slots, shape (n_sets, SKETCHED)."""
        self._sketches = [np.concatenate([np.empty((0, SKETCHED), np.uint8), *self._sketches])]
        return self._sketches[0]


def estimated_overlap(
    sketches: NDArray[np.uint8], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the estimated overlaps of pairs of sets, shape (n_pairs,).

    Unequal slots have the same last byte once in 256 times.
    """
    same = (sketches[first] == sketches[second]).mean(axis=1)
    return np.asarray((same - 1 / 256) / (1 - 1 / 256), dtype=np.float64)


def _mixed(slots: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return one hash of the slots of each band."""
    mixed = np.zeros(slots.shape[:2], dtype=np.uint32)
    for k in range(slots.shape[2]):
        mixed = (mixed ^ slots[:, :, k]) * _MIXER
        mixed ^= mixed >> np.uint32(15)
    return mixed


MOST_NEIGHBOURS = 100
"""Most sets that each set is compared with per band: those that follow it. Otherwise all pairs of
texts made from one template would be compared."""
_AT_ONCE = 200_000


def candidate_pairs(signatures: Signatures, overlap: float) -> NDArray[np.int64]:
    """Return pairs of sets whose estimated Jaccard overlap, in [0, 1], is at least `overlap`.

    They are an int64 array of shape (n_pairs, 2): numbers of sets, the smaller first; sorted, each
    pair once. The error of an estimate is 0.04.
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
    """Yield arrays of pairs of indices with equal keys, the smaller index first.

    Each step pairs the k-th index of a key with its (k + step)-th.
    """
    order = np.argsort(keys, kind="stable").astype(np.int64)
    ordered = keys[order]
    left = np.arange(len(keys) - 1)
    for step in range(1, MOST_NEIGHBOURS + 1):
        # An index without an equal `step` ahead has none farther ahead.
        left = left[left < len(keys) - step]
        left = left[ordered[left] == ordered[left + step]]
        if not len(left):
            return
        for start in range(0, len(left), _AT_ONCE):
            some = left[start : start + _AT_ONCE]
            yield order[some], order[some + step]
