from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.constraints import Constraints
from tokalign.features._extract import Encoded
from tokalign.features.lexicons import Lexicons
from tokalign.model import Model
from tokalign.types import Sentence

class Decoder:
    def __init__(self, model: Model, lexicons: Lexicons) -> None: ...
    def decode(
        self,
        source: Sentence,
        target: Sentence,
        encoded: Encoded | None = ...,
        style: int = ...,
        constraints: Constraints | None = ...,
    ) -> Decoded: ...
    def forget(self) -> None: ...
    def word_pairs(self) -> tuple[int, int]: ...

class Decoded:
    source: Sentence
    target: Sentence
    constraints: Constraints | None
    s2t_posterior: NDArray[np.float64]
    t2s_posterior: NDArray[np.float64]
    def block_probabilities(
        self, blocks: Sequence[tuple[int, int, int, int]]
    ) -> NDArray[np.float64]: ...
    def weights(self) -> tuple[list[float], list[float]]: ...
    def labels(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
    def features(
        self, source: int, target: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]: ...
