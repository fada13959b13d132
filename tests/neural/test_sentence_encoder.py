"""Vectors of sentences against their NumPy twin, and what is remembered of them."""

from __future__ import annotations

import numpy as np
import pytest
from reference.encoder import ReferenceSentences
from tokalign.aligner import Aligner
from tokalign.decoding.by_model import mixed_similarity
from tokalign.files.tables import Table
from tokalign.neural import encoder as module
from tokalign.neural.encoder import Encoder

TEXTS = [
    "The firm will shut its Leeds plant .",
    "The company is closing its factory in Leeds .",
    "It rained all day in Cardiff .",
    "Naïve co-operation cost $2,000 , she said",
    "x",
]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder.open_shipped("encoder-en")


@pytest.fixture
def sentences(encoder):
    """What encodes sentences, with nothing remembered."""
    return module.SentenceEncoder(encoder.sentences._session, encoder._word_pieces)


def test_float_vectors_equal_their_twin_and_int8_ones_are_close(sentences):
    table = Table.open_shipped("encoder-en")
    twin = ReferenceSentences(table)
    wanted = np.array([twin.vector(text) for text in TEXTS])
    exact = Encoder(table, exact=True).sentences.encode(TEXTS)
    np.testing.assert_allclose(exact, wanted, atol=1e-4)
    rough = sentences.encode(TEXTS)
    assert ((rough * wanted).sum(axis=1) > 0.98).all()
    np.testing.assert_allclose(rough @ rough.T, wanted @ wanted.T, atol=0.05)


def test_vectors_have_length_1(sentences):
    vectors = sentences.encode(TEXTS)
    assert vectors.dtype == np.float32 and vectors.shape == (len(TEXTS), 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_the_paraphrase_is_nearer_than_other_matter(sentences):
    near, far = sentences.cosines([TEXTS[0], TEXTS[0]], [TEXTS[1], TEXTS[2]])
    assert near > 0.5 > far
    assert sentences.cosines(TEXTS, TEXTS) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_a_text_gets_the_same_whatever_it_is_batched_with(sentences):
    together = sentences.encode(TEXTS * 2)
    sentences._kept.clear()
    for k, text in enumerate(TEXTS):
        np.testing.assert_array_equal(sentences.encode([text])[0], together[k])
        np.testing.assert_array_equal(together[k], together[len(TEXTS) + k])


def test_a_text_that_fills_the_positions_is_cut(sentences):
    long = "dog " * 600
    np.testing.assert_array_equal(*sentences.encode([long, long + "cat"]))


def test_texts_are_encoded_once_while_they_are_remembered(sentences, monkeypatch):
    monkeypatch.setattr(module, "KEPT_SENTENCES", 2)
    asked = []
    states = sentences._session.states

    class Counting:
        def states(self, given):
            asked.append(len(given))
            return states(given)

    monkeypatch.setattr(sentences, "_session", Counting())
    for texts, n_new in (("ab", 2), ("ba", 0), ("c", 1), ("a", 0), ("b", 1), ("abbac", 1)):
        sentences.encode(list(texts))
        assert asked.pop() == n_new, texts
        assert len(sentences._kept) <= 2


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load("en-neural")


def test_similarity_is_of_both_alignment_and_encoder(aligner):
    found = list(aligner.pipe([(TEXTS[0], text) for text in TEXTS]))
    vectors = aligner.sentence_vectors(TEXTS)
    cosines = np.array([each.cosine for each in found])
    assert cosines == pytest.approx(vectors @ vectors[0], abs=1e-5)
    parts = [np.array([getattr(each, part) for each in found]) for part in ("covered", "agreement")]
    expected = mixed_similarity(parts[0], cosines, parts[1])
    assert [each.similarity for each in found] == pytest.approx(expected)


LONG = "The old mill by the river was restored by the town and opened to visitors in May."


def test_one_and_many_and_duplicates_read_the_encoder(aligner):
    pytest.importorskip("rensa", reason="needs the extra dedupe")
    paraphrase = aligner.align(*TEXTS[:2], detail="scores").similarity
    assert aligner.similarities(TEXTS[0], TEXTS[1:3])[0] == pytest.approx(paraphrase)
    assert aligner.similarity_matrix(TEXTS[:2])[0, 1] == pytest.approx(paraphrase)
    near = [LONG, f"{LONG} Truly."]
    (found,) = aligner.near_duplicates(near, threshold=0.0, overlap=0.0)
    assert found.similarity == pytest.approx(aligner.align(*near, detail="scores").similarity)


def test_processes_change_nothing(aligner):
    one = aligner.similarities(TEXTS[0], TEXTS)
    assert aligner.similarities(TEXTS[0], TEXTS, n_process=2) == pytest.approx(one)
