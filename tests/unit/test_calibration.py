"""Calibration of confidences: by hand, against a plain definition, and in the reports."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support.pairs import gold_pair
from tokalign.cli.main import main
from tokalign.errors import InputError, ShapeError
from tokalign.evaluate import LinkChoice, calibrate

SAMPLE = Path(__file__).parents[1] / "data" / "sample.jsonl"
LINK = st.tuples(st.integers(0, 3), st.integers(0, 2))


def test_bins_and_error_by_hand():
    # 0.9 and 1.0 share the last bin: mean 0.95, both right. 0.35 is wrong.
    # (2 * |1 - 0.95| + 1 * |0 - 0.35|) / 3 = 0.15
    found = calibrate(
        [gold_pair("abcd", "xyz", {(0, 0), (1, 1)})], [{(0, 0): 0.9, (1, 1): 1.0, (2, 2): 0.35}]
    )
    assert found.links == 3
    assert found.expected_error == pytest.approx(0.15)
    low, high = found.bins
    assert (low.low, low.high, low.links, low.confidence, low.right) == (0.3, 0.4, 1, 0.35, 0.0)
    assert (high.low, high.high, high.links, high.right) == (0.9, 1.0, 2, 1.0)
    assert high.confidence == pytest.approx(0.95)


# Off the bounds of bins, which a float may miss by its last digit.
CONFIDENCE = st.integers(0, 999).map(lambda k: (k + 0.5) / 1000) | st.just(1.0)


@given(st.frozensets(LINK), st.dictionaries(LINK, CONFIDENCE))
def test_the_error_equals_its_plain_definition(sure, predicted):
    found = calibrate([gold_pair("abcd", "xyz", sure)], [predicted])
    gap = 0.0
    for k in range(10):
        above = {link: p for link, p in predicted.items() if p > k / 10}
        inside = {link: p for link, p in above.items() if p < (k + 1) / 10 or k == 9}
        gap += abs(len(sure & inside.keys()) - sum(inside.values()))
    assert found.expected_error == pytest.approx(gap / len(predicted) if predicted else 0.0)
    assert sum(each.links for each in found.bins) == found.links == len(predicted)


def test_possible_links_count_as_the_choice_says():
    pairs, predicted = [gold_pair("abcd", "xyz", (), {(0, 0)})], [{(0, 0): 1.0}]
    errors = {choice: calibrate(pairs, predicted, choice).expected_error for choice in LinkChoice}
    assert errors[LinkChoice.SURE] == 1.0
    assert errors[LinkChoice.SURE_AND_POSSIBLE] == 0.0
    assert calibrate(pairs, predicted, LinkChoice.IGNORE_POSSIBLE).links == 0


def test_bad_confidences_are_refused():
    with pytest.raises(InputError, match=r"pair '1': link 0-0 has confidence 1.5; wanted"):
        calibrate([gold_pair("abcd", "xyz", ())], [{(0, 0): 1.5}])
    with pytest.raises(ShapeError, match="0 predictions for 1 gold pairs"):
        calibrate([gold_pair("abcd", "xyz", ())], [])


def test_evaluate_reports_calibration_of_a_model(tmp_path):
    page = tmp_path / "page.html"
    arguments = ["evaluate", "--gold", str(SAMPLE), "--model", "en", "--html", str(page)]
    shown = CliRunner().invoke(main, arguments).stdout
    assert "expected calibration error" in shown
    assert "AER does not balance precision and recall" in shown
    report = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).stdout)
    calibration = report["calibration"]
    assert 0 < calibration["expected_error"] < 0.2
    assert calibration["bins"][-1]["links"] > calibration["links"] / 2
    found = re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)
    data = json.loads(found[1])
    assert data["calibration"]["expected_error"] == calibration["expected_error"]
    titles = [table["title"] for table in data["tables"]]
    assert titles[-3].startswith(f"Confidences of {calibration['links']} links: expected")
    assert titles[-2:] == ["Word pairs by harm", "Links by harm"]


def test_predictions_have_no_confidences_to_calibrate(tmp_path):
    gold, predicted = tmp_path / "gold", tmp_path / "predicted"
    gold.write_text("a ||| a ||| 0-0\n")
    predicted.write_text("0-0\n")
    arguments = ["evaluate", "--gold", str(gold), "--predictions", str(predicted), "--json"]
    assert "calibration" not in json.loads(CliRunner().invoke(main, arguments).stdout)
