import numpy as np
from numpy.typing import NDArray

from tokalign.texts.text_words import TextWords

UNITS: int

def best_partners(
    side: TextWords,
    other: TextWords,
    weights: NDArray[np.float64],
    ranges: NDArray[np.int32],
    most: int,
    n_best: int,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
def shared_beyond(
    side: TextWords, other: TextWords, weights: NDArray[np.float64], triples: NDArray[np.int32]
) -> NDArray[np.float64]: ...
def best_chain(blocks: NDArray[np.int32], gains: NDArray[np.int64]) -> NDArray[np.int32]: ...
