"""Kinds, weights and lemmas of the words of both sides, and matrices of links and equal words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.english.lexicon.word_lists import KNOWN, LONGEST, function_words
from tokalign.types import Sentence

PUNCTUATION, COMMA = 0, 12
_CONJUNCTION, _OTHER = 13, 14
_KINDS = {"N": 1, "V": 2, "M": 2, "J": 3, "R": 4, "C": 5, "D": 6, "I": 7, "P": 8, "W": 9, "T": 10}
_KINDS["E"] = 11
"""Kinds of words, by the first letter of the Penn tag."""
_STOPS = frozenset((".", "!", "?"))


class SideWords(NamedTuple):
    """The words of one sentence.

    Attributes
    ----------
    kinds : int32 array, shape (n_tokens,)
        PUNCTUATION, COMMA, or a kind of word.
    weights : float32 array, shape (n_tokens,)
        Inverse document frequency of the lemma, in [0, 1]; 0 of function words and punctuation.
    lemmas : int32 array, shape (n_tokens,)
        Equal for equal lemmas, on either side.
    """

    kinds: NDArray[np.int32]
    weights: NDArray[np.float32]
    lemmas: NDArray[np.int32]


WordFacts: TypeAlias = Callable[[str, str, str], tuple[int, float]]
"""Returns the kind and the weight of a word, from its token, tag and lemma."""


def word_facts(idf: Callable[[str], float]) -> WordFacts:
    """Return a function that gives the kind and the weight of a word, and caches them.

    Parameters
    ----------
    idf : callable
        Returns the inverse document frequency of a lemma, in [0, 1].
    """
    functions = frozenset(function_words())

    def facts(token: str, tag: str, lemma: str) -> tuple[int, float]:
        kind = _kind(token, tag)
        if kind in (PUNCTUATION, COMMA) or token.lower() in functions:
            return kind, 0.0
        return kind, idf(lemma.lower())

    known = lru_cache(KNOWN)(facts)
    return lambda token, *rest: (known if len(token) <= LONGEST else facts)(token, *rest)


def _kind(token: str, tag: str) -> int:
    if not any(map(str.isalnum, token)):
        return COMMA if token == "," else PUNCTUATION
    return _CONJUNCTION if tag == "CC" else _KINDS.get(tag[:1], _OTHER)


def sides_of(source: Sentence, target: Sentence, facts: WordFacts) -> tuple[SideWords, SideWords]:
    """Return the words of both sentences; without tags every word counts as a noun."""
    numbers: dict[str, int] = {}
    sides = []
    for sentence in (source, target):
        tokens = sentence.tokens
        lemmas = sentence.lemmas or tokens
        kinds, weights = zip(*map(facts, tokens, tags_of(sentence), lemmas), strict=True)
        lemma_numbers = [numbers.setdefault(lemma.lower(), len(numbers)) for lemma in lemmas]
        sides.append(
            SideWords(
                np.array(kinds, np.int32),
                np.array(weights, np.float32),
                np.array(lemma_numbers, np.int32),
            )
        )
    return sides[0], sides[1]


def tags_of(sentence: Sentence) -> tuple[str, ...]:
    """Return the tags; without any, nouns."""
    return sentence.tags or ("NN",) * len(sentence.tokens)


def same_words(source: Sentence, target: Sentence) -> NDArray[np.uint8]:
    """Return 1 where two tokens are the same word, shape (n_source, n_target).

    Tokens are the same if they are identical, or if they differ only in case and exactly one of
    them begins a sentence.
    """
    numbers: dict[str, int] = {}
    rows, columns = (
        np.array([numbers.setdefault(word, len(numbers)) for word in side.tokens], np.int32)
        for side in (source, target)
    )
    same: NDArray[np.bool_] = rows[:, None] == columns
    begins = _begins(source.tokens), _begins(target.tokens)
    for i in begins[0]:
        for j in _in_other_case(source.tokens[i], target.tokens):
            same[i, j] |= j not in begins[1]
    for j in begins[1]:
        for i in _in_other_case(target.tokens[j], source.tokens):
            same[i, j] |= i not in begins[0]
    return same.view(np.uint8)


def _begins(tokens: tuple[str, ...]) -> list[int]:
    """Return the tokens that begin a sentence."""
    return [0, *(k + 1 for k, token in enumerate(tokens[:-1]) if token in _STOPS)]


def _in_other_case(word: str, tokens: tuple[str, ...]) -> list[int]:
    """Return the tokens equal to a word, ignoring case, but not the word itself."""
    lower, upper = word.lower(), word[:1].upper() + word[1:]
    if lower == word == upper:
        return []
    return [k for k, token in enumerate(tokens) if token != word and token.lower() == lower]


def link_matrix(
    links: Mapping[tuple[int, int], float], n_source: int, n_target: int
) -> NDArray[np.float32]:
    """Return the confidence of every link, 0 without a link; shape (n_source, n_target)."""
    found = np.zeros((n_source, n_target), np.float32)
    if links:
        rows, columns = zip(*links, strict=True)
        found[rows, columns] = list(links.values())
    return found
