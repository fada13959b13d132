import numpy as np
from numpy.typing import NDArray

_Ids = NDArray[np.int32]

def similarity(
    source: tuple[_Ids, _Ids, _Ids], target: tuple[_Ids, _Ids, _Ids]
) -> NDArray[np.float32]: ...
