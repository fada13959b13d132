"""Renderers print what the form says, whatever the texts are."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st
from support.random_texts import SEEDS, some_texts
from tokalign.showing.text import in_line
from tokalign.texts.diff import diff_of
from tokalign.texts.diff.diff_lines import markdown_lines, terminal_lines
from tokalign.texts.diff.diff_page import html_page
from tokalign.types.edits import EditKind

_ESCAPES = re.compile(r"\x1b\[[\d;]*m")


@given(SEEDS, st.integers(20, 60))
def test_a_terminal_gets_no_control_characters_of_the_texts(seed, width):
    diff = diff_of(some_texts(seed))
    plain = list(terminal_lines(diff, context=9))
    assert bool(plain) == (not diff.is_same)
    assert not any(letter < " " for line in plain for letter in line if letter != "\t")
    coloured = list(terminal_lines(diff, context=9, is_coloured=True, width=width))
    left = _ESCAPES.sub("", "\n".join(coloured))
    assert "\x1b" not in left


@given(SEEDS)
def test_every_word_that_changed_is_on_the_page_marked(seed):
    diff = diff_of(some_texts(seed))
    page = html_page(diff, context=9)
    body = page[page.index("<main>") : page.index("</main>")]
    marked = {
        " ".join(html.unescape(re.sub(r"<[^>]*>", "", each)).split())
        for each in re.findall(
            r"<(?:del|ins|span class=\"(?:left|moved)[^>]*)[^>]*>(.*?)</", body, re.DOTALL
        )
    }
    for block in diff.blocks:
        for each in block.segments:
            if each.kind is EditKind.INSERT and each.change != "space":
                assert in_line(diff.new_text(each)) in marked


@given(SEEDS)
def test_markdown_is_empty_for_equal_texts_alone(seed):
    diff = diff_of(some_texts(seed))
    assert bool(list(markdown_lines(diff))) == (not diff.is_same)
