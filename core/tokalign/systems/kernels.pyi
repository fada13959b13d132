from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.english.lexicon.lexical_tables import Paraphrases, WordNet

_Prepared: TypeAlias = tuple[
    Sequence[str], Sequence[str], Sequence[str], Sequence[tuple[int, int, str]]
]

MAX_STEPS: int
RULES: tuple[str, ...]

class SultanKernel:
    def __init__(self, wordnet: WordNet, listed: Paraphrases | None = None) -> None: ...
    def align(self, source: _Prepared, target: _Prepared) -> list[tuple[int, int, int, int]]: ...

def cheapest_script(
    source_heads: Sequence[int],
    target_heads: Sequence[int],
    substitution: NDArray[np.int32],
    deletion: int = ...,
    insertion: int = ...,
) -> tuple[int, NDArray[np.int32]]: ...
