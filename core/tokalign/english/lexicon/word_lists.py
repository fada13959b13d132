"""Word lists: function words, titles, number words, scales, weights, and what a word may answer.

The build reads this module for the axes of features, so it imports neither NumPy nor compiled
modules.
"""

import re
from collections.abc import Callable
from enum import IntFlag
from functools import cache, lru_cache
from typing import NamedTuple, TypeVar

from tokalign.errors import ResourceError
from tokalign.files.shipped import LISTS, VALUE_WORDS, shipped_rows

T = TypeVar("T")

RELATION_NAMES: tuple[str, ...] = (
    "synonym", "hypernym", "hyponym", "derived", "entailing", "causing", "member-of",
    "has-member", "substance-of", "has-substance", "part-of", "has-part", "similar",
    "verb-group", "pertainym", "antonym", "derived-synonym", "hypernym-within-3",
    "hyponym-within-3", "cohyponym",
)  # fmt: skip
"""Relations of WordNet entries, in the order of their bits in lexical_tables.pxd."""

TITLES = frozenset(LISTS.words("titles"))
"""Lower-case titles, and kinds of places and organisations: in too many names to identify one."""

MARKS: tuple[str, ...] = (
    ".", ",", ":", ";", "?", "!", "``", "''", '"', "'", "`", "-", "--", "...", "-lrb-", "-rrb-",
    "(", ")", "[", "]", "{", "}", "$", "%", "&", "/", "#", "*",
)  # fmt: skip
"""Punctuation marks that have a SAME_WORD feature of their own, lower-cased."""

_WORD_OF = {int(value): words[0] for value, words in VALUE_WORDS.rows["numbers"]}
_SUFFIXES = {1: "st", 2: "nd", 3: "rd"}
NUMBER_WORDS: dict[str, str] = {
    **{word: str(value) for value, word in _WORD_OF.items()},
    **{
        word + _WORD_OF[unit]: str(tens + unit)
        for tens, word in _WORD_OF.items()
        if tens >= 20
        for unit in range(1, 10)
    },
    **{
        word: f"{value}{_SUFFIXES.get(value, 'th')}"
        for word, value in VALUE_WORDS.values("ordinals", int).items()
        if value <= 10
    },
}
"""Canonical form of number words; hyphens are already gone ("twentyone")."""

_SEPARATORS = re.compile(r"(?<=\w)[.,-](?=\w)|(?<=\w)\.$")
_TRAILING_ZEROS = re.compile(r"(?<=\d)\.0+$")

NEGATION = "negation"
"""The scale of words that negate; all of them have the grade 1."""
MOST_SCALES = 3
"""Of one word."""

MASKED = frozenset({"<num>"})
"""Tokens that corpora write in place of numbers."""

CONTENT_WEIGHT = 1.0
OTHER_WEIGHT = 0.1
NUMBER_FACTOR = 2.0
"""Weight of a number relative to a word as rare, since another number makes another statement."""

KNOWN, LONGEST = 1 << 15, 32
"""Most words in a cache, the latest ones, and the longest word in it: a few megabytes."""


@cache
def function_words() -> tuple[str, ...]:
    """Return the shipped function words, in a fixed order."""
    return tuple(word for (word,) in shipped_rows("function_words.txt"))


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
    table: dict[str, tuple[Grade, ...]] = {}
    for scale, word, grade in shipped_rows("scales.tsv"):
        table[word] = (*table.get(word, ()), Grade(scale, int(grade)))
        if sum(each.scale != NEGATION for each in table[word]) > MOST_SCALES:
            raise ResourceError(f"scales.tsv: {word!r} is on more than {MOST_SCALES} scales")
    return table


@cache
def scale_names() -> tuple[str, ...]:
    """Return the names of all scales, sorted."""
    return tuple(sorted({each.scale for grades in scales().values() for each in grades}))


def negates(*names: str) -> bool:
    """Whether a word, by any of its names, is a negation."""
    return Grade(NEGATION, 1) in [each for name in names for each in scales().get(name, ())]


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
    WITHIN = 1024
    COLOUR = 2048
    MATERIAL = 4096
    OFTEN = 8192


def hints(token: str, tag: str) -> Hint:
    """Return the hints of a token with its Penn tag.

    Examples
    --------
    >>> hints("1908", "CD"), hints("Ulm", "NNP"), hints("of", "IN")
    (<Hint.NUMBER: 1>, <Hint.NAME: 2>, <Hint.BEFORE_DATE|BEFORE_PLACE: 24>)
    """
    return Hint(hint_bits(token.lower(), tag))


def hint_bits(lower: str, tag: str) -> int:
    """Return the hints of a token in lower case as an int; operations on Hint take long."""
    found = _HINTS_OF.get(lower, 0)
    if tag == "CD" or (not lower.isalpha() and any(map(str.isdigit, lower))):
        return found | _NUMBER
    return found | _NAME if tag in ("NNP", "NNPS") and not found & _NO_NAME else found


_HINTS_OF = dict.fromkeys((*NUMBER_WORDS, *MASKED), Hint.NUMBER.value)
for _name, _words in LISTS.rows["hints"]:
    for _word in _words:
        _HINTS_OF[_word] = _HINTS_OF.get(_word, 0) | Hint[_name].value
_NUMBER, _NAME = Hint.NUMBER.value, Hint.NAME.value
_NO_NAME = (Hint.NUMBER | Hint.CALENDAR).value
WH_WORDS = frozenset(word for word, hint in _HINTS_OF.items() if hint & Hint.ASKS.value)
"""Words that ask, such as "who"; and "name", as in "Name a country that ..."."""


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
