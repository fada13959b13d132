"""A difference as lines: for a terminal, in colours or brackets, and as Markdown."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import chain, groupby

from tokalign.showing.painting import Look, MarkdownPainter, Painter, TerminalPainter
from tokalign.showing.text import one_line, visible, with_edges, wrapped
from tokalign.texts.diff.alarms import MOST_SHOWN, Alarm, counts_line, renumbered_line
from tokalign.texts.diff.reading_order import (
    Mark,
    MarkRole,
    Paragraph,
    ends_paragraph,
    in_runs,
    is_shown,
    joined_places,
    marks_of,
    paragraphs,
    shown_text,
)
from tokalign.texts.diff.summary import ONLY_SPACE, summarize
from tokalign.texts.diff.text_diff import DiffBlock, TextDiff
from tokalign.types.edits import CONFLICTING

LOOKS = {
    MarkRole.GONE: Look("31;9", ("[-", "-]"), markdown=("~~", "~~"), tag="del"),
    MarkRole.NEW: Look("32;4", ("{+", "+}"), markdown=("**", "**"), tag="ins"),
    MarkRole.LEFT: Look("36;2", ("[", " →{}]"), ("", " →{}"), ("[~~", "~~ →{}]"), name="left"),
    MarkRole.MOVED: Look("36", ("{{}→ ", "}"), ("{}→ ", ""), ("[{}→ **", "**]"), name="moved"),
}
"""Red and struck out, green and underlined, cyan: distinct without colours, too."""


def look_of(mark: Mark) -> Look:
    """Return the look of a mark; changes of meaning have a look of their own."""
    look = LOOKS[mark.role]
    if mark.segment.change not in CONFLICTING:
        return look
    bold = "" if mark.role in (MarkRole.LEFT, MarkRole.MOVED) else ";1"
    return replace(look, colour=look.colour + bold, name=f"{look.name} alarm".strip())


def terminal_lines(
    diff: TextDiff,
    names: tuple[str, str] = ("old", "new"),
    *,
    context: int = 1,
    is_coloured: bool = False,
    width: int | None = None,
    only_meaning: bool = False,
) -> Iterator[str]:
    """Yield the lines of a difference for a terminal; equal texts have none.

    Parameters
    ----------
    context : int
        Paragraphs to show before and after each that changed; the others are folded.
    is_coloured : bool
        Whether colours mark the words, not ``[-old-]``, ``{+new+}``, ``[left →1]``, ``{1→ moved}``.
    width : int, optional
        Columns to wrap lines at; by default, lines are as long as in the texts.
    only_meaning : bool
        Whether to write only paragraphs with changes of meaning, and all of these changes.
    """
    lines = _TerminalLines(diff, is_coloured)
    for line in lines.lines(names, None if only_meaning else context):
        yield from [line] if width is None else wrapped(line, max(width, 20))


def markdown_lines(
    diff: TextDiff,
    names: tuple[str, str] = ("old", "new"),
    *,
    context: int = 1,
    only_meaning: bool = False,
) -> Iterator[str]:
    """Yield the lines of a difference as Markdown, as `terminal_lines` does for a terminal.

    The texts are shown literally: Markdown's signs are escaped. Headings and items of lists are
    paragraphs, each of which stands by itself; unchanged ones are left out.
    """
    return _MarkdownLines(diff).lines(names, None if only_meaning else context)


def _together(paragraph: Paragraph) -> Iterator[tuple[list[DiffBlock], bool]]:
    """Yield the blocks of a paragraph's places, neighbours of one move together, and whether they
    have moved away."""
    for (is_origin, *_), places in groupby(
        paragraph.places,
        lambda place: (place[1], place[0].move, place[0].move is None and id(place[0])),
    ):
        yield [block for block, _ in places], is_origin


class _Lines(ABC):
    """Writes a difference in lines: names, changes of meaning, paragraphs."""

    painter: Painter
    has_headings = True

    def __init__(self, diff: TextDiff) -> None:
        self._diff = diff
        self._paragraphs = paragraphs(diff)

    def lines(self, names: tuple[str, str], context: int | None) -> Iterator[str]:
        """Yield all lines; equal texts have none. Without a context, only paragraphs with alarms
        are shown."""
        if self._diff.is_same:
            return
        yield from self._head(names)
        summary = summarize(self._diff)
        n_main = sum(not each.is_minor for each in summary.alarms)
        n_listed = len(summary.alarms) if context is None else min(n_main, MOST_SHOWN)
        for heading, listed in (
            ("Changed in meaning:", summary.alarms[: min(n_main, n_listed)]),
            ("Also changed:", summary.alarms[n_main:n_listed]),
        ):
            yield from [heading] if listed and self.has_headings else []
            yield from map(self._alarm, listed)
        lines = counts_line(summary.alarms[n_listed:]), renumbered_line(summary.renumbered)
        yield from map(self._note, filter(None, lines))
        if summary.alarms or summary.renumbered:
            yield ""
        if all(paragraph.is_same for paragraph in self._paragraphs):
            yield ONLY_SPACE
            yield ""
        if context is None:
            told = {place.paragraph for alarm in summary.alarms for place in alarm.places}
            shown = [paragraph.number in told for paragraph in self._paragraphs]
        else:
            shown = is_shown(self._paragraphs, context)
        for is_open, alike in in_runs(self._paragraphs, shown):
            if is_open:
                yield from chain.from_iterable(map(self._written, alike))
                continue
            what = "unchanged" if all(x.is_same for x in alike) else "not changed in meaning"
            yield self._fold(f"{len(alike)} paragraph{'s' * (len(alike) > 1)} {what}")
            yield ""

    def _written(self, paragraph: Paragraph) -> Iterator[str]:
        text = joined_places(
            (
                self._origin(paragraph, blocks) if is_origin else self._blocks(blocks)
                for blocks, is_origin in _together(paragraph)
            ),
            is_code=paragraph.is_code,
        )
        yield from self._paragraph(paragraph, text)

    @abstractmethod
    def _head(self, names: tuple[str, str]) -> Iterator[str]:
        """Yield the lines that name the texts."""

    @abstractmethod
    def _alarm(self, alarm: Alarm) -> str:
        """Return the line of a change of meaning."""

    @abstractmethod
    def _note(self, line: str) -> str:
        """Return a line below those of changes of meaning."""

    @abstractmethod
    def _fold(self, what: str) -> str:
        """Return the line for folded paragraphs."""

    @abstractmethod
    def _paragraph(self, paragraph: Paragraph, text: str) -> Iterator[str]:
        """Yield the lines of a painted paragraph."""

    @abstractmethod
    def _origin(self, paragraph: Paragraph, blocks: Sequence[DiffBlock]) -> str:
        """Return blocks of one move at their old place: their first words, and where they went."""

    @abstractmethod
    def _arrived(self, number: int, text: str) -> str:
        """Return blocks of one move at their new place."""

    def _blocks(self, blocks: Sequence[DiffBlock]) -> str:
        parts = [self._mark(mark) for block in blocks for mark in marks_of(self._diff, block)]
        text = self.painter.joined(parts)
        if blocks[0].move is None:
            return text
        before, core, after = with_edges(text)
        return before + self._arrived(blocks[0].move, core) + after

    def _mark(self, mark: Mark) -> str:
        if mark.role is MarkRole.KEPT:
            return self.painter.text(mark.text)
        number = mark.segment.move if mark.role in (MarkRole.LEFT, MarkRole.MOVED) else ""
        return self.painter.marked(mark.text, look_of(mark), number)


class _TerminalLines(_Lines):
    """Writes a difference for a terminal."""

    painter: TerminalPainter

    def __init__(self, diff: TextDiff, is_coloured: bool) -> None:
        super().__init__(diff)
        self.painter = TerminalPainter(is_coloured=is_coloured)
        self._homes: dict[int | None, int] = {
            block.move: paragraph.number
            for paragraph in reversed(self._paragraphs)  # the first counts
            for block, is_origin in paragraph.places
            if not is_origin and block.move is not None
        }

    def _head(self, names: tuple[str, str]) -> Iterator[str]:
        for sign, name in zip(("---", "+++"), names, strict=True):
            yield self.painter.coloured(f"{sign} {visible(name)}", "1")

    def _alarm(self, alarm: Alarm) -> str:
        kind = self.painter.coloured(f"{alarm.kind:<11}", "1")
        return f"  {kind} {visible(str(alarm))}  ({alarm.where})"

    def _note(self, line: str) -> str:
        return f"  {visible(line)}"

    def _fold(self, what: str) -> str:
        return self.painter.coloured(f"··· {what} ···", "2")

    def _paragraph(self, paragraph: Paragraph, text: str) -> Iterator[str]:
        yield from text.rstrip().split("\n")
        last, is_origin = paragraph.places[-1]
        new = [self._diff.new_text(block) for block, is_away in paragraph.places if not is_away]
        ends = [shown_text(self._diff, last, is_origin=is_origin), *[*filter(None, new)][-1:]]
        if any(map(ends_paragraph, ends)):
            yield ""

    def _origin(self, paragraph: Paragraph, blocks: Sequence[DiffBlock]) -> str:
        _, core, after = with_edges("".join(map(self._diff.old_text, blocks)))
        move = blocks[0].move
        where = str(move)
        if self._homes[move] != paragraph.number:
            where += f" in paragraph {self._homes[move]}"
        left = self.painter.marked(one_line(core), LOOKS[MarkRole.LEFT], where)
        return left + visible(after)

    def _arrived(self, number: int, text: str) -> str:
        look = LOOKS[MarkRole.MOVED]
        if self.painter.is_coloured:
            return self.painter.coloured(f"{number}→ ", look.colour) + text
        return f"{{{number}→ {text}}}"

    def _mark(self, mark: Mark) -> str:
        is_carried = mark.role is MarkRole.KEPT and mark.segment.move is not None
        if is_carried and self.painter.is_coloured:
            plain = replace(LOOKS[MarkRole.MOVED], signs=("", ""))
            return self.painter.marked(mark.text, plain)
        return super()._mark(mark)


class _MarkdownLines(_Lines):
    """Writes a difference as Markdown."""

    painter = MarkdownPainter()
    has_headings = False

    def _head(self, names: tuple[str, str]) -> Iterator[str]:
        yield f"**{' → '.join(map(self.painter.text, names))}**"
        yield ""

    def _alarm(self, alarm: Alarm) -> str:
        return f"- {alarm.kind}: {self.painter.text(str(alarm))} ({alarm.where})"

    def _note(self, line: str) -> str:
        return f"- {self.painter.text(line)}"

    def _fold(self, what: str) -> str:
        return f"*{what}*"

    def _written(self, paragraph: Paragraph) -> Iterator[str]:
        """Yield a paragraph; code, in which nothing can be marked, as lines of a diff."""
        if not paragraph.is_code:
            yield from super()._written(paragraph)
            return
        sides: tuple[list[str], list[str]] = ([], [])
        for block, is_origin in paragraph.places:
            if is_origin or block.move is None:
                sides[0].append(self._diff.old_text(block))
            if not is_origin:
                sides[1].append(self._diff.new_text(block))
        old, new = ("".join(side).strip("\n").split("\n") for side in sides)
        runs = re.findall("`{3,}", "".join(map("".join, sides)))
        fence = "`" * (max(map(len, runs), default=2) + 1)
        yield f"{fence}diff"
        for tag, i0, i1, j0, j1 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag == "equal":
                yield from (f"  {visible(line)}" for line in new[j0:j1])
            else:
                yield from (f"- {visible(line)}" for line in old[i0:i1])
                yield from (f"+ {visible(line)}" for line in new[j0:j1])
        yield fence
        yield ""

    def _paragraph(self, paragraph: Paragraph, text: str) -> Iterator[str]:
        yield text.strip()
        yield ""

    def _origin(self, paragraph: Paragraph, blocks: Sequence[DiffBlock]) -> str:
        _, core, after = with_edges("".join(map(self._diff.old_text, blocks)))
        left = self.painter.marked(one_line(core), LOOKS[MarkRole.LEFT], blocks[0].move)
        return left + " " * bool(after)

    def _arrived(self, number: int, text: str) -> str:
        return f"[{number}→ {text}]"
