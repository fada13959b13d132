"""Sparse features of many pairs, as the objective of training reads them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class FeatureMatrix:
    """Sparse features of many pairs in CSR form."""

    # [n_rows + 1]; the rows of a pair are its cells (source-major), then the NULL rows of its
    # source tokens, then those of its target tokens
    row_start: NDArray[np.int64]
    column: NDArray[np.int32]  # [n_values] index into `slots`
    value: NDArray[np.float32]  # [n_values]
    first_row: NDArray[np.int64]  # [n_pairs]
    n_source: NDArray[np.int32]  # [n_pairs]
    n_target: NDArray[np.int32]  # [n_pairs]
    slots: NDArray[np.int32]  # [n_columns] rising slots of the feature table that occur at all

    def __len__(self) -> int:
        return len(self.n_source)
