"""The pages that are made from lab/figures.json, and its entries."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    import chart
    import pages
finally:
    del sys.path[0]

ENTRIES = pages.load_figures()
FIELDS = {
    "value": (int, float),
    "unit": str,
    "what": str,
    "command": str,
    "date": str,
    "machine": str,
}

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


def test_the_chart_is_what_the_figures_make():
    assert chart.CHART.read_text(encoding="utf-8") == chart.svg(ENTRIES), "run `make docs`"


def test_no_page_has_an_open_place_or_a_comment():
    inline_code = re.compile(r"`[^`\n]*`")
    texts = {
        page.name: inline_code.sub("", page.read_text(encoding="utf-8")) for page in pages.PAGES
    }
    assert [name for name, text in texts.items() if pages.PLACE.search(text)] == []
    assert [name for name, text in texts.items() if "{{from" in text or "<!--" in text] == []


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
