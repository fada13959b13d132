"""The model of edits: which segments are edits of their own, and which words moved."""

from __future__ import annotations

from functools import cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.edits.moves import MOVE_INPUTS
from tokalign.edits.segments import SEGMENT_INPUTS
from tokalign.edits.words import word_facts
from tokalign.english.lexicon.word_weights import Frequencies
from tokalign.errors import ResourceError
from tokalign.files.tables import Table
from tokalign.relations.forest import Forest

TABLE = "edits"


class EditModel:
    """Says how likely people mark a segment as one edit, and leave a run as moved.

    Parameters
    ----------
    table : Table
    frequencies : Frequencies

    Attributes
    ----------
    facts : callable
        Returns the kind and the weight of a word; see tokalign.edits.words.

    Raises
    ------
    ResourceError
        If the table is damaged, or of other inputs.
    """

    def __init__(self, table: Table, frequencies: Frequencies) -> None:
        wanted = {"inputs": SEGMENT_INPUTS, "move_inputs": MOVE_INPUTS}
        if any(table.strings(name) != list(names) for name, names in wanted.items()):
            raise ResourceError(f"{table.path}: made for other inputs; rebuild it")
        self._segments = Forest(table, "segment", len(SEGMENT_INPUTS), 1)
        self._moves = Forest(table, "move", len(MOVE_INPUTS), 1)
        self.facts = word_facts(frequencies.idf)

    @classmethod
    @cache
    def open_shipped(cls) -> Self:
        """Return the model that ships with the package, opened once for each process."""
        return cls(Table.open_shipped(TABLE), Frequencies.open_shipped())

    def segment_probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return how likely each segment is an edit, from its inputs."""
        return _logistic(self._segments.scores(rows))

    def move_probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return how likely each run has moved, from its inputs."""
        return _logistic(self._moves.scores(rows))


def _logistic(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-scores[:, 0]))
    return found
