"""Kinds of change that an edit makes, to the form alone or to the meaning."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache

from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.english.lexicon.word_lists import negates
from tokalign.english.spelling import is_typo, is_variant
from tokalign.english.values import Value, find_values, only_value, readings
from tokalign.types import Sentence
from tokalign.types.edits import CONFLICTING, Change, EditKind
from tokalign.types.relations import Conflict, ConflictKind

MEANINGS = {
    kind: Change.NUMBER if kind is ConflictKind.VALUE else Change[kind.name]
    for kind in ConflictKind
}
"""The change that each kind of conflict makes: that of the same name, but for values."""
_SIGN_REACH = 2  # tokens from a minus to its number, over a currency
_ROLE_REACH = 3  # from a moved word to the one whose roles are exchanged
_NEGATION_REACH = 8  # from a negation to the word that it denies
_MODALS = {
    "must": 6, "shall": 6, "will": 6, "ought": 4, "should": 4, "can": 1, "could": 1, "may": 1,
    "might": 1,
}  # fmt: skip
"""Modal verbs with the grades that scales.tsv has of them, and shall and will as must."""
_NUMBER = re.compile(r"\d+")
_NUMERALS = [
    {str(number), numeral}
    for number, numeral in enumerate(
        ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"), 1
    )
]


def change_of(
    kind: EditKind,
    source: Sentence,
    target: Sentence,
    indices: tuple[Sequence[int], Sequence[int]],
    conflicts: Collection[Conflict] = (),
) -> Change | None:
    """Return the kind of change of an edit; of several, the most important one.

    `indices` are the source and target tokens of the edit; `conflicts` are those of the pair.
    """
    if kind is EditKind.EQUAL and len(indices[0]) > 1:
        return None
    if kind is EditKind.MOVE:
        return Change.ROLES if _moves_roles(indices, conflicts) else Change.ORDER
    before = [source.tokens[i] for i in indices[0]]
    after = [target.tokens[j] for j in indices[1]]
    if kind is EditKind.EQUAL:
        return None if before == after else Change.CASE
    meaning = _meaning(before, after, indices, conflicts)
    if meaning is not None:
        return meaning
    if _is_other_modal(before, after):
        return Change.MODALITY
    if not before or not after:
        return Change.CONTENT if _words([*before, *after]) else Change.PUNCTUATION
    form = _form(before, after) or _inflection(source, target, indices)
    if form is not None:
        return form
    if _is_typo(source, target, indices):
        return Change.SPELLING
    one = _value_of(source, indices[0])
    other = one and _value_of(target, indices[1])
    if one and other and one.kind is other.kind and one.key != other.key:
        return Change.NUMBER
    return Change.WORDING


def _meaning(
    before: Sequence[str],
    after: Sequence[str],
    indices: tuple[Sequence[int], Sequence[int]],
    conflicts: Collection[Conflict],
) -> Change | None:
    """Return the most important change that the conflicts of an edit's words make, or None."""
    if not conflicts:  # of most pairs
        return None
    rows, columns = set(indices[0]), set(indices[1])
    changes = {
        MEANINGS[each.kind]
        for each in conflicts
        if each.source in rows or each.target in columns or _makes(each, before, after, indices)
    }
    return next((each for each in CONFLICTING if each in changes), None)


def _is_other_modal(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether a modal verb took the place of one of another grade: shall and may."""
    if len(before) != 1 or len(after) != 1:
        return False
    grades = _MODALS.get(before[0].lower()), _MODALS.get(after[0].lower())
    return None not in grades and grades[0] != grades[1]


def _moves_roles(
    indices: tuple[Sequence[int], Sequence[int]], conflicts: Collection[Conflict]
) -> bool:
    """Whether moved words are next to a verb or a noun whose roles are exchanged."""
    return any(
        each.kind is ConflictKind.ROLES
        and min(abs(i - each.source) for i in indices[0]) <= _ROLE_REACH
        for each in conflicts
    )


def _makes(
    conflict: Conflict,
    before: Sequence[str],
    after: Sequence[str],
    indices: tuple[Sequence[int], Sequence[int]],
) -> bool:
    """Whether an edit makes a conflict of words that it keeps: by their negation, or their sign."""
    own, at = (indices[0], conflict.source) if before else (indices[1], conflict.target)
    if conflict.kind is ConflictKind.VALUE:
        is_sign = [*before, *after] in (["-"], ["\u2212"])
        return is_sign and own[0] < at <= own[0] + _SIGN_REACH
    return (
        _is_negated(before) != _is_negated(after)
        and min(abs(each - at) for each in own) <= _NEGATION_REACH
    )


def _form(before: Sequence[str], after: Sequence[str]) -> Change | None:
    """Return the kind of change if only the form differs, or None."""
    if _lower(before) == _lower(after):
        return Change.CASE
    if _words(before) == _words(after):
        return Change.PUNCTUATION
    is_same = _letters(before) == _letters(after) and _digits(before) == _digits(after)
    if is_same or _is_one_value(before, after):
        return Change.SPELLING
    if len(before) == len(after) and all(map(_is_variant, _lower(before), _lower(after))):
        return Change.SPELLING
    return None


def _lower(words: Iterable[str]) -> list[str]:
    return [word.lower() for word in words]


def _letters(tokens: Sequence[str]) -> str:
    return "".join(filter(str.isalnum, "".join(tokens)))


def _digits(tokens: Sequence[str]) -> list[str]:
    return _NUMBER.findall(" ".join(tokens))


def _is_variant(a: str, b: str) -> bool:
    return a == b or is_variant(a, b)


def _is_one_value(before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether both sides are one value and nothing else, and the same: five, 5; II, 2."""
    if len(before) == len(after) == 1 and {before[0], after[0]} in _NUMERALS:
        return True
    one = only_value(before)
    other = one and only_value(after)
    return bool(one and other and (one.kind, one.key) == (other.kind, other.key))


def _value_of(side: Sentence, indices: Sequence[int]) -> Value | None:
    """Return the value that holds all tokens of an edit, or None."""
    if not readings(side.tokens[indices[0]]):
        return None  # a value holds no such token
    holding = (
        each
        for each in find_values(side.tokens)
        if not each.rank and each.start <= indices[0] and indices[-1] < each.end
    )
    return next(holding, None)


def _inflection(
    source: Sentence, target: Sentence, indices: tuple[Sequence[int], Sequence[int]]
) -> Change | None:
    return Change.INFLECTION if _lemmas(source, indices[0]) == _lemmas(target, indices[1]) else None


def _is_typo(
    source: Sentence, target: Sentence, indices: tuple[Sequence[int], Sequence[int]]
) -> bool:
    """Whether words differ by typing errors, where one of the two is not a known word."""
    pairs = list(zip(*indices, strict=False))
    return len(indices[0]) == len(indices[1]) and all(
        source.tokens[i] == target.tokens[j]
        or (
            is_typo(source.tokens[i], target.tokens[j])
            and _is_known(_lemmas(source, [i])[0]) != _is_known(_lemmas(target, [j])[0])
        )
        for i, j in pairs
    )


def _is_known(lemma: str) -> bool:
    return _wordnet().vocabulary.find(lemma) >= 0


@cache
def _wordnet() -> WordNet:
    return WordNet.open_shipped()


def _words(tokens: Sequence[str]) -> list[str]:
    return [token for token in tokens if any(map(str.isalnum, token))]


def _lemmas(side: Sentence, indices: Sequence[int]) -> list[str]:
    words = side.tokens if side.lemmas is None else side.lemmas
    return [words[i].lower() for i in indices]


def _is_negated(words: Sequence[str]) -> bool:
    return sum(negates(word.lower()) for word in words) % 2 == 1
