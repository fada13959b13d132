"""Sameness of words by rule, slow and obvious: recursion, sets and regular expressions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import groupby

from tokalign.english.spelling.spelling_tables import PAIRS, RULES

MAX_LETTERS = 40


@cache
def distance(a: str, b: str) -> int:
    """Return the optimal string alignment distance."""
    if not a or not b:
        return len(a) + len(b)
    ways = [
        distance(a[1:], b) + 1,
        distance(a, b[1:]) + 1,
        distance(a[1:], b[1:]) + (a[0] != b[0]),
    ]
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        ways.append(distance(a[2:], b[2:]) + 1)
    return min(ways)


def is_typo(a: str, b: str) -> bool:
    a, b = a.lower(), b.lower()
    if not (a.isalpha() and b.isalpha()) or not min(len(a), len(b)) >= 4:
        return False
    if max(len(a), len(b)) > MAX_LETTERS or abs(len(a) - len(b)) > 2:
        return False
    return 0 < distance(a, b) <= (2 if min(len(a), len(b)) >= 8 else 1)


def is_lengthened(a: str, b: str) -> bool:
    a, b = a.lower(), b.lower()
    if max(len(a), len(b)) > MAX_LETTERS or not a.isalpha():
        return False
    one, other = ([(letter, len(list(run))) for letter, run in groupby(word)] for word in (a, b))
    if [letter for letter, _ in one] != [letter for letter, _ in other]:
        return False
    unlike = [max(m, n) for (_, m), (_, n) in zip(one, other, strict=True) if m != n]
    return bool(unlike) and min(unlike) >= 3


@cache
def american(word: str) -> list[str]:
    """Return what the rules make of a British word."""
    return [*_american(word)]


def _american(word: str) -> Iterator[str]:
    for old, new, before, letters, endings in RULES:
        ending = f"(?:{'|'.join(endings)})" if endings else ".*"
        for match in re.finditer(f"(?=({old}))", word):
            at = match.start()
            rest = word[at + len(old) :]
            if at >= before and len(word) >= letters and re.fullmatch(ending, rest, re.DOTALL):
                yield word[:at] + new + rest
    for one, other in PAIRS:
        for plural in ("", "s"):
            if word == one + plural:
                yield other + plural


def is_variant(a: str, b: str) -> bool:
    a, b = a.lower(), b.lower()
    if max(len(a), len(b)) > MAX_LETTERS or min(len(a), len(b)) < 2:
        return False
    if a != b and len(a) == len(b) and [*map(folded, a)] == [*map(folded, b)]:
        return True
    return b in american(a) or a in american(b)


def folded(letter: str) -> str:
    """Return a letter without its accent, where that leaves a letter of ASCII."""
    plain = unicodedata.normalize("NFD", letter)[0]
    return plain if plain.isascii() and ord(letter) < 0x250 else letter


def is_joined(word: str, run: Sequence[str]) -> bool:
    words = [word.lower(), *(each.lower() for each in run)]
    whole, *parts = ("".join(filter(str.isalnum, each)) for each in words)
    if any(len(each) > MAX_LETTERS for each in words):
        return False
    return bool(parts) and all(parts) and whole == "".join(parts)


def is_initials(word: str, run: Sequence[str], function_words: Collection[str] = ()) -> bool:
    letters = word.lower().replace(".", "")
    words = [each.lower() for each in run]
    if len(word.lower()) > MAX_LETTERS or not 2 <= len(letters) <= 6 or not letters.isalpha():
        return False
    if len(words) < 2 or not all(words):
        return False
    first, *middle, last = words
    spelled = {first[0]}
    for each in middle:
        skipped = spelled if each in function_words else set()
        spelled = {start + each[0] for start in spelled} | skipped
    return letters in {start + last[0] for start in spelled}
