from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.features.encoded import Encoded

_Floats: TypeAlias = NDArray[np.float32]

class PairScorer:
    def __init__(self, projection: _Floats, scale: float, null_bias: _Floats) -> None: ...
    def score(
        self, states: _Floats, source: NDArray[np.int64], target: NDArray[np.int64]
    ) -> tuple[_Floats, _Floats, _Floats]: ...

def log_probabilities(cells: _Floats, of_source: _Floats, of_target: _Floats) -> Encoded: ...
