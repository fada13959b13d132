"""Weights of words in the score and the similarity of a pair, and document frequencies."""

from __future__ import annotations

import math
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tokalign.english.lexicon.lexical_tables import Vocabulary
from tokalign.errors import ResourceError, quoted
from tokalign.files.tables import Table

RESOURCE = "counts"
CONTENT_WEIGHT = 1.0
OTHER_WEIGHT = 0.1
NUMBER_FACTOR = 2.0
"""Weight of a number relative to a word as rare, since another number makes another statement."""


def content_weight(tag: str) -> float:
    """Return the weight in the score of a token with a Penn tag: 1 for nouns, names, verbs,
    adjectives, adverbs and numbers, 0.1 for others."""
    return CONTENT_WEIGHT if tag[:1] in "NVJRC" and tag != "CC" else OTHER_WEIGHT


def token_weight(token: str, tag: str, idf: float) -> float:
    """Return the weight of a token in similarity, at least 0.

    Parameters
    ----------
    token, tag : str
    idf : float
        Of its lemma, in [0, 1]; see Frequencies.
    """
    if not any(map(str.isalnum, token)):
        return 0.0
    return idf * (NUMBER_FACTOR if tag == "CD" else 1.0)


class Frequencies:
    """Document counts of lemmas, mapped from a table file.

    Parameters
    ----------
    source : Table
        With a vocabulary, the array ``count``, and the number of sentences in its ``meta``.

    Raises
    ------
    ResourceError
        If the table lacks an array, or its arrays disagree.
    """

    def __init__(self, source: Table) -> None:
        self.source = source
        self._vocabulary = Vocabulary(source)
        self._count: NDArray[np.int32] = source.array("count", np.int32, (len(self._vocabulary),))
        n_documents = source.header["meta"].get("sentences")
        least, most = self._count.min(initial=0), self._count.max(initial=0)
        if type(n_documents) is not int or not 0 <= least <= most <= n_documents or not n_documents:
            raise ResourceError(
                f"{source.path}: counts of {least} to {most} among {quoted(n_documents)} "
                "sentences; wanted none below 0 or above the number of sentences, and sentences"
            )
        self.n_documents = n_documents
        self._log_documents = math.log(1 + self.n_documents)

    @classmethod
    def open_shipped(cls) -> Self:
        """Return the shipped counts."""
        return cls(Table.open_shipped(RESOURCE))

    def __len__(self) -> int:
        """Return the number of lemmas."""
        return len(self._vocabulary)

    def idf(self, lemma: str) -> float:
        """Return the inverse document frequency of a lemma, relative to the largest.

        Parameters
        ----------
        lemma : str
            Lower-case. One that the table lacks counts as if it were in one sentence.

        Returns
        -------
        float
            log((1 + n) / (1 + count)) / log(1 + n) for n sentences, in [0, 1]: about 0.9 for a
            lemma in one or two of 50,000 sentences, 0.2 for one in a tenth.
        """
        number = self._vocabulary.find(lemma)
        count = 1 if number < 0 else int(self._count[number])
        return 1.0 - math.log(1 + count) / self._log_documents
