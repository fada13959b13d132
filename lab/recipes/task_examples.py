"""Training examples of relations from corpora for research use: chunks of the task of interpretable
similarity, and SSD's spans.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign import Aligner
from tokalign.formats.ists import split_chunks
from tokalign.relations.related_units import UNIT_INPUTS
from tokalign.types import Sentence
from tokalign.types.relations import (
    CHUNK_TYPES,
    RELATION_KINDS,
    TURNED_KINDS,
    ChunkedPair,
    RelationKind,
    TokenChunk,
)

from lab.recipes.chunk_task import read_wa
from lab.recipes.corpora import read_spans
from lab.recipes.unit_examples import STYLES, Examples, SentencePair, unit_rows

TEXTS = ("headlines", "images", "answers-students")
"""Kinds of text of the task of interpretable similarity."""
SIMILAR_SCORE, UNLIKE_SCORE = 4.6, 2.4
"""Scores of SSD's spans, about the means of the task's scores on either side of 3.5."""
SPAN_WEIGHT = 6.0
"""Of a span, beside the task's links, which are more and come from either side."""
_KIND_OF_TYPE = {
    chunk_type: RELATION_KINDS.index(kind) for kind, chunk_type in reversed(CHUNK_TYPES.items())
}
_VALUE = RELATION_KINDS.index(RelationKind.DIFFERENT_VALUE)
_ALIKE = {RELATION_KINDS.index(kind) for kind in (RelationKind.SIMILAR, RelationKind.RELATED)}


@dataclass(frozen=True, slots=True)
class ChunkedText:
    """A pair of the task with all of its chunks, as they were given."""

    pair: ChunkedPair
    source_chunks: list[TokenChunk]
    target_chunks: list[TokenChunk]
    text: str

    @property
    def group(self) -> str:
        """Group of its examples: pairs with one first sentence are never divided."""
        return " ".join(self.pair.source.tokens)


def read_task(data: Path) -> list[ChunkedText]:
    """Return the task's training pairs."""
    found = []
    for text in TEXTS:
        stem = data / "ists" / f"train.{text}"
        sides = [
            Path(f"{stem}.sent{number}.chunk.txt").read_text(encoding="utf-8").splitlines()
            for number in (1, 2)
        ]
        for pair, one, other in zip(read_wa(f"{stem}.wa"), *sides, strict=True):
            found.append(ChunkedText(pair, split_chunks(one)[1], split_chunks(other)[1], text))
    return found


def annotated(aligner: Aligner, texts: Sequence[ChunkedText]) -> list[SentencePair]:
    """Return the task's pairs annotated."""
    sides = aligner.annotate(
        [side for each in texts for side in (each.pair.source, each.pair.target)]
    )
    return list(zip(sides[::2], sides[1::2], strict=True))


def chunked_sides(
    aligner: Aligner, texts: Sequence[ChunkedText]
) -> list[tuple[Sentence, list[TokenChunk]]]:
    """Return the task's sentences, annotated, with their chunks."""
    found = []
    for text, pair in zip(texts, annotated(aligner, texts), strict=True):
        found += [(pair[0], text.source_chunks), (pair[1], text.target_chunks)]
    return found


def add_task(examples: Examples, aligner: Aligner, texts: Sequence[ChunkedText]) -> None:
    """Add the task's links, and all pairs of chunks with whether they belong together, from either
    side.

    The task weighs a link by the fewer words of its sides; here it is the square root of that.
    """
    for text, pair in zip(texts, annotated(aligner, texts), strict=True):
        links = [link for link in text.pair.links if link.is_aligned]
        linked = [(link.source, link.target) for link in links]
        together = {(i, j) for one, other in linked for i in one for j in other}
        every = [(one, other) for one in text.source_chunks for other in text.target_chunks]
        others = [each for each in every if each not in linked]
        for style, is_turned in itertools.product(STYLES, (False, True)):
            units = [*linked, *others]
            if is_turned:
                units = [(other, one) for one, other in units]
            rows = unit_rows(aligner, pair[::-1] if is_turned else pair, units, style)
            for link, row in zip(links, rows[: len(links)], strict=True):
                kind = _kind(link.type, row)
                examples.add(
                    row,
                    text.group,
                    kind=TURNED_KINDS[kind] if is_turned else kind,
                    score=link.score or 0.0,
                    linked=1,
                    weight=min(len(link.source), len(link.target)) ** 0.5,
                )
            for (one, other), row in zip(others, rows[len(links) :], strict=True):
                belongs = any((i, j) in together for i in one for j in other)
                examples.add(row, text.group, linked=int(belongs))


def _kind(chunk_type: str, row: NDArray[np.float32]) -> int:
    """Return the kind of the task's type, which has none for other values."""
    kind = _KIND_OF_TYPE[chunk_type.split("_")[0]]
    other, same = (row[UNIT_INPUTS.index(name)] for name in ("other-value", "same-value"))
    return _VALUE if kind in _ALIKE and other and not same else kind


def add_spans(examples: Examples, aligner: Aligner, data: Path) -> None:
    """Add SSD's spans, which people called similar or not, for the score alone."""
    for source, target, units, labels in read_spans(data / "ssd" / "spans.tsv"):
        if not units:
            continue
        sides = aligner.annotate([source, target])
        for style in STYLES:
            rows = unit_rows(aligner, (sides[0], sides[1]), units, style)
            for row, is_similar in zip(rows, labels, strict=True):
                score = SIMILAR_SCORE if is_similar else UNLIKE_SCORE
                examples.add(row, " ".join(source.tokens), score=score, weight=SPAN_WEIGHT)
