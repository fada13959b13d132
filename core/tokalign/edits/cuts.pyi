from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LONGEST_GAP: int
MOVE_INPUTS: tuple[str, ...]

class Stretch(NamedTuple):
    source_start: int
    source_end: int
    target_start: int
    target_end: int

class Segment(NamedTuple):
    source_start: int
    source_end: int
    target_start: int
    target_end: int
    first_block: int
    last_block: int

class Cuts:
    @property
    def segments(self) -> NDArray[np.int32]: ...
    def best(self, scores: NDArray[np.float64]) -> list[Segment]: ...
