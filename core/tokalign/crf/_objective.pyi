import numpy as np
from numpy.typing import NDArray

def accumulate(
    row_start: NDArray[np.int64],
    slot: NDArray[np.int32],
    value: NDArray[np.float32],
    first_row: NDArray[np.int64],
    n_source: NDArray[np.int32],
    n_target: NDArray[np.int32],
    first_allowed: NDArray[np.int64],
    allowed: NDArray[np.uint8],
    pairs: NDArray[np.int64],
    importance: NDArray[np.float64],
    source_labelled: bool,
    weight: NDArray[np.float64],
    transition_weight: NDArray[np.float64],
    cost: float,
    gradient: NDArray[np.float64],
    transition_gradient: NDArray[np.float64],
) -> float: ...
