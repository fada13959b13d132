from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

MAX_STEPS: int

def cheapest_script(
    source_heads: Sequence[int],
    target_heads: Sequence[int],
    substitution: NDArray[np.int32],
    deletion: int = ...,
    insertion: int = ...,
) -> tuple[int, NDArray[np.int32]]: ...
