"""From two aligned texts to the form of their difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from tokalign.texts.diff.form import (
    SPACE,
    BlockKind,
    DiffBlock,
    DiffSegment,
    TextDiff,
    TextRange,
)
from tokalign.texts.diff.words import EditPiece, pieces_of_run, segments_of
from tokalign.types import Alignment, Sentence
from tokalign.types.edits import EditKind
from tokalign.types.texts import SentenceSpan, TextAlignment, TextBlock


def diff_of(texts: TextAlignment) -> TextDiff:
    """Return what changed between two aligned texts.

    Parameters
    ----------
    texts : TextAlignment
        Its alignments have edits. Where one is missing, all of the block's text is replaced.

    Examples
    --------
    >>> span = SentenceSpan(0, 4, "Yes.")
    >>> blocks = (TextBlock((), (0,), False, None),)
    >>> diff = diff_of(TextAlignment("", "Yes.", (), (span,), blocks, "en", "1"))
    >>> [(str(each.kind), diff.new_text(each)) for each in diff.segments()]
    [('INS', 'Yes.')]
    """
    builder = _Builder(texts)
    return TextDiff(
        texts.old_text, texts.new_text, tuple(builder.blocks()), texts.model, texts.version
    )


def same_texts(text: str, sentences: Sequence[TextRange]) -> TextDiff:
    """Return the difference between a text and itself, whose sentences are given."""
    spans = tuple(SentenceSpan(start, end, text[start:end]) for start, end in sentences)
    blocks = tuple(TextBlock((k,), (k,), False, None) for k in range(len(spans)))
    return diff_of(TextAlignment(text, text, spans, spans, blocks, "", ""))


class _Builder:
    """Makes the blocks of a difference in order, and counts the moves."""

    def __init__(self, texts: TextAlignment) -> None:
        self._texts = texts
        self._old_ranges = _ranges(texts.old, len(texts.old_text))
        self._new_ranges = _ranges(texts.new, len(texts.new_text))
        self._n_moves = 0

    def blocks(self) -> Iterator[DiffBlock]:
        """Yield the blocks; white space that belongs to no sentence goes to the first."""
        texts = self._texts
        at = 0
        stray_old, stray_new = not texts.old, not texts.new
        blocks = texts.blocks
        if not blocks and (texts.old_text or texts.new_text):
            blocks = (TextBlock((), (), False, None),)
        at_new = 0
        for block in blocks:
            old = _joined(self._old_ranges, block.old) or (at, at)
            new = _joined(self._new_ranges, block.new) or (at_new, at_new)
            if stray_old:
                old, stray_old = (0, len(texts.old_text)), False
            if stray_new:
                new, stray_new = (0, len(texts.new_text)), False
            yield self._block(block, old, new)
            at = at if block.moved else old[1]
            at_new = new[1]

    def _block(self, block: TextBlock, old: TextRange, new: TextRange) -> DiffBlock:
        texts = self._texts
        move = self._next_move() if block.moved else None
        spans = (
            tuple((texts.old[k].start, texts.old[k].end) for k in block.old),
            tuple((texts.new[k].start, texts.new[k].end) for k in block.new),
        )
        pieces: list[EditPiece] = []
        if block.old and block.new:
            starts = (spans[0][0][0], spans[1][0][0])
            cores = (
                (starts[0] - old[0], spans[0][-1][1] - old[0]),
                (starts[1] - new[0], spans[1][-1][1] - new[0]),
            )
            pieces = list(
                _pieces(
                    texts.old_text[slice(*old)],
                    texts.new_text[slice(*new)],
                    cores,
                    block.alignment,
                )
            )
        found = segments_of(texts.old_text[slice(*old)], texts.new_text[slice(*new)], pieces)
        segments = tuple(
            replace(
                each,
                old=(each.old[0] + old[0], each.old[1] + old[0]),
                new=(each.new[0] + new[0], each.new[1] + new[0]),
                move=self._next_move() if each.kind is EditKind.MOVE else move,
            )
            for each in found
        )
        return DiffBlock(_kind(block, segments), old, new, *spans, segments, move)

    def _next_move(self) -> int:
        self._n_moves += 1
        return self._n_moves


def _ranges(sentences: Sequence[SentenceSpan], end: int) -> list[TextRange]:
    """Return the range of each sentence with the white space after it; the first begins at 0."""
    edges = [0, *(each.start for each in sentences[1:]), end]
    return list(pairwise(edges)) if sentences else []


def _joined(ranges: Sequence[TextRange], numbers: Sequence[int]) -> TextRange | None:
    return (ranges[numbers[0]][0], ranges[numbers[-1]][1]) if numbers else None


def _kind(block: TextBlock, segments: Sequence[DiffSegment]) -> BlockKind:
    n_old, n_new = len(block.old), len(block.new)
    if n_old and not n_new:
        return BlockKind.DELETED
    if n_new and not n_old:
        return BlockKind.INSERTED
    if n_old != n_new:
        return BlockKind.SPLIT if n_old < n_new else BlockKind.MERGED
    if block.moved:
        return BlockKind.MOVED
    is_same = all(each.kind is EditKind.EQUAL or each.change == SPACE for each in segments)
    return BlockKind.SAME if is_same else BlockKind.CHANGED


def _pieces(
    old: str, new: str, cores: tuple[TextRange, TextRange], alignment: Alignment | None
) -> Iterator[EditPiece]:
    """Yield the words of a block's edits, by their ranges in the texts of the block.

    `cores` are the ranges of the sentences in the block, from which offsets of tokens count.
    """
    if old[slice(*cores[0])] == new[slice(*cores[1])]:
        yield EditPiece(EditKind.EQUAL, None, *cores)
        return
    if alignment is None:
        return
    olds = _token_spans(alignment.source, cores[0])
    news = _token_spans(alignment.target, cores[1])
    for edit in alignment.edits:
        here, there = _span(olds, edit.source), _span(news, edit.target)
        if edit.kind is EditKind.EQUAL:
            kept = [olds[i] for i in edit.source], [news[j] for j in edit.target]
            yield from pieces_of_run((old, new), *kept, edit.change)
        elif here or there:
            yield EditPiece(edit.kind, edit.change, here, there)


def _token_spans(sentence: Sentence, core: TextRange) -> list[TextRange]:
    """Return the ranges of tokens; none overlaps the one before, or leaves the sentence."""
    spans = []
    at = core[0]
    for start, end in zip(sentence.starts, sentence.ends, strict=True):
        start = min(max(start + core[0], at), core[1])
        at = min(max(end + core[0], start), core[1])
        spans.append((start, at))
    return spans


def _span(spans: Sequence[TextRange], tokens: Sequence[int]) -> TextRange | None:
    return (spans[tokens[0]][0], spans[tokens[-1]][1]) if tokens else None
