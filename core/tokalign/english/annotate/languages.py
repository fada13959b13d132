"""A warning for texts in other languages, which are read as if they were English."""

import re
from collections.abc import Iterable

from tokalign.english.lexicon.word_lists import function_word_set
from tokalign.files.shipped import LISTS

_PARTICLES = {"der", "den", "el", "le", "les", "il", "da"}
"""Words that are no sign where they have a capital, as in El Niño. Others, "de" and "van", begin
names in lower case, too, and are missing above."""
_WORDS = LISTS.words("other-languages")
OTHER_WORDS = frozenset([*_WORDS, *map(str.capitalize, {*_WORDS} - _PARTICLES)])
"""Frequent words of other languages in the Latin script, no function words of English."""
_OTHER_LETTERS = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
_LETTERS = re.compile(r"[^\W\d_]")
_LEAST_WORDS, _LEAST_LETTERS = 2, 4
_LONGEST = 2000
"""Most characters that are looked at."""


def is_other_language(texts: Iterable[str]) -> bool:
    """Whether one of some texts, or all together, are in another language than English.

    That is so where at least four letters, and most, are not of the Latin script, or where at least
    two different words of OTHER_WORDS outnumber the different function words of English.

    Examples
    --------
    >>> is_other_language(["Der Hund ist nicht im Garten."]), is_other_language(["Собака лает."])
    (True, True)
    >>> is_other_language(["The Côte d'Azur is a coast."])
    False
    """
    starts = [text[:_LONGEST] for text in texts]
    found: set[str] = set()
    for start in starts:
        if not start.isascii():
            others = len(_OTHER_LETTERS.findall(start))
            if others >= _LEAST_LETTERS and 2 * others > len(_LETTERS.findall(start)):
                return True
        words = start.split()
        if not OTHER_WORDS.isdisjoint(words):
            own = OTHER_WORDS.intersection(words)
            if _outnumber(own, [start]):
                return True
            found |= own
    return _outnumber(found, starts)


def _outnumber(others: set[str] | frozenset[str], texts: Iterable[str]) -> bool:
    """Whether there are more others than function words of English in all texts."""
    english: set[str] = set()
    for text in texts if len(others) >= _LEAST_WORDS else ():
        english |= function_word_set().intersection(text.lower().split())
        if len(english) >= len(others):
            return False  # mostly after the first texts
    return len(others) >= _LEAST_WORDS


_has_warned: list[bool] = []


def warn_of_other_languages(texts: Iterable[str]) -> None:
    """Log a warning at the first texts of the process that seem to be in another language."""
    if not _has_warned and is_other_language(texts):
        import logging  # takes longer than aligning a pair

        _has_warned.append(True)
        logging.getLogger(__name__).warning(
            "a text seems to be in another language than English; it is read as if it were "
            "English, so links and scores mean little"
        )
