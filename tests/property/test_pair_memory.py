"""Scores that are partly remembered against those of whole rows, which are never remembered."""

import itertools
import random
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.crf import forward_backward
from support.decoding import posteriors
from tokalign.crf.chains import TRANSITION_NAMES
from tokalign.decoding.decoder import Decoder
from tokalign.features.extract import Extractor
from tokalign.features.feature_groups import FeatureTable, Lexicons
from tokalign.types import Sentence

TABLE = FeatureTable(["string", "pos", "lexical", "wordnet", "context", "vectors", "null", "rules"])
LEXICONS = Lexicons.for_groups(TABLE.groups)
FORMS = "The the a colour color recieve receive 5 km dogs dog barked cat US U.S. 1,000 1000 ,"
N_STYLES = 3


def sentence(words: list[str]) -> Sentence:
    tags = ["NN" if word.isalnum() else "." for word in words]
    return Sentence.from_tokens(words, tags=tags, lemmas=[word.lower() for word in words])


def random_pairs(n_pairs: int, seed: int) -> list[tuple[Sentence, Sentence]]:
    rng = random.Random(seed)
    sides = [sentence(rng.choices(FORMS.split(), k=rng.randint(1, 9))) for _ in range(2 * n_pairs)]
    return list(zip(sides[::2], sides[1::2], strict=True))


@pytest.fixture(scope="module")
def weights() -> NDArray[np.float32]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(N_STYLES, TABLE.n_slots, 2)).astype(np.float32)


@pytest.fixture(scope="module")
def decoder(weights: NDArray[np.float32]) -> Decoder:
    transitions = np.zeros((N_STYLES, 2, len(TRANSITION_NAMES)))
    return Decoder(SimpleNamespace(table=TABLE, summed=lambda: (weights, transitions)), LEXICONS)


def check(
    decoder: Decoder, weights: NDArray[np.float32], pair: tuple[Sentence, Sentence], style: int
) -> None:
    source, target = pair
    extractor = Extractor(
        LEXICONS.wordnet, TABLE.base, LEXICONS.vectors, LEXICONS.paraphrases, LEXICONS.frequencies
    )
    start, slot, value = extractor.rows(source, target)
    scores = np.array(
        [value[a:b] @ weights[style, slot[a:b]] for a, b in itertools.pairwise(start)], dtype=float
    )
    n_cells = len(source) * len(target)
    cells = scores[:n_cells].reshape(len(source), len(target), 2)
    s2t = np.hstack([scores[n_cells : n_cells + len(source), :1], cells[:, :, 0]])
    t2s = np.hstack([scores[n_cells + len(source) :, 1:], cells[:, :, 1].T])
    found = posteriors(decoder, source, target, style=style)
    for emission_ts, posterior in zip((s2t, t2s), found, strict=True):
        wanted, *_ = forward_backward(emission_ts, np.zeros(len(TRANSITION_NAMES)))
        np.testing.assert_allclose(posterior, wanted, rtol=1e-3, atol=1e-5)


def test_remembered_scores_are_those_of_the_rows(decoder, weights) -> None:
    for round_ in range(2):  # the second time all is remembered
        for number, pair in enumerate(random_pairs(40, seed=0)):
            check(decoder, weights, pair, (number + round_) % N_STYLES)


def test_a_memory_that_overflows_keeps_no_wrong_scores(decoder, weights) -> None:
    many = sentence([f"word{k}" for k in range(300)])
    others = sentence([f"other{k}" for k in range(300)])
    for pair in random_pairs(5, seed=1):
        check(decoder, weights, pair, 0)
        posteriors(decoder, many, others)
        check(decoder, weights, pair, 0)


def test_words_that_are_numbered_anew_get_their_own_scores() -> None:
    extractor = Extractor(LEXICONS.wordnet, TABLE.base, LEXICONS.vectors, None, None)
    first, second = random_pairs(2, seed=2)
    wanted = [each.tolist() for each in extractor.rows(*second)]
    extractor.forget()
    extractor.rows(*first)
    extractor.forget()
    assert [each.tolist() for each in extractor.rows(*second)] == wanted


def test_what_is_remembered_is_counted() -> None:
    extractor = Extractor(LEXICONS.wordnet, TABLE.base, LEXICONS.vectors)
    for expected in (12, 12):  # four by three different words, once
        extractor.rows(sentence(["dog", "cat", "the", "big"]), sentence(["bark", "animal", "."]))
        assert extractor.memory.n_compared == expected
    assert extractor.memory.n_asked == 24
