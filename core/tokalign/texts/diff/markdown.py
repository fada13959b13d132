"""A difference as Markdown: ~~old~~ and **new** words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tokalign.showing.text import one_line, with_edges
from tokalign.texts.diff.form import DiffBlock, TextDiff
from tokalign.texts.diff.reading import (
    Mark,
    MarkRole,
    Paragraph,
    is_shown,
    joined_places,
    marks_of,
    paragraphs,
)
from tokalign.texts.diff.summary import ONLY_SPACE, summarize

_SIGNS = {MarkRole.GONE: "~~", MarkRole.NEW: "**"}
_SPECIAL = re.compile(r"([\\`*_~\[\]<>&|#])")
_AT_START = re.compile(r"^([ \t]*)(?:([-+=])|(\d+)([.)]))", re.MULTILINE)
_OPENS = re.compile(r"(?:~~|\*\*)[^\w\s~*]")
_CLOSES = re.compile(r"[^\w\s~*](?:~~|\*\*)$")
_LINES = re.compile(r"[ \t]*(?:\r\n|[\n\r\u0085\u2028\u2029])\s*")


def markdown_lines(
    diff: TextDiff, names: tuple[str, str] = ("old", "new"), *, context: int = 1
) -> Iterator[str]:
    """Yield the lines of a difference as Markdown; none where the texts are equal.

    What the texts say is shown to the letter: signs that mean something in Markdown are escaped.
    Each paragraph stands by itself; headings and items of lists are paragraphs.

    Parameters
    ----------
    diff : TextDiff
    names : (old, new)
        What the two texts are called.
    context : int
        Paragraphs to show before and after each that changed; the others are left out.
    """
    if diff.is_same:
        return
    yield f"**{escaped(names[0])} → {escaped(names[1])}**"
    yield ""
    alarms = summarize(diff).alarms
    for each in alarms:
        sentence = f", sentence {each.sentence}" if each.sentence else ""
        yield f"- {each.change}: {escaped(str(each))} (paragraph {each.paragraph}{sentence})"
    if alarms:
        yield ""
    all_paragraphs = paragraphs(diff)
    if all(paragraph.is_same for paragraph in all_paragraphs):
        yield ONLY_SPACE
        yield ""
    n_left_out = 0
    for paragraph, is_open in zip(all_paragraphs, is_shown(all_paragraphs, context), strict=True):
        if not is_open:
            n_left_out += 1
            continue
        yield from _left_out(n_left_out)
        n_left_out = 0
        yield _paragraph(diff, paragraph)
        yield ""
    yield from _left_out(n_left_out)


def escaped(text: str) -> str:
    r"""Return a text in one line whose signs mean nothing in Markdown.

    Examples
    --------
    >>> print(escaped("- a *b*\n<c>"))
    \- a \*b\* \<c\>
    """
    text = _SPECIAL.sub(r"\\\1", _LINES.sub(" ", text))
    return _AT_START.sub(_escaped_start, text)


def _escaped_start(found: re.Match[str]) -> str:
    space, sign, number, point = found.groups()
    return f"{space}\\{sign}" if sign else f"{space}{number}\\{point}"


def _left_out(n: int) -> Iterator[str]:
    if n:
        yield f"*{n} paragraph{'s' * (n > 1)} unchanged*"
        yield ""


def _paragraph(diff: TextDiff, paragraph: Paragraph) -> str:
    return joined_places(
        _origin(diff, block) if is_origin else _block(diff, block)
        for block, is_origin in paragraph.places
    ).strip()


def _joined(parts: Iterable[str]) -> str:
    """Return marked and plain parts as one text, in which every mark means something.

    Beside a letter, Markdown takes no mark that a sign stands on the other side of: there a space
    comes in between.
    """
    text = ""
    for part in parts:
        is_tight = text[-1:].isalnum() and _OPENS.match(part)
        if is_tight or (part[:1].isalnum() and _CLOSES.search(text)):
            text += " "
        text += part
    return text


def _origin(diff: TextDiff, block: DiffBlock) -> str:
    _, core, after = with_edges(diff.old_text(block))
    return f"[~~{escaped(one_line(core))}~~ →{block.move}]{_space(after)}"


def _block(diff: TextDiff, block: DiffBlock) -> str:
    text = _joined(map(_mark, marks_of(diff, block)))
    if block.move is None:
        return text
    before, core, after = with_edges(text)
    return f"{before}[{block.move}→ {core}]{after}"


def _mark(mark: Mark) -> str:
    before, core, after = with_edges(mark.text)
    core = escaped(core)
    if mark.role in _SIGNS and core:
        sign = _SIGNS[mark.role]
        core = f"{sign}{core}{sign}"
    elif mark.role is MarkRole.LEFT:
        core = f"[~~{core}~~ →{mark.segment.move}]"
    elif mark.role is MarkRole.MOVED:
        core = f"[{mark.segment.move}→ **{core}**]"
    return _space(before) + core + _space(after)


def _space(text: str) -> str:
    return " " if text else ""
