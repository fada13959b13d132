import numpy as np
from numpy.typing import NDArray

from tokalign.features._extract import Encoded, Extractor
from tokalign.lexicon._paraphrases import Paraphrases
from tokalign.lexicon._vectors import Vectors
from tokalign.lexicon._wordnet import WordNet
from tokalign.types import Sentence

class Decoder:
    extractor: Extractor
    def __init__(
        self,
        wordnet: WordNet,
        base: NDArray[np.int32],
        weights: NDArray[np.float32],
        transitions: NDArray[np.float64],
        vectors: Vectors | None = ...,
        paraphrases: Paraphrases | None = ...,
    ) -> None: ...
    def decode(
        self, source: Sentence, target: Sentence, encoded: Encoded | None = ...
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64]]: ...
    def posteriors(
        self, source: Sentence, target: Sentence, encoded: Encoded | None = ...
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def features(
        self, source: int, target: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]: ...
