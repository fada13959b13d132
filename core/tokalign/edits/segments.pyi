from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokalign.types import Sentence

PUNCTUATION: int
COMMA: int

class SideWords(NamedTuple):
    kinds: NDArray[np.int32]
    weights: NDArray[np.float32]
    lemmas: NDArray[np.int32]

class WordFacts:
    def __init__(self, idf: Callable[[str], float]) -> None: ...

def sides_of(
    source: Sentence, target: Sentence, facts: WordFacts
) -> tuple[SideWords, SideWords]: ...
def tags_of(sentence: Sentence) -> tuple[str, ...]: ...
def numbers_of(tokens: tuple[str, ...], numbers: dict[str, int]) -> NDArray[np.int32]: ...
def same_words(source: Sentence, target: Sentence) -> NDArray[np.uint8]: ...
def link_matrix(
    links: Mapping[tuple[int, int], float], n_source: int, n_target: int
) -> NDArray[np.float32]: ...

RUN: float
LINKED: float
SEGMENT_INPUTS: tuple[str, ...]

def kept_tokens(
    same: NDArray[np.uint8], worth: NDArray[np.float64], links: NDArray[np.float32]
) -> NDArray[np.int32]: ...

class SegmentInputs:
    def __init__(
        self,
        source: SideWords,
        target: SideWords,
        links: NDArray[np.float32],
        partner: NDArray[np.int32],
        blocks: NDArray[np.int32],
    ) -> None: ...
    def rows(self, segments: NDArray[np.int32]) -> NDArray[np.float32]: ...
