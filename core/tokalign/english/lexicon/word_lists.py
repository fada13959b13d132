"""Word lists: function words, titles, number words, scales, weights, and what a word may answer.

The build reads this module for the axes of features, so it imports neither NumPy nor compiled
modules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import IntFlag
from functools import cache, lru_cache
from typing import NamedTuple, TypeVar

from tokalign.errors import ResourceError
from tokalign.files.shipped import data_dir

T = TypeVar("T")

RELATION_NAMES: tuple[str, ...] = (
    "synonym", "hypernym", "hyponym", "derived", "entailing", "causing", "member-of",
    "has-member", "substance-of", "has-substance", "part-of", "has-part", "similar",
    "verb-group", "pertainym", "antonym", "derived-synonym", "hypernym-within-3",
    "hyponym-within-3", "cohyponym",
)  # fmt: skip
"""Relations of WordNet entries, in the order of their bits in lexical_tables.pxd."""

_TITLES = """
    mr. mrs. ms. dr. mr mrs ms dr sen. rep. gov. gen. col. capt. lt. sgt. prof. rev. st. sir lord
    lady president premier minister chancellor senator governor mayor king queen prince princess
    pope general colonel captain judge justice professor doctor director chairman secretary
    ambassador city state county province district island islands river lake sea ocean mount
    mountain valley street road avenue park bridge airport north south east west northern southern
    eastern western new old university college school hospital museum institute church bank agency
    office house navy army force forces police party committee council court department ministry
"""

TITLES = frozenset(_TITLES.split())
"""Lower-case titles, and kinds of places and organisations: in too many names to identify one."""

MARKS: tuple[str, ...] = (
    ".", ",", ":", ";", "?", "!", "``", "''", '"', "'", "`", "-", "--", "...", "-lrb-", "-rrb-",
    "(", ")", "[", "]", "{", "}", "$", "%", "&", "/", "#", "*",
)  # fmt: skip
"""Punctuation marks that have a SAME_WORD feature of their own, lower-cased."""

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER_WORDS: dict[str, str] = {
    **{word: str(value) for value, word in enumerate(_ONES)},
    **{word: str(10 * value) for value, word in enumerate(_TENS, start=2)},
    **{
        ten + unit: str(10 * tens + units)
        for tens, ten in enumerate(_TENS, start=2)
        for units, unit in enumerate(_ONES[1:10], start=1)
    },
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th",
    "sixth": "6th", "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
}  # fmt: skip
"""Canonical form of number words; hyphens are already gone ("twentyone")."""

_SEPARATORS = re.compile(r"(?<=\w)[.,-](?=\w)|(?<=\w)\.$")
_TRAILING_ZEROS = re.compile(r"(?<=\d)\.0+$")

NEGATION = "negation"
"""The scale of words that negate; all of them have the grade 1."""
MOST_SCALES = 3
"""Of one word."""

WH_WORDS = frozenset(
    ["who", "whom", "whose", "what", "which", "when", "where", "why", "how", "name"]
)  # "Name a country that ..."
MASKED = frozenset({"<num>"})
"""Tokens that corpora write in place of numbers."""
_CALENDAR = frozenset(
    """
    january february march april may june july august september october november december jan. feb.
    aug. sept. oct. nov. dec. monday tuesday wednesday thursday friday saturday sunday year years
    month months week weeks day days century centuries decade decades ago yesterday today tomorrow
    morning afternoon evening night spring summer autumn winter
    """.split()  # noqa: SIM905
)
_BEFORE_DATES = frozenset(
    ("in", "since", "on", "by", "from", "until", "till", "before", "after", "of", "during",
     "around")
)  # fmt: skip
_BEFORE_PLACES = frozenset(
    ("in", "at", "near", "from", "to", "of", ",", "outside", "toward", "towards")
)
_UNITS = frozenset(
    ("percent", "%", "million", "billion", "thousand", "people", "miles", "feet", "pounds",
     "dollars", "times", "points")
)  # fmt: skip
_YES_NO = frozenset(("yes", "yeah", "yep", "yup", "no", "nope", "nah", "not", "sure", "sorry"))
_CLAUSES = frozenset(
    ("if", "when", "while", "to", "how", "why", "who", "which", "what", "where", "before", "after",
     "once", "whether", "unless", "although", "since")
)  # fmt: skip

CONTENT_WEIGHT = 1.0
OTHER_WEIGHT = 0.1
NUMBER_FACTOR = 2.0
"""Weight of a number relative to a word as rare, since another number makes another statement."""

KNOWN, LONGEST = 1 << 15, 32
"""Most words in a cache, the latest ones, and the longest word in it: a few megabytes."""


@cache
def function_words() -> tuple[str, ...]:
    """Return the shipped function words, in a fixed order."""
    text = (data_dir() / "function_words.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


@cache
def function_word_set() -> frozenset[str]:
    return frozenset(function_words())


def canonical(token: str) -> str:
    """Return a token's form without case, inner dots, hyphens and commas; numbers in digits.

    Examples
    --------
    >>> [canonical(token) for token in ("U.S.", "1,000", "Twenty-one", "e-mail", "3.5", "...")]
    ['us', '1000', '21', 'email', '3.5', '...']
    """
    lower = token.lower()
    if lower.isalpha():  # most words have nothing to take out
        return NUMBER_WORDS.get(lower, lower)
    if lower.replace(",", "").replace(".", "", 1).isdigit():
        return _TRAILING_ZEROS.sub("", lower.replace(",", ""))
    plain = _SEPARATORS.sub("", lower)
    return NUMBER_WORDS.get(plain, plain)


class Grade(NamedTuple):
    """A scale and a word's grade on it, from -20 to 20; grades of opposite signs are opposites."""

    scale: str
    grade: int


@cache
def scales() -> dict[str, tuple[Grade, ...]]:
    """Return the grades of all words that are on a scale."""
    text = (data_dir() / "scales.tsv").read_text(encoding="utf-8")
    table: dict[str, tuple[Grade, ...]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            scale, word, grade = line.split("\t")
            table[word] = (*table.get(word, ()), Grade(scale, int(grade)))
            if len(table[word]) > MOST_SCALES:
                raise ResourceError(f"scales.tsv: {word!r} is on more than {MOST_SCALES} scales")
    return table


@cache
def scale_names() -> tuple[str, ...]:
    """Return the names of all scales, sorted."""
    return tuple(sorted({each.scale for grades in scales().values() for each in grades}))


def grades_of(*names: str) -> tuple[Grade, ...]:
    """Return the grades of a word without those of negation, one for a scale.

    The names of a word, in lower case, are its form and then its lemma; the form's grades are
    first, and count where both are on a scale, and alone of a degree such as "fewer".

    Examples
    --------
    >>> grades_of("some"), [each.scale for each in grades_of("dropped", "drop")]
    ((Grade(scale='quantity', grade=1),), ['adding', 'change'])
    """
    found: dict[str, Grade] = {}
    for name in names:
        for each in scales().get(name, ()):
            found.setdefault(each.scale, each)
        if found and name.endswith(("er", "est")):
            break
    return tuple([each for each in found.values() if each.scale != NEGATION])


def words_of(scale: str) -> list[tuple[str, int]]:
    """Return the words of a scale with their grades, sorted."""
    return sorted(
        (word, each.grade)
        for word, grades in scales().items()
        for each in grades
        if each.scale == scale
    )


def negates(*names: str) -> bool:
    """Whether a word, by any of its names, is a negation."""
    table = scales()
    return NEGATION in [each.scale for name in names for each in table.get(name, ())]


class Hint(IntFlag):
    """Possible roles of a word in an answer, as bits in the order of features/pair.pxd."""

    NUMBER = 1
    NAME = 2
    CALENDAR = 4
    BEFORE_DATE = 8
    BEFORE_PLACE = 16
    IN = 32
    UNIT = 64
    ASKS = 128
    YES_NO = 256
    CLAUSE = 512


def hints(token: str, tag: str) -> Hint:
    """Return the hints of a token with its Penn tag.

    Examples
    --------
    >>> hints("1908", "CD"), hints("Ulm", "NNP"), hints("of", "IN")
    (<Hint.NUMBER: 1>, <Hint.NAME: 2>, <Hint.BEFORE_DATE|BEFORE_PLACE: 24>)
    """
    lower = token.lower()
    found = _HINTS_OF.get(lower, 0)  # as int, for operations on enumerations take long
    if tag == "CD" or any(map(str.isdigit, lower)):
        found |= Hint.NUMBER.value
    elif tag in ("NNP", "NNPS") and not found & _NO_NAME:
        found |= Hint.NAME.value
    return Hint(found)


_OF_WORDS = (
    (frozenset(NUMBER_WORDS) | MASKED, Hint.NUMBER),
    (_CALENDAR, Hint.CALENDAR),
    (_BEFORE_DATES, Hint.BEFORE_DATE),
    (_BEFORE_PLACES, Hint.BEFORE_PLACE),
    (frozenset({"in"}), Hint.IN),
    (_UNITS, Hint.UNIT),
    (WH_WORDS, Hint.ASKS),
    (_YES_NO, Hint.YES_NO),
    (_CLAUSES, Hint.CLAUSE),
)
_NO_NAME = (Hint.NUMBER | Hint.CALENDAR).value
_HINTS_OF = {
    word: sum(hint.value for words, hint in _OF_WORDS if word in words)
    for word in frozenset().union(*(words for words, _ in _OF_WORDS))
}


@cache
def listed_words() -> frozenset[str]:
    """Return all words, in lower case, of which a list above or a scale says something.

    A word of letters alone that is none of them is its own canonical form, has no grade, negates
    nothing, and has no other hints than those of its tag.
    """
    return frozenset().union(TITLES, function_words(), scales(), _HINTS_OF)


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """Return a function of a word with a cache of its results."""
    known = lru_cache(KNOWN)(function)
    return lambda word: known(word) if len(word) <= LONGEST else function(word)


def content_weight(tag: str) -> float:
    """Return the weight in the score of a token with a Penn tag: 1 for nouns, names, verbs,
    adjectives, adverbs and numbers, 0.1 for others."""
    return CONTENT_WEIGHT if tag[:1] in "NVJRC" and tag != "CC" else OTHER_WEIGHT


def token_weight(token: str, tag: str, idf: float) -> float:
    """Return the weight of a token in similarity, at least 0, by the idf of its lemma in [0, 1]."""
    if not token.isalpha() and not any(map(str.isalnum, token)):
        return 0.0
    return idf * (NUMBER_FACTOR if tag == "CD" else 1.0)
