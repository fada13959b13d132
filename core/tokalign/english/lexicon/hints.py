"""Hints of a single word on what it may answer: a number, a name, a part of a date."""

from __future__ import annotations

from enum import IntFlag

from tokalign.english.lexicon.words import NUMBER_WORDS


class Hint(IntFlag):
    """What a word may be in an answer; the order of the bits is that of features/pair.pxd."""

    NUMBER = 1
    NAME = 2
    CALENDAR = 4
    BEFORE_DATE = 8
    BEFORE_PLACE = 16
    IN = 32
    UNIT = 64
    ASKS = 128


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


def hints(token: str, tag: str) -> Hint:
    """Return the hints of a token with its Penn tag.

    Examples
    --------
    >>> hints("1908", "CD"), hints("Ulm", "NNP"), hints("of", "IN")
    (<Hint.NUMBER: 1>, <Hint.NAME: 2>, <Hint.BEFORE_DATE|BEFORE_PLACE: 24>)
    """
    lower = token.lower()
    found = Hint(0)
    is_number = (
        tag == "CD" or any(map(str.isdigit, lower)) or lower in NUMBER_WORDS or lower in MASKED
    )
    if is_number:
        found |= Hint.NUMBER
    elif tag in ("NNP", "NNPS") and lower not in _CALENDAR:
        found |= Hint.NAME
    for words, hint in _OF_WORDS:
        if lower in words:
            found |= hint
    return found


_OF_WORDS = (
    (_CALENDAR, Hint.CALENDAR),
    (_BEFORE_DATES, Hint.BEFORE_DATE),
    (_BEFORE_PLACES, Hint.BEFORE_PLACE),
    (frozenset({"in"}), Hint.IN),
    (_UNITS, Hint.UNIT),
    (WH_WORDS, Hint.ASKS),
)
