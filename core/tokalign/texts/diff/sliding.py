"""Insertions and deletions slid to where lines or sentences begin, where the same words allow it.

If a second signature is added below "Signed 3 May 2021", either 2021 may be taken for the old one.
What was inserted between kept text may as well begin later, if it is followed by what it begins
with, or earlier, if it ends with what precedes it. So it is with what was deleted.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

from tokalign.texts.block_forms import TextRange
from tokalign.texts.diff.text_diff import MARKUP, SPACE, DiffSegment, n_alike
from tokalign.types.edits import EditKind

_STOP = re.compile(r"[.!?][\"'\u201d\u2019)\]]{0,3}(\s{0,9})\Z")
_LINE_BEFORE = re.compile(r"[\n\r\u2028\u2029][ \t]{0,9}\Z")
_LINE_AFTER = re.compile(r"[ \t]{0,9}[\n\r\u2028\u2029]")
_MORE = re.compile(r"(?:[,;] |(?:,? )?(?:and|or|but|nor)\b)")
_LOOKED_AT = 16
"""Characters before a place that are looked at."""


def slid(old: str, new: str, segments: Iterable[DiffSegment]) -> list[DiffSegment]:
    """Return the segments of a block with the texts `old` and `new`, with insertions and deletions
    at better places.

    Time is linear in the texts, since one of n characters slides at most n characters.
    """
    left = list(segments)[::-1]
    found: list[DiffSegment] = []
    while left:
        each = left.pop()
        if each.kind in (EditKind.INSERT, EditKind.DELETE) and each.change not in (SPACE, MARKUP):
            before = found[-1:] if found and _touch(found[-1], each) else []
            after = left[-1:] if left and _touch(each, left[-1]) else []
            side = "new" if each.kind is EditKind.INSERT else "old"
            ends = (before or [each])[0], (after or [each])[0]
            edges = getattr(ends[0], side)[0], getattr(ends[1], side)[1]
            shift = _shift(new if side == "new" else old, getattr(each, side), edges)
            if shift:
                del found[len(found) - len(before) :], left[len(left) - len(after) :]
                first, each, last = _shifted(before, each, after, shift)
                found += first
                left += last
        found.append(each)
    return found


def _touch(first: DiffSegment, second: DiffSegment) -> bool:
    """Whether two segments are neighbours in both texts, one of them kept."""
    return (
        EditKind.EQUAL in (first.kind, second.kind)
        and first.old[1] == second.old[0]
        and first.new[1] == second.new[0]
    )


def _shift(text: str, span: TextRange, edges: TextRange) -> int:
    """Return how far a range of a text slides between two edges; it holds the same words there."""
    start, end = span
    lowest = -n_alike(text[edges[0] : start][::-1], text[start:end][::-1])
    return max(
        range(lowest, n_alike(text[start:end], text[end : edges[1]]) + 1),
        key=lambda k: (_worth(text, start + k), _reads(text[start + k : end + k]), -abs(k)),
    )


def _reads(piece: str) -> int:
    """Return -1 if a piece of text ends what is in brackets and begins more, 1 if it begins with a
    comma or a conjunction, as what is added to a list does, else 0."""
    first = next((letter for letter in piece if letter in "()[]"), "(")
    return -1 if first in ")]" else int(_MORE.match(piece) is not None)


def _worth(text: str, place: int) -> int:
    """Return 2 where a line begins or ends, 1 where a sentence does, else 0."""
    before = text[max(0, place - _LOOKED_AT) : place]
    if _LINE_BEFORE.search(before) or _LINE_AFTER.match(text, place):
        return 2
    stop = _STOP.search(before)
    return int(
        not before or (stop is not None and bool(stop[1] or text[place : place + 1].isspace()))
    )


def _shifted(
    before: list[DiffSegment], each: DiffSegment, after: list[DiffSegment], shift: int
) -> tuple[list[DiffSegment], DiffSegment, list[DiffSegment]]:
    """Return a segment after its shift, and what is kept before and after it."""
    (a, b), (c, d) = each.old, each.new
    (first_old, first_new) = (before[0].old[0], before[0].new[0]) if before else (a, c)
    (last_old, last_new) = (after[0].old[1], after[0].new[1]) if after else (b, d)
    a, b, c, d = a + shift, b + shift, c + shift, d + shift
    kept = (
        DiffSegment(EditKind.EQUAL, (first_old, a), (first_new, c)),
        DiffSegment(EditKind.EQUAL, (b, last_old), (d, last_new)),
    )
    first, last = ([one] if one.new[0] < one.new[1] else [] for one in kept)
    return first, replace(each, old=(a, b), new=(c, d)), last
