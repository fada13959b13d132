"""A difference in reading order: its paragraphs, and the marks in a block."""

import enum
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import NamedTuple, TypeVar

from tokalign.texts.block_forms import BlockForm, forms_of
from tokalign.texts.diff.text_diff import SPACE, BlockKind, DiffBlock, DiffSegment, TextDiff
from tokalign.types.edits import EditKind

_Part = TypeVar("_Part", DiffSegment, DiffBlock)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n|\r[^\S\r\n]*\r(?!\n)")
PILCROW = "¶"
_LINE_BREAK = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_MARKER = re.compile(r"(?:[-*+]\s|[>|]|#{1,6}\s|\d{1,9}[.)]\s|```|~~~)")
"""Beginning of a heading, an item of a list, a quotation, a row of a table or a fence of code."""
_WRAP = re.compile(rf"(?<!\s)[ \t]?\r?\n[ \t]*(?!\s|{_MARKER.pattern})")
"""A line break inside of a paragraph; two spaces before it, or a sign behind it, keep it."""


class MarkRole(enum.StrEnum):
    """Role of a piece of text: it stayed, was deleted, was inserted, moved away, or moved here."""

    KEPT = "kept"
    GONE = "gone"
    NEW = "new"
    LEFT = "left"
    MOVED = "moved"


class Mark(NamedTuple):
    """A piece of text to show, of a segment."""

    role: MarkRole
    text: str
    segment: DiffSegment


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Blocks that no blank line, heading or item of a list separates."""

    number: int  # from 1
    # As `in_reading_order` yields them: blocks in it, and blocks moved away from it
    places: tuple[tuple[DiffBlock, bool], ...]
    is_same: bool  # whether only white space differs in it, and its begin and end are unchanged
    is_code: bool  # whether it is code, whose lines and blank lines are kept


def in_reading_order(parts: Sequence[_Part]) -> Iterator[tuple[_Part, bool]]:
    """Yield parts in the order of the new text, and moved parts at their old place, too: after the
    part before them in the old text. Each comes with whether this is its old place."""
    if not any(map(has_moved, parts)):
        yield from ((part, False) for part in parts)
        return
    leaving: dict[int, list[_Part]] = {}
    before = -1
    places = sorted(
        (k for k, part in enumerate(parts) if part.old[0] < part.old[1]), key=lambda k: parts[k].old
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


def has_moved(part: DiffSegment | DiffBlock) -> bool:
    """Return whether a part has moved relative to its neighbours."""
    return part.kind is EditKind.MOVE if isinstance(part, DiffSegment) else part.move is not None


def paragraphs(diff: TextDiff) -> list[Paragraph]:
    """Return the paragraphs of the new text, with blocks deleted or moved away from them."""
    found: list[Paragraph] = []
    code = _code_of(diff)

    def end() -> None:
        is_same = all(_is_same(diff, block) for block, _ in here)
        found.append(Paragraph(len(found) + 1, tuple(here), is_same, id(here[0][0]) in code))

    here: list[tuple[DiffBlock, bool]] = []
    has_ended = False  # in the new text, since the last paragraph
    for block, is_origin in in_reading_order(diff.blocks):
        is_gone = is_origin or block.kind is BlockKind.DELETED
        forms = {id(each) in code for each in (*(last for last, _ in here[-1:]), block)}
        if len(forms) > 1 or (
            here
            and forms == {False}
            and _begins(diff, here[-1], (block, is_gone), has_ended=has_ended)
        ):
            end()
            here = []
            has_ended = False
        here.append((block, is_origin))
        if not is_gone:
            has_ended = ends_paragraph(diff.new_text(block))
    if here:
        end()
    return found


def _code_of(diff: TextDiff) -> set[int]:
    """Return the ids of the blocks that are code."""
    present = [each for each in diff.blocks if each.new_sentences]
    gone = [each for each in diff.blocks if each.old_sentences and not each.new_sentences]
    found: set[int] = set()
    for blocks, text, starts in (
        (present, diff.new, [each.new_sentences[0][0] for each in present]),
        (gone, diff.old, [each.old_sentences[0][0] for each in gone]),
    ):
        forms = zip(blocks, forms_of(text, starts), strict=True)
        found.update(id(block) for block, form in forms if form is BlockForm.CODE)
    return found


def _is_same(diff: TextDiff, block: DiffBlock) -> bool:
    return block.kind is BlockKind.SAME and all(
        mark.role is MarkRole.KEPT
        for segment in block.segments
        if segment.change == SPACE
        for mark in _marks_of_space(diff, block, segment)
    )


def _begins(
    diff: TextDiff,
    last: tuple[DiffBlock, bool],
    following: tuple[DiffBlock, bool],
    *,
    has_ended: bool,
) -> bool:
    """Return whether a paragraph ends between two places: in the new text, or for blocks that are
    gone, which belong to their old neighbours, in the old one."""
    before, was_origin = last
    block, is_gone = following
    was_gone = was_origin or before.kind is BlockKind.DELETED
    if is_gone:
        ended = before.kind is not BlockKind.INSERTED and ends_paragraph(diff.old_text(before))
    else:
        ended = has_ended or (was_gone and ends_paragraph(diff.old_text(before)))
    if ended:
        return True
    ends = shown_text(diff, before, is_origin=was_gone)
    starts = shown_text(diff, block, is_origin=is_gone)
    space = ends[len(ends.rstrip()) :]
    return bool(_LINE_BREAK.search(space)) and _MARKER.match(starts) is not None


def shown_text(diff: TextDiff, block: DiffBlock, *, is_origin: bool) -> str:
    """Return a block's text at a place: the old text at its old place."""
    is_old = is_origin or block.kind is BlockKind.DELETED
    return diff.old_text(block) if is_old else diff.new_text(block)


def marks_of(diff: TextDiff, block: DiffBlock) -> Iterator[Mark]:
    """Yield the pieces of a block in reading order, old and new words in one line.

    Mere white space is shown as in the new text, except that the sign of a new or removed
    paragraph's end is marked.
    """
    for segment, is_origin in in_reading_order(block.segments):
        old, new = diff.old_text(segment), diff.new_text(segment)
        if segment.kind is EditKind.MOVE:
            role, text = (MarkRole.LEFT, old) if is_origin else (MarkRole.MOVED, new)
            yield Mark(role, text, segment)
        elif segment.kind is EditKind.EQUAL:
            yield Mark(MarkRole.KEPT, new, segment)
        elif segment.change == SPACE:
            yield from _marks_of_space(diff, block, segment)
        else:
            if old:
                yield Mark(MarkRole.GONE, old, segment)
            if new:
                yield Mark(MarkRole.NEW, new, segment)


def _marks_of_space(diff: TextDiff, block: DiffBlock, segment: DiffSegment) -> Iterator[Mark]:
    new = diff.new_text(segment)
    ended, ends = (ends_paragraph(text) for text in (diff.old_text(segment), new))
    if ended != ends and _goes_on(diff, block, segment):
        yield Mark(MarkRole.GONE if ended else MarkRole.NEW, PILCROW, segment)
    if new:
        yield Mark(MarkRole.KEPT, new, segment)


def _goes_on(diff: TextDiff, block: DiffBlock, segment: DiffSegment) -> bool:
    """Return whether the same segment follows in both texts."""
    if segment.new[1] < block.new[1] and segment.old[1] < block.old[1]:
        return True
    first = bisect_left(diff.blocks, segment.new[1], key=lambda each: each.new[0])
    for each in islice(diff.blocks, first, None):
        if each.new[0] > segment.new[1]:
            return False
        if each.old[0] == segment.old[1] < each.old[1] and each.new[0] < each.new[1]:
            return True
    return False


def unwrapped(text: str) -> str:
    r"""Return a piece of a paragraph in one line.

    Examples
    --------
    >>> unwrapped("It is\nold:\n- one\n- two  \nlines")
    'It is old:\n- one\n- two  \nlines'
    """
    return _WRAP.sub(" ", text)


def joined_places(parts: Iterable[str], *, is_code: bool = False) -> str:
    """Return the joined texts of a paragraph's places; one that is no code ends at its end only."""
    text = ""
    for part in parts:
        if not is_code and text and (not text[-1].isspace() or ends_paragraph(text)):
            text = text.rstrip() + " "
        text += part
    return text


def ends_paragraph(text: str) -> bool:
    """Return whether a blank line is at a text's end."""
    space = text[len(text.rstrip()) :]
    return len(space) > 1 and _BLANK_LINE.search(space.replace("\r\n", "\n")) is not None


def is_shown(all_paragraphs: Sequence[Paragraph], context: int) -> list[bool]:
    """Return whether each paragraph is shown: changed ones, and `context` around each."""
    changed = [k for k, each in enumerate(all_paragraphs) if not each.is_same]
    near = {j for k in changed for j in range(k - context, k + context + 1)}
    return [k in near for k in range(len(all_paragraphs))]


def in_runs(all_: Sequence[Paragraph], shown: list[bool]) -> Iterator[tuple[bool, list[Paragraph]]]:
    """Yield the runs of paragraphs that are shown or not, each after whether it is."""
    for is_open, places in groupby(range(len(shown)), shown.__getitem__):
        yield is_open, [all_[k] for k in places]
