import numpy as np
from numpy.typing import NDArray

from tokalign.edits.side_words import SideWords

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
