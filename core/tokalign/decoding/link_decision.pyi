from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.files.tables import Table
from tokalign.model.styles import StyleHeader

CHOICE_INPUTS: tuple[str, ...]
CELL_INPUTS: tuple[str, ...]
GROUP_INPUTS: tuple[str, ...]
SECOND_PASS: str
GROUPS: str

class SecondPass:
    def __init__(self, table: Table, encoder: str) -> None: ...
    @classmethod
    def open_shipped(cls, encoder: str) -> Self: ...

class Convention:
    @property
    def threshold(self) -> float: ...
    @property
    def is_revised(self) -> bool: ...
    def __init__(self, style: StyleHeader) -> None: ...
    def confidence(self, posterior: float, are_unlike: bool) -> float: ...
    def confidences(
        self, posterior: NDArray[np.floating], unlike: NDArray[np.bool_]
    ) -> NDArray[np.float64]: ...

def covered_shares(
    s2t_posterior: NDArray[np.float64],
    t2s_posterior: NDArray[np.float64],
    score_weights: Sequence[float],
    source_weights: Sequence[float],
    target_weights: Sequence[float],
    strength: NDArray[np.floating] | None = None,
) -> tuple[float, float]: ...
def lowered_shares(
    shares: NDArray[np.float64], agreements: NDArray[np.float64]
) -> NDArray[np.float64]: ...
