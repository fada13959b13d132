"""A difference in a terminal: words in colour, or in brackets where there is none."""

from __future__ import annotations

from collections.abc import Iterator

from tokalign.showing.text import coloured, one_line, visible, with_edges, wrapped
from tokalign.texts.diff.form import DiffBlock, TextDiff
from tokalign.texts.diff.reading import (
    Mark,
    MarkRole,
    Paragraph,
    ends_paragraph,
    is_shown,
    joined_places,
    marks_of,
    paragraphs,
    shown_text,
)
from tokalign.texts.diff.summary import ALARMING, ONLY_SPACE, Summary, summarize

_COLOURS = {
    MarkRole.GONE: "31;9",
    MarkRole.NEW: "32;4",
    MarkRole.LEFT: "36;2",
    MarkRole.MOVED: "36",
}
"""Red and struck out, green and underlined, cyan: told apart without colours, too."""
_ALARMING = ";1"
_BRACKETS = {MarkRole.GONE: ("[-", "-]"), MarkRole.NEW: ("{+", "+}")}


def terminal_lines(
    diff: TextDiff,
    names: tuple[str, str] = ("old", "new"),
    *,
    context: int = 1,
    is_coloured: bool = False,
    width: int | None = None,
) -> Iterator[str]:
    """Yield the lines of a difference for a terminal; none where the texts are equal.

    Parameters
    ----------
    diff : TextDiff
    names : (old, new)
        What the two texts are called.
    context : int
        Paragraphs to show before and after each that changed; the others are folded.
    is_coloured : bool
        Whether colours mark the words; if not, ``[-old-]``, ``{+new+}``, ``[moved →1]`` and
        ``{1→ moved}`` do.
    width : int, optional
        Columns that lines are broken to fit in; by default, they are as long as in the texts.
    """
    if diff.is_same:
        return
    painter = _Painter(diff, is_coloured)
    for line in painter.lines(names, context):
        yield from [line] if width is None else wrapped(line, max(width, 20))


class _Painter:
    """Writes blocks with colours or brackets."""

    def __init__(self, diff: TextDiff, is_coloured: bool) -> None:
        self._diff = diff
        self._is_coloured = is_coloured
        self._paragraphs = paragraphs(diff)
        self._arrived: dict[int | None, int] = {
            block.move: paragraph.number
            for paragraph in self._paragraphs
            for block, is_origin in paragraph.places
            if not is_origin and block.move is not None
        }

    def lines(self, names: tuple[str, str], context: int) -> Iterator[str]:
        """Yield the names, what is alarming, and the paragraphs."""
        for sign, name in zip(("---", "+++"), names, strict=True):
            yield self._coloured(f"{sign} {visible(name)}", "1")
        yield from self._alarms(summarize(self._diff))
        if all(paragraph.is_same for paragraph in self._paragraphs):
            yield ONLY_SPACE
            yield ""
        n_folded = 0
        for paragraph, is_open in zip(
            self._paragraphs, is_shown(self._paragraphs, context), strict=True
        ):
            if not is_open:
                n_folded += 1
                continue
            yield from self._fold(n_folded)
            n_folded = 0
            yield from self._paragraph(paragraph)
        yield from self._fold(n_folded)

    def _alarms(self, summary: Summary) -> Iterator[str]:
        if not summary.alarms:
            return
        yield "Changed in meaning:"
        for each in summary.alarms:
            where = f"paragraph {each.paragraph}"
            if each.sentence:
                where += f", sentence {each.sentence}"
            change = self._coloured(f"{each.change:<9}", "1")
            yield f"  {change} {visible(str(each))}  ({where})"
        yield ""

    def _fold(self, n: int) -> Iterator[str]:
        if n:
            what = "paragraph" if n == 1 else "paragraphs"
            yield self._coloured(f"··· {n} {what} unchanged ···", "2")
            yield ""

    def _paragraph(self, paragraph: Paragraph) -> Iterator[str]:
        text = joined_places(
            self._origin(paragraph, block) if is_origin else self._block(block)
            for block, is_origin in paragraph.places
        )
        yield from text.rstrip().split("\n")
        if self._ends(paragraph):
            yield ""

    def _ends(self, paragraph: Paragraph) -> bool:
        """Return whether a blank line comes after a paragraph."""
        last, is_origin = paragraph.places[-1]
        standing = [block for block, is_origin in paragraph.places if not is_origin]
        texts = [shown_text(self._diff, last, is_origin=is_origin)]
        texts += [self._diff.new_text(block) for block in standing[-1:]]
        return any(map(ends_paragraph, texts))

    def _origin(self, paragraph: Paragraph, block: DiffBlock) -> str:
        """Return how a block is shown where it has left: its first words, and where it went."""
        _, core, after = with_edges(self._diff.old_text(block))
        where = f"→{block.move}"
        if self._arrived[block.move] != paragraph.number:
            where += f" in paragraph {self._arrived[block.move]}"
        return self._moved(MarkRole.LEFT, f"{visible(one_line(core))} {where}") + visible(after)

    def _block(self, block: DiffBlock) -> str:
        text = "".join(map(self._mark, marks_of(self._diff, block)))
        if block.move is None:
            return text
        before, core, after = with_edges(text)
        sign = f"{block.move}→ "
        if self._is_coloured:
            return before + self._coloured(sign, _COLOURS[MarkRole.MOVED]) + core + after
        return f"{before}{{{sign}{core}}}{after}"

    def _mark(self, mark: Mark) -> str:
        if mark.role is MarkRole.KEPT:
            return self._kept(mark)
        before, core, after = (visible(part) for part in with_edges(mark.text))
        number = mark.segment.move
        if mark.role is MarkRole.LEFT:
            return f"{before}{self._moved(mark.role, f'{core} →{number}')}{after}"
        if mark.role is MarkRole.MOVED:
            return f"{before}{self._moved(mark.role, f'{number}→ {core}')}{after}"
        if not self._is_coloured:
            start, end = _BRACKETS[mark.role]
            return f"{before}{start}{core}{end}{after}"
        colour = _COLOURS[mark.role]
        if mark.segment.change in ALARMING:
            colour += _ALARMING
        return before + self._coloured(core, colour) + after

    def _kept(self, mark: Mark) -> str:
        if mark.segment.move is None or not self._is_coloured:
            return visible(mark.text)
        before, core, after = (visible(part) for part in with_edges(mark.text))
        return before + self._coloured(core, _COLOURS[MarkRole.MOVED]) + after

    def _moved(self, role: MarkRole, text: str) -> str:
        if self._is_coloured:
            return self._coloured(text, _COLOURS[role])
        return f"[{text}]" if role is MarkRole.LEFT else f"{{{text}}}"

    def _coloured(self, text: str, colour: str) -> str:
        return coloured(text, colour) if self._is_coloured else text
