"""Weights of tokens in the score and in the similarity of a pair."""

from __future__ import annotations

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
        Of its lemma, in [0, 1]; see tokalign.english.lexicon.frequencies.
    """
    if not any(map(str.isalnum, token)):
        return 0.0
    return idf * (NUMBER_FACTOR if tag == "CD" else 1.0)
