"""The four F1 scores of interpretable similarity, and the confusion of its types.

Every pair of tokens of aligned chunks is a link. Its weight is one over the larger fan-out of its
tokens (Melamed 1998, equation 4); precision takes the weights of the predicted alignment, recall
those of the gold one. Types overlap by their Jaccard index, scores by 1 - |difference| / 5.
Punctuation does not count. The scores equal those of the task's own scorer.

References
----------
Agirre et al. (2016), SemEval: Task 2, Interpretable Semantic Textual Similarity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tokalign.errors import InputError, quoted
from tokalign.evaluate.counts import harmonic_mean
from tokalign.types.chunks import HIGHEST_SCORE, NO_ALIGNMENT, ChunkedPair, ChunkLink
from tokalign.types.sentence import Sentence

MARKS = frozenset(".,:'`?;\"-")

TokenLinks: TypeAlias = dict[tuple[int, int], ChunkLink]
Overlap: TypeAlias = Callable[[ChunkLink, ChunkLink], float]


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


def type_confusion(
    gold: Sequence[ChunkedPair], predicted: Sequence[ChunkedPair]
) -> Counter[tuple[str, str]]:
    """Return the number of links with each (gold type, predicted type).

    Links of tokens are counted by their main types; NOALI stands where one side has no such link.
    """
    found: Counter[tuple[str, str]] = Counter()
    for one, other in _matched(gold, predicted):
        ours, theirs = _token_links(one, one), _token_links(other, one)
        for link in {*ours, *theirs}:
            found[_main_type(ours.get(link)), _main_type(theirs.get(link))] += 1
    return found


def _main_type(link: ChunkLink | None) -> str:
    return NO_ALIGNMENT if link is None else link.type.split("_")[0]


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
