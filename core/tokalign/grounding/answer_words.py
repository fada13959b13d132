"""Words of an answer's sentence: their kinds, weights, and the source sentences that share them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.english.lexicon.word_lists import (
    CONTENT_WEIGHT,
    content_weight,
    function_word_set,
    remembered,
)
from tokalign.english.values import Kind, Value, find_values
from tokalign.grounding.sources import Sources
from tokalign.types import Sentence
from tokalign.types.columns import AlignmentColumns
from tokalign.types.grounding import WordKind

SUPPORTABLE = frozenset((WordKind.VALUE, WordKind.NAME, WordKind.CONTENT))
"""Kinds of words that can be unsupported."""
KINDS: tuple[WordKind, ...] = tuple(WordKind)
_NAME_TAGS = ("NNP", "NNPS")


@cache
def shipped_idf() -> Callable[[str], float]:
    """Return a cached function from lemmas to inverse document frequencies."""
    return remembered(Frequencies.open_shipped().idf)


def word_kinds(sentence: Sentence, values: Sequence[Value]) -> list[WordKind]:
    """Return the kind of each word.

    `sentence`: with tags. `values`: of its tokens.
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
    if token.lower() in function_word_set():
        return WordKind.FUNCTION
    if is_inside or any(map(str.isdecimal, token)):
        return WordKind.VALUE
    if tag in _NAME_TAGS:
        return WordKind.NAME
    return WordKind.CONTENT if content_weight(tag) == CONTENT_WEIGHT else WordKind.FUNCTION


def word_weights(sentence: Sentence, kinds: Sequence[WordKind]) -> list[float]:
    """Return each word's idf, in [0, 1]; 0 for function words and punctuation."""
    idf = shipped_idf()
    function, mark = WordKind.FUNCTION, WordKind.MARK
    return [
        0.0 if kind is function or kind is mark else idf(lemma.lower())
        for lemma, kind in zip(sentence.lemmas or (), kinds, strict=True)
    ]


ValueKey = tuple[Kind, str]
"""What equal values have in common."""


def value_keys(values: Iterable[Value], *, with_years: bool = False) -> set[ValueKey]:
    """Return the keys of values; the ends of a range are no values of their own."""
    values = list(values)
    ranges = {(each.start, each.end) for each in values if each.kind in (Kind.RANGE, Kind.SCORE)}
    found = {
        (each.kind, each.key)
        for each in values
        if each.rank == 0 or (each.start, each.end) not in ranges
    }
    if with_years:
        dates = {key[:4] for kind, key in found if kind == Kind.DATE}
        found |= {(Kind.DATE, year) for year in dates if year.isdecimal()}
    return found


_NUMBER_OF = {kind: number for number, kind in enumerate(KINDS)}
N_SUPPORTABLE = len(SUPPORTABLE)
assert set(KINDS[:N_SUPPORTABLE]) == SUPPORTABLE


@dataclass(frozen=True, slots=True, eq=False)
class AnswerWords:
    """The words of an answer's sentence, and the source sentences that share them."""

    sentence: Sentence  # with tags and lemmas
    # Range of the tokens of each value -> what it has in common with equal ones
    values: dict[range, frozenset[ValueKey]]
    kinds: list[WordKind]  # [n_words]
    kind_numbers: NDArray[np.int32]  # [n_words] places of the kinds in KINDS
    content: list[int]  # values, names and content words, rising
    # [n_words] inverse document frequency, in [0, 1]; 0 for function words and punctuation
    weights: NDArray[np.float64]
    stems: list[int]  # [n_words] numbers of the sources' stems; -1 for a stem that no source holds
    # [n_words, n_sentences] whether a sentence of the sources holds the stem
    holders: NDArray[np.bool_]

    @classmethod
    def of(cls, sentence: Sentence, sources: Sources) -> Self:
        """Return the words of an annotated sentence."""
        values = find_values(sentence.tokens)
        kinds = word_kinds(sentence, values)
        stems = sources.numbers(sentence.tokens)
        weights = np.array(word_weights(sentence, kinds))
        numbers = [_NUMBER_OF[kind] for kind in kinds]
        content = [at for at, number in enumerate(numbers) if number < N_SUPPORTABLE]
        holders = sources.holders(stems)
        found = np.array(numbers, np.int32)
        keys = {
            range(each.start, each.end): frozenset(
                value_keys(one for one in values if (one.start, one.end) == (each.start, each.end))
            )
            for each in values
            if each.rank == 0
        }
        return cls(sentence, keys, kinds, found, content, weights, stems, holders)


class AlignedCandidate(NamedTuple):
    """A sentence of the sources, aligned with one of an answer."""

    number: int  # of the sentence among all source sentences
    source: Sentence  # annotated
    columns: AlignmentColumns  # hold its alignment; the answer's sentence is the target
    pair: int  # number of the alignment among them
    rows: NDArray[np.float32]  # [n_words, n_columns]; see tokalign.decoding.evidence
    # Of the source's values, with the years of full dates; empty if the answer's sentence has no
    # value
    keys: frozenset[ValueKey]
