import numpy as np
from numpy.typing import NDArray

from tokalign.crf.matrix import FeatureMatrix

TRANSITION_NAMES: tuple[str, ...]

def accumulate(
    matrix: FeatureMatrix,
    first_allowed: NDArray[np.int64],
    allowed: NDArray[np.uint8],
    pairs: NDArray[np.int64],
    importance: NDArray[np.float64],
    source_labelled: bool,
    weight: NDArray[np.float64],
    cost: float,
    gradient: NDArray[np.float64],
) -> float: ...
