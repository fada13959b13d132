"""Words that stand on a scale (all, most, some, few, none), and words that negate."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from tokalign.errors import ResourceError
from tokalign.files.shipped import data_dir

NEGATION = "negation"
"""The scale of words that negate; all of them have the grade 1."""
MOST_SCALES = 3
"""Of one word."""


class Grade(NamedTuple):
    """A scale, and where on it a word stands, from -20 to 20; other signs are opposites."""

    scale: str
    grade: int


@cache
def _scales() -> dict[str, tuple[Grade, ...]]:
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
    return tuple(sorted({each.scale for grades in _scales().values() for each in grades}))


def grades_of(*names: str) -> tuple[Grade, ...]:
    """Return where the first name of a word that is in the table stands, negation left out.

    Parameters
    ----------
    *names : str
        What a word may be called, in lower case: its form, then its lemma.

    Examples
    --------
    >>> grades_of("some")
    (Grade(scale='quantity', grade=1),)
    """
    table = _scales()
    found = next((table[name] for name in names if name in table), ())
    return tuple(each for each in found if each.scale != NEGATION)


def words_of(scale: str) -> list[tuple[str, int]]:
    """Return the words of a scale with their grades, sorted."""
    return sorted(
        (word, each.grade)
        for word, grades in _scales().items()
        for each in grades
        if each.scale == scale
    )


def negates(*names: str) -> bool:
    """Whether a word negates what it stands with, by any of its names."""
    table = _scales()
    return any(each.scale == NEGATION for name in names for each in table.get(name, ()))
