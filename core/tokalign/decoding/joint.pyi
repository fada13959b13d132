import numpy as np
from numpy.typing import NDArray

def joint_links(
    s2t_posterior: NDArray[np.float64],
    t2s_posterior: NDArray[np.float64],
    threshold: float,
    beside: float = ...,
) -> list[tuple[int, int, float]]: ...
