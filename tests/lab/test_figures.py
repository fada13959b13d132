"""Measured figures: found by key, left out with a warning, refused where they are no numbers."""

import json
import logging

import pytest
from tokalign.errors import FormatError

from lab.recipes.figures import accuracy_keys, read_figures

KEYS = accuracy_keys("X", "x.model")


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
