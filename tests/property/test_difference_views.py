"""Renderers print what the form says, whatever the texts are."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st
from support.random_texts import SEEDS, some_texts
from tokalign.texts.diff import diff_of
from tokalign.texts.diff.diff_lines import markdown_lines, terminal_lines
from tokalign.texts.diff.diff_page import html_page
from tokalign.texts.diff.m2 import m2_lines
from tokalign.texts.diff.text_diff import tokens_of
from tokalign.types.edits import EditKind

_ESCAPES = re.compile(r"\x1b\[[\d;]*m")
_ANNOTATION = re.compile(
    r"A (\d+) (\d+)\|\|\|([RMU]):([A-Z]+)\|\|\|(.*)\|\|\|REQUIRED\|\|\|-NONE-\|\|\|0"
)


def corrected(lines):
    """Return the tokens of M2's sentences after their edits, each with those before."""
    found = []
    for line in lines:
        if line.startswith("S"):
            tokens = line.split()[1:]
            found.append((tokens, []))
        elif line.startswith("A") and "|||noop|||" not in line:
            start, end, _, _, correction = _ANNOTATION.fullmatch(line).groups()
            found[-1][1].append((int(start), int(end), correction.split()))
    result = []
    for tokens, edits in found:
        new = list(tokens)
        for start, end, words in reversed(edits):
            assert start <= end <= len(tokens)
            new[start:end] = words
        result.append((tokens, new))
    return result


@given(SEEDS)
def test_m2_has_the_old_sentences_and_corrects_them_to_the_new_words(seed):
    diff = diff_of(some_texts(seed))
    sentences = corrected(m2_lines(diff))
    in_order = sorted((each for each in diff.segments()), key=lambda each: each.old)
    olds = [token for each in in_order for token in tokens_of(diff.old_text(each))]
    assert sorted(token for tokens, _ in sentences for token in tokens) == sorted(olds)
    news = [token for each in diff.segments() for token in tokens_of(diff.new_text(each))]
    assert sorted(token for _, tokens in sentences for token in tokens) == sorted(news)


@given(SEEDS)
def test_m2_corrects_a_pair_of_sentences_to_the_letter(seed):
    diff = diff_of(some_texts(seed))
    sides = [each.old_sentences for each in diff.blocks if each.old_sentences]
    if len(diff.blocks) != 1 or len(sides) != 1 or len(sides[0]) != 1:
        return
    ((_, new),) = corrected(m2_lines(diff))
    assert new == [token for each in diff.segments() for token in tokens_of(diff.new_text(each))]


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
                assert " ".join(diff.new_text(each).split()) in marked


@given(SEEDS)
def test_markdown_is_empty_for_equal_texts_alone(seed):
    diff = diff_of(some_texts(seed))
    assert bool(list(markdown_lines(diff))) == (not diff.is_same)
