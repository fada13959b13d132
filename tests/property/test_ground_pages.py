"""The page and the terminal show the texts they are given, whatever is marked in them."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st
from support.grounded_by_hand import by_hand
from tokalign.grounding.evidence import html_page, terminal_lines
from tokalign.showing.painting import pieces
from tokalign.types.grounding import (
    Citation,
    CitationLink,
    GroundedSentence,
    GroundedWord,
    SourceConflict,
    UnsupportedSpan,
    WordKind,
)
from tokalign.types.relations import ConflictKind

TEXTS = st.text("ab <&\"'é🐶", min_size=1, max_size=30).map(lambda text: f"x{text}y")


def ranges(text):
    """Ranges of a text, none of them empty."""
    places = st.integers(0, len(text))
    pairs = st.tuples(places, places).map(sorted).filter(lambda pair: pair[0] < pair[1])
    return pairs.map(tuple)


@st.composite
def groundings(draw):
    """An answer of one sentence whose words, spans and conflicts lie anywhere in it."""
    answer, passage = draw(TEXTS), draw(TEXTS)
    here, there = ranges(answer), ranges(passage)
    words = draw(st.lists(here, max_size=4))
    links = [
        CitationLink(draw(st.integers(0, len(words) - 1)), *draw(there), 0.5)
        for _ in range(draw(st.integers(0, 4)) if words else 0)
    ]
    sentence = GroundedSentence(
        0,
        len(answer),
        0.5,
        tuple(GroundedWord(*each, WordKind.CONTENT, 0.5, 0) for each in words),
        (Citation("p", 0, len(passage), 0.5, tuple(links)),),
        tuple(UnsupportedSpan(*each, 0.1) for each in draw(st.lists(here, max_size=3))),
        tuple(
            SourceConflict(ConflictKind.ROLES, *each, "p", *draw(there), 0.5)
            for each in draw(st.lists(here, max_size=3))
        ),
    )
    return by_hand(answer, {"p": passage}, sentence)


def shown(page):
    """Return the texts of a page's answer and passage, without what the page adds."""
    texts = re.findall(r'<div class="text">(.*?)</div>', page, re.DOTALL)
    return [
        unescape(re.sub(r"<[^>]*>", "", re.sub(r'<a class="cite".*?</a>', "", text)))
        for text in texts
    ]


@given(groundings())
def test_a_page_shows_both_texts_and_no_id_twice(found):
    page = html_page(found)
    assert shown(page) == [found.answer, found.passages[0].text]
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    targets = set(re.findall(r'href="#([^"]*)"', page))
    assert targets <= set(ids)


@given(groundings())
def test_a_terminal_shows_the_answer_between_its_marks(found):
    text = next(terminal_lines(found)).removesuffix(" [1]")
    assert re.sub(r"\[\?|\?\]|\{!|!\}", "", text) == found.answer
    coloured = next(terminal_lines(found, is_coloured=True))
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == f"{found.answer} [1]"


@given(st.data())
def test_pieces_cover_a_range_and_hold_what_covers_them(data):
    text = "x" * 12
    layers = data.draw(st.lists(st.lists(ranges(text), max_size=4), max_size=3))
    start, end = data.draw(ranges(text))
    found = list(pieces(start, end, layers))
    assert [at for first, last, _ in found for at in range(first, last)] == list(range(start, end))
    for first, last, marks in found:
        for at in range(first, last):
            assert marks == tuple(
                tuple(k for k, (a, b) in enumerate(layer) if a <= at < b) for layer in layers
            )
