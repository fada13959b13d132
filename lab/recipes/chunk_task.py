"""The task of interpretable similarity: its ``.wa`` files, and its four F1 scores.

Every pair of tokens of aligned chunks is a link. Its weight is one over the larger fan-out of its
tokens (Melamed 1998, equation 4); precision takes the weights of the predicted alignment, recall
those of the gold one. Types overlap by their Jaccard index, scores by 1 - |difference| / 5.
Punctuation does not count. The scores equal those of the task's own scorer.

References
----------
Agirre et al. (2016), SemEval: Task 2, Interpretable Semantic Textual Similarity.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tokalign.errors import InputError, quoted
from tokalign.evaluate.metrics import harmonic_mean
from tokalign.formats.document import Document, open_document
from tokalign.types.inputs import split_tokens
from tokalign.types.relations import HIGHEST_SCORE, NO_ALIGNMENT, ChunkedPair, ChunkLink
from tokalign.types.sentence import Sentence

MAIN_TYPES = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL", NO_ALIGNMENT, "ALIC")
EXTRA_TYPES = ("FACT", "POL")
MARKS = frozenset(".,:'`?;\"-")
_SENTENCE = re.compile(r'<sentence id="([^"]*)"')
_ARROW = "<==>"
_NUMBERS = re.compile(r"\s*\d{1,9}(\s+\d{1,9})*\s*")

TokenLinks: TypeAlias = dict[tuple[int, int], ChunkLink]
Overlap: TypeAlias = Callable[[ChunkLink, ChunkLink], float]


def read_wa(path: str | os.PathLike[str]) -> list[ChunkedPair]:
    """Return the pairs of a ``.wa`` file.

    FormatError is raised if a line is bad; names the line; OSError, if the file cannot be read.
    """
    return list(_pairs(open_document(Path(path))))


def _pairs(document: Document) -> Iterator[ChunkedPair]:
    opened: tuple[str, int] | None = None
    sides: list[Sentence] = []
    links: list[ChunkLink] = []
    n_pairs = 0
    for line, row in document.lines:
        start = _SENTENCE.match(row)
        if start:
            if opened is not None:
                raise document.error(
                    f"a sentence begins inside of the one of line {opened[1]}", line
                )
            opened, sides, links = (start.group(1), line), [], []
        elif row.startswith("</sentence>"):
            if opened is None or len(sides) != 2:
                raise document.error("a sentence ends that has no two texts behind //", line)
            yield ChunkedPair(opened[0], sides[0], sides[1], tuple(links))
            opened = None
            n_pairs += 1
        elif row.startswith("// ") and len(sides) < 2:
            sides.append(Sentence.from_tokens(split_tokens(row[3:])))
        elif _ARROW in row:
            if opened is None or len(sides) != 2:
                raise document.error(f"saw {_ARROW} outside of a sentence", line)
            links.append(_link(document, line, row, sides))
    if opened is not None:
        raise document.error(f"the sentence of line {opened[1]} does not end")
    if not n_pairs:
        raise document.error('no pair; wanted blocks that begin with <sentence id="...">')


def _link(document: Document, line: int, row: str, sides: Sequence[Sentence]) -> ChunkLink:
    fields = row.split("//")
    if len(fields) < 3:
        raise document.error(
            f"saw {quoted(row)}; wanted tokens {_ARROW} tokens // type // score", line
        )
    numbers = fields[0].split(_ARROW)
    if len(numbers) != 2 or not all(map(_NUMBERS.fullmatch, numbers)):
        raise document.error(
            f"saw {quoted(fields[0].strip())}; wanted numbers of tokens, {_ARROW}, and others", line
        )
    chunks = []
    for side, sentence in zip(numbers, sides, strict=True):
        tokens = sorted({int(number) - 1 for number in side.split()} - {-1})
        if tokens and tokens[-1] >= len(sentence):
            raise document.error(
                f"token {tokens[-1] + 1} of a sentence of {len(sentence)} tokens", line
            )
        chunks.append(tuple(tokens))
    kind = fields[1].strip()
    main = [part for part in kind.split("_") if part in MAIN_TYPES]
    if len(main) != 1 or not set(kind.split("_")) <= {*MAIN_TYPES, *EXTRA_TYPES}:
        raise document.error(
            f"type {quoted(kind)}; wanted one of {', '.join(MAIN_TYPES)}, perhaps with "
            f"{' or '.join(EXTRA_TYPES)}",
            line,
        )
    return ChunkLink(chunks[0], chunks[1], kind, _score(document, line, fields[2].strip()))


def _score(document: Document, line: int, text: str) -> float | None:
    if text == "NIL":
        return None
    try:
        score = float(text)
    except ValueError:
        score = -1.0
    if not 0.0 <= score <= HIGHEST_SCORE:
        raise document.error(f"score {quoted(text)}; wanted a number from 0 to 5, or NIL", line)
    return score


@dataclass(frozen=True, slots=True)
class ChunkScores:
    """F1 of links alone, with types, with scores, and with both, each in [0, 1]."""

    alignment: float
    type: float
    score: float
    type_and_score: float


def _types(link: ChunkLink) -> frozenset[str]:
    return frozenset(link.type.lower().split("_"))


def _jaccard(one: ChunkLink, other: ChunkLink) -> float:
    a, b = _types(one), _types(other)
    return len(a & b) / len(a | b)


def _likeness(one: ChunkLink, other: ChunkLink) -> float:
    return 1.0 - abs((one.score or 0.0) - (other.score or 0.0)) / HIGHEST_SCORE


_OVERLAPS: tuple[Overlap, ...] = (
    lambda one, other: 1.0,
    _jaccard,
    _likeness,
    lambda one, other: _jaccard(one, other) * _likeness(one, other),
)


def score_chunks(gold: Sequence[ChunkedPair], predicted: Sequence[ChunkedPair]) -> ChunkScores:
    """Return the task's four F1 scores, each pooled over all pairs.

    Parameters
    ----------
    gold, predicted : sequence of ChunkedPair
        Matched by their ids, which must be unique.

    InputError is raised if two pairs share an id, or tokens differ.
    """
    pairs = [
        (_token_links(one, one), _token_links(other, one))
        for one, other in _matched(gold, predicted)
    ]
    found = []
    for overlap in _OVERLAPS:
        precision = _share([(theirs, ours) for ours, theirs in pairs], overlap)
        found.append(harmonic_mean(precision, _share(pairs, overlap)))
    return ChunkScores(*found)


def _matched(
    gold: Sequence[ChunkedPair], predicted: Sequence[ChunkedPair]
) -> list[tuple[ChunkedPair, ChunkedPair]]:
    """Return each gold pair with its prediction, or with an empty one."""
    by_id: dict[str, ChunkedPair] = {}
    for pairs in (gold, predicted):
        by_id = {pair.id: pair for pair in pairs}
        if len(by_id) != len(pairs):
            twice = next(name for name, n in Counter(pair.id for pair in pairs).items() if n > 1)
            raise InputError(f"two pairs have the id {quoted(twice)}", field="id")
    found = []
    for pair in gold:
        other = by_id.get(pair.id, ChunkedPair(pair.id, pair.source, pair.target, ()))
        if (other.source.tokens, other.target.tokens) != (pair.source.tokens, pair.target.tokens):
            raise InputError(f"pair {quoted(pair.id)} has other tokens than the gold one")
        found.append((pair, other))
    return found


def _token_links(pair: ChunkedPair, texts: ChunkedPair) -> TokenLinks:
    """Return the links of tokens other than punctuation, each with the link of its chunks."""
    return {
        (i, j): link
        for link in pair.links
        for i in _words(link.source, texts.source)
        for j in _words(link.target, texts.target)
    }


def _words(tokens: Sequence[int], sentence: Sentence) -> list[int]:
    return [k for k in tokens if sentence.tokens[k] not in MARKS]


def _share(pairs: Sequence[tuple[TokenLinks, TokenLinks]], overlap: Overlap) -> float:
    """Return the weighted share of the first links that the second ones have, per pair."""
    total = shared = 0.0
    for links, others in pairs:
        fans = Counter(i for i, _ in links), Counter(j for _, j in links)
        for (i, j), link in links.items():
            weight = 1.0 / max(fans[0][i], fans[1][j])
            total += weight
            if (i, j) in others:
                shared += weight * overlap(link, others[i, j])
    return shared / total if total else 0.0
