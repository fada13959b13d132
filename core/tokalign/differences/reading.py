"""How a difference is read: its order, its paragraphs, and what is marked in a block."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from tokalign.differences.form import SPACE, BlockKind, DiffBlock, Segment, TextDiff
from tokalign.types.edits import EditKind

_Part = TypeVar("_Part", Segment, DiffBlock)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|\r[^\S\r\n]*\r(?!\n)")
PILCROW = "¶"
_LINE_BREAK = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_MARKER = re.compile(r"(?:[-*+]\s|[>|]|#{1,6}\s|\d{1,9}[.)]\s|```|~~~)")
"""What begins a heading, an item of a list, a quotation, a row of a table or a fence of code."""


class Role(enum.StrEnum):
    """What a piece of text is to a reader: it stayed, is gone, is new, left for another place, or
    came from one."""

    KEPT = "kept"
    GONE = "gone"
    NEW = "new"
    LEFT = "left"
    MOVED = "moved"


class Mark(NamedTuple):
    """A piece of text to show; `segment` is what it is of."""

    role: Role
    text: str
    segment: Segment


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Blocks that no blank line, heading or item of a list separates.

    Attributes
    ----------
    number : int
        From 1.
    places : tuple of (block, is_origin)
        As `in_reading_order` yields them: what stands in the paragraph, and what has left it.
    """

    number: int
    places: tuple[tuple[DiffBlock, bool], ...]

    @property
    def is_same(self) -> bool:
        """Whether nothing but white space differs in it."""
        return all(block.kind is BlockKind.SAME for block, _ in self.places)


def in_reading_order(parts: Sequence[_Part]) -> Iterator[tuple[_Part, bool]]:
    """Yield parts by their place in the new text, and those that moved at their old place, too.

    Parameters
    ----------
    parts : sequence of Segment or DiffBlock
        By their place in the new text. Moved is a segment of the kind MOV, or a block that has a
        move.

    Yields
    ------
    part : Segment or DiffBlock
    is_origin : bool
        True where it stands at its old place: after what precedes it in the old text.
    """
    leaving: dict[int, list[_Part]] = {}
    before = -1
    places = sorted(
        (k for k, part in enumerate(parts) if part.old[0] < part.old[1]),
        key=lambda k: parts[k].old,
    )
    for k in places:
        if has_moved(parts[k]):
            leaving.setdefault(before, []).append(parts[k])
        else:
            before = k
    yield from ((part, True) for part in leaving.get(-1, ()))
    for k, part in enumerate(parts):
        yield part, False
        yield from ((each, True) for each in leaving.get(k, ()))


def has_moved(part: Segment | DiffBlock) -> bool:
    """Return whether a part stands at another place than its neighbours."""
    if isinstance(part, Segment):
        return part.kind is EditKind.MOVE
    return part.move is not None


def paragraphs(diff: TextDiff) -> list[Paragraph]:
    """Return the paragraphs of the new text, with what was deleted from them or has left them."""
    found: list[Paragraph] = []
    here: list[tuple[DiffBlock, bool]] = []
    for block, is_origin in in_reading_order(diff.blocks):
        if here and _begins(diff, here[-1], (block, is_origin)):
            found.append(Paragraph(len(found) + 1, tuple(here)))
            here = []
        here.append((block, is_origin))
    if here:
        found.append(Paragraph(len(found) + 1, tuple(here)))
    return found


def _begins(
    diff: TextDiff, last: tuple[DiffBlock, bool], following: tuple[DiffBlock, bool]
) -> bool:
    """Return whether a paragraph ends between two places.

    Where what follows stands in the old text alone, the old text says so.
    """
    (before, was_origin), (block, is_origin) = last, following
    ends = shown_text(diff, before, is_origin=was_origin)
    space = ends[len(ends.rstrip()) :]
    if ends_paragraph(space):
        return True
    starts = shown_text(diff, block, is_origin=is_origin)
    return bool(_LINE_BREAK.search(space)) and _MARKER.match(starts) is not None


def shown_text(diff: TextDiff, block: DiffBlock, *, is_origin: bool) -> str:
    """Return a block's text where it stands: its old text where it is gone from there."""
    if is_origin or block.kind is BlockKind.DELETED:
        return diff.old_text(block)
    return diff.new_text(block)


def marks_of(diff: TextDiff, block: DiffBlock) -> Iterator[Mark]:
    """Yield the pieces of a block in reading order, old and new words in one line.

    White space alone is shown as it is in the new text, but for a paragraph's end that has come or
    gone, whose sign is marked.
    """
    for segment, is_origin in in_reading_order(block.segments):
        old, new = diff.old_text(segment), diff.new_text(segment)
        if segment.kind is EditKind.MOVE:
            yield Mark(Role.LEFT, old, segment) if is_origin else Mark(Role.MOVED, new, segment)
        elif segment.kind is EditKind.EQUAL:
            yield Mark(Role.KEPT, new, segment)
        elif segment.change == SPACE:
            yield from _marks_of_space(diff, block, segment)
        else:
            if old:
                yield Mark(Role.GONE, old, segment)
            if new:
                yield Mark(Role.NEW, new, segment)


def _marks_of_space(diff: TextDiff, block: DiffBlock, segment: Segment) -> Iterator[Mark]:
    new = diff.new_text(segment)
    ended, ends = (ends_paragraph(text) for text in (diff.old_text(segment), new))
    is_inside = segment.old[1] < len(diff.old) and segment.new[1] < len(diff.new)
    if ended != ends and is_inside and block.move is None:
        yield Mark(Role.GONE if ended else Role.NEW, PILCROW, segment)
    if new:
        yield Mark(Role.KEPT, new, segment)


def ends_paragraph(text: str) -> bool:
    """Return whether a blank line is in a text."""
    return _BLANK_LINE.search(text.replace("\r\n", "\n")) is not None


def is_shown(all_paragraphs: Sequence[Paragraph], context: int) -> list[bool]:
    """Return which paragraphs are shown: those that changed, and `context` around each."""
    changed = [k for k, each in enumerate(all_paragraphs) if not each.is_same]
    near = {j for k in changed for j in range(k - context, k + context + 1)}
    return [k in near for k in range(len(all_paragraphs))]
