from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.ranking.expected import Expected

class EvidenceRows:
    values: NDArray[np.float64]
    def __init__(self, expected: Sequence[Expected]) -> None: ...
