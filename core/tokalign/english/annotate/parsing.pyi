import numpy as np
from numpy.typing import NDArray

from tokalign.english.annotate.tagging import Forms

def parse_forms(
    forms: Forms,
    tags: NDArray[np.uint8],
    action_weights: NDArray[np.int16],
    label_weights: NDArray[np.int16],
    n_labels: int,
) -> tuple[NDArray[np.int32], NDArray[np.uint8]]: ...
