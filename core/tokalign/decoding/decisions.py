"""Decisions on a batch, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Decisions(NamedTuple):
    """Decisions on a batch, column by column; but for `styles` they are columns of alignments.

    Attributes
    ----------
    offsets, source, target, confidence : arrays
        As AlignmentColumns describes them, and so are those that follow.
    score, aligned_similarity, target_covered, covered, agreement : float64 array, shape (n_pairs,)
    styles : int32 array, shape (n_pairs,)
        Number of the style that decided.
    conflict_offsets : int64 array, shape (n_pairs + 1,)
    conflicts : CONFLICT array, shape (n_conflicts,)
    relations : float32 array, shape (n_links, n_kinds), or None
        Probability of each kind of relation, where asked for.
    """

    offsets: NDArray[np.int64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    confidence: NDArray[np.float64]
    score: NDArray[np.float64]
    aligned_similarity: NDArray[np.float64]
    target_covered: NDArray[np.float64]
    covered: NDArray[np.float64]
    agreement: NDArray[np.float64]
    styles: NDArray[np.int32]
    conflict_offsets: NDArray[np.int64]
    conflicts: NDArray[np.void]
    relations: NDArray[np.float32] | None

    def columns(self) -> dict[str, Any]:
        """Return the columns of AlignmentColumns by name."""
        return {name: column for name, column in self._asdict().items() if name != "styles"}
