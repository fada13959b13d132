"""Canonical forms of single words."""

from __future__ import annotations

import re

_UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER_WORDS: dict[str, str] = {
    **{word: str(value) for value, word in enumerate(_UNITS)},
    **{word: str(10 * value) for value, word in enumerate(_TENS, start=2)},
    **{
        ten + unit: str(10 * tens + units)
        for tens, ten in enumerate(_TENS, start=2)
        for units, unit in enumerate(_UNITS[1:10], start=1)
    },
    "first": "1st", "second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th",
    "sixth": "6th", "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
}  # fmt: skip
"""Canonical form of number words; hyphens are already gone ("twentyone")."""

_SEPARATORS = re.compile(r"(?<=\w)[.,-](?=\w)|(?<=\w)\.$")
_TRAILING_ZEROS = re.compile(r"(?<=\d)\.0+$")


def canonical(token: str) -> str:
    """Return a token's form without case, inner dots, hyphens and commas; numbers in digits.

    Examples
    --------
    >>> [canonical(token) for token in ("U.S.", "1,000", "Twenty-one", "e-mail", "3.5", "...")]
    ['us', '1000', '21', 'email', '3.5', '...']
    """
    lower = token.lower()
    if lower.isalpha():  # as most are: nothing to take out
        return NUMBER_WORDS.get(lower, lower)
    if lower.replace(",", "").replace(".", "", 1).isdigit():
        return _TRAILING_ZEROS.sub("", lower.replace(",", ""))
    plain = _SEPARATORS.sub("", lower)
    return NUMBER_WORDS.get(plain, plain)
