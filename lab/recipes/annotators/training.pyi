import numpy as np
from numpy.typing import NDArray
from tokalign.english.annotate.tagging import Forms

def train_tags(
    forms: Forms,
    gold: NDArray[np.uint8],
    order: NDArray[np.int32],
    weights: NDArray[np.int32],
    totals: NDArray[np.int64],
    lexicon_keys: NDArray[np.uint32],
    lexicon_values: NDArray[np.uint32],
    n_tags: int,
    step: int,
    margin: int,
) -> tuple[int, int]: ...
def train_arcs(
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
