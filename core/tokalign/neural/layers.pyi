from collections.abc import Sequence
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.features.feature_groups import Encoded
from tokalign.neural.architecture import Architecture
from tokalign.neural.base import Weights
from tokalign.neural.wordpieces import PieceSequence

_Floats: TypeAlias = NDArray[np.float32]

TILES: tuple[str, ...]

class Layers:
    def __new__(cls, weights: Weights, made: Architecture, tile: str = ...) -> Self: ...
    def states(self, sequences: Sequence[PieceSequence]) -> list[_Floats]: ...

class PairScorer:
    def __init__(self, projection: _Floats, scale: float, null_bias: _Floats) -> None: ...
    def score(
        self, states: _Floats, source: NDArray[np.int64], target: NDArray[np.int64]
    ) -> tuple[_Floats, _Floats, _Floats]: ...

def log_probabilities(cells: _Floats, of_source: _Floats, of_target: _Floats) -> Encoded: ...
