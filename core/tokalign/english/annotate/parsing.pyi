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
def train_epoch(
    forms: Forms,
    tags: NDArray[np.uint8],
    gold_heads: NDArray[np.int32],
    gold_labels: NDArray[np.uint8],
    order: NDArray[np.int32],
    action_weights: NDArray[np.int32],
    action_totals: NDArray[np.int64],
    label_weights: NDArray[np.int32],
    label_totals: NDArray[np.int64],
    n_labels: int,
    step: int,
    margin: int,
) -> tuple[int, int]: ...
def action_costs(
    heads: NDArray[np.int32], actions: NDArray[np.int32]
) -> list[tuple[int, int, int]]: ...
