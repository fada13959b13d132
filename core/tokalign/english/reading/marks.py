"""Marks in a text that are no words: mark-up, citation marks and labels of blocks.

What is read is prose as people and programs write it, in Markdown, HTML, LaTeX, reStructuredText,
AsciiDoc and wikis, without being told which: the signs that stand for a form, not for themselves.
Mark-up that is broken is text.

Texts of nothing but signs cost what others cost: whatever a pattern repeats is bounded, or stops at
the sign that the pattern begins with, and what two neighbours could share is given to the first.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from tokalign.types.options import Markup
from tokalign.types.patterns import regex


class MarkKind(StrEnum):
    """What a mark is."""

    MARKUP = "markup"
    """A sign of emphasis, a tag, a command, or a link's address."""
    CITATION = "citation"
    """Where something is said to come from: [4], (Source 1), a footnote's number."""
    LABEL = "label"
    """A bullet or a number of a heading, an item, a clause or a page."""
    ADDRESS = "address"
    """A web address or an e-mail address: one word, whatever its signs."""


class TextMark(NamedTuple):
    """A mark in a text."""

    start: int  # half-open code point offsets
    end: int
    kind: MarkKind


_NUMBERS = r"[1-9]\d{0,2}(?:\s?[,;\u2013-]\s?[1-9]\d{0,2}){0,8}"
_ADDRESS = regex(
    r"(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>\"`{}|\\^\[\]]{1,2000}(?<=[\w/#=&%+~-])"
    r"|(?<![\w.+-])[\w.+-]{1,64}@\w[\w-]{0,62}(?:\.\w[\w-]{0,62}){1,8}\b"
)
_SUPERSCRIPT_TAG = regex(r"<sup\b[^<>]{0,100}>(?:<[^<>]{1,200}>)?\[?[\w*]{1,3}\]?(?:</a>)?</sup>")
_ELEMENT = (
    "abbr|article|aside|audio|big|blockquote|body|br|button|caption|center|cite|code|col|dd|del"
    "|details|dfn|div|dl|dt|em|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|iframe"
    "|img|input|ins|kbd|label|li|link|main|mark|meta|nav|nowiki|ol|option|p|picture|pre|ref"
    "|references|script|section|select|small|source|span|strike|strong|style|sub|summary|sup|table"
    "|tbody|td|tfoot|th|thead|time|title|tr|tt|ul|var|video|[abiqsu]"
)
_TAG = regex(  # <file> is a word
    rf"</?(?=[A-Za-z])(?:{_ELEMENT})(?:\s[^<>]{{0,1000}})?/?>|<!--[^<>]{{0,1000}}-->", re.IGNORECASE
)
_BRACKETED = regex(
    rf"\[(?:\^[\w-]{{1,24}}|{_NUMBERS}|(?<=[\w.,;:!?\"'\u201d\u2019)]\[)[a-z]|note \d{{1,3}}"
    r"|nb \d{1,3}|citation needed|[Ss]ources?:? ?\d{1,3}|[SR]\d{1,2})\]"
    r"(?:\([^()\s]{0,500}\)|:(?=\s))?"
    r"|\u3010\d[^\u3010\u3011]{0,60}\u3011"
)
_SOURCES = regex(
    r"\((?:[Ss]ources?|[Rr]efs?\.?|[Rr]eferences?|[Cc]itations?|[Pp]assages?|[Dd]ocuments?)"
    r"\s?:?\s?\[?\d{1,3}\]?(?:\s?(?:,|and|&)\s?\[?\d{1,3}\]?){0,8}\)"
    r"|\((?<=[.!?\"\u201d\u2019]\()\d{1,3}\)"
)
_RAISED = regex(
    "(?<=[\\w.,;:!?\"'\u201d\u2019)\\]])[\u2070\u00b9\u00b2\u00b3\u2074-\u2079\u2020\u2021]+"
)
_UNIT = regex(r"(?:\b[kcdm]?m|\b(?:ft|in|s|yd|mi|mile|miles|kilomet\w+|met\w+)|[\d)])\Z")
_LINK = regex(
    r"(!?\[)(?:[^\[\]\n]{1,300})"
    r"(\](?:\([^()\s]{0,1000}(?:\s\"[^\"\n]{0,200}\")?\)|\[[^\[\]\n]{0,60}\]))"
)
_IMAGE_LINK = regex(r"\[(?=!\[)|(?<=\))\]\([^()\s]{0,1000}\)")
_REST_LINK = regex(
    r"(?<![\w`])(`)(?=[^\s`])[^`<>]{1,200}?(\s{0,9}<[^<>\s`]{1,1000}>`_{1,2}|`_{1,2})(?!\w)"
)
_WIKI_LINK = regex(r"(\[\[(?:[^\[\]|\n]{1,200}\|)?)[^\[\]|\n]{1,200}(\]\])")
_STARS = regex(
    r"(?<![*\d)])\*{2,3}(?=[^\s*])|(?<=[^\s*])\*{2,3}(?![*\d(])"
    r"|(?<![\w*])\*(?=[^\s*])|(?<=[^\s*])\*(?![\w*])"
)
_PAIRED = regex(
    r"(?<![\w_~])(_{1,3}|~~)(?=[^\s_~])(?:[^\n_~]|(?<=\w)_(?=\w)){1,300}(?<=\S)(\1)(?![\w_~])"
)
_TICKS = regex(r"(?<![\w`])(`{1,3})(?=[^\s`])(?:(?!'')[^`\n]){1,300}(?<=\S)(\1)(?!`)")
_CITE = regex(
    r"~?\\(?:[a-z]{0,6}cite[a-z]{0,8}|ref|eqref|autoref|pageref|label|footnotemark)\*?"
    r"(?:\[[^\[\]\n]{0,80}\]){0,2}\{[^{}\n]{0,200}\}"
)
_COMMAND = regex(
    r"\\[a-zA-Z]{1,24}\*?(?:\[[^\[\]\n]{0,80}\])?\{|\\(?:item|noindent|par)\b|\\(?=[&%$#_{}])"
)
_BRACE = regex(r"(?<!\\)\}")
_ROLE = regex(
    r":[a-z][\w-]{1,20}:(?=`)|(?<=:`)~(?:\w{1,60}\.){1,12}(?=\w)|(?<=[^\s:]:):(?=\s*\Z|[ \t]*\n)"
)
_ROLE_TARGET = regex(r"(?<=:)(`)[^`<>\n]{1,200}?(\s{0,9}<[^<>\s`]{1,300}>`)(?!_)")
_UNSHOWN = regex(  # where a link of reStructuredText leads, and options of what it includes
    r"^[ \t]*+(?:\.\. _[^:\n]{1,100}:|__[ \t])(?:[ \t]++\S{1,1000})?[ \t]*+$"
    r"|^[ \t]*+\.\. (?:figure|image|include|literalinclude)::[^\n]{0,300}$"
    r"|^[ \t]++:(?:class|emphasize-lines|end-(?:at|before)|height|lineno-match|lineno-start|lines"
    r"|maxdepth|name|scale|start-(?:after|at)|target|width):[^\n]{0,300}$",
    re.MULTILINE,
)
_STAMP = regex(  # of version control
    r"\$(?:Author|Date|Header|Id|LastChanged\w{1,10}|Rev|Revision|Source):[^$\n]{0,200}\$"
)
_NUMBERED = (
    r"\d{1,3}[.)]|\(?[a-z]\)|\((?:\d{1,3}|[ivxl]{1,5})\)|\d{1,2}(?:\.\d{1,2}){1,5}\.|[IVXL]{2,6}\."
)
_STEP = (
    r"\*{0,2}(?:Step|Section|Chapter|Part|Article|Appendix|Annex|Clause|Rule|Item|Question|Phase"
    r"|Principle) (?:\d{1,3}(?:\.\d{1,3}){0,4}|[A-Z]|[IVXL]{1,6})[.:](?=\s|\*)"
)
_LABEL = regex(
    r"^[ \t]*+(?:(?:(?:>++[ \t]++)++|(?:[-+*\u2022\u2023\u25e6\u25aa\u25cf\u00b7]|[#]{1,6}|={2,6}"
    rf"|\[[ xX]\]|\*{{2}}(?:{_NUMBERED})\*{{2}}|{_NUMBERED})[ \t]++){{1,6}}(?:{_STEP})?|{_STEP})",
    re.MULTILINE,
)
_RULE = regex(
    r"^[ \t]*+(?:([-=*_~^#+`])\1{2,}+[ \t]*+$|(?:`{3}|~{3})[\w+.-]{0,30}[ \t]*+$)"
    r"|(?<![ \t])[ \t]++={2,6}[ \t]*+$",
    re.MULTILINE,
)
_LEADER = regex(r"(?<![ .\u2026])([ .\u2026]{2,}+)\d{0,4}[ \t]*+$", re.MULTILINE)
_RULES = ("--", "==", "**", "__", "~~", "^^", "##", "++", "``")
_DOTS = ("....", "\u2026\u2026", ". . . .")
_PIPE = regex(r"(?:(?<=\s)|^)\|(?=\s|$)|^\|[-:| ]{3,}+[ \t]*+$", re.MULTILINE)


_MARKDOWN = frozenset((Markup.AUTO, Markup.MARKDOWN))
_REST = frozenset((Markup.AUTO, Markup.RST))
_LIGHT = _MARKDOWN | _REST
_TAGS = frozenset((Markup.AUTO, Markup.MARKDOWN, Markup.HTML))
_LATEX = frozenset((Markup.AUTO, Markup.LATEX))


def find_marks(text: str, markup: Markup = Markup.AUTO) -> list[TextMark]:
    """Return the marks of a text, in order; they may lie in one another.

    Addresses are marks of any text.

    Examples
    --------
    >>> text = "- **Holm** left.[4]"
    >>> [text[mark.start : mark.end] for mark in find_marks(text)]
    ['- ', '**', '**', '[4]']
    """
    marks: list[TextMark] = []
    found: list[TextMark] = []
    if markup is not Markup.NONE:
        marks += [TextMark(*label.span(), MarkKind.LABEL) for label in _LABEL.finditer(text)]
        if marks and marks[-1].end == len(text):
            marks.pop()  # there is nothing that it labels
        signs = itertools.chain(_citations(text), _signs(text, markup))
        found += sorted(TextMark(start, end, kind) for start, end, kind in signs if start < end)
    if "@" in text or "://" in text or "www." in text:
        words = [TextMark(*word.span(), MarkKind.ADDRESS) for word in _ADDRESS.finditer(text)]
        words = list(_outside(found, words))
        marks += words
        found = list(_outside(words, found))
    return sorted(marks + found)


def _outside(outer: Iterable[TextMark], inner: Iterable[TextMark]) -> Iterator[TextMark]:
    """Yield the inner marks that lie in none of the outer ones; both are in order."""
    left = iter(outer)
    next_outer = next(left, None)
    covered = 0
    for mark in inner:
        while next_outer is not None and next_outer.start <= mark.start:
            covered = max(covered, next_outer.end)
            next_outer = next(left, None)
        if mark.end > covered:
            yield mark


def _citations(text: str) -> Iterator[tuple[int, int, MarkKind]]:
    """Yield what stands for a source, and leaders of a table of contents."""
    if "[" in text or "\u3010" in text:
        yield from _spans(_BRACKETED, text, MarkKind.CITATION)
    if "(" in text:
        yield from _spans(_SOURCES, text, MarkKind.CITATION)
    if not text.isascii():
        for found in _RAISED.finditer(text):
            if found[0][0] in "\u2020\u2021\u00b9" or not _follows_unit(text, found.start()):
                yield *found.span(), MarkKind.CITATION
    if any(dots in text for dots in _DOTS):
        for found in _LEADER.finditer(text):
            if any(dots in found[1] for dots in _DOTS):
                yield *found.span(), MarkKind.MARKUP


def _signs(text: str, markup: Markup) -> Iterator[tuple[int, int, MarkKind]]:
    """Yield what stands for a form in some language, kind by kind."""
    if "<" in text and markup in _TAGS:
        for found in _SUPERSCRIPT_TAG.finditer(text):
            if not _follows_unit(text, found.start()):
                yield *found.span(), MarkKind.CITATION
        yield from _spans(_TAG, text)
    if "[" in text and markup in _MARKDOWN:
        yield from _spans(_IMAGE_LINK, text)
        yield from _both(_WIKI_LINK, text)
        yield from _both(_LINK, text)
    if "*" in text and markup in _LIGHT:
        yield from _spans(_STARS, text)
    if ("_" in text or "~~" in text) and markup in _LIGHT:
        yield from _both(_PAIRED, text)
    if "`" in text and markup in _LIGHT:
        yield from _both(_TICKS, text)
    if "`_" in text and markup in _REST:
        yield from _both(_REST_LINK, text)
    if "\\" in text and markup in _LATEX:
        yield from _spans(_CITE, text, MarkKind.CITATION)
        yield from _spans(_COMMAND, text)
        if _COMMAND.search(text) is not None:
            yield from _spans(_BRACE, text)
    if ":" in text and markup in _REST:
        yield from _spans(_ROLE, text)
        yield from _both(_ROLE_TARGET, text)
    if ("\n " in text or "_" in text) and markup in _REST:
        yield from _spans(_UNSHOWN, text)
    if "$" in text:
        yield from _spans(_STAMP, text)
    if "|" in text and markup in _LIGHT:
        yield from _spans(_PIPE, text)
    if markup in _LIGHT and any(sign in text for sign in _RULES):
        yield from _spans(_RULE, text)


def _follows_unit(text: str, start: int) -> bool:
    """Return whether a raised number is a power, as of a unit."""
    return _UNIT.search(text, max(0, start - 12), start) is not None


def _spans(
    pattern: re.Pattern[str], text: str, kind: MarkKind = MarkKind.MARKUP
) -> Iterator[tuple[int, int, MarkKind]]:
    for found in pattern.finditer(text):
        yield *found.span(), kind


def _both(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int, MarkKind]]:
    for found in pattern.finditer(text):
        yield *found.span(1), MarkKind.MARKUP
        yield *found.span(2), MarkKind.MARKUP
