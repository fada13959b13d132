"""What an edit changes: the form alone, or the meaning."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tokalign.lexicon.scales import negates
from tokalign.spelling import is_joined, is_typo, is_variant
from tokalign.types import Sentence
from tokalign.types.edits import Change, EditKind
from tokalign.types.relations import Conflict, ConflictKind
from tokalign.values import find_values

_PROPER = ("NNP", "NNPS")


def change_of(
    kind: EditKind,
    source: Sentence,
    target: Sentence,
    indices: tuple[Sequence[int], Sequence[int]],
    conflicts: Collection[Conflict] = (),
) -> Change | None:
    """Return what an edit changes; of several changes the one that matters most.

    Parameters
    ----------
    kind : EditKind
    source, target : Sentence
        With tags and lemmas, where there are any.
    indices : (sequence of int, sequence of int)
        Source and target tokens of the edit.
    conflicts : collection of Conflict
        Of the pair.
    """
    if kind is EditKind.EQUAL:
        return None
    if kind is EditKind.MOVE:
        return Change.ORDER
    before = [source.tokens[i] for i in indices[0]]
    after = [target.tokens[j] for j in indices[1]]
    form = _form(before, after)
    if form is not None:
        return form
    meaning = _meaning(source, target, indices, conflicts)
    if meaning is not None:
        return meaning
    if before and after:
        if _lemmas(source, indices[0]) == _lemmas(target, indices[1]):
            return Change.INFLECTION
        return Change.WORDING
    return Change.CONTENT


def _form(before: Sequence[str], after: Sequence[str]) -> Change | None:
    """Return which change of form alone makes one side the other, or None."""
    if [word.lower() for word in before] == [word.lower() for word in after]:
        return Change.CASE
    if _letters(before) == _letters(after):
        return Change.PUNCTUATION
    if len(before) == len(after) and all(map(_is_one_word, before, after)):
        return Change.SPELLING
    if len(before) == 1 and len(after) > 1 and is_joined(before[0], after):
        return Change.SPELLING
    if len(after) == 1 and len(before) > 1 and is_joined(after[0], before):
        return Change.SPELLING
    return None


def _letters(words: Sequence[str]) -> str:
    return "".join(filter(str.isalnum, "".join(words)))


def _is_one_word(a: str, b: str) -> bool:
    return a.lower() == b.lower() or is_variant(a.lower(), b.lower()) or is_typo(a, b)


def _meaning(
    source: Sentence,
    target: Sentence,
    indices: tuple[Sequence[int], Sequence[int]],
    conflicts: Collection[Conflict],
) -> Change | None:
    """Return what of number, name, negation and opposite changes first, or None."""
    before = [source.tokens[i] for i in indices[0]]
    after = [target.tokens[j] for j in indices[1]]
    if _values(before) != _values(after):
        return Change.NUMBER
    if _names(source, indices[0]) != _names(target, indices[1]):
        return Change.NAME
    rows, columns = set(indices[0]), set(indices[1])
    of_edit = {each.kind for each in conflicts if each.source in rows and each.target in columns}
    if _is_negated(before) != _is_negated(after) or ConflictKind.NEGATION in of_edit:
        return Change.NEGATION
    if ConflictKind.OPPOSITE in of_edit:
        return Change.OPPOSITE
    return None


def _values(words: Sequence[str]) -> list[str]:
    return sorted(value.key for value in find_values(words))


def _names(side: Sentence, indices: Sequence[int]) -> list[str]:
    tags = side.tags
    if tags is None:
        return []
    return [
        side.tokens[i].lower()
        for i in indices
        if tags[i] in _PROPER and any(map(str.isalpha, side.tokens[i]))
    ]


def _lemmas(side: Sentence, indices: Sequence[int]) -> list[str]:
    words = side.tokens if side.lemmas is None else side.lemmas
    return [words[i].lower() for i in indices]


def _is_negated(words: Sequence[str]) -> bool:
    """Whether an odd number of words negate."""
    return sum(negates(word.lower()) for word in words) % 2 == 1
