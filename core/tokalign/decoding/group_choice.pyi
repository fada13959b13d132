import numpy as np
from numpy.typing import NDArray

GROUP_INPUTS: tuple[str, ...]

def group_candidates(
    posterior: NDArray[np.float64], linked: NDArray[np.bool_]
) -> list[tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.float32]]]: ...
