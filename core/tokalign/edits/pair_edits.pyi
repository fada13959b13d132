from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.edits.cuts import Cuts, Stretch
from tokalign.edits.segments import WordFacts
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.files.tables import Table
from tokalign.types import Sentence
from tokalign.types.edits import Change, Edit
from tokalign.types.relations import Conflict, ConflictKind

TABLE: str
LEAST_MOVED: float
COST: float
MEANINGS: dict[ConflictKind, Change]

class EditModel:
    facts: WordFacts
    def __init__(self, table: Table, frequencies: Frequencies) -> None: ...
    @classmethod
    def open_shipped(cls) -> Self: ...
    def segment_probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]: ...
    def move_probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]: ...

class EditPair:
    source: Sentence
    target: Sentence
    def __init__(
        self,
        source: Sentence,
        target: Sentence,
        links: Mapping[tuple[int, int], float],
        facts: WordFacts,
    ) -> None: ...
    def move_candidates(self) -> list[Stretch]: ...
    def may_move(self, run: Stretch) -> bool: ...
    def move_inputs(self, candidates: Sequence[Stretch]) -> NDArray[np.float32]: ...
    def cuts(self, moves: Sequence[Stretch]) -> Cuts: ...
    def segment_inputs(self, cuts: Cuts) -> NDArray[np.float32]: ...

def edits_between(
    source: Sentence,
    target: Sentence,
    links: Mapping[tuple[int, int], float],
    conflicts: Collection[Conflict] = (),
    model: EditModel | None = None,
) -> tuple[Edit, ...]: ...
def chosen_moves(
    candidates: Sequence[Stretch], probabilities: Iterable[float]
) -> list[Stretch]: ...
