"""Distributional similarity in plain NumPy: the judge of `_sentence_features.pyx`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ADDED = 2.0
NEGLIGIBLE = 1e-9

Columns = tuple[Sequence[int], Sequence[int], Sequence[int]]
Matrix = NDArray[np.float64]


def observations(columns: Columns) -> Counter[tuple[int, tuple[int, str, int]]]:
    """Return how often each lemma occurs with each feature (relation, direction, lemma)."""
    lemmas, heads, relations = columns
    counts: Counter[tuple[int, tuple[int, str, int]]] = Counter()
    for lemma, head, relation in zip(lemmas, heads, relations, strict=True):
        if head >= 0:
            counts[lemma, (relation, "up", lemmas[head])] += 1
            counts[lemmas[head], (relation, "down", lemma)] += 1
    return counts


def weights(counts: Matrix) -> tuple[Matrix, Matrix]:
    """Return the PPMI and t-test weights of a word-by-feature matrix of counts."""
    joint = counts + ADDED
    joint /= joint.sum()
    expected = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    ppmi = np.log2(joint / expected)
    t_test = (joint - expected) / np.sqrt(expected)
    counted = (counts > 0) & (joint > expected * (1 + NEGLIGIBLE))
    return np.where(counted, ppmi, 0), np.where(counted, t_test, 0)


def largest_measure(a: Matrix, b: Matrix) -> float:
    """Return the largest of cosine, Dice and Jaccard of two non-negative vectors."""
    if not a.any() or not b.any():
        return 0.0
    shared, either = np.minimum(a, b).sum(), np.maximum(a, b).sum()
    cosine = a @ b / np.sqrt((a @ a) * (b @ b))
    return float(max(cosine, 2 * shared / (a.sum() + b.sum()), shared / either))


def similarity(source: Columns, target: Columns) -> Matrix:
    """Return the similarity of every source word to every target word.

    Parameters
    ----------
    source, target : tuple of three sequences of int
        Ids of lemmas, heads (-1 for a root), ids of relations.

    Returns
    -------
    float64 array, shape (n_source, n_target)
    """
    counts = observations(source) + observations(target)
    words = sorted({*source[0], *target[0]})
    features = sorted({feature for _, feature in counts})
    if not features:
        return np.zeros((len(source[0]), len(target[0])))
    matrix = np.array([[counts[word, feature] for feature in features] for word in words], float)
    weighted = weights(matrix)
    row = {word: k for k, word in enumerate(words)}
    return np.array(
        [
            [max(largest_measure(w[row[a]], w[row[b]]) for w in weighted) for b in target[0]]
            for a in source[0]
        ]
    )
