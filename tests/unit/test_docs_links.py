"""The pages: each link leads to a file and a heading of it, each table is as wide as its head."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *(
        page
        for folder in ("docs", "tests", "deploy", "clients", "lab")
        for page in (ROOT / folder).rglob("*.md")
        if "node_modules" not in page.parts and page.parent.name != "sources"
    ),
]

_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(text))
    return {heading.strip().replace(" ", "-") for heading in plain}


def broken_links(text: str, page: Path) -> list[str]:
    """Return the links of a page's text that lead nowhere; links into the web are not followed."""
    broken = []
    for link in _LINK.findall(_CODE.sub("code", text)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not (ROOT / "lab").is_dir() and target.resolve().is_relative_to(ROOT / "lab"):
            continue  # in an unpacked sdist
        is_there = target.exists() and (not anchor or anchor in anchors(target))
        broken += [] if is_there else [link]
    return broken


def test_links_lead_to_files_and_headings():
    found = {page: broken_links(page.read_text(encoding="utf-8"), page) for page in PAGES}
    assert {str(page): links for page, links in found.items() if links} == {}


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("[a](nowhere.md)", ["nowhere.md"]),
        ("[a](../README.md) and ![b](images/nothing.svg)", ["images/nothing.svg"]),
        ("[a](README.md#no-such-heading)", ["README.md#no-such-heading"]),
        ("[a](https://example.org/nowhere) and `[b](c)`", []),
        ("[the `code`](library.md#one-pair)", []),
    ],
)
def test_a_link_that_leads_nowhere_is_found(text, broken):
    assert broken_links(text, ROOT / "docs" / "page.md") == broken


def broken_rows(text: str) -> list[str]:
    """Return the rows of tables with more or fewer cells than the first row of their table.

    GitHub drops cells beyond the head's, and divides cells at each bar, in code as well.
    """
    broken, width = [], 0
    for line in re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S).splitlines():
        n_bars = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        width = n_bars and (width or n_bars)
        broken += [line] if n_bars != width else []
    return broken


def test_tables_have_as_many_columns_as_their_heads():
    found = {page: broken_rows(page.read_text(encoding="utf-8")) for page in PAGES}
    assert {str(page): rows for page, rows in found.items() if rows} == {}


def test_a_row_of_another_width_is_found():
    head = "| a | b |\n| --- | --- |\n"
    assert broken_rows(f"{head}| 1 | 2 |\n\n| c |\n") == []
    assert broken_rows(f"{head}| 1 | `x || y` |\n| 1 |\n") == ["| 1 | `x || y` |", "| 1 |"]
