"""Sentence vectors: means of a base encoder's states, compared by their cosine.

Reimers and Gurevych (2019), "Sentence-BERT": the mean over all word pieces, including begin and
end, scaled to length 1. The base encoders were trained for this, so their weights are used without
the differences of the aligner's training.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.neural.layers import Layers
from tokalign.neural.session import Session
from tokalign.neural.wordpieces import WordPieces
from tokalign.types.locks import ForkLock

KEPT_SENTENCES = 8192
"""Number of cached sentence vectors: 12 MiB for MiniLM, 24 MiB for MPNet."""
KEPT_CHARACTERS = 2000


class SentenceEncoder:
    """Encodes sentences. Threads may share it; they take turns.

    The vectors of the last KEPT_SENTENCES distinct sentences are cached, so that a sentence
    compared with many is encoded once.

    `session`: of the base weights.
    """

    def __init__(self, session: Layers | Session, word_pieces: WordPieces) -> None:
        self._session = session
        self._word_pieces = word_pieces
        self._kept: dict[str, NDArray[np.float32]] = {}
        self._lock = ForkLock()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts.

        `texts`: at least one. Word pieces beyond the encoder's positions are not read.

        They are a float32 array, shape (n_texts, width), of length 1 each, so that inner products
        are cosines.
        """
        with self._lock:
            wanted = dict.fromkeys(texts)
            # Removed here and added last below, so that the oldest come first.
            found = {text: self._kept.pop(text) for text in wanted if text in self._kept}
            missing = [text for text in wanted if text not in found]
            sequences = [self._word_pieces.of_text(text) for text in missing]
            for text, states in zip(missing, self._session.states(sequences), strict=True):
                found[text] = _direction(states)
            self._keep(found)
        return np.stack([found[text] for text in texts])

    def cosines(self, sources: Sequence[str], targets: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosine of each source's vector with that of its target, in [-1, 1].

        `sources`, `targets` (sequence of str, of equal length): at least one.
        """
        vectors = self.encode([*sources, *targets])
        products = (vectors[: len(sources)] * vectors[len(sources) :]).sum(axis=1)
        return np.asarray(np.clip(products, -1.0, 1.0), dtype=np.float64)

    def _keep(self, found: dict[str, NDArray[np.float32]]) -> None:
        """Cache vectors; the least recently used are dropped."""
        self._kept.update((text, found[text]) for text in found if len(text) <= KEPT_CHARACTERS)
        for text in list(self._kept)[: max(0, len(self._kept) - KEPT_SENTENCES)]:
            del self._kept[text]


def _direction(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of rows, scaled to length 1."""
    mean = states.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)
