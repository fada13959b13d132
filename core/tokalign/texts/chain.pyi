import numpy as np
from numpy.typing import NDArray

UNITS: int

def best_chain(blocks: NDArray[np.int32], gains: NDArray[np.int64]) -> NDArray[np.int32]: ...
