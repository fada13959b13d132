"""Source passages, split into sentences, with an index of their words.

A sentence of an answer is aligned with its candidates, the sentences of each passage that share
most with it:

    share    = sum of the idf of shared stems / sum of the idf of the answer's sentence's words
    overlap  = sum of the weights of shared stems, by `local_weights` of the passage

A sentence that shares less than LEAST_SHARE is not a candidate, so that unrelated passages cost
little, unless all do, as under an answer in other words; of more than MOST_PASSAGES passages those
count whose best sentence shares most. The first candidate has the largest overlap. Stems that it
holds count less for later ones, so that the candidates cover more. Else, up to MOST_PASSAGES
passages do not affect one another.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tokalign.english.lexicon.word_lists import canonical, remembered
from tokalign.english.spelling.same_spelling import stem
from tokalign.errors import LimitError
from tokalign.grounding.records import PassageBlock, blocks_of
from tokalign.texts.text_words import WordNumbers
from tokalign.types.grounding import PassageLike, SourcePassage, check_passages
from tokalign.types.sentence import MAX_TEXT_SENTENCES

LEAST_SHARE = 0.1
"""Of a candidate."""
MOST_PASSAGES = 100
"""Whose sentences are candidates of a sentence: those with the largest share."""
SHARED_BEFORE = 0.3
"""Factor of a stem that an earlier candidate holds."""
N_SHIPPED = 5.0
LOG_DOCUMENTS = 10.8
"""Logarithm of the number of sentences behind the shipped frequencies, about 50,000."""
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")
_stem_of = remembered(lambda word: stem(canonical(word)))


class SourceSentence(NamedTuple):
    """A sentence, row or object of a passage, and the 0-based position of the passage."""

    passage: int
    span: PassageBlock


class Sources:
    """Passages that answers are grounded in. Threads may share them.

    `sentences`: of all passages, in order. `starts`: number of each passage's first sentence; last,
    the number of sentences.
    """

    def __init__(
        self, passages: Sequence[SourcePassage], sentences: Sequence[SourceSentence]
    ) -> None:
        self.passages = tuple(passages)
        self.sentences = tuple(sentences)
        self._numbers = WordNumbers(_WORD.findall, _stem_of)
        sentence_words = [self._numbers.add(each.span.text) for each in self.sentences]
        held: list[list[int]] = [[] for _ in range(len(self._numbers))]
        for number, words in enumerate(sentence_words):
            for word in set(words):
                held[word].append(number)
        self._held = held
        of_passage = [each.passage for each in self.sentences]
        self.starts = np.searchsorted(of_passage, range(len(self.passages) + 1)).tolist()
        self._neighbours = [
            {pair for words in sentence_words[start:end] for pair in pairwise(words)}
            for start, end in pairwise(self.starts)
        ]

    @classmethod
    def of(cls, passages: Iterable[PassageLike]) -> Self:
        """Return the sources of some passages.

        `passages`: may be empty. A blank passage supports nothing. InputError is raised if the
        passages are one text, one of them is not a text, or two share an id. The field is
        ``passages``, ``passages[i].id`` or ``passages[i].text``. LimitError is raised if they have
        more than tokalign.types.sentence.MAX_TEXT_SENTENCES sentences in total.
        """
        checked = check_passages(passages)
        sentences: list[SourceSentence] = []
        for number, passage in enumerate(checked):
            name = f"passages[{number}].text"
            sentences += (SourceSentence(number, block) for block in blocks_of(passage.text, name))
            if len(sentences) > MAX_TEXT_SENTENCES:
                raise LimitError(
                    f"{name} is the one with which passages have more than {MAX_TEXT_SENTENCES} "
                    "sentences; give fewer",
                    field=name,
                )
        return cls(checked, sentences)

    def numbers(self, words: Sequence[str]) -> list[int]:
        """Return the number of each word's (last) stem, -1 if no source holds it."""
        return [(self._numbers.numbers(word) or [-1])[-1] for word in words]

    def holders(self, stems: Sequence[int]) -> NDArray[np.bool_]:
        """Return whether each sentence holds each stem, shape (n_stems, n_sentences)."""
        n_sentences = len(self.sentences)
        found = np.zeros(len(stems) * n_sentences, np.bool_)
        rows = [(row * n_sentences, number) for row, number in enumerate(stems) if number >= 0]
        found[[first + sentence for first, number in rows for sentence in self._held[number]]] = (
            True
        )
        return found.reshape(len(stems), n_sentences)

    def hold_pair(self, pair: tuple[int, int], passages: Iterable[int]) -> bool:
        """Whether two stems are adjacent in a sentence of one of these passages."""
        return any(pair in self._neighbours[passage] for passage in passages)

    def candidates(
        self, holders: NDArray[np.bool_], weights: NDArray[np.float64], n: int
    ) -> list[int]:
        """Return the numbers of the candidates of an answer's sentence, rising.

        `holders` (bool array, shape (n_words, n_sentences)): see `holders`. `weights` (float64
        array, shape (n_words,)): of the words of the answer's sentence. `n`: most candidates of
        each passage.
        """
        least = LEAST_SHARE * weights.sum()
        found: list[int] = []
        shared = weights @ holders
        for start, end in self._shortlist(shared, least):
            own = np.flatnonzero(shared[start:end] > least).tolist()
            if len(own) > n:
                own = sorted(_best(holders[:, start:end], weights, own, n))
            found += [start + each for each in own]
        if not found and least:
            found = sorted(np.argsort(-shared, kind="stable")[:n].tolist())
        return found

    def _shortlist(self, shared: NDArray[np.float64], least: float) -> list[tuple[int, int]]:
        """Return the ranges of the MOST_PASSAGES passages with the largest share; ties go to the
        first."""
        filled = [both for both in pairwise(self.starts) if both[0] < both[1]]
        most = np.maximum.reduceat(shared, [start for start, _ in filled]) if filled else shared
        order = np.argsort(-most, kind="stable")[:MOST_PASSAGES]
        return [filled[number] for number in sorted(order.tolist()) if most[number] > least]


def _best(
    holders: NDArray[np.bool_], weights: NDArray[np.float64], numbers: Sequence[int], n: int
) -> list[int]:
    """Return n of some sentences of a passage, the best first; parameters as of `candidates`."""
    left = local_weights(weights, holders)
    found: list[int] = []
    for _ in range(n):
        gains = np.full(holders.shape[1], -1.0)
        gains[numbers] = (left @ holders)[numbers]
        gains[found] = -1.0
        found.append(int(gains.argmax()))
        left[holders[:, found[-1]]] *= SHARED_BEFORE
    return found


def local_weights(weights: NDArray[np.float64], holders: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights of words among some sentences, larger for words that fewer of them hold.

    `weights` (float64 array, shape (n_words,)): shipped inverse document frequencies; words of
    weight 0 stay so. `holders` (bool array, shape (n_words, n_sentences)).

    The result is a float64 array, shape (n_words,): in nats: minus the log share of sentences that
    hold the word, smoothed by N_SHIPPED sentences with the shipped frequency.
    """
    shipped = np.exp(-weights * LOG_DOCUMENTS)
    share = (holders.sum(axis=1) + N_SHIPPED * shipped) / (holders.shape[1] + N_SHIPPED)
    return np.where(weights > 0.0, -np.log(np.minimum(share, 1.0)), 0.0)
