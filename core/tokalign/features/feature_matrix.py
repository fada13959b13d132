"""The feature rows of a whole training corpus, with slots renumbered to those that occur."""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.crf.matrix import FeatureMatrix
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import Encoded, FeatureTable, Lexicons
from tokalign.types import Sentence


def build_matrix(
    pairs: Iterable[tuple[Sentence, Sentence]],
    table: FeatureTable,
    lexicons: Lexicons,
    encoded: Iterable[Encoded | None] | None = None,
) -> FeatureMatrix:
    """Extract the features of annotated pairs.

    `encoded` (iterable of pairs of float32 arrays): an encoder's output for each pair; only the
    group "neural" reads it. InputError is raised if a sentence is empty or lacks tags or lemmas.
    """
    extractor = Extractor(
        lexicons.wordnet, table.base, lexicons.vectors, lexicons.paraphrases, lexicons.frequencies
    )
    starts: list[NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]
    slots, values, first_row, n_source, n_target = [], [], [], [], []
    n_rows = n_values = 0
    for (source, target), arrays in zip(pairs, encoded or itertools.repeat(None), strict=False):
        row_start, slot, value = extractor.rows(source, target, arrays)
        first_row.append(n_rows)
        n_source.append(len(source))
        n_target.append(len(target))
        starts.append(row_start[1:] + n_values)
        slots.append(slot)
        values.append(value)
        n_rows += len(row_start) - 1
        n_values += len(slot)
    used, column = _renumber(slots, table.n_slots)
    return FeatureMatrix(
        row_start=np.concatenate(starts),
        column=column,
        value=np.concatenate(values) if values else np.zeros(0, dtype=np.float32),
        first_row=np.array(first_row, dtype=np.int64),
        n_source=np.array(n_source, dtype=np.int32),
        n_target=np.array(n_target, dtype=np.int32),
        slots=used,
    )


def _renumber(
    slots: Sequence[NDArray[np.int32]], n_slots: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    occurs = np.zeros(n_slots, dtype=bool)
    for slot in slots:
        occurs[slot] = True
    used = np.flatnonzero(occurs).astype(np.int32)
    number = np.full(n_slots, -1, dtype=np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    column = [number[slot] for slot in slots]
    return used, np.concatenate(column) if column else np.zeros(0, dtype=np.int32)
