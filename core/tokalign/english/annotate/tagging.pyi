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

def parse_forms(
    forms: Forms,
    tags: NDArray[np.uint8],
    action_weights: NDArray[np.int16],
    label_weights: NDArray[np.int16],
    n_labels: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...
