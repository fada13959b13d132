from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.features.extract import Extractor
from tokalign.types import Sentence

CHOICE_INPUTS: tuple[str, ...]
GATE_INPUTS: tuple[str, ...]

class GateRows:
    @property
    def values(self) -> NDArray[np.float32]: ...
    def __new__(cls, n_pairs: int) -> Self: ...

def choice_inputs_of(
    extractor: Extractor, source: Sentence, target: Sentence
) -> NDArray[np.float64]: ...
def style_number(weights: Sequence[Sequence[float]], inputs: Sequence[float]) -> int: ...
