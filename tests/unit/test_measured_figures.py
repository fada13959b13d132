"""The pages made from docs/figures.json, and its entries, which bench/figures.py measures."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "docs")]
try:
    import figures
    import measurements
    import pages
    from measured import shapes
finally:
    del sys.path[:2]

ENTRIES = pages.load_figures()
FIELDS = {
    "value": (int, float),
    "unit": str,
    "what": str,
    "command": str,
    "date": str,
    "machine": str,
}
TOY = shapes.Measurement(
    "toy",
    "two rows",
    """echo words; echo '{"direction": "joint", "f1": 0.9026, "deep": {"er": 12345}}'; """
    """echo '{"direction": "t2s", "f1": 0.8}'""",
    (
        shapes.Row(
            "",
            {"direction": "joint"},
            {
                "f1": shapes.Value(("f1",), "percent", "F1", 100),
                "speed": shapes.Value(("deep", "er"), "pairs per second", "speed"),
            },
        ),
        shapes.Row(
            "t2s",
            {"direction": "t2s"},
            {"f1": shapes.Value(("f1",), "percent", "F1", 100)},
        ),
    ),
)


SOURCES = {source.name: source.read_text(encoding="utf-8") for source in pages.SOURCES}


def test_sources_name_figures_that_were_measured():
    unknown = [key for text in SOURCES.values() for key in pages.named(text) if key not in ENTRIES]
    assert unknown == []


def test_pages_are_what_their_sources_and_the_figures_make():
    stale = [
        source.name
        for source in pages.SOURCES
        if pages.rendered(SOURCES[source.name], ENTRIES)
        != pages.page_of(source).read_text(encoding="utf-8")
    ]
    assert stale == [], "change docs/sources, run `make docs` and read the difference"


def test_no_page_has_an_open_place_or_a_comment():
    inline_code = re.compile(r"`[^`\n]*`")
    texts = {
        page.name: inline_code.sub("", page.read_text(encoding="utf-8")) for page in pages.PAGES
    }
    assert [name for name, text in texts.items() if pages.PLACE.search(text)] == []
    assert [name for name, text in texts.items() if "{{from" in text or "<!--" in text] == []


def test_the_figures_are_those_of_the_measurements():
    keys = [key for each in measurements.MEASUREMENTS for key in each.figure_keys()]
    assert len(keys) == len(set(keys))
    assert set(ENTRIES) == set(keys)


def test_every_entry_says_what_was_measured_how_when_and_where():
    for key, entry in ENTRIES.items():
        assert entry.keys() == FIELDS.keys(), key
        assert all(isinstance(entry[name], kind) for name, kind in FIELDS.items()), key
        assert all(entry[name] for name in FIELDS if name != "value"), key


def test_a_place_is_filled_with_figures_as_cells_and_with_signs():
    entries = {
        "a.f1": {"value": 90.0, "unit": "percent"},
        "a.speed": {"value": 5400, "unit": "pairs per second"},
        "a.change": {"value": 0.2, "unit": "points"},
    }
    source = "F1 {{a.f1}}.\n| {{a: speed change}} |\n`{a}` `${{ b }}`\n"
    text = "F1 90.0.\n| 5,400 | +0.2 |\n`{a}` `${{ b }}`\n"
    assert pages.rendered(source, entries) == text
    assert list(pages.named(source)) == ["a.f1", "a.speed", "a.change"]
    with pytest.raises(KeyError, match=r"a\.f2"):
        pages.rendered("{{a.f2}}", entries)


def test_an_excerpt_is_the_marked_part_of_its_file():
    text = pages.rendered("```cpp\n{{from clients/cpp/client.cc}}\n```\nafter ```\n", {})
    assert text.startswith("```cpp\nstd::string Content(")
    assert text.endswith("}\n```\nafter ```\n")
    with pytest.raises(ValueError, match=r"setup\.py has no part"):
        pages.rendered("{{from setup.py}}\n", {})


def test_a_measurement_reads_its_rows_and_rounds_by_unit(tmp_path):
    entries = figures.measure(TOY, tmp_path)
    assert {key: entry["value"] for key, entry in entries.items()} == {
        "toy.f1": 90.3,
        "toy.speed": 12300,
        "toy.t2s.f1": 80.0,
    }
    assert entries["toy.f1"]["what"] == "two rows; F1"
    assert entries["toy.t2s.f1"].keys() == FIELDS.keys()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("echo '{}'", "0 of 1 objects have {'direction': 'joint'}; wanted one"),
        ('echo \'{"direction": "joint"}\'', "no f1 in the object"),
        ("false | cat", "exit code 1 of false"),
    ],
)
def test_a_measurement_that_gives_something_else_is_refused(tmp_path, command, message):
    wrong = shapes.Measurement("toy", "", command, TOY.rows)
    with pytest.raises(figures.MeasuringError, match=message):
        figures.measure(wrong, tmp_path)


def test_new_entries_replace_their_own_and_leave_the_others(tmp_path):
    path = tmp_path / "figures.json"
    figures.write({"b": {"value": 1}, "a": {"value": 2}}, path)
    figures.write({"b": {"value": 3}}, path)
    assert json.loads(path.read_text()) == {"a": {"value": 2}, "b": {"value": 3}}
    assert [line[:3] for line in path.read_text().splitlines()] == ["{", '"a"', '"b"', "}"]
    assert list(tmp_path.iterdir()) == [path]


def test_small_changes_have_no_sign_of_nothing():
    assert str(figures.rounded(-0.04, "points")) == "0.0"
