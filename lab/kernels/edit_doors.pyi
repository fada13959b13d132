from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokalign.edits.pair_edits import EditPair
from tokalign.types import Sentence

_Ids = NDArray[np.int32]

def same_words(source: Sentence, target: Sentence) -> NDArray[np.uint8]: ...
def kept_tokens(
    same: NDArray[np.uint8], worth: NDArray[np.float64], links: NDArray[np.float32]
) -> _Ids: ...
def edit_pair(
    sides: Sequence[Any],
    tokens: Sequence[_Ids],
    same: NDArray[np.uint8],
    links: NDArray[np.float32],
    partner: _Ids,
) -> tuple[EditPair, _Ids]: ...
