from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.features.extract import Extractor
from tokalign.types import Sentence

INPUTS: tuple[str, ...]

def inputs_of(extractor: Extractor, source: Sentence, target: Sentence) -> NDArray[np.float64]: ...
def chosen(weights: Sequence[Sequence[float]], inputs: Sequence[float]) -> int: ...
