from typing import Self

from tokalign.files.tables import Table

CELL_INPUTS: tuple[str, ...]
GROUP_INPUTS: tuple[str, ...]
TABLE: str
GROUPS: str

class SecondPass:
    def __init__(self, table: Table, encoder: str) -> None: ...
    @classmethod
    def open_shipped(cls, encoder: str) -> Self: ...
