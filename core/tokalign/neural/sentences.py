"""Vectors of sentences: the mean of a base encoder's states, by whose cosine sentences compare.

Reimers and Gurevych (2019), "Sentence-BERT": the mean over all word pieces, begin and end among
them, brought to length 1. The base encoders were trained for this, so their weights are taken
without the differences that the aligner's training added.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.neural.session import States
from tokalign.neural.wordpieces import WordPieces
from tokalign.types.locks import ForkLock

KEPT_SENTENCES = 8192
"""Sentences whose vectors are remembered: 12 MiB of MiniLM's, 24 MiB of MPNet's."""
KEPT_CHARACTERS = 2000


class SentenceEncoder:
    """Encodes sentences. Threads may share it; they take turns.

    The vectors of the last KEPT_SENTENCES different sentences are remembered, so that a sentence
    that many are compared with is encoded once.

    Parameters
    ----------
    session : States
        Of the base weights.
    word_pieces : WordPieces
    """

    def __init__(self, session: States, word_pieces: WordPieces) -> None:
        self._session = session
        self._word_pieces = word_pieces
        self._kept: dict[str, NDArray[np.float32]] = {}
        self._lock = ForkLock()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts.

        Parameters
        ----------
        texts : sequence of str
            At least one. What does not fit the encoder's positions is not read.

        Returns
        -------
        float32 array, shape (n_texts, width)
            Of length 1 each, so that inner products are cosines.
        """
        with self._lock:
            wanted = dict.fromkeys(texts)
            # Taken out here and put in last below, so that the oldest stand first.
            found = {text: self._kept.pop(text) for text in wanted if text in self._kept}
            missing = [text for text in wanted if text not in found]
            sequences = [self._word_pieces.of_text(text) for text in missing]
            for text, states in zip(missing, self._session.states(sequences), strict=True):
                found[text] = _direction(states)
            self._keep(found)
        return np.stack([found[text] for text in texts])

    def cosines(self, sources: Sequence[str], targets: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosine of each source's vector with that of its target, in [-1, 1].

        Parameters
        ----------
        sources, targets : sequence of str, of equal length
            At least one.
        """
        vectors = self.encode([*sources, *targets])
        products = (vectors[: len(sources)] * vectors[len(sources) :]).sum(axis=1)
        return np.asarray(np.clip(products, -1.0, 1.0), dtype=np.float64)

    def _keep(self, found: dict[str, NDArray[np.float32]]) -> None:
        """Remember vectors; those that were asked for the longest time ago are forgotten."""
        self._kept.update((text, found[text]) for text in found if len(text) <= KEPT_CHARACTERS)
        for text in list(self._kept)[: max(0, len(self._kept) - KEPT_SENTENCES)]:
            del self._kept[text]


def _direction(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of rows, of length 1."""
    mean = states.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)
