"""Similarities of one sentence and many, of many and many, and near-duplicates among many."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tokalign.aligner import Aligner
from tokalign.errors import InputError, LimitError
from tokalign.types import Sentence

SENTENCES = ["Dogs bark.", "The dogs bark loudly.", "It rained in Leeds.", "In Leeds it rained."]
LONG = "dog " * 600
FIRM = "The firm will shut its Leeds plant in May."


@pytest.fixture(scope="module")
def aligner(small_model) -> Aligner:
    return Aligner.load(small_model)


def one_by_one(aligner, source, target) -> float:
    return aligner.align(source, target, detail="scores").similarity


def test_each_of_many_gets_what_its_pair_gets(aligner):
    found = aligner.similarities(FIRM, SENTENCES)
    assert found.tolist() == [one_by_one(aligner, FIRM, each) for each in SENTENCES]


def test_a_matrix_has_what_each_pair_gets(aligner):
    found = aligner.similarity_matrix(SENTENCES[:2], SENTENCES[1:])
    expected = [[one_by_one(aligner, a, b) for b in SENTENCES[1:]] for a in SENTENCES[:2]]
    assert found.tolist() == expected


def test_rows_alone_are_compared_with_themselves(aligner):
    found = aligner.similarity_matrix(SENTENCES)
    assert (found == found.T).all() and (np.diag(found) == 1).all()
    for i, j in itertools.combinations(range(4), 2):
        assert found[i, j] == one_by_one(aligner, SENTENCES[i], SENTENCES[j])


def test_nothing_gives_nothing(aligner):
    assert aligner.similarities(FIRM, []).shape == (0,)
    assert aligner.similarity_matrix([], SENTENCES).shape == (0, 4)
    assert aligner.similarity_matrix([]).shape == (0, 0)
    assert list(aligner.near_duplicates([])) == []


def test_each_sentence_is_annotated_once(aligner, monkeypatch):
    seen = []
    annotate = aligner.annotate
    monkeypatch.setattr(
        aligner, "annotate", lambda given, **more: seen.extend(given) or annotate(given, **more)
    )
    aligner.similarity_matrix(SENTENCES)
    assert seen == SENTENCES


def test_bad_sentences_are_named(aligner):
    with pytest.raises(InputError, match=r"many\[1\]: the sentence has no token"):
        aligner.similarities(FIRM, ["Dogs bark.", " "])
    with pytest.raises(LimitError, match=r"rows\[0\]: "):
        aligner.similarity_matrix([LONG], SENTENCES)
    with pytest.raises(InputError, match="one text"):
        aligner.similarities(FIRM, "Dogs bark.")
    with pytest.raises(InputError, match="errors is 'drop'; wanted raise or nan"):
        aligner.similarities(FIRM, SENTENCES, errors="drop")


def test_bad_sentences_cost_the_others_nothing_where_asked(aligner):
    found = aligner.similarities(FIRM, ["", SENTENCES[0], LONG], errors="nan")
    assert np.isnan(found).tolist() == [True, False, True]
    assert found[1] == one_by_one(aligner, FIRM, SENTENCES[0])
    square = aligner.similarity_matrix(["", *SENTENCES[:2]], errors="nan")
    assert np.isnan(square).sum() == 5 and square[1, 1] == 1
    cut = aligner.similarities(FIRM, [LONG], truncate=True)
    assert not np.isnan(cut).any()


def test_tokens_and_sentences_are_taken(aligner):
    sentence = Sentence.from_tokens(["Dogs", "bark", "."])
    found = aligner.similarities(["Dogs", "bark", "."], [sentence, SENTENCES[0]])
    assert found[0] == found[1]


@pytest.fixture(scope="module")
def found(aligner):
    pytest.importorskip("rensa", reason="needs the extra dedupe")
    return lambda texts, **more: [
        (each.first, each.second, each.similarity)
        for each in aligner.near_duplicates(texts, **more)
    ]


def test_duplicates_have_their_numbers_and_their_similarity(aligner, found):
    texts = [SENTENCES[2], "Prices rose again.", SENTENCES[3], "Prices rose again in March."]
    pairs = found(texts, threshold=0.5)
    assert [pair[:2] for pair in pairs] == [(0, 2), (1, 3)]
    assert pairs[0][2] == one_by_one(aligner, texts[0], texts[2])


def test_equal_texts_are_paired_with_the_first_of_them(found):
    texts = ["Dogs bark.", "", "Dogs bark. ", "Cats purr.", "Dogs bark.", ""]
    assert found(texts) == [(0, 2, 1.0), (0, 4, 1.0)]


def test_pairs_rise(found):
    texts = [*SENTENCES, SENTENCES[1], "Loudly the dogs bark.", SENTENCES[0]]
    pairs = [pair[:2] for pair in found(texts, threshold=0.3)]
    assert pairs == sorted(pairs) and {(0, 6), (1, 4), (1, 5), (2, 3)} <= set(pairs)


def test_a_smaller_threshold_gives_more_and_none_above_is_left_out(found):
    texts = [*SENTENCES, "The dogs bark.", "Leeds had rain."]
    some, more = found(texts, threshold=0.8), found(texts, threshold=0.4)
    assert [pair for pair in more if pair[2] >= 0.8] == some
    assert len(more) > len(some)


def test_a_sentence_that_is_too_long_is_raised_or_told(found):
    with pytest.raises(LimitError, match=r"sentences\[1\]: "):
        found(["Dogs bark.", LONG])
    told = []
    texts = ["Dogs bark.", LONG, "Dogs bark.", LONG]
    pairs = found(texts, on_bad=lambda number, error: told.append((number, type(error))))
    assert pairs == [(0, 2, 1.0), (1, 3, 1.0)]
    assert told == [(1, LimitError)]


@pytest.mark.parametrize("name", ["threshold", "overlap"])
def test_shares_out_of_range_are_refused(aligner, name):
    with pytest.raises(InputError, match=f"{name} is 1.5; wanted 0 to 1"):
        list(aligner.near_duplicates(SENTENCES, **{name: 1.5}))


def test_what_is_no_text_is_refused(aligner):
    with pytest.raises(InputError, match=r"sentences\[1\] is 3; wanted text"):
        list(aligner.near_duplicates(["Dogs bark.", 3]))
