"""Training of word vectors: listed words come closer, and nothing else counts."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="word vectors are trained with torch")

from lab.recipes.vectors.training import N_DIMENSIONS, listed_pairs, train_vectors

WORDNET = {
    "noun": "00000001 00 n 02 car 0 auto 0 001 + 00000002 v 0101 | a machine\n",
    "verb": "00000002 00 v 01 motor 0 000 | travel by it\n",
    "adj": "",
    "adv": "",
}


def test_pairs_come_from_both_lists(tmp_path):
    (tmp_path / "ppdb").write_text("Car\tvehicle\n10\tten\ncar\tunseen\n")
    for name, text in WORDNET.items():
        (tmp_path / f"data.{name}").write_text(text)
    index = {word: k for k, word in enumerate(["auto", "car", "motor", "ten", "10", "vehicle"])}
    found = listed_pairs(tmp_path / "ppdb", tmp_path, index)
    assert sorted(map(sorted, found.tolist())) == [[0, 1], [1, 2], [1, 5]]


def test_listed_words_come_closer_than_others():
    encodings = np.random.default_rng(0).normal(size=(80, 70)).astype(np.float32)
    encodings /= np.linalg.norm(encodings, axis=1, keepdims=True)
    pairs = np.array([(k, k + 1) for k in range(0, 40, 2)])
    runs = [train_vectors(encodings, pairs, n_steps=60) for _ in range(2)]
    np.testing.assert_array_equal(*runs)
    vectors = runs[0]
    assert vectors.shape == (80, N_DIMENSIONS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    cosines = vectors @ vectors.T
    others = np.median(cosines[:40, 60:])
    assert min(cosines[k, k + 1] for k in range(0, 40, 2)) > others + 0.3
