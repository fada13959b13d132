from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding._convention import Convention
from tokalign.decoding._decoder import Decoder
from tokalign.features._extract import Encoded
from tokalign.outcomes import AnnotatedPair

def decide_batch(
    decoder: Decoder,
    pairs: Sequence[tuple[AnnotatedPair, Encoded | None]],
    style: int,
    convention: Convention,
    least: float,
) -> tuple[
    tuple[
        NDArray[np.int64],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
    ],
    dict[int, Exception],
]: ...
