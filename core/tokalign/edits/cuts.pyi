from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokalign.edits.segments import SideWords

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
    segments: NDArray[np.int32]
    def best(self, scores: NDArray[np.float64]) -> list[Segment]: ...

def blocks_of(partner: NDArray[np.int32], n_target: int) -> NDArray[np.int32]: ...
def cuts_of(
    blocks: NDArray[np.int32],
    kinds: tuple[NDArray[np.int32], NDArray[np.int32]],
    links: NDArray[np.float32],
    moves: Sequence[Stretch],
    words: tuple[NDArray[np.int32], NDArray[np.int32]],
) -> Cuts: ...
def move_candidates(same: NDArray[np.uint8], blocks: NDArray[np.int32]) -> list[Stretch]: ...
def move_inputs(
    candidates: Sequence[Stretch],
    blocks: NDArray[np.int32],
    sides: tuple[SideWords, SideWords],
    links: NDArray[np.float32],
    same: NDArray[np.uint8],
) -> NDArray[np.float32]: ...
