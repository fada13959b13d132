import numpy as np
from numpy.typing import ArrayLike, NDArray

def check_lattice(
    emission_ts: ArrayLike, transition_weights: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def forward_backward(
    emission_ts: ArrayLike, transition_weights: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...
