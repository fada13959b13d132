from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding._decoded import DecodedPair
from tokalign.decoding._decoder import Decoder
from tokalign.decoding.convention import Conventions
from tokalign.features.encoded import Encoded
from tokalign.types import AnnotatedPair
from tokalign.types.alignment import LinkTuple

def decide_batch(
    decoder: Decoder,
    pairs: Sequence[tuple[AnnotatedPair, Encoded | None]],
    style: int,
    conventions: Conventions,
    least: float,
    finish: Callable[[int, DecodedPair], Sequence[LinkTuple]],
    finishes_all: bool = ...,
) -> tuple[
    tuple[
        NDArray[np.int64],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.int32],
    ],
    dict[int, Exception],
]: ...
