"""Slow, obvious twin of the sentence splitter in sentence_splitter.pyx."""

from __future__ import annotations

import re

from tokalign.files.shipped import LISTS

NEVER_LAST, BEFORE_DIGITS, BEFORE_LOWER, SELDOM_LAST, FIRST_WORDS, SHORT_LAST, GO_ON, LABELLED = (
    frozenset(LISTS.words(name))
    for name in (
        "never-last", "before-digits", "before-lower", "seldom-last", "first-words", "short-last",
        "go-on", "labelled",
    )
)  # fmt: skip
LONGEST_WORD = 24
"""Number of characters looked at before a period, and after it."""

_EMOTICON = r"(?:<3|\^_\^|[:;=][-']?[()\]DPpO|/\\]+)(?=\s|\Z)"
_EVENT = re.compile(
    rf"""
    (?P<gap>\s+) (?P<smile>{_EMOTICON})?
    | (?P<marks>[.!?\u2026] (?:\ ?[.!?\u2026])*)
    """,
    re.VERBOSE,
)
_PICTURE = "[\u2600-\u27bf\ufe0f\u2b50\U0001f000-\U0001faff]"
_ASIDE = re.compile(rf"{_EMOTICON}|{_PICTURE}{{1,24}}(?=\s|\Z)|\[\d\d?\](?=\s|\Z)")
_EMPHASIS = "*_`"
_TAIL = re.compile(
    rf"""
    (?P<closer>["'\u201d\u2019)\]}}\u00bb])
    | [*_`\xb9\xb2\xb3\u2020\u2021\xa7\xb6\u2070-\u2079] | {_PICTURE}
    | \[[^\]\n\r\0]{{0,39}}\] (?:\([^)\n\r\0]{{0,95}}\))?
    | \(\d{{1,3}}\)
    | <su[^>\n\r\0]{{0,93}}>[^<\n\r\0]{{0,11}}</[^>\n\r\0]{{0,10}}>
    | <(?!su)(?=[a-zA-Z]|/)[^>\n\r\0]{{0,95}}>
    | ~?\\[a-zA-Z]+(?:\[[^\]\n\r\0]{{0,39}}\])?\{{[^}}\n\r\0]{{0,94}}\}}
    """,
    re.VERBOSE,
)
_OPENERS = "\"'\u201c\u2018`([{<\u00ab*_-~"
_BREAK = re.compile(r"\r\n|[\n\r\u2028]|\u2029")

_MARKER = re.compile(r"[> \t]*")
_ALONE = re.compile(
    r"""
    \#{1,6}(?!\#)(?=[ \t]) | ={2,6}(?!=)(?=[ \t]) | `{3,} | ~{3,}
    | (?P<sign>[-\#=*+_^])(?P=sign){2,}(?!(?P=sign))(?=[ \t]{0,24}(?:[\n\r\u2028\u2029]|\Z))
    | \\(?:section|subsection|chapter|begin|end)(?![a-z])
    """,
    re.VERBOSE,
)
_BULLET = re.compile(r"(?:[-*+](?![-*+])|[|\u2022\u2023\u25e6\u25aa\u25cf\xb7])(?=[ \t])")
_BLOCK = re.compile(
    r"\\(?:item|paragraph)(?![a-z])|\.\.[ ]|</?(?:p[> r]|h[1-6r]|b[rl]|t[rdhab]|[uod][litd]|li)"
)
_RUN = re.compile(r"(?P<sign>[-#=*+_^~`])(?P=sign)*")
_NUMBER = re.compile(
    r"""
    (?P<open>\[\^?|\()?
    (?: (?P<digits>[0-9]{1,3})(?![0-9]) (?(open)|(?P<levels>(?:\.[0-9]+)+)?)
      | (?P<roman>(?<=\()(?:i|[ivxl]{2,5})(?![a-z])) | (?P<letter>[a-hj-z]) )
    (?P<close>[.)\]]) (?P<colon>:)? (?=[ \t*_])
    """,
    re.VERBOSE,
)


class Lines:
    """What lines and sentences begin with, read from left to right.

    Attributes
    ----------
    begins : bool
        Whether a block begins with the last line that was read.
    is_alone : bool
        Whether that is a heading or a fence.
    body : int
        Where the text of the block begins; 0 if none does.
    """

    def __init__(self, text: str) -> None:
        self.begins = self.is_alone = False
        self.body = 0
        self._text = text
        self._read = -1
        self._item = (0, "")

    def read(self, start: int, *, is_new: bool) -> None:
        """Read what begins at the first sign of a line, or of a sentence."""
        if self._read == start:
            return
        self._read = start
        text = self._text
        at = _MARKER.match(text, start).end()
        begins, is_alone = is_new and self.is_alone, self.is_alone and not is_new
        run = _RUN.match(text, at)
        self.body = run.end() if run else at
        if _ALONE.match(text, at):
            is_alone = True
        elif _BULLET.match(text, at):
            begins, self.body = True, at + 1
        elif run and run["sign"] in "*_" and len(run[0]) < 3:
            begins = self._is_item(run.end()) or begins
        elif run and len(run[0]) < 3:
            self.body = at
        elif text[at : at + 1] in tuple("|\u2022\u2023\u25e6\u25aa\u25cf\xb7"):
            self.body = at + 1
        elif not run:
            begins = _BLOCK.match(text, at) is not None or self._is_item(at) or begins
        if text[at : at + 1] == "\\":
            self.body = at
        self.begins, self.is_alone = begins or is_alone, is_alone
        blanks = text[self.body : self.body + 24]
        self.body += len(blanks) - len(blanks.lstrip(" \t"))
        if not self.begins:
            self.body = 0

    def _is_item(self, at: int) -> bool:
        found = _NUMBER.match(self._text, at)
        if found is None:
            return False
        opening, close, digits = (found["open"] or "")[:1], found["close"], found["digits"]
        if opening and close != {"(": ")", "[": "]"}[opening]:
            return False
        if not opening and (close == "]" or (close == "." and not digits)):
            return False
        if (opening == "[" and not digits) or (found["colon"] and opening != "["):
            return False
        if found["levels"] or found["roman"]:
            return len(found["levels"] or "") < 9
        number = int(digits) if digits else ord(found["letter"]) - 96
        kind = opening or close
        if number != 1 and (number - 1, kind) != self._item:
            return False
        self._item = (number, kind)
        return True


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where sentences start and end."""
    lines = Lines(text)
    found = []
    end = 0
    while text[end:].strip():
        start = len(text) - len(text[end:].lstrip())
        lines.read(start, is_new=not found or _n_breaks(text[end:start]) > 0)
        end = _end(text, start, lines)
        found.append((start, end))
    return found


def _end(text: str, start: int, lines: Lines) -> int:
    position = start
    closed = 0  # brackets that open within the sentence are open up to here
    while event := _EVENT.search(text, position):
        position = event.end()
        if event["gap"] is not None:
            smile = len(event["smile"] or "")
            if _is_over(text, event.start(), lines):
                return event.start()
            if smile and text[position:].lstrip()[:1].isupper() and position > closed:
                return position
            continue
        body = lines.body
        position, is_closed = _tail(text, position)
        if _is_over(text, position, lines):
            return position
        gap = re.compile(r"\s*").match(text, position).end()
        if aside := _aside(text, position, gap):
            position = aside
            if _is_over(text, position, lines):
                return position
        if not _ends(text, start, body, event.start(), event["marks"], is_closed, position):
            continue
        brackets = _brackets(text, start, event.start(), lines)
        closed = max(closed, brackets)
        if not brackets:
            return position
    return len(text.rstrip())


def _n_breaks(gap: str) -> int:
    breaks = _BREAK.findall(gap)
    return len(breaks) + breaks.count("\u2029")


def _is_over(text: str, position: int, lines: Lines) -> bool:
    """Whether a blank line follows, or a block, or nothing."""
    after = text[position:]
    gap = after[: len(after) - len(after.lstrip())]
    n_breaks = _n_breaks(gap)
    if gap == after or n_breaks > 1:
        return True
    if n_breaks == 0:
        return False
    lines.read(position + len(gap), is_new=True)
    return lines.begins


def _tail(text: str, position: int) -> tuple[int, bool]:
    """Return the end of what belongs to a mark, and whether it closes something."""
    is_closed = False
    start = position
    while found := _TAIL.match(text, position):
        position = found.end()
        is_closed = is_closed or found["closer"] is not None
    if position < len(text) and not text[position].isspace():
        rest = text[start:position]
        position = start + len(rest.rstrip(_EMPHASIS))
    return position, is_closed


def _aside(text: str, before: int, position: int) -> int:
    """Return the end of what stands by itself and belongs to the mark before it, or 0."""
    found = _ASIDE.match(text, position)
    if found is None:
        return 0
    if found[0].startswith("["):
        rest = text[found.end() :].lstrip()
        if _n_breaks(text[before:position]) or (rest and not rest[0].isupper()):
            return 0
    return found.end()


def _brackets(text: str, start: int, mark: int, lines: Lines) -> int:
    """Return where brackets are closed that open within the sentence before its mark, or 0."""
    depth = 0
    for at in range(mark - 1, max(start, mark - 200), -1):
        if text[at] == ")":
            depth += 1
        elif text[at] == "(":
            if depth == 0 and text[at - 1].isspace() and not text[at + 1].isspace():
                break
            depth = max(0, depth - 1)
    else:
        return 0
    depth = 0
    at = mark
    while at < min(mark + 200, len(text)):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            if depth == 0:
                return at
            depth -= 1
        if text[at].isspace():
            gap = re.compile(r"\s+").match(text, at)
            at = gap.end()
            n_breaks = _n_breaks(gap[0])
            following = text[at : at + 1]
            goes_on = following.isalpha() and text[at + 1 : at + 2] != ")"
            if n_breaks > 1 or (n_breaks and (lines.is_alone or not goes_on)):
                break
            continue
        at += 1
    return 0


def _letters(text: str) -> str:
    """Return the letters that a text begins with, of which so many are looked at."""
    return "".join(c if c.isalpha() else " " for c in text[:LONGEST_WORD]).partition(" ")[0]


def _ends(
    text: str, start: int, body: int, mark: int, marks: str, closed: bool, position: int
) -> bool:
    label_at = max(start, body)
    for _ in range(6):
        if label_at >= mark or text[label_at] not in "*_<":
            break
        tag = re.compile(r"<[^>\n\r\0]{0,94}>").match(text, label_at)
        label_at = tag.end() if tag else label_at + 1
    before = text[start:mark]
    after = text[position:]
    word = re.search(r"\S*\Z", before)[0][-LONGEST_WORD:]
    if mark - len(word) <= label_at < mark:
        word = text[label_at:mark]
    word = word.lstrip(_OPENERS)
    at = mark - len(word)
    before = text[start:at]
    following = after.lstrip()
    bare = following.lstrip(_OPENERS)
    first = bare[:1]
    if following == after:
        second = following[1:2]
        return (
            not closed
            and word.isalpha()
            and all(map(str.islower, word))
            and len(word) > 1
            and following[0].isupper()
            and (second.islower() or not second.isalnum())
            and second not in (".", "@")
        )
    begins = (
        first.isalnum()
        or (following[0] in _OPENERS and first != "" and not first.isspace())
        or following[0] in "#$@>"
        or (following[0] == "\u00a7" and text[-len(following) - 1] == "\n")
    )
    next_word = _ascii_lower(_letters(bare))
    if "!" in marks or "?" in marks:
        if not first.islower():
            return begins
        is_name = text[mark] == "!" and text[at].isupper() and next_word in GO_ON
        return not closed and not is_name
    if marks != ".":
        return first.isupper()
    if closed:
        return begins and not first.islower()
    is_number = (
        len(word) == 1
        or (0 < len(word) <= 3 and word.isdecimal())
        or re.fullmatch(r"(?=.{3,12}\Z)[0-9]+(?:\.[0-9]+)*", word)
        or _is_roman(word)
    )
    if not before or at in (body, label_at):
        is_mixed = word.isalnum() and len(word) <= 4
        if is_number or (is_mixed and (word[0].isdecimal() or word[-1].isdecimal())):
            return False
    elif before.endswith(" ") and is_number:
        label = text[label_at : at - 1].removesuffix(".")
        is_named = label == _letters(label + " ") and _ascii_lower(label) in LABELLED
        if before.endswith(": ") or is_named or label == "\u00a7":
            return False
    lower = _ascii_lower(word)
    counts = first.isdecimal() or re.fullmatch("[IVXL]{1,6}", _letters(bare))
    if lower in NEVER_LAST or (lower in BEFORE_DIGITS and counts):
        return False
    is_initial = len(word) == 1 and word.isalpha() and word != "I"
    if lower in SELDOM_LAST or is_initial or _is_initials(word):
        return first.isupper() and (following[0] in '"\u201c' or next_word in FIRST_WORDS)
    if first.islower():
        return (len(word) > 2 or lower in SHORT_LAST) and lower not in BEFORE_LOWER
    return begins


def _is_roman(word: str) -> bool:
    return re.fullmatch("[IVXL]{1,6}|[ivxl]{1,6}", word) is not None


def _is_initials(word: str) -> bool:
    parts = word.split(".")
    return len(parts) > 1 and all(part.isalpha() and len(part) <= 2 for part in parts)


def _ascii_lower(word: str) -> str:
    """Return a word in lower case, or nothing where it has letters that no listed word has."""
    return word.lower() if word.isascii() else ""
