"""The alignments of a batch, column by column.

What a batch gives stays in arrays; an `Alignment` of it is a view whose links become objects only
where they are looked at. Who writes many alignments (the server's workers, files of columns) reads
the arrays instead, and makes no object for a link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokalign.options import Symmetrization
from tokalign.types import Alignment, Link, Sentence


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AlignmentColumns:
    """Alignments without posteriors and explanations, of sentences that were not cut.

    Attributes
    ----------
    sources, targets : sequence of Sentence, length n_pairs
    offsets : int64 array, shape (n_pairs + 1,)
        Pair k has the links from ``offsets[k]`` to before ``offsets[k + 1]``.
    source, target : int32 array, shape (n_links,)
        0-based token indices, of each pair sorted by (source, target).
    confidence : float64 array, shape (n_links,)
        In [0, 1].
    score, similarity : float64 array, shape (n_pairs,)
        See Alignment.
    model, version : str
    symmetrization : Symmetrization
        The same of all pairs.
    """

    sources: Sequence[Sentence]
    targets: Sequence[Sentence]
    offsets: NDArray[np.int64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    confidence: NDArray[np.float64]
    score: NDArray[np.float64]
    similarity: NDArray[np.float64]
    model: str
    version: str
    symmetrization: Symmetrization

    def __len__(self) -> int:
        return len(self.score)

    def alignment(self, index: int) -> Alignment:
        """Return the alignment of a pair, a view of these columns."""
        return Alignment.of(self, index)

    def field(self, index: int, name: str) -> Any:
        """Return a field of the alignment of a pair."""
        return _FIELDS[name](self, index)

    def links(self, index: int) -> tuple[Link, ...]:
        """Return the links of a pair."""
        span = slice(self.offsets[index], self.offsets[index + 1])
        columns = self.source[span], self.target[span], self.confidence[span]
        return tuple(map(Link, *(column.tolist() for column in columns)))


_FIELDS: dict[str, Callable[[AlignmentColumns, int], Any]] = {
    "source": lambda columns, index: columns.sources[index],
    "target": lambda columns, index: columns.targets[index],
    "links": AlignmentColumns.links,
    "score": lambda columns, index: float(columns.score[index]),
    "similarity": lambda columns, index: float(columns.similarity[index]),
    "model": lambda columns, index: columns.model,
    "version": lambda columns, index: columns.version,
    "symmetrization": lambda columns, index: columns.symmetrization,
    "posteriors": lambda columns, index: None,
    "explanations": lambda columns, index: (),
    "phrases": lambda columns, index: (),
    "source_truncated": lambda columns, index: False,
    "target_truncated": lambda columns, index: False,
    "distance": lambda columns, index: None,
}


def columns_of(alignment: Alignment) -> tuple[AlignmentColumns, int] | None:
    """Return the columns that an alignment is a view of and its pair's number among them.

    None where it is none: where it was made by its constructor, or holds posteriors,
    explanations or phrases.
    """
    viewed = alignment.viewed()
    if viewed is None or not isinstance(viewed[0], AlignmentColumns):
        return None
    return viewed[0], viewed[1]
