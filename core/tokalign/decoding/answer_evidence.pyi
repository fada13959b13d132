import numpy as np
from numpy.typing import NDArray

from tokalign.features.extract import Extractor
from tokalign.ranking.expected import Expected
from tokalign.types import Sentence

EVIDENCE: tuple[str, ...]

def pair_evidence(
    extractor: Extractor,
    candidate: Sentence,
    question: Sentence,
    mean: NDArray[np.float64],
    expected: Expected,
    score: float,
    agreement: float,
) -> NDArray[np.float64]: ...
