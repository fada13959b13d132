"""Training examples of relations: units of aligned sentences, with what people said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign import Aligner
from tokalign.formats.ists import read_wa, split_chunks
from tokalign.relations.related_units import UNIT_INPUTS
from tokalign.types import AnnotatedPair, Sentence
from tokalign.types.chunks import CHUNK_TYPES, ChunkedPair, TokenChunk
from tokalign.types.options import AlignOptions
from tokalign.types.relations import RELATION_KINDS, RelationKind

from lab.recipes.contrasts import made_examples
from lab.recipes.corpora import MTREF, read_corpus, read_spans

TEXTS = ("headlines", "images", "answers-students")
"""Kinds of text of the task of interpretable similarity."""
STYLES = ("strict", "free")
"""Each example is taken under both, so that relations hold whatever style decided."""
CONTRAST_WEIGHT = 1.0
PARAPHRASE_WEIGHT = 0.05
"""Of a link of MTRef, whose annotators linked some hypernyms, too."""
N_PARAPHRASES = 3000
SIMILAR_SCORE = 4.6
UNLIKE_SCORE = 2.4
"""Scores of SSD's spans, about the means of the task's scores on either side of 3.5."""
SPAN_WEIGHT = 1.0
SEED = 7

_KIND_OF_TYPE = {
    chunk_type: RELATION_KINDS.index(kind) for kind, chunk_type in reversed(CHUNK_TYPES.items())
}
UNKNOWN = -1


@dataclass(slots=True)
class Examples:
    """Units as columns; lists of one length.

    Attributes
    ----------
    rows : list of float32 array
        As UNIT_INPUTS names them.
    kinds : list of int
        Place among RELATION_KINDS, or UNKNOWN.
    linked : list of int
        1 or 0; UNKNOWN where that is no matter.
    scores : list of float
        From 0 to 5; NaN where there is none.
    weights : list of float
    groups : list of str
        Examples of one sentence have one group, and are never divided.
    """

    rows: list[NDArray[np.float32]] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    linked: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)

    def add(
        self,
        row: NDArray[np.float32],
        group: str,
        *,
        kind: int = UNKNOWN,
        linked: int = UNKNOWN,
        score: float = float("nan"),
        weight: float = 1.0,
    ) -> None:
        self.rows.append(row)
        self.kinds.append(kind)
        self.linked.append(linked)
        self.scores.append(score)
        self.weights.append(weight)
        self.groups.append(group)


@dataclass(frozen=True, slots=True)
class ChunkedText:
    """A pair of the task with all of its chunks, as they were given."""

    pair: ChunkedPair
    source_chunks: list[TokenChunk]
    target_chunks: list[TokenChunk]
    text: str


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


def annotated(aligner: Aligner, texts: Sequence[ChunkedText]) -> list[AnnotatedPair]:
    """Return the task's pairs annotated."""
    sides = aligner.annotate(
        [side for each in texts for side in (each.pair.source, each.pair.target)]
    )
    return list(zip(sides[::2], sides[1::2], strict=True))


def chunked_sentences(
    aligner: Aligner, texts: Sequence[ChunkedText]
) -> list[tuple[Sentence, list[TokenChunk]]]:
    """Return the task's sentences, annotated, with their chunks."""
    found = []
    for text, pair in zip(texts, annotated(aligner, texts), strict=True):
        found += [(pair[0], text.source_chunks), (pair[1], text.target_chunks)]
    return found


def candidates(text: ChunkedText) -> list[tuple[TokenChunk, TokenChunk]]:
    """Return every chunk of one side with every chunk of the other."""
    return [(one, other) for one in text.source_chunks for other in text.target_chunks]


def add_task(examples: Examples, aligner: Aligner, texts: Sequence[ChunkedText]) -> None:
    """Add the task's links, and all pairs of chunks with whether they belong together."""
    for text, pair in zip(texts, annotated(aligner, texts), strict=True):
        links = [link for link in text.pair.links if link.is_aligned]
        together = {(i, j) for link in links for i in link.source for j in link.target}
        for style in STYLES:
            options = AlignOptions(style=style)
            units = [(link.source, link.target) for link in links]
            group = " ".join(text.pair.source.tokens)
            if links:
                for link, row in zip(
                    links, aligner._engine.unit_inputs(pair, units, options), strict=True
                ):
                    kind = _kind(link.type, row)
                    examples.add(row, group, kind=kind, score=link.score or 0.0, linked=1)
            chunks = [each for each in candidates(text) if each not in units]
            if chunks:
                for chunk, row in zip(
                    chunks, aligner._engine.unit_inputs(pair, chunks, options), strict=True
                ):
                    is_linked = any((i, j) in together for i in chunk[0] for j in chunk[1])
                    examples.add(row, group, linked=int(is_linked))


def _kind(chunk_type: str, row: NDArray[np.float32]) -> int:
    """Return the kind of the task's type; other values have none of their own there."""
    kind = _KIND_OF_TYPE[chunk_type.split("_")[0]]
    is_alike = RELATION_KINDS[kind] in (RelationKind.SIMILAR, RelationKind.RELATED)
    if (
        is_alike
        and row[UNIT_INPUTS.index("other-value")]
        and not row[UNIT_INPUTS.index("same-value")]
    ):
        return RELATION_KINDS.index(RelationKind.DIFFERENT_VALUE)
    return kind


def add_made(examples: Examples, aligner: Aligner, texts: Sequence[ChunkedText]) -> None:
    """Add made contrasts, from the task's sentences."""
    from tokalign.english.lexicon.word_weights import Frequencies

    sentences = [each[0] for each in annotated(aligner, texts)]
    rarity = Frequencies.open_shipped().idf
    for made in made_examples(sentences, SEED, rarity):
        pair = made.source, aligner.annotate([made.target])[0]
        for style in STYLES:
            row = aligner._engine.unit_inputs(pair, [made.unit], AlignOptions(style=style))[0]
            examples.add(
                row,
                " ".join(made.source.tokens),
                kind=RELATION_KINDS.index(made.kind),
                weight=CONTRAST_WEIGHT,
            )


def add_paraphrases(examples: Examples, aligner: Aligner, data: Path) -> None:
    """Add links of unlike words that people made in sentences that say the same."""
    same = RELATION_KINDS.index(RelationKind.SAME)
    for number, (pair, units) in enumerate(_unlike_links(aligner, data)):
        if number * len(STYLES) > N_PARAPHRASES:
            return
        for style in STYLES:
            for row in aligner._engine.unit_inputs(pair, units, AlignOptions(style=style)):
                is_other = (
                    row[UNIT_INPUTS.index("other-value")] or row[UNIT_INPUTS.index("opposite")]
                )
                if not is_other:
                    examples.add(row, " ".join(pair[0].tokens), kind=same, weight=PARAPHRASE_WEIGHT)


def add_spans(examples: Examples, aligner: Aligner, data: Path) -> None:
    """Add SSD's spans, which people called similar or not, for the score alone."""
    for source, target, units, labels in read_spans(data / "ssd" / "spans.tsv"):
        sides = aligner.annotate([source, target])
        pair = sides[0], sides[1]
        for style in STYLES:
            if units:
                rows = aligner._engine.unit_inputs(pair, units, AlignOptions(style=style))
                for row, is_similar in zip(rows, labels, strict=True):
                    examples.add(
                        row,
                        " ".join(source.tokens),
                        score=SIMILAR_SCORE if is_similar else UNLIKE_SCORE,
                        weight=SPAN_WEIGHT,
                    )


def _unlike_links(
    aligner: Aligner, data: Path
) -> Iterator[tuple[AnnotatedPair, list[tuple[TokenChunk, TokenChunk]]]]:
    for gold in read_corpus(data, MTREF):
        sides = [i for i, _ in gold.sure], [j for _, j in gold.sure]
        units: list[tuple[TokenChunk, TokenChunk]] = [
            ((i,), (j,))
            for i, j in sorted(gold.sure)
            if sides[0].count(i) == sides[1].count(j) == 1
            and gold.source.tokens[i].lower() != gold.target.tokens[j].lower()
            and gold.source.tokens[i].isalpha()
        ]
        if units:
            source, target = aligner.annotate([gold.source, gold.target])
            yield (source, target), units
