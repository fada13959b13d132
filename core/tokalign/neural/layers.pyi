from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.neural.architecture import Architecture
from tokalign.neural.base import Weights
from tokalign.neural.wordpieces import PieceSequence

TILES: tuple[str, ...]

class Layers:
    def __init__(self, weights: Weights, made: Architecture, tile: str = ...) -> None: ...
    def states(self, sequences: Sequence[PieceSequence]) -> list[NDArray[np.float32]]: ...
