"""A difference in M2, the format of grammatical error correction, as ERRANT writes it.

For each old sentence, a line ``S`` with its tokens, and a line ``A`` for each edit::

    S The plant has 40 workers .
    A 3 4|||R:NUMBER|||45|||REQUIRED|||-NONE-|||0

The letter before the change is R for a replacement, M for words missing in the old sentence, and U
for words unnecessary there.

Bryant, Felice and Briscoe (2017), ACL: Automatic Annotation and Evaluation of Error Types for
Grammatical Error Correction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tokalign.texts.diff.text_diff import (
    SPACE,
    DiffBlock,
    DiffSegment,
    TextDiff,
    TextRange,
    tokens_of,
)
from tokalign.types.edits import Change, EditKind

_NOTHING = "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0"


@dataclass(slots=True)
class _Old:
    """An old sentence to write: tokens, and (start, end, type, correction) of its edits."""

    span: TextRange
    tokens: list[str] = field(default_factory=list)
    edits: list[tuple[int, int, str, str]] = field(default_factory=list)


_Place: TypeAlias = tuple[_Old, int]


def m2_lines(diff: TextDiff) -> Iterator[str]:
    """Yield the lines of a difference in M2, a blank one after each old sentence.

    Sentences are in the order of the old text. A moved one stays where it was, since M2 has no
    moves across sentences; moved words are a U and an M of the type ORDER. An inserted sentence is
    an M at the end of the sentence before it. An edit over two sentences is written in the first,
    and its words of the second are a U there. White space is not an edit.
    """
    spans = sorted(span for block in diff.blocks for span in block.old_sentences)
    sentences = [_Old(span) for span in spans]
    of_span = dict(zip(spans, sentences, strict=True))
    pending: list[str] = []
    last: _Old | None = None
    for block in diff.blocks:
        here = [of_span[span] for span in block.old_sentences]
        if here:
            _write(diff, block, here)
            last = here[-1]
        elif words := tokens_of(diff.new_text(block)):
            if last is None:
                pending += words
            else:
                _insert(last, words)
    if pending and not sentences:
        sentences.append(_Old((0, 0)))
    if pending:
        sentences[0].edits.insert(0, (0, 0, f"M:{Change.CONTENT.upper()}", " ".join(pending)))
    for old in sentences:
        yield from _lines(old)


def _insert(old: _Old, words: Sequence[str]) -> None:
    end = len(old.tokens)
    old.edits.append((end, end, f"M:{Change.CONTENT.upper()}", " ".join(words)))


def _write(diff: TextDiff, block: DiffBlock, sentences: Sequence[_Old]) -> None:
    """Fill the old sentences of a block."""
    cursor = _Cursor(sentences)
    places: dict[int, _Place] = {}  # by the end of a segment in the old text
    runs: dict[int, list[tuple[_Old, int, int]]] = {}
    for segment in sorted(block.segments, key=lambda each: each.old):
        if segment.old[0] < segment.old[1]:
            places.setdefault(segment.old[0], cursor.place())
            runs[id(segment)] = cursor.read(diff.old, segment.old)
            places[segment.old[1]] = cursor.place()
    at = block.old[0]
    for segment, stays in _in_order(block.segments):
        kind = str(segment.change).upper()
        words = [] if segment.kind is EditKind.EQUAL else tokens_of(diff.new_text(segment))
        olds = [run for run in runs.get(id(segment), ()) if run[1] < run[2]]
        if segment.kind is not EditKind.EQUAL and segment.change != SPACE:
            if words and (not olds or not stays):
                old, place = places.get(at) or (sentences[0], 0)
                old.edits.append((place, place, f"M:{kind}", " ".join(words)))
                words = []
            for old, start, end in olds:
                letter = "R" if words else "U"
                old.edits.append((start, end, f"{letter}:{kind}", " ".join(words)))
                words = []
        if stays:
            at = max(at, segment.old[1])
    for old in sentences:
        old.edits.sort(key=lambda each: each[:2])


def _in_order(segments: Sequence[DiffSegment]) -> Iterator[tuple[DiffSegment, bool]]:
    """Yield segments, each with whether its order is the same in both texts."""
    at = 0
    ahead = [each.old[0] for each in segments if each.kind is EditKind.EQUAL]
    ahead.reverse()
    for each in segments:
        if each.kind is EditKind.EQUAL:
            ahead.pop()
            stays = True
        else:
            before_next = not ahead or each.old[1] <= ahead[-1]
            stays = each.kind is not EditKind.MOVE and each.old[0] >= at and before_next
        if stays:
            at = each.old[1]
        yield each, stays


class _Cursor:
    """Reads the old text of a block from its start, and fills its sentences with tokens."""

    def __init__(self, sentences: Sequence[_Old]) -> None:
        self._left = list(sentences[::-1])

    def place(self) -> _Place:
        """Return the current sentence, and its number of tokens so far."""
        return self._left[-1], len(self._left[-1].tokens)

    def read(self, text: str, span: TextRange) -> list[tuple[_Old, int, int]]:
        """Add the tokens of a range; return their positions in their sentences."""
        found = []
        start, end = span
        while len(self._left) > 1 and self._left[-2].span[0] < end:
            following = self._left[-2].span[0]
            if start < following:
                found.append(self._take(text[start:following]))
            start = max(start, following)
            self._left.pop()
        found.append(self._take(text[start:end]))
        return found

    def _take(self, text: str) -> tuple[_Old, int, int]:
        old, start = self.place()
        old.tokens += tokens_of(text)
        return old, start, len(old.tokens)


def _lines(old: _Old) -> Iterator[str]:
    yield " ".join(["S", *old.tokens])
    for start, end, kind, correction in old.edits:
        yield f"A {start} {end}|||{kind}|||{correction}|||REQUIRED|||-NONE-|||0"
    if not old.edits:
        yield _NOTHING
    yield ""
