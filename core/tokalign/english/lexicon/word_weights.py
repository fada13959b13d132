"""Weights of words: in the score and similarity of a pair, and by document frequency."""

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
"""Weight of a number beside a word as rare: other numbers make other statements."""


def content_weight(tag: str) -> float:
    """Return what a token of a Penn tag weighs in the score: nouns, names, verbs, adjectives,
    adverbs and numbers 1, others 0.1."""
    return CONTENT_WEIGHT if tag[:1] in "NVJRC" and tag != "CC" else OTHER_WEIGHT


def token_weight(token: str, tag: str, idf: float) -> float:
    """Return what a token weighs in similarity, at least 0.

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
        """Return the counts that ship with the package."""
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
            log((1 + n) / (1 + count)) / log(1 + n) of n sentences, in [0, 1]: about
            0.9 for what is in one or two of 50,000, 0.2 for what is in a tenth.
        """
        number = self._vocabulary.find(lemma)
        count = 1 if number < 0 else int(self._count[number])
        return 1.0 - math.log(1 + count) / self._log_documents
