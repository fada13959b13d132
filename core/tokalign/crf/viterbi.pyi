import numpy as np
from numpy.typing import ArrayLike, NDArray

def decode(
    emission_ts: ArrayLike, transition_weights: ArrayLike
) -> tuple[NDArray[np.int32], float]: ...
