"""Edits of pairs that were aligned by hand, as people who compare two versions mark them.

Words are kept if they are the same, in the same order, and linked with each other alone, or if
neither has a link. Between two kept words every linked phrase is an edit, together with the words
beside it that have none on either side; words without a partner on one side alone are deleted or
inserted; and two long runs without any link are a deletion and an insertion. The same words that
are linked across others have moved, and are in no edit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from tokalign.decoding.backend import Unit
from tokalign.edits.cuts import Stretch
from tokalign.edits.segments import tags_of
from tokalign.english.lexicon.word_lists import CONTENT_WEIGHT, content_weight
from tokalign.types import Sentence

from lab.kernels.edit_doors import kept_tokens, same_words
from lab.recipes.marked_edits import Marked
from lab.recipes.unit_examples import blocks_of

LEAST_APART, MOST_APART = 4, 8
"""Of two runs without a link, the words of the shorter or of the longer one, so that they are a
deletion and an insertion."""
CONTENT_WORTH, OTHER_WORTH = 0.9, 0.1
"""Worth of keeping a content word, and of keeping another word."""


class BlockPiece(NamedTuple):
    """What stands between two kept words, or a part of it: a linked phrase or what has no link."""

    run: Stretch
    is_linked: bool


def gold_edits(
    source: Sentence, target: Sentence, links: Collection[tuple[int, int]]
) -> frozenset[Marked]:
    """Return the edits of two annotated sentences with these links."""
    blocks = blocks_of(links)
    partner = _partners(source, target, links, blocks)
    single = [(one[0], other[0]) for one, other in blocks if len(one) == len(other) == 1]
    same = same_words(source, target)
    moved = [(i, j) for i, j in single if same[i, j] and partner[i] < 0]
    gone = {i for i, _ in moved}, {j for _, j in moved}
    kept = [(i, j) for i, j in enumerate(partner) if j >= 0]
    phrases = _in_order(_phrases(blocks, kept, gone[0]))
    outside = [(i, j) for i, j in kept if not any(p[0] <= i < p[1] for p in phrases)]
    found: set[Marked] = set()
    i0 = j0 = 0
    for i, j in [*outside, (len(source), len(target))]:
        found |= _edits(list(_pieces(Stretch(i0, i, j0, j), phrases)), gone)
        i0, j0 = i + 1, j + 1
    return frozenset(found)


def _partners(
    source: Sentence,
    target: Sentence,
    links: Collection[tuple[int, int]],
    blocks: Sequence[Unit],
) -> list[int]:
    """Return the target token that each source token is kept as, -1 where it is not."""
    of_source = {i: number for number, (one, _) in enumerate(blocks) for i in one}
    of_target = {j: number for number, (_, other) in enumerate(blocks) for j in other}
    same = same_words(source, target).copy()
    for i, j in np.argwhere(same).tolist():
        number = of_source.get(i)
        is_alone = number is None or len(blocks[number][0]) == len(blocks[number][1]) == 1
        same[i, j] = is_alone and number == of_target.get(j)
    worth = [
        CONTENT_WORTH if content_weight(tag) == CONTENT_WEIGHT else OTHER_WORTH
        for tag in tags_of(source)
    ]
    cells = np.zeros(same.shape, np.float32)
    for i, j in links:
        cells[i, j] = 1.0
    partner: list[int] = kept_tokens(same, np.array(worth), cells).tolist()
    return partner


def _phrases(
    blocks: Sequence[Unit], kept: Sequence[tuple[int, int]], moved: Collection[int]
) -> Iterator[Stretch]:
    """Yield the linked phrases that kept words do not cross; those between them are inside."""
    for one, other in blocks:
        is_kept = len(one) == len(other) == 1 and (one[0], other[0]) in kept
        if is_kept or one[0] in moved:
            continue
        run = Stretch(one[0], one[-1] + 1, other[0], other[-1] + 1)
        if all(_place(i, run[0], run[1]) == _place(j, run[2], run[3]) for i, j in kept):
            yield run


def _place(at: int, start: int, end: int) -> int:
    """Return -1, 0 or 1 where a token is before, in or behind a run."""
    return (at >= end) - (at < start)


def _in_order(phrases: Iterator[Stretch]) -> list[Stretch]:
    """Return the longest chain of phrases that do not cross."""
    best: list[tuple[int, tuple[Stretch, ...]]] = []
    for run in sorted(phrases):
        before = max(
            (each for each in best if each[1][-1][1] <= run[0] and each[1][-1][3] <= run[2]),
            default=(0, ()),
            key=lambda each: each[0],
        )
        best.append((before[0] + run[1] - run[0] + run[3] - run[2], (*before[1], run)))
    return list(max(best, default=(0, ()), key=lambda each: each[0])[1])


def _pieces(block: Stretch, phrases: Sequence[Stretch]) -> Iterator[BlockPiece]:
    """Yield the pieces of what stands between two kept words."""
    i, j = block.source_start, block.target_start
    inside = [p for p in phrases if i <= p[0] < block.source_end and j <= p[2] < block.target_end]
    for run in [*inside, None]:
        i1, j1 = (run[0], run[2]) if run else (block.source_end, block.target_end)
        if i < i1 or j < j1:
            yield BlockPiece(Stretch(i, i1, j, j1), is_linked=False)
        if run:
            yield BlockPiece(run, is_linked=True)
            i, j = run[1], run[3]


def _edits(pieces: Sequence[BlockPiece], gone: tuple[set[int], set[int]]) -> set[Marked]:
    """Return the edits of neighbouring pieces."""
    found: set[Marked] = set()
    joined: list[Stretch] = []
    for run, is_linked in pieces:
        sizes = run[1] - run[0], run[3] - run[2]
        is_apart = min(sizes) >= LEAST_APART or max(sizes) >= MOST_APART
        if is_linked or (min(sizes) > 0 and not is_apart):
            joined.append(run)
            continue
        found |= _one_edit(joined, gone)
        joined = []
        found |= _alone(run, gone)
    return found | _one_edit(joined, gone)


def _one_edit(joined: Sequence[Stretch], gone: tuple[set[int], set[int]]) -> set[Marked]:
    """Return the edit of some pieces; more than one if words moved out of their middle."""
    if not joined:
        return set()
    run = Stretch(joined[0][0], joined[-1][1], joined[0][2], joined[-1][3])
    sources, targets = list(_runs(*run[:2], gone[0])), list(_runs(*run[2:], gone[1]))
    if len(sources) == len(targets) == 1:
        return {(sources[0], targets[0])}
    return _alone(run, gone)


def _alone(run: Stretch, gone: tuple[set[int], set[int]]) -> set[Marked]:
    """Return the words of both sides as deletions and insertions."""
    deleted: set[Marked] = {(each, None) for each in _runs(*run[:2], gone[0])}
    return deleted | {(None, each) for each in _runs(*run[2:], gone[1])}


def _runs(start: int, end: int, gone: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the runs of tokens between those that are gone."""
    first = start
    for at in range(start, end + 1):
        if at == end or at in gone:
            if first < at:
                yield first, at
            first = at + 1
