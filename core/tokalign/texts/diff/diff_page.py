"""A difference as one HTML page that needs no network: side by side, or inline.

The page is readable without its script, which only jumps and switches views. Every text is escaped.
"""

from collections.abc import Iterator
from itertools import groupby

from tokalign.showing.painting import HtmlPainter, attributes, page_of, page_text
from tokalign.showing.text import with_edges
from tokalign.texts.diff.alarms import Alarm, fate
from tokalign.texts.diff.diff_lines import LOOKS, look_of
from tokalign.texts.diff.reading_order import (
    Mark,
    MarkRole,
    Paragraph,
    in_runs,
    is_shown,
    joined_places,
    marks_of,
    paragraphs,
    unwrapped,
)
from tokalign.texts.diff.summary import ONLY_SPACE, summarize
from tokalign.texts.diff.text_diff import SPACE, DiffBlock, TextDiff
from tokalign.types.edits import EditKind

SCRIPT = "tokalign.texts.diff", ("diff_page.js",)
"""Package and modules of the page's script."""
_PAINTER = HtmlPainter()
_EMPTY = ' class="empty"'
_BAR = """<div class="bar" role="toolbar" aria-label="view">
<span><button type="button" id="side" aria-pressed="true">side by side</button>
<button type="button" id="inline" aria-pressed="false">inline</button> <kbd>v</kbd></span>
<span><button type="button" id="meaning" aria-pressed="false">meaning only</button>
<kbd>m</kbd></span>
<span><button type="button" id="previous">previous</button> <kbd>p</kbd>
<button type="button" id="next">next</button> <kbd>n</kbd></span>
<output id="counter" aria-live="polite"></output>
</div>"""
_LEGEND = (
    "<del>deleted</del> <ins>inserted</ins> "
    '<span class="left">moved away</span> <span class="moved">moved here</span> '
    '<span><span class="alarm" data-change="number">changed in meaning</span></span>'
)


def html_page(diff: TextDiff, names: tuple[str, str] = ("old", "new"), *, context: int = 1) -> str:
    """Return the HTML of a page, with `context` paragraphs around each that changed; the others are
    folded."""
    title = page_text(f"{names[0]} → {names[1]}")
    body = "\n".join(_Page(diff).parts(title, context))
    return page_of("diff", title, body, *SCRIPT)


class _Page:
    """Writes the parts of a page."""

    def __init__(self, diff: TextDiff) -> None:
        self._diff = diff
        self._summary = summarize(diff)
        self._paragraphs = paragraphs(diff)
        self._numbers: dict[int, int] = {}
        self._places: dict[int | None, tuple[int, int]] = {}
        for paragraph in self._paragraphs:
            for block, is_origin in paragraph.places:
                was = self._places.get(block.move, (0, 0))
                number = paragraph.number
                self._places[block.move] = (number, was[1]) if is_origin else (was[0], number)
        self._told = {place.paragraph for each in self._summary.alarms for place in each.places}
        self._kinds = {
            id(diff.blocks[place.block].segments[place.segment]): each.kind
            for each in self._summary.alarms
            for place in each.places
        }
        self._tagged: set[tuple[int, bool]] = set()  # blocks that are the first of a move
        for paragraph in self._paragraphs:
            firsts = {
                (block.move, is_origin): id(block) for block, is_origin in paragraph.places[::-1]
            }
            self._tagged.update((first, is_origin) for (_, is_origin), first in firsts.items())
        self._is_code = False  # the paragraph that is written
        for block in diff.blocks:
            for part in (block, *block.segments) if block.move is not None else block.segments:
                self._numbers[id(part)] = len(self._numbers)

    def parts(self, title: str, context: int) -> Iterator[str]:
        """Yield the parts from the title to the last paragraph."""
        yield f"<header>\n<h1>{title}</h1>"
        yield f'<p class="note">{page_text(self._counts())}</p>'
        yield from self._alarms()
        yield f'<p class="legend">{_LEGEND}</p>\n</header>\n<main>'
        yield _BAR
        shown = is_shown(self._paragraphs, context)
        for is_open, alike in in_runs(self._paragraphs, shown):
            yield from map(self._paragraph, alike) if is_open else self._fold(alike)
        yield "</main>"

    def _counts(self) -> str:
        if self._diff.is_same:
            return "The texts are equal."
        if all(paragraph.is_same for paragraph in self._paragraphs):
            return ONLY_SPACE
        summary = self._summary
        kinds = [f"{n} {kind}" for kind, n in summary.blocks.items()]
        words = f"{summary.n_inserted} words inserted, {summary.n_deleted} deleted"
        if summary.n_moved:
            words += f", {summary.n_moved} moved"
        return f"Sentences: {', '.join(kinds)}. {words}."

    def _alarms(self) -> Iterator[str]:
        if not self._summary.alarms:
            return
        yield '<section class="alarms" aria-label="changed in meaning">'
        yield "<h2>Changed in meaning</h2>"
        for is_minor, alarms in groupby(self._summary.alarms, lambda each: each.is_minor):
            yield "<details><summary>Also changed</summary>" if is_minor else ""
            yield "<ul>"
            yield from map(self._alarm, alarms)
            yield "</ul></details>" if is_minor else "</ul>"
        yield "</section>"

    def _alarm(self, alarm: Alarm) -> str:
        place = alarm.places[0]
        segment = self._diff.blocks[place.block].segments[place.segment]
        return (
            f'<li><span class="kind">{alarm.kind}</span> '
            f'<a href="#p{place.paragraph}" data-to="{self._numbers[id(segment)]}">'
            f"{page_text(str(alarm))}</a> <small>{alarm.where}</small></li>"
        )

    def _fold(self, folded: list[Paragraph]) -> Iterator[str]:
        what = "paragraph" if len(folded) == 1 else "paragraphs"
        yield f'<details class="fold"><summary>{len(folded)} {what} unchanged</summary>'
        yield from map(self._paragraph, folded)
        yield "</details>"

    def _paragraph(self, paragraph: Paragraph) -> str:
        self._is_code = paragraph.is_code
        cells = [self._row(block, is_origin=is_origin) for block, is_origin in paragraph.places]
        if self._is_code:  # its lines stand below each other
            olds, news = ("".join(side).strip("\n") for side in zip(*cells, strict=True))
            rows = _cells(olds, news)
        else:
            rows = "".join(_cells(old.strip(), new.strip()) for old, new in cells)
        line = joined_places(
            (
                self._origin(block) if is_origin else self._block(block)
                for block, is_origin in paragraph.places
            ),
            is_code=self._is_code,
        )
        number = paragraph.number
        names = ["paragraph"] + ["code"] * self._is_code
        names += ["has-alarm"] * (number in self._told)
        return (
            f'<section class="{" ".join(names)}" id="p{number}" aria-label="paragraph {number}">'
            f'<span class="number">{number}</span>'
            f'<div class="side">{rows}</div><div class="inline">{line.strip()}</div></section>'
        )

    def _row(self, block: DiffBlock, *, is_origin: bool) -> tuple[str, str]:
        if is_origin:
            old = self._side(block, is_new=False, is_marked=False)
            return self._tag(block, is_origin=True) + old.lstrip(), ""
        old, new = self._side(block, is_new=False), self._side(block, is_new=True)
        if block.move is not None:
            gone = "" if self._is_code else f'<span class="elsewhere">{old.strip()}</span>'
            return gone, self._tag(block, is_origin=False) + new
        return old, new

    def _text(self, text: str) -> str:
        return page_text(text if self._is_code else unwrapped(text))

    def _side(self, block: DiffBlock, *, is_new: bool, is_marked: bool = True) -> str:
        """Return the old or the new text of a block, with what differs or moved marked."""
        text_of, roles = self._diff.old_text, (MarkRole.GONE, MarkRole.LEFT)
        segments = sorted(block.segments, key=lambda each: each.old)
        if is_new:
            text_of, roles = self._diff.new_text, (MarkRole.NEW, MarkRole.MOVED)
            segments = list(block.segments)
        text = ""
        for segment in segments:
            said = text_of(segment)
            if not is_marked or segment.kind is EditKind.EQUAL or segment.change == SPACE:
                text += self._text(said)
            elif said:
                text += self._mark(Mark(roles[segment.kind is EditKind.MOVE], said, segment))
        return text

    def _block(self, block: DiffBlock) -> str:
        text = "".join(map(self._mark, marks_of(self._diff, block)))
        return text if block.move is None else self._tag(block, is_origin=False) + text

    def _origin(self, block: DiffBlock) -> str:
        """Return a moved block inline at its old place."""
        before, core, after = with_edges(self._diff.old_text(block))
        core = core if self._is_code else unwrapped(core)
        left = _PAINTER.marked(core, LOOKS[MarkRole.LEFT])
        return page_text(before) + self._tag(block, is_origin=True) + left + page_text(after)

    def _tag(self, block: DiffBlock, *, is_origin: bool) -> str:
        """Return a hyperlink from one place of a move to the other, at its first block."""
        if (id(block), is_origin) not in self._tagged:
            return ""
        places = self._places[block.move]
        other = places[1] if is_origin else places[0]
        what = f"moved to ¶{other} ↓" if is_origin else f"moved from ¶{other} ↑"
        if places[1] <= places[0]:
            what = what.translate({ord("↓"): "↑", ord("↑"): "↓"})
        number = self._numbers[id(block)]
        return f'<a class="tag" href="#p{other}" data-n="{number}" title="{fate(block)}">{what}</a>'

    def _mark(self, mark: Mark) -> str:
        """Return a piece of text in its mark."""
        if mark.role is MarkRole.KEPT:
            return self._text(mark.text)
        segment = mark.segment
        notes: dict[str, object] = {"data_n": self._numbers[id(segment)]}
        if mark.role not in (MarkRole.GONE, MarkRole.LEFT) or segment.new[0] == segment.new[1]:
            # One sign for one change.
            notes["data_change"] = self._kinds.get(id(segment), segment.change)
        notes["title"] = segment.change
        if id(segment) in self._kinds:
            notes["data_alarm"] = ""
        text = mark.text if self._is_code else unwrapped(mark.text)
        return _PAINTER.marked(text, look_of(mark), attributes(**notes))


def _cells(old: str, new: str) -> str:
    cells = "".join(
        f'<div data-side="{side}"{"" if text else _EMPTY}>{text}</div>'
        for side, text in (("old", old), ("new", new))
    )
    return f'<div class="row">{cells}</div>'
