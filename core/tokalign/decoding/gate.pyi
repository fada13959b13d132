from typing import Final

import numpy as np
from numpy.typing import NDArray

INPUTS: Final[tuple[str, ...]]

class GateRows:
    @property
    def values(self) -> NDArray[np.float32]: ...
    def __init__(self, n_pairs: int) -> None: ...
