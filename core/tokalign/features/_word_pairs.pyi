import numpy as np
from numpy.typing import NDArray

class PairMemory:
    def __init__(
        self, base: NDArray[np.int32], weights: NDArray[np.float32] | None = ...
    ) -> None: ...
    n_asked: int
    n_compared: int
