from collections.abc import Sequence
from enum import IntEnum
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.features.extract import Extractor
from tokalign.ranking.answer_types import Expected
from tokalign.types import Sentence

class SupportColumn(IntEnum):
    MASS = ...
    BEST = ...
    SAME = ...
    STRENGTH = ...
    ALIKE = ...
    WINDOW = ...
    TREE = ...
    ORDER = ...
    COVER = ...
    N_COLUMNS = ...

COLUMNS: tuple[str, ...]
EVIDENCE: tuple[str, ...]

class EvidenceRows:
    values: NDArray[np.float64]
    def __new__(cls, expected: Sequence[Expected]) -> Self: ...

class SupportRows:
    values: NDArray[np.float32]
    offsets: NDArray[np.int64]
    def __new__(cls, n_tokens: Sequence[int]) -> Self: ...

def pair_evidence(
    extractor: Extractor,
    candidate: Sentence,
    question: Sentence,
    mean: NDArray[np.float64],
    expected: Expected,
    score: float,
    agreement: float,
) -> NDArray[np.float64]: ...
