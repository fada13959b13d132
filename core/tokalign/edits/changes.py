"""Kinds of change that an edit makes, to the form alone or to the meaning."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache

from tokalign.english.lexicon.lexical_tables import WordNet
from tokalign.english.lexicon.word_lists import function_words, negates
from tokalign.english.spelling import is_typo, is_variant
from tokalign.english.values import find_values
from tokalign.types import Sentence
from tokalign.types.edits import Change, EditKind
from tokalign.types.relations import Conflict, ConflictKind

_PROPER = ("NNP", "NNPS")
_NUMERAL = re.compile("[IVX]{1,4}")
_SIGN_REACH = 2  # tokens from a minus to its number, over a currency
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
    if kind is EditKind.EQUAL and len(indices[0]) > 1:
        return None
    if kind is EditKind.MOVE:
        return Change.ORDER
    before = [source.tokens[i] for i in indices[0]]
    after = [target.tokens[j] for j in indices[1]]
    if kind is EditKind.EQUAL:
        return None if before == after else Change.CASE
    rows, columns = set(indices[0]), set(indices[1])
    said = {each.kind for each in conflicts if each.source in rows and each.target in columns}
    if ConflictKind.DIFFERENT_VALUE in said and (
        _is_value([*before, *after])
        or not _names(source, indices[0])
        or _in_value(source, indices[0])
    ):
        return Change.NUMBER
    if _is_lost_sign(before, after, indices, conflicts):
        return Change.NUMBER
    if before and after:
        form = _form(before, after) or _inflection(source, target, indices)
        if form is not None:
            return form
    meaning = _meaning(source, target, indices, said)
    if meaning is not None:
        return meaning
    if not before or not after:
        return Change.CONTENT if _words([*before, *after]) else Change.PUNCTUATION
    if _is_typo(source, target, indices):
        return Change.SPELLING
    return Change.WORDING


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
    sides = [[each for each in find_values(words) if not each.rank] for words in (before, after)]
    return all(
        len(side) == 1 and (side[0].start, side[0].end) == (0, len(words))
        for side, words in zip(sides, (before, after), strict=True)
    ) and (sides[0][0].kind, sides[0][0].key) == (sides[1][0].kind, sides[1][0].key)


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
    """Return the tokens that are not punctuation."""
    return [token for token in tokens if any(map(str.isalnum, token))]


def _meaning(
    source: Sentence,
    target: Sentence,
    indices: tuple[Sequence[int], Sequence[int]],
    said: Collection[ConflictKind],
) -> Change | None:
    """Return the first change among number, name, negation and opposite, or None.

    `said` has the kinds of the conflicts of these words.
    """
    before = [source.tokens[i] for i in indices[0]]
    after = [target.tokens[j] for j in indices[1]]
    if _values(before) != _values(after):
        return Change.NUMBER
    if _names(source, indices[0]) != _names(target, indices[1]):
        return Change.NAME
    is_said = bool(before and after) or _says_little([*before, *after])
    if (is_said and _is_negated(before) != _is_negated(after)) or ConflictKind.NEGATION in said:
        return Change.NEGATION
    if ConflictKind.OPPOSITE in said:
        return Change.OPPOSITE
    return None


def _is_value(words: Sequence[str]) -> bool:
    """Whether words are of a number, a code or a numeral, and not of a name."""
    return bool(_values(words)) or any(
        any(map(str.isdigit, word)) or "_" in word or _NUMERAL.fullmatch(word) for word in words
    )


def _in_value(side: Sentence, indices: Sequence[int]) -> bool:
    """Whether some tokens belong to a value of the sentence: a currency's name, say."""
    return any(
        value.start <= index < value.end
        for value in find_values(side.tokens)
        for index in indices
        if not value.rank
    )


def _is_lost_sign(
    before: Sequence[str],
    after: Sequence[str],
    indices: tuple[Sequence[int], Sequence[int]],
    conflicts: Collection[Conflict],
) -> bool:
    """Whether an edit is of the minus of a value in conflict."""
    if [*before, *after] not in (["-"], ["\u2212"]):
        return False
    own = (indices[0] or indices[1])[0]
    return any(
        each.kind is ConflictKind.DIFFERENT_VALUE
        and own < (each.source if before else each.target) <= own + _SIGN_REACH
        for each in conflicts
    )


def _values(words: Sequence[str]) -> list[str]:
    return sorted(value.key for value in find_values(words) if not value.rank)


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


def _says_little(words: Sequence[str]) -> bool:
    """Whether all words are negations, function words or punctuation."""
    return all(negates(word.lower()) or word.lower() in _function_words() for word in _words(words))


@cache
def _function_words() -> frozenset[str]:
    return frozenset(function_words())


def _is_negated(words: Sequence[str]) -> bool:
    """Whether an odd number of words negate."""
    return sum(negates(word.lower()) for word in words) % 2 == 1
