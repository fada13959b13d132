"""Kinds and weights of an answer's words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from tokalign.english.lexicon.word_lists import function_words, remembered
from tokalign.english.lexicon.word_weights import CONTENT_WEIGHT, Frequencies, content_weight
from tokalign.english.values import Value
from tokalign.types import Sentence
from tokalign.types.grounding import WordKind

SUPPORTABLE = frozenset((WordKind.VALUE, WordKind.NAME, WordKind.CONTENT))
"""Kinds of words that can be unsupported."""
KINDS: tuple[WordKind, ...] = tuple(WordKind)
_NAME_TAGS = ("NNP", "NNPS")


@cache
def shipped_idf() -> Callable[[str], float]:
    """Return a function from lemmas to inverse document frequencies, which remembers them."""
    return remembered(Frequencies.open_shipped().idf)


@cache
def _functions() -> frozenset[str]:
    return frozenset(function_words())


def word_kinds(sentence: Sentence, values: Sequence[Value]) -> list[WordKind]:
    """Return the kind of each word.

    Parameters
    ----------
    sentence : Sentence
        With tags.
    values : sequence of Value
        Of its tokens.
    """
    inside = {at for value in values for at in range(value.start, value.end)}
    return [
        _kind(token, tag, at in inside)
        for at, (token, tag) in enumerate(zip(sentence.tokens, sentence.tags or (), strict=True))
    ]


def _kind(token: str, tag: str, is_inside: bool) -> WordKind:
    if not any(map(str.isalnum, token)):
        return WordKind.MARK
    if tag == "CD":
        return WordKind.VALUE
    if token.lower() in _functions():
        return WordKind.FUNCTION
    if is_inside or any(map(str.isdecimal, token)):
        return WordKind.VALUE
    if tag in _NAME_TAGS:
        return WordKind.NAME
    return WordKind.CONTENT if content_weight(tag) == CONTENT_WEIGHT else WordKind.FUNCTION


def word_weights(sentence: Sentence, kinds: Sequence[WordKind]) -> list[float]:
    """Return the inverse document frequency of each word, in [0, 1]; 0 of function words and
    marks."""
    idf = shipped_idf()
    function, mark = WordKind.FUNCTION, WordKind.MARK
    return [
        0.0 if kind is function or kind is mark else idf(lemma.lower())
        for lemma, kind in zip(sentence.lemmas or (), kinds, strict=True)
    ]
