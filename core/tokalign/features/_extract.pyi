import numpy as np
from numpy.typing import NDArray

from tokalign.features._memory import PairMemory
from tokalign.lexicon._paraphrases import Paraphrases
from tokalign.lexicon._vectors import Vectors
from tokalign.lexicon._wordnet import WordNet
from tokalign.lexicon.frequencies import Frequencies
from tokalign.types import Sentence

Encoded = tuple[NDArray[np.float32], NDArray[np.float32]]

class Extractor:
    memory: PairMemory
    def __init__(
        self,
        wordnet: WordNet,
        base: NDArray[np.int32],
        vectors: Vectors | None = ...,
        paraphrases: Paraphrases | None = ...,
        frequencies: Frequencies | None = ...,
        weights: NDArray[np.float32] | None = ...,
    ) -> None: ...
    def forget(self) -> None: ...
    def rows(
        self, source: Sentence, target: Sentence, encoded: Encoded | None = ...
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]: ...
