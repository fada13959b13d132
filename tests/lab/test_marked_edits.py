"""Edits that people marked are read, and scores of exact edits are those counted by hand."""

from __future__ import annotations

import json

import pytest

from lab.recipes.marked_edits import MarkedPair, read_marked, score_edits

PAIR = {
    "arxiv-id": "1",
    "sentence-1": "a b c",
    "sentence-2": "a d",
    "edits-combination-0": {
        "0": {"sentence-1-token-indices": [1, 2], "sentence-2-token-indices": [1, 2]},
        "1": {"sentence-1-token-indices": [2, 3], "sentence-2-token-indices": None},
    },
}


def test_reading(tmp_path) -> None:
    (tmp_path / "arxivedits").mkdir()
    (tmp_path / "arxivedits" / "train.json").write_text(json.dumps({"0": PAIR}))
    (pair,) = read_marked(tmp_path, "train")
    edits = frozenset({((1, 2), (1, 2)), ((2, 3), None)})
    assert pair == MarkedPair("train", "1", ["a", "b", "c"], ["a", "d"], edits)
    assert pair.tokens() == ({1, 2}, {1})


def test_scores_by_hand(tmp_path) -> None:
    first = MarkedPair("", "", [], [], frozenset({((1, 2), (1, 2)), ((2, 3), None)}))
    second = MarkedPair("", "", [], [], frozenset({(None, (0, 1))}))
    found = score_edits([first, second], [{((1, 2), (1, 2)), (None, (4, 5))}, {(None, (0, 1))}])
    assert found == {
        "precision": pytest.approx(2 / 3),
        "recall": pytest.approx(2 / 3),
        "f1": pytest.approx(2 / 3),
        "whole_pairs": 0.5,
    }
