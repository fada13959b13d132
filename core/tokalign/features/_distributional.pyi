import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]

def similarity(
    source: tuple[Ids, Ids, Ids], target: tuple[Ids, Ids, Ids]
) -> NDArray[np.float32]: ...
