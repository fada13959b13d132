"""What edits are decided by: the words of both sides, their links, and which of them are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokalign.edits.kept import kept_tokens
from tokalign.lexicon.labels import function_words
from tokalign.lexicon.weights import content_weight
from tokalign.types import Sentence

PUNCTUATION, COMMA = 0, 12
_CONJUNCTION, _OTHER = 13, 14
_KINDS = {"N": 1, "V": 2, "M": 2, "J": 3, "R": 4, "C": 5, "D": 6, "I": 7, "P": 8, "W": 9, "T": 10}
_KINDS["E"] = 11
"""Kinds of words, by the first letter of the Penn tag."""
_CONTENT_WORTH, _WORTH = 0.8, 0.1
"""What keeping a content word is worth, and what any word is."""
_STOPS = frozenset((".", "!", "?"))


class Side(NamedTuple):
    """The words of one sentence.

    Attributes
    ----------
    kinds : int32 array, shape (n_tokens,)
        PUNCTUATION, COMMA, or a kind of word.
    weights : float32 array, shape (n_tokens,)
        Inverse document frequency of the lemma, in [0, 1]; 0 of function words and punctuation.
    lemmas : int32 array, shape (n_tokens,)
        Equal where lemmas are, on either side.
    """

    kinds: NDArray[np.int32]
    weights: NDArray[np.float32]
    lemmas: NDArray[np.int32]


def sides_of(source: Sentence, target: Sentence, idf: Callable[[str], float]) -> tuple[Side, Side]:
    """Return the words of both sentences; without tags all that are no punctuation are nouns."""
    numbers: dict[str, int] = {}
    sides = []
    for sentence in (source, target):
        tokens = sentence.tokens
        tags = sentence.tags or ("NN",) * len(tokens)
        lemmas = [lemma.lower() for lemma in sentence.lemmas or tokens]
        kinds = [_kind(token, tag) for token, tag in zip(tokens, tags, strict=True)]
        weights = [
            0.0
            if kind in (PUNCTUATION, COMMA) or token.lower() in _function_words()
            else idf(lemma)
            for token, kind, lemma in zip(tokens, kinds, lemmas, strict=True)
        ]
        sides.append(
            Side(
                np.array(kinds, np.int32),
                np.array(weights, np.float32),
                np.array([numbers.setdefault(lemma, len(numbers)) for lemma in lemmas], np.int32),
            )
        )
    return sides[0], sides[1]


def _kind(token: str, tag: str) -> int:
    if not any(map(str.isalnum, token)):
        return COMMA if token == "," else PUNCTUATION
    return _CONJUNCTION if tag == "CC" else _KINDS.get(tag[:1], _OTHER)


@cache
def _function_words() -> frozenset[str]:
    return frozenset(function_words())


def same_words(source: Sentence, target: Sentence) -> NDArray[np.uint8]:
    """Return 1 where two tokens are the same word, shape (n_source, n_target).

    They are where they are identical, and where they differ in case alone and one of them, not the
    other, begins a sentence.
    """
    numbers: dict[str, int] = {}
    exact, lower = (
        [
            np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int32)
            for words in sides
        ]
        for sides in (
            (source.tokens, target.tokens),
            [[token.lower() for token in side.tokens] for side in (source, target)],
        )
    )
    begins = [np.array(_begins(side.tokens)) for side in (source, target)]
    same = exact[0][:, None] == exact[1]
    same |= (lower[0][:, None] == lower[1]) & (begins[0][:, None] != begins[1])
    return same.view(np.uint8)


def _begins(tokens: tuple[str, ...]) -> list[bool]:
    """Return of each token whether it begins a sentence."""
    return [k == 0 or tokens[k - 1] in _STOPS for k in range(len(tokens))]


def link_matrix(
    links: Mapping[tuple[int, int], float], n_source: int, n_target: int
) -> NDArray[np.float32]:
    """Return the confidence of every link, 0 where there is none; shape (n_source, n_target)."""
    found = np.zeros((n_source, n_target), np.float32)
    if links:
        rows, columns = zip(*links, strict=True)
        found[rows, columns] = list(links.values())
    return found


def partners(
    source: Sentence, same: NDArray[np.uint8], links: NDArray[np.float32]
) -> NDArray[np.int32]:
    """Return the target token that each source token is kept as; -1 where it is not kept."""
    tags = source.tags or ("NN",) * len(source.tokens)
    worth = np.array([_WORTH + _CONTENT_WORTH * (content_weight(tag) == 1.0) for tag in tags])
    return kept_tokens(same, worth, links)
