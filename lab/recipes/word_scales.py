"""The words of scales, and what a word says by its grades on them."""

from __future__ import annotations

from tokalign.english.lexicon.word_lists import NEGATION, Grade, scales


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


def denies(*names: str) -> bool:
    """Whether a word, by any of its names, says by its meaning that something is not so."""
    return Grade(NEGATION, 2) in [each for name in names for each in scales().get(name, ())]
