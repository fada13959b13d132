import numpy as np
from numpy.typing import NDArray

from tokalign.files.tables import Table

class Forest:
    n_inputs: int
    n_outputs: int
    def __init__(self, table: Table, name: str, n_inputs: int, n_outputs: int) -> None: ...
    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float64]: ...
    def contributions(self, row: NDArray[np.float32], output: int) -> NDArray[np.float64]: ...
