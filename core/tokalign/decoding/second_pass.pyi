from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.files.tables import Table

CELL_INPUTS: tuple[str, ...]
GROUP_INPUTS: tuple[str, ...]
TABLE: str
GROUPS: str

class SecondPass:
    def __init__(self, table: Table, encoder: str) -> None: ...
    @classmethod
    def open_shipped(cls, encoder: str) -> Self: ...

def group_candidates(
    posterior: NDArray[np.float64], linked: NDArray[np.bool_]
) -> list[tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.float32]]]: ...
