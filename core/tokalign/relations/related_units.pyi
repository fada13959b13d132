from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.files.tables import Table
from tokalign.relations.forest import Forest

UNIT_INPUTS: tuple[str, ...]

class RelationModel:
    kinds: Forest
    linked: Forest
    score: Forest
    boundary: Forest
    def __init__(self, table: Table) -> None: ...
    @classmethod
    def open_shipped(cls) -> Self: ...
    def identical_words(self) -> NDArray[np.float32]: ...
    def probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float32]: ...
    def linked_probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]: ...
    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]: ...
