"""The pages show the figures of docs/figures.json."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
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
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in pages.PAGES}


def test_pages_show_the_figures_that_were_measured():
    unknown = [key for text in TEXTS.values() for key in pages.named(text) if key not in ENTRIES]
    assert unknown == []
    stale = [name for name, text in TEXTS.items() if pages.rendered(text, ENTRIES) != text]
    assert stale == [], "run `make docs` and read the difference"


def test_every_place_on_a_page_is_closed():
    wrong = [
        name
        for name, text in TEXTS.items()
        if not text.count("<!--=") == text.count("<!--/-->") == len(pages._PLACE.findall(text))
    ]
    assert wrong == []


def test_every_figure_stands_on_a_page():
    shown = {key for text in TEXTS.values() for key in pages.named(text)}
    assert set(ENTRIES) - shown == set()


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
    page = "F1 <!--={a.f1}-->?<!--/-->.\n<!--=\n| {a: speed change} |\n-->\n| ? |\n<!--/-->\n"
    text = pages.rendered(page, entries)
    assert "F1 <!--={a.f1}-->90.0<!--/-->." in text
    assert "\n-->\n| 5,400 | +0.2 |\n<!--/-->" in text
    assert pages.rendered(text, entries) == text
    with pytest.raises(KeyError, match=r"a\.f2"):
        pages.rendered("<!--={a.f2}-->?<!--/-->", entries)


def test_an_excerpt_is_the_marked_part_of_its_file():
    page = "<!--from clients/cpp/client.cc-->\n```cpp\nold\n```\nafter ```\n"
    text = pages.rendered(page, {})
    assert text.startswith("<!--from clients/cpp/client.cc-->\n```cpp\nstd::string Content(")
    assert text.endswith("}\n```\nafter ```\n") and "old" not in text
    assert pages.rendered(text, {}) == text
    with pytest.raises(ValueError, match=r"setup\.py has no part"):
        pages.rendered("<!--from setup.py-->\n```py\n```\n", {})
