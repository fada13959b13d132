from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.grounding.answer_words import AlignedCandidate, AnswerWords
from tokalign.grounding.sources import Sources

EVIDENCE_INPUTS: tuple[str, ...]
WORD_INPUTS: tuple[str, ...]
INPUTS: tuple[str, ...]
PARTS: tuple[str, ...]
CONTEXT_INPUTS: tuple[str, ...]

def support_inputs(
    words: AnswerWords, candidates: Sequence[AlignedCandidate], sources: Sources
) -> NDArray[np.float32]: ...
def context_inputs(words: AnswerWords, log_odds: NDArray[np.float64]) -> NDArray[np.float64]: ...
