from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.files.tables import Table

UNIT_INPUTS: tuple[str, ...]

class Forest:
    n_inputs: int
    n_outputs: int
    def __init__(self, table: Table, name: str, n_inputs: int, n_outputs: int) -> None: ...
    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]: ...
    def contributions(self, row: NDArray[np.float32], output: int) -> NDArray[np.float64]: ...

class RelationModel:
    kinds: Forest
    linked: Forest
    score: Forest
    boundary: Forest
    def __init__(self, table: Table) -> None: ...
    @classmethod
    def open_shipped(cls, name: str = ...) -> Self: ...
    def probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float32]: ...
    def linked_probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]: ...
    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]: ...
