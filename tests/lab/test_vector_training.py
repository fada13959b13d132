"""Training of word vectors: listed and linked words come closer, and nothing else counts."""

import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="word vectors are trained with torch")

from tokalign.formats import read_gold

from lab.recipes.vectors.training import N_DIMENSIONS, candidates, listed_pairs, train_vectors

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


def test_candidates_have_no_twin_on_the_other_side(tmp_path):
    path = tmp_path / "gold.json"
    path.write_text(
        json.dumps([{
            "id": "1", "source": "The firm bought planes", "target": "The company buys planes",
            "sureAlign": "0-0 1-1 2-2 3-3", "possAlign": "",
        }])
    )  # fmt: skip
    index = {word: k for k, word in enumerate(["firm", "company", "bought", "planes", "buys"])}
    (found,) = candidates(read_gold(path), index)
    cells = {(int(a), int(b)): int(label) for a, b, label in zip(*found, strict=True)}
    assert cells[0, 1] == 1
    assert all(3 not in cell for cell in cells)


def test_listed_and_linked_words_come_closer_than_others():
    encodings = np.random.default_rng(0).normal(size=(80, 70)).astype(np.float32)
    encodings /= np.linalg.norm(encodings, axis=1, keepdims=True)
    pairs = np.array([(k, k + 1) for k in range(0, 40, 2)])
    linked = [
        (np.array([k, k]), np.array([k + 1, 79 - k]), np.array([1, 0], dtype=np.float32))
        for k in range(40, 60, 2)
    ]
    runs = [train_vectors(encodings, pairs, linked, n_steps=60) for _ in range(2)]
    np.testing.assert_array_equal(*runs)
    vectors = runs[0]
    assert vectors.shape == (80, N_DIMENSIONS)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    cosines = vectors @ vectors.T
    others = np.median(cosines[:40, 60:])
    assert min(cosines[k, k + 1] for k in range(0, 40, 2)) > others + 0.3
    assert np.mean([cosines[k, k + 1] for k in range(40, 60, 2)]) > others + 0.2
