import numpy as np
from numpy.typing import NDArray

from tokalign.english.lexicon.lexical_tables import Frequencies, Paraphrases, Vectors, WordNet
from tokalign.features._word_pairs import PairMemory
from tokalign.features.feature_groups import Encoded
from tokalign.types import Sentence

def check_columns(sentence: Sentence, field: str) -> None: ...

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
