from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class SupportRows:
    values: NDArray[np.float32]
    offsets: NDArray[np.int64]
    def __init__(self, n_tokens: Sequence[int]) -> None: ...
