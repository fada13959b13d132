from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

class Forms:
    n_tokens: int
    n_sentences: int
    def __new__(cls, sentences: Sequence[Sequence[str]]) -> Self: ...
    def offsets_list(self) -> list[int]: ...
    def lower_hashes(self) -> list[int]: ...
    def rows(self) -> list[dict[str, int]]: ...

KNOWN_TAGS: tuple[str, ...]
NO_TAG: int

def feature_slot(template: int, a: int, b: int, bits: int) -> int: ...
def tag_forms(
    forms: Forms,
    weights: NDArray[np.int16],
    lexicon_keys: NDArray[np.uint32],
    lexicon_values: NDArray[np.uint32],
    n_tags: int,
    known_tags: Sequence[int],
) -> NDArray[np.uint8]: ...
