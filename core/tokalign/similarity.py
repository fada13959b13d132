"""How much two sentences say the same, from the posteriors of their links.

    share(side) = sum over tokens of w * min(1, sum of the token's link posteriors) / sum of w
    similarity  = the smaller of both sides' shares

A token weighs its idf, numbers twice as much, marks nothing. So a similarity of 0.8 says: of what
either sentence holds, counted by how rare its words are, at least 80% is expected to have a
counterpart in the other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ShapeError
from tokalign.types import Sentence

NUMBER_FACTOR = 2.0
"""How much more a number weighs than a word as rare: other numbers make other statements."""


def token_weights(sentence: Sentence, weigh: Callable[[str], float]) -> NDArray[np.float64]:
    """Return what each token of a sentence, with tags and lemmas, weighs.

    Parameters
    ----------
    sentence : Sentence
    weigh : callable
        Lower-case lemma to idf, in [0, 1]; see tokalign.lexicon.frequencies.

    Returns
    -------
    float64 array, shape (n,)
        At least 0.
    """
    return np.array(
        [
            weigh(lemma.lower()) * (NUMBER_FACTOR if tag == "CD" else 1.0)
            if any(map(str.isalnum, token))
            else 0.0
            for token, tag, lemma in zip(
                sentence.tokens, sentence.tags or (), sentence.lemmas or (), strict=True
            )
        ]
    )


def similarity(
    source: Sentence,
    target: Sentence,
    posterior: NDArray[np.floating],
    weigh: Callable[[str], float],
) -> float:
    """Return how much two sentences say the same, in [0, 1].

    Parameters
    ----------
    source, target : Sentence
        With tags and lemmas.
    posterior : float array, shape (n_source, n_target)
        Probability of every link: the mean of both directions.
    weigh : callable
        See token_weights.

    Raises
    ------
    ShapeError
        If the posteriors do not belong to the sentences.
    """
    if posterior.shape != (len(source), len(target)):
        raise ShapeError(
            f"posteriors have shape {posterior.shape}; wanted {len(source), len(target)}"
        )
    return min(
        _share(token_weights(source, weigh), posterior.sum(axis=1)),
        _share(token_weights(target, weigh), posterior.sum(axis=0)),
    )


def _share(weights: NDArray[np.float64], expected: NDArray[np.floating]) -> float:
    """Return the weighted mean of expected links, at most 1 each; all alike if none weighs."""
    total = float(weights.sum())
    if total == 0:
        weights, total = np.ones(len(weights)), float(len(weights))
    return min(1.0, float(weights @ np.minimum(expected, 1.0)) / total)
