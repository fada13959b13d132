"""Headings and items are sentences of their own, and nothing but white space is cut off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.english.annotate.sentence_splitter import Sentences
from tokalign.texts.split_text import cut_at_items, item_starts

PIECES = ["a", "No.", "- ", "1. ", "2. ", "12) ", "# ", "```", "\n", "\r\n", "\n\n", " ", "\t", "!"]


def cut(text):
    return [text[start:end] for start, end in cut_at_items(text, Sentences(text))]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("# Title\nSome text\ngoes on. More.", ["# Title", "Some text\ngoes on.", "More."]),
        ("To do:\n- sweep\n- mop and\n  dry", ["To do:", "- sweep", "- mop and\n  dry"]),
        ("1. Sweep. Then\n2. Mop.\n3. Dry", ["1. Sweep.", "Then", "2. Mop.", "3. Dry"]),
        ("```\nx = 1\n```\nText.", ["```", "x = 1", "```", "Text."]),
        ("He came on\n12. May then.", ["He came on\n12.", "May then."]),
        ("a\r\n- b\r\n* c\r\n", ["a", "- b", "* c"]),
        ("It fell to\n-5 degrees", ["It fell to\n-5 degrees"]),
        ("", []),
    ],
)
def test_items_are_cut(text, pieces):
    assert cut(text) == pieces


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_pieces_hold_all_but_white_space_in_order(text):
    spans = list(cut_at_items(text, Sentences(text)))
    at = 0
    for start, end in spans:
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip() != ""
        at = end
    assert not text[at:].strip()


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_a_sentence_goes_over_no_start_of_an_item(text):
    starts = list(item_starts(text))
    for start, end in cut_at_items(text, Sentences(text)):
        assert not any(start < each < end and text[each:end].strip() for each in starts)
