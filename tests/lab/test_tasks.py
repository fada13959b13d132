"""The corpora of the tasks, and average precision."""

from __future__ import annotations

import numpy as np
import pytest
from tokalign.errors import FormatError

from lab.accuracy.similar import chosen_mix
from lab.recipes.corpora import read_msrp, read_questions, read_sts
from lab.recipes.question_weights import average_precision


def test_average_precision_of_a_worked_example():
    assert average_precision([True, False, True]) == pytest.approx((1 + 2 / 3) / 2)


def test_the_largest_mix_that_is_nowhere_below_the_cosine_is_chosen():
    by_mix = np.array([[0.5, 0.6, 0.7, 0.8], [0.7, 0.8, 0.75, 0.6]])
    assert chosen_mix(by_mix, np.array([0.5, 0.72])) == 2
    assert chosen_mix(by_mix, np.array([0.5, 0.77])) == 1
    assert chosen_mix(by_mix, np.array([0.9, 0.9])) == 0


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
