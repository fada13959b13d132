"""How much two sentences say the same, from the posteriors of their links.

    share(side) = sum over tokens of w * min(1, sum of the token's link posteriors) / sum of w
    similarity  = the smaller of both sides' shares

A posterior is the mean of both directions. A token weighs its idf, numbers twice as much, marks
nothing; where no token of a side weighs anything, all of that side weigh alike. So a similarity of
0.8 says: of what either sentence holds, counted by how rare its words are, at least 80% is expected
to have a counterpart in the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tokalign.decoding._joint import smaller_share
from tokalign.decoding.links import Posteriors

NUMBER_FACTOR = 2.0


class Weighed(Posteriors, Protocol):
    """What similarity is read off: a decoded pair, or one that a system matched."""

    def weights(self) -> tuple[list[float], list[float]]:
        """Return what each token weighs, of the source and of the target."""


def similarity(pair: Weighed) -> float:
    """Return how much the sentences of a pair say the same, in [0, 1]."""
    return smaller_share(pair.s2t_posterior, pair.t2s_posterior, *pair.weights())


def token_weight(token: str, tag: str, lemma: str, idf: Callable[[str], float]) -> float:
    """Return what a token weighs, as Decoded.weights has it of the extractor.

    Parameters
    ----------
    token, tag, lemma : str
    idf : callable
        Lower-case lemma to a number in [0, 1]; see tokalign.lexicon.frequencies.
    """
    if not any(map(str.isalnum, token)):
        return 0.0
    return idf(lemma.lower()) * (NUMBER_FACTOR if tag == "CD" else 1.0)
