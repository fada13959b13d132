"""Slow, obvious twin of the inputs of the gates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tokalign.english.lexicon.word_lists import token_weight
from tokalign.types import Alignment

from reference.decisions import share_of_both
from reference.pair import ReferencePair


def gate_inputs(
    pair: ReferencePair,
    s2t_posterior: NDArray[np.float64],
    t2s_posterior: NDArray[np.float64],
    alignment: Alignment,
    style: int,
) -> list[float]:
    """Twin of tokalign.decoding.batch, of a pair that is decided."""
    words = source, target = pair.source.words, pair.target.words
    s2t, t2s = s2t_posterior[:, 1:], t2s_posterior[:, 1:].T
    mean = (s2t + t2s) / 2
    linked = np.zeros(mean.shape, dtype=bool)
    for link in alignment.links:
        linked[link.source, link.target] = True
    unlike = np.array([[a.lower != b.lower for b in target] for a in source])
    doubt, fault = mean * (1 - mean), np.where(linked, 1 - mean, mean)
    right, size = mean[linked].sum(), linked.sum() + mean.sum()
    free = ~linked.any(axis=1), ~linked.any(axis=0)
    weights = [
        np.array(
            [
                token_weight(word.form, word.raw_tag, pair.frequencies.idf(word.lemma))
                for word in side
            ]
        )
        for side in words
    ]
    content = tuple(np.array([word.kind == "content" for word in side]) for side in words)
    free_content = [own & kind for own, kind in zip(free, content, strict=True)]
    n_free = [int(each.sum()) for each in free_content]
    return [
        1 - 2 * right / size if size else 0.0,
        doubt.sum(),
        doubt[unlike].sum(),
        fault[~linked].sum(),
        fault[~linked & unlike].sum(),
        fault[linked].sum(),
        fault[linked & unlike].sum(),
        sum(min(-np.log(1 - each), 5.0) if each < 1 else 5.0 for each in fault.ravel()),
        doubt.max(),
        np.abs(s2t - t2s).sum(),
        ((mean > 0.1) & (mean < 0.9)).sum(),
        doubt.sum() / sum(mean.shape),
        np.log(len(source)),
        np.log(len(target)),
        linked.sum(),
        (linked & unlike).sum(),
        (linked.sum(axis=1) > 1).sum() + (linked.sum(axis=0) > 1).sum(),
        *n_free,
        min(n_free),
        sum(int(each.sum()) for each in free) - sum(n_free),
        sum(mean.max(axis=1 - k)[free_content[k]].sum() for k in (0, 1)),
        share_of_both(s2t_posterior, t2s_posterior, *weights),
        alignment.agreement,
        alignment.score,
        style,
    ]
