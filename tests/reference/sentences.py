"""Slow, obvious twin of the sentence splitter in sentence_splitter.pyx."""

from __future__ import annotations

import re

from tokalign.english.annotate.abbreviations import (
    BEFORE_DIGITS,
    BEFORE_LOWER,
    FIRST_WORDS,
    LONGEST_WORD,
    NEVER_LAST,
    SELDOM_LAST,
)

_EMOTICON = r"(?:<3|\^_\^|[:;=][-']?[()\]DPpO|/\\]+)(?=\s|\Z)"
_EVENT = re.compile(
    rf"""
    (?P<gap>\s+) (?P<smile>{_EMOTICON})?
    | (?P<marks>[.!?\u2026] (?:\ ?[.!?\u2026])*) (?P<closed>["'\u201d\u2019)\]}}\u00bb]*)
    """,
    re.VERBOSE,
)
_SMILE = re.compile(rf"\s*(?P<smile>{_EMOTICON})")
_OPENERS = "\"'\u201c\u2018`([{<\u00ab*_-~"


def sentences(text: str) -> list[tuple[int, int]]:
    """Return where sentences start and end."""
    found = []
    start = len(text) - len(text.lstrip())
    while start < len(text):
        end = _end(text, start)
        found.append((start, end))
        start = len(text) - len(text[end:].lstrip())
    return found


def _end(text: str, start: int) -> int:
    position = start
    while event := _EVENT.search(text, position):
        position = event.end()
        if event["gap"] is not None:
            if _is_over(text, event.start()):
                return event.start()
            if event["smile"] and text[position:].lstrip()[:1].isupper():
                return position
            continue
        if _is_over(text, position):
            return position
        if smile := _SMILE.match(text, position):
            position = smile.end()
            if _is_over(text, position):
                return position
        if _ends(text[start : event.start()], event["marks"], event["closed"], text[position:]):
            return position
    return len(text.rstrip())


def _is_over(text: str, position: int) -> bool:
    """Whether a blank line follows, or nothing."""
    after = text[position:]
    gap = after[: len(after) - len(after.lstrip())]
    breaks = re.findall(r"\r\n|[\n\r\u2028]|\u2029", gap)
    return gap == after or len(breaks) + breaks.count("\u2029") > 1


def _ends(before: str, marks: str, closed: str, after: str) -> bool:
    word = re.search(r"\S*\Z", before)[0][-LONGEST_WORD:].lstrip(_OPENERS)
    before = before[: len(before) - len(word)]
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
    )
    if "!" in marks or "?" in marks:
        return begins and not (closed and first.islower())
    if marks != ".":
        return first.isupper()
    if closed:
        return begins and not first.islower()
    is_list = not before or before.endswith(": ")
    if is_list and (len(word) == 1 or (len(word) <= 3 and word.isdecimal())):
        return False
    lower = _ascii_lower(word)
    if lower in NEVER_LAST or (lower in BEFORE_DIGITS and first.isdecimal()):
        return False
    is_initial = len(word) == 1 and word.isalpha() and word != "I"
    if lower in SELDOM_LAST or is_initial or _is_initials(word):
        letters = "".join(c if c.isalpha() else " " for c in bare[:LONGEST_WORD]).partition(" ")[0]
        return first.isupper() and (
            following[0] in '"\u201c' or _ascii_lower(letters) in FIRST_WORDS
        )
    if first.islower():
        return len(word) > 2 and lower not in BEFORE_LOWER
    return begins


def _is_initials(word: str) -> bool:
    parts = word.split(".")
    return len(parts) > 1 and all(part.isalpha() and len(part) <= 2 for part in parts)


def _ascii_lower(word: str) -> str:
    """Return a word in lower case, or nothing where it has letters that no listed word has."""
    return word.lower() if word.isascii() else ""
