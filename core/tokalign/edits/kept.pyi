import numpy as np
from numpy.typing import NDArray

RUN: float
LINKED: float

def kept_tokens(
    same: NDArray[np.uint8], worth: NDArray[np.float64], links: NDArray[np.float32]
) -> NDArray[np.int32]: ...
