"""Measured figures: what is measured is shown, and what is shown was measured."""

from __future__ import annotations

import json
import logging
import re

import pytest
from tokalign.errors import FormatError

from lab import chart, figures
from lab.figures import (
    RELEASE,
    accuracy_keys,
    filled,
    keys_in,
    keys_read,
    load_figures,
    read_figures,
)
from lab.measurements import MEASUREMENTS

ENTRIES = load_figures()
FIELDS = {
    "value": (int, float),
    "unit": str,
    "what": str,
    "command": str,
    "date": str,
    "machine": str,
}
KEYS = accuracy_keys("X", "x.model")


def test_every_figure_is_shown_and_everything_that_is_shown_was_measured():
    missing = {each for each in keys_read() - ENTRIES.keys() if not each.startswith(RELEASE)}
    assert missing == set(), "measure it, or take it out of the page"
    assert ENTRIES.keys() - keys_read() == set(), "show it, or take it out of lab/figures.json"


def test_every_measurement_gives_figures_that_are_shown():
    unread = []
    for measurement in MEASUREMENTS:
        for row in measurement.rows:
            name = re.sub(r"\\{\w+\\}", ".*", re.escape(row.name))
            for last in row.values:
                pattern = rf"{re.escape(measurement.name)}\.?{name}\.?{re.escape(last)}"
                if not any(re.fullmatch(pattern, key) for key in ENTRIES):
                    unread.append(f"{measurement.name}: {row.name} {last}")
    assert unread == []


def test_every_entry_says_what_was_measured_how_when_and_where():
    for key, entry in ENTRIES.items():
        assert entry.keys() == FIELDS.keys(), key
        assert all(isinstance(entry[name], kind) for name, kind in FIELDS.items()), key
        assert all(entry[name] for name in FIELDS if name != "value"), key


@pytest.mark.parametrize("page", figures.PAGES, ids=lambda page: page.name)
def test_a_page_shows_the_figures_of_now(page):
    text = page.read_text(encoding="utf-8")
    assert filled(text, ENTRIES) == text, "run `make docs` and read the difference"


@pytest.mark.parametrize("page", figures.PAGES, ids=lambda page: page.name)
def test_every_comment_of_a_page_names_figures_or_a_file(page):
    text = re.sub(r"(?<!`)`[^`\n]+`", "", page.read_text(encoding="utf-8"))
    left = figures.PLACE.sub("", text)
    assert re.findall(r"<!--(?!from \S+-->\n```).*", left) == []


def test_the_chart_shows_the_figures_of_now():
    assert chart.CHART.read_text(encoding="utf-8") == chart.svg(ENTRIES), "run `make docs`"


def test_a_place_is_filled_with_figures_as_cells_and_with_signs():
    entries = {
        "a.f1": {"value": 90.0, "unit": "percent"},
        "a.speed": {"value": 5400, "unit": "pairs per second"},
        "a.change": {"value": 0.2, "unit": "points"},
    }
    page = "F1 1<!--a.f1-->.\n| 7 | 1,234.5 | -3<!--a: speed change--> |\n8 `<!--b-->`\n"
    text = "F1 90.0<!--a.f1-->.\n| 7 | 5,400 | +0.2<!--a: speed change--> |\n8 `<!--b-->`\n"
    assert filled(page, entries) == text
    assert list(keys_in(page)) == ["a.f1", "a.speed", "a.change"]
    half = "| – | 91.0<!--release.en: f1 exact_match--> |"
    whole = "| 91.0 | –<!--release.en: f1 exact_match--> |"
    assert filled(half, {"release.en.f1": {"value": 91.0, "unit": "percent"}}) == whole
    with pytest.raises(KeyError, match=r"a\.f2"):
        filled("1<!--a.f2-->", entries)
    with pytest.raises(ValueError, match="wanted 2 figures"):
        filled("| 1<!--a: f1 speed--> |", entries)


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "figures.json"
        path.write_text(json.dumps(content))
        return path

    return write


def test_figures_get_the_names_of_the_header(write):
    path = write(
        {"x.model.f1": {"value": 90.3}, "x.model.exact_match": {"value": 40}, "y": {"value": 1}}
    )
    assert read_figures(KEYS, path) == {"F1 on X": 90.3, "exact match on X": 40}


def test_a_figure_that_was_not_measured_is_left_out_and_said(write, caplog):
    with caplog.at_level(logging.WARNING):
        assert read_figures(KEYS, write({"x.model.f1": {"value": 90.3}})) == {"F1 on X": 90.3}
    assert caplog.messages == [
        "figures.json has no x.model.exact_match: the header goes without 'exact match on X'"
    ]


def test_without_a_file_there_are_no_figures(tmp_path, caplog):
    assert read_figures(KEYS, tmp_path / "none.json") == {}
    assert len(caplog.messages) == 2


@pytest.mark.parametrize(
    "content", [["x"], {"x.model.f1": 90.3}, {"x.model.f1": {}}, {"x.model.f1": {"value": "high"}}]
)
def test_a_file_of_another_shape_is_refused(write, content):
    with pytest.raises(FormatError, match=r"figures\.json"):
        read_figures(KEYS, write(content))
