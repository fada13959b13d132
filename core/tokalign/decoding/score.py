"""One figure for how well a pair aligns, by which candidates are ranked."""

from __future__ import annotations

from collections.abc import Sequence

from tokalign.types import Sentence

CONTENT_WEIGHT = 1.0
OTHER_WEIGHT = 0.1


def content_weight(tag: str) -> float:
    """Return what a token of a Penn tag weighs: nouns, names, verbs, adjectives, adverbs and
    numbers 1, others 0.1."""
    return CONTENT_WEIGHT if tag[:1] in "NVJRC" and tag != "CC" else OTHER_WEIGHT


def sentence_score(covered: Sequence[float], target: Sentence) -> float:
    """Return the expected share of the target's content that has a partner, in [0, 1].

    Parameters
    ----------
    covered : sequence of float, length n_target
        How far each token has a partner, in [0, 1]. The aligner gives what both directions
        support (tokalign.decoding._joint.coverage): on TrecQA's development questions that ranks
        answers better than the mean or product of their posteriors.
    target : Sentence
        With tags.
    """
    total = summed = 0.0
    for tag, share in zip(target.tags or (), covered, strict=True):
        weight = content_weight(tag)
        total += weight
        summed += weight * share
    return summed / total
