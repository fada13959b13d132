"""Sparse features of many pairs, as the objective of training reads them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class FeatureMatrix:
    """Sparse features of many pairs in CSR form.

    Attributes
    ----------
    row_start : int64 array, shape (n_rows + 1,)
        The rows of a pair are its cells (source-major), then the NULL rows of its source tokens,
        then those of its target tokens.
    column : int32 array, shape (n_values,)
        Index into `slots`.
    value : float32 array, shape (n_values,)
    first_row : int64 array, shape (n_pairs,)
    n_source, n_target : int32 array, shape (n_pairs,)
    slots : int32 array, shape (n_columns,)
        Rising slots of the feature table that occur at all.
    """

    row_start: NDArray[np.int64]
    column: NDArray[np.int32]
    value: NDArray[np.float32]
    first_row: NDArray[np.int64]
    n_source: NDArray[np.int32]
    n_target: NDArray[np.int32]
    slots: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.n_source)
