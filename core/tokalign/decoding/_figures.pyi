from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

def pair_figures(
    s2t_posterior: NDArray[np.float64],
    t2s_posterior: NDArray[np.float64],
    score_weights: Sequence[float],
    source_weights: Sequence[float],
    target_weights: Sequence[float],
) -> tuple[float, float]: ...
def lowered_shares(
    shares: NDArray[np.float64], agreements: NDArray[np.float64]
) -> NDArray[np.float64]: ...
