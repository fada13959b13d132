"""Measurement of the tasks: thresholds, overlaps, readers, intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.annotate import load_annotator
from tokalign.errors import FormatError
from tokalign.types import Alignment
from tokalign.types.options import Symmetrization

from bench.tasks import best_threshold, interval, overlap
from recipes.corpora import read_msrp, read_questions, read_sts
from recipes.question_weights import average_precision

SCORES = st.integers(0, 5).map(lambda k: k / 5)


@given(st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=12))
def test_no_threshold_is_right_more_often_than_the_best(pairs):
    scores, gold = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))

    def n_right(threshold):
        return int(((scores >= threshold) == (gold > 0)).sum())

    everywhere = [*(k / 10 - 0.05 for k in range(12)), 2.0]
    assert n_right(best_threshold(scores, gold)) == max(map(n_right, everywhere))


@pytest.fixture(scope="module")
def alignment():
    texts = "The dog chased a red ball.", "A dog chased the big cat home."
    source, target = load_annotator("native").annotate(texts, trees=False)
    return Alignment(source, target, (), 0.0, 0.0, "", "", Symmetrization.JOINT)


def test_overlap_is_the_share_of_shared_content(alignment):
    # dog, chase, red, ball against dog, chase, big, cat, home
    assert overlap(lambda lemma: 1.0)(alignment) == pytest.approx(4 / 9)
    assert overlap(lambda lemma: 1.0, of_target=True)(alignment) == pytest.approx(2 / 5)
    weigh = {"dog": 3.0}
    assert overlap(lambda lemma: weigh.get(lemma, 1.0), of_target=True)(alignment) == pytest.approx(
        4 / 7
    )


def test_average_precision_of_a_worked_example():
    assert average_precision([True, False, True]) == pytest.approx((1 + 2 / 3) / 2)


def test_intervals_resample_within_groups():
    def statistic(index):
        return float((index < 4).sum()), 1.0

    low, high = interval((4, 6), statistic)
    assert low == high == [4.0, 1.0]


def test_readers(tmp_path):
    path = tmp_path / "corpus"
    columns = [["a", "b"], ["c"]]
    fields = [
        field
        for tokens in columns
        for field in (str(len(tokens)), *tokens, *["x"] * 4 * len(tokens), "-", "-")
    ]
    path.write_text("\t".join([*fields, "1"]) + "\n")
    (pair,) = read_msrp(path)
    assert (pair.source, pair.target, pair.gold) == (["a", "b"], ["c"], 1.0)
    path.write_text("\t".join([*fields, "1", "0"]) + "\n")
    with pytest.raises(FormatError, match=r":1: 23 fields; wanted 22"):
        list(read_msrp(path))
    path.write_text("4.5\tOne.\tTwo.\n\tUnjudged.\tPair.\n")
    assert [(pair.source, pair.gold) for pair in read_sts(path)] == [("One.", 4.5)]
    path.write_text("<question>\nWho\tcame\n<negative>\nNobody\tcame\n<positive>\nAda\tdid\n")
    (question,) = read_questions(path)
    assert question.tokens == ["Who", "came"]
    assert question.candidates == [(["Nobody", "came"], False), (["Ada", "did"], True)]
