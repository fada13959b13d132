"""Headings, items and other blocks are sentences of their own."""

from __future__ import annotations

import pytest
from tokalign.english.annotate.sentence_splitter import Sentences


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("# Title\nSome text\ngoes on. More.", ["# Title", "Some text\ngoes on.", "More."]),
        ("## 1. Title. More\nText", ["## 1. Title.", "More", "Text"]),
        ("Title\n=====\nText", ["Title", "=====", "Text"]),
        ("== Title ==\nText", ["== Title ==", "Text"]),
        (
            "\\section{Title}\nText\n\\item a\n\\item b",
            ["\\section{Title}", "Text", "\\item a", "\\item b"],
        ),
        ("<h2>Title</h2>\n<p>Text\n<p>More", ["<h2>Title</h2>", "<p>Text", "<p>More"]),
        ("To do:\n- sweep\n- mop and\n  dry", ["To do:", "- sweep", "- mop and\n  dry"]),
        ("1. Sweep. Then\n2. Mop.\n3. Dry", ["1. Sweep.", "Then", "2. Mop.", "3. Dry"]),
        ("**1.** Sweep\n**2.** Mop", ["**1.** Sweep", "**2.** Mop"]),
        ("a) Sweep\nb) Mop", ["a) Sweep", "b) Mop"]),
        ("(1) Sweep\n(2) Mop\n(ii) Dry", ["(1) Sweep", "(2) Mop", "(ii) Dry"]),
        ("2.1. Sweep\n2.2. Mop", ["2.1. Sweep", "2.2. Mop"]),
        ("[1] A book\n[2] Another", ["[1] A book", "[2] Another"]),
        ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
        ("> It was said\n> that it rained.", ["> It was said\n> that it rained."]),
        ("> - a\n> - b", ["> - a", "> - b"]),
        ("```\nx = 1\n```\nText.", ["```", "x = 1", "```", "Text."]),
        ("He came on\n12. May then.", ["He came on\n12.", "May then."]),
        ("It is\n(b) of them", ["It is\n(b) of them"]),
        ("a\r\n- b\r\n* c\r\n", ["a", "- b", "* c"]),
        ("It fell to\n-5 degrees", ["It fell to\n-5 degrees"]),
        ("Step 1. Open the lid. Step 2. Pour.", ["Step 1. Open the lid.", "Step 2. Pour."]),
        ("", []),
    ],
)
def test_blocks_are_cut(text, pieces):
    assert [text[start:end] for start, end in Sentences(text)] == pieces
