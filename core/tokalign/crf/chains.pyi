import numpy as np
from numpy.typing import ArrayLike, NDArray

from tokalign.crf.matrix import FeatureMatrix

TRANSITION_NAMES: tuple[str, ...]

class Lattice:
    def __init__(self, emission_ts: ArrayLike, transition_weights: ArrayLike) -> None: ...
    def best_labels(self) -> tuple[NDArray[np.int32], float]: ...
    def posteriors(self) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...
    def probability_within(self, steps: tuple[int, int], states: tuple[int, int]) -> float: ...

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
