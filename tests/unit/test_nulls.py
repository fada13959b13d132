"""Scores of words left alone."""

from __future__ import annotations

import json

import pytest
from support.pairs import gold_pair
from tokalign.evaluate.metrics import LinkChoice
from tokalign.evaluate.report import null_scores


def test_scores_worked_out_by_hand():
    # Source 2 and target 2 are alone in gold; the prediction links them, and leaves 1 and 1 alone.
    pair = gold_pair("abc", "abc", [(0, 0), (1, 1)])
    found = null_scores([pair], [frozenset({(0, 0), (2, 2)})])
    assert (found.links.precision, found.links.recall, found.links.f1) == (0.5, 0.5, 0.5)
    assert (found.nulls.precision, found.nulls.recall, found.nulls.f1) == (0.0, 0.0, 0.0)
    assert found.total.f1 == pytest.approx(0.25)


def test_all_right_is_1():
    pair = gold_pair("abc", "ab", [(0, 0)])
    found = null_scores([pair], [frozenset({(0, 0)})])
    assert {found.links.f1, found.nulls.f1, found.total.f1} == {1.0}


def test_words_of_possible_links_count_neither_way_where_those_do_not():
    pair = gold_pair("ab", "ab", [(0, 0)], [(1, 1)])
    links = frozenset({(0, 0)})
    assert null_scores([pair], [links], LinkChoice.IGNORE_POSSIBLE).nulls.f1 == 1.0
    assert null_scores([pair], [links], LinkChoice.SURE_AND_POSSIBLE).nulls.f1 == 0.0


def test_reports_have_them(run_command, tmp_path):
    gold = tmp_path / "gold"
    gold.write_text("a cat . ||| the cat . ||| 1-1 2-2\n")
    found = run_command("evaluate", "--gold", gold, "--predictions", gold, "--json").stdout
    assert json.loads(found)["with_nulls"]["nulls"]["f1"] == 1.0
    shown = run_command("evaluate", "--gold", gold, "--predictions", gold).stdout
    assert "words left alone" in shown
