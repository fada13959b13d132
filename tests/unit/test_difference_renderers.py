"""Renderings of a difference, to the letter."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
import tokalign
from support.differences import spans_of, texts_of
from tokalign.showing.painting import MarkdownPainter
from tokalign.texts.diff import diff_of, same_texts
from tokalign.texts.diff.diff_lines import markdown_lines, terminal_lines
from tokalign.texts.diff.diff_page import html_page
from tokalign.texts.diff.summary import stat_lines

REST = "\n\nNothing here.\n\nNor here.\n"
OLD = f"It opened in 1990. It has 40 workers. They make shoes and bags.{REST}"
NEW = f"They make shoes and belts. It opened in 1990 and has 45 workers.{REST}"
BLOCKS = [
    ((2,), (0,), True),
    ((0, 1), (1,), False),
    ((3,), (2,), False),
    ((4,), (3,), False),
]
NASTY = "</script><script>alert(1)</script> & <img src=x> \x1b[31m\u202e"


@pytest.fixture(scope="module")
def diff():
    """A moved and a merged sentence, and two that are the same."""
    return diff_of(texts_of(OLD, NEW, BLOCKS))


@pytest.fixture(scope="module")
def nasty():
    """Texts that would be markup, and would speak to a terminal."""
    return diff_of(texts_of("Fine.", NASTY, [((0,), tuple(range(len(spans_of(NASTY)))), False)]))


def test_a_terminal_without_colours_gets_brackets(diff):
    assert list(terminal_lines(diff, ("a.txt", "b.txt"), context=0)) == [
        "--- a.txt",
        "+++ b.txt",
        "Changed in meaning:",
        "  number      40 → 45  (line 1→1, sentence merged with another)",
        "",
        "{1→ They make shoes and [-bags-]{+belts+}.} It opened in 1990[-. It-] {+and+} has "
        "[-40-]{+45+} workers. [They make shoes and bags. →1]",
        "",
        "··· 2 paragraphs unchanged ···",
        "",
    ]


def test_a_terminal_with_colours_needs_no_brackets(diff):
    lines = list(terminal_lines(diff, is_coloured=True))
    text = "\n".join(lines)
    assert "\x1b[31;9mbags\x1b[0m\x1b[32;4mbelts\x1b[0m" in text
    assert "\x1b[31;9;1m40\x1b[0m\x1b[32;4;1m45\x1b[0m" in text  # what is alarming is bold
    assert "[-" not in text and "{+" not in text


def test_context_shows_paragraphs_around_those_that_changed(diff):
    lines = list(terminal_lines(diff, context=1))
    assert "Nothing here." in lines
    assert "··· 1 paragraph unchanged ···" in lines


def test_lines_are_broken_to_fit_a_width_in_columns():
    old, new = "Some words and 中文 in a line.", "Some words and 中文中文 in a long line."
    found = diff_of(texts_of(old, new, [((0,), (0,), False)]))
    lines = list(terminal_lines(found, width=20, is_coloured=True))
    plain = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in lines]
    assert all(len(line) + len(re.findall("[中文]", line)) <= 20 for line in plain)
    assert len(plain) > 4


def test_a_deleted_end_of_a_paragraph_is_marked():
    old, new = "One.\n\nTwo.\n", "One. Two.\n"
    found = diff_of(texts_of(old, new, [((0,), (0,), False), ((1,), (1,), False)]))
    assert "One.[-¶-] Two." in list(terminal_lines(found))


def test_it_is_said_that_white_space_alone_differs():
    found = diff_of(texts_of("One two.", "One\ntwo.", [((0,), (0,), False)]))
    assert "Only white space differs." in list(terminal_lines(found))
    assert "Only white space differs." in list(markdown_lines(found))
    assert "Only white space differs." in html_page(found)


def test_a_terminal_gets_no_escape_sequence_of_a_text(nasty):
    text = "\n".join(terminal_lines(nasty, ("a\x1b[2J", "b")))
    assert "\x1b" not in text and "\u202e" not in text
    assert "␛[31m<202E>" in text
    assert "--- a␛[2J" in text


@pytest.mark.parametrize("render", [terminal_lines, markdown_lines, stat_lines])
def test_equal_texts_are_shown_as_nothing(render):
    assert list(render(same_texts("One.", [(0, 4)]))) == []


def test_markdown(diff):
    assert list(markdown_lines(diff, ("a_1.txt", "b.txt"), context=0)) == [
        "**a\\_1.txt → b.txt**",
        "",
        "- number: 40 → 45 (line 1→1, sentence merged with another)",
        "",
        "[1→ They make shoes and ~~bags~~**belts**.] It opened in 1990 ~~. It~~ **and** has "
        "~~40~~**45** workers. [~~They make shoes and bags.~~ →1]",
        "",
        "*2 paragraphs unchanged*",
        "",
    ]


def test_markdown_takes_no_sign_of_a_text_for_its_own():
    old, new = "# a *b* <c>\n- d", "# a *b* <e>\n- d"
    found = diff_of(texts_of(old, new, [((0,), (0,), False), ((1,), (1,), False)]))
    lines = list(markdown_lines(found))
    assert r"\# a \*b\* \<~~c~~**e**\>" in lines
    assert r"\- d" in lines


def test_stat(diff):
    assert list(stat_lines(diff, ("a.txt", "b.txt"))) == [
        " a.txt => b.txt | 6 +++---",
        " sentences: 1 moved, 1 merged, 2 same",
        " words: 3 inserted(+), 3 deleted(-), 4 moved",
        " meaning: 1 number, 2 wording",
        " white space: 2 changed",
    ]


def test_the_page_lets_nothing_run_or_load_but_its_own_style_and_script(diff):
    page = html_page(diff)
    policy = re.search(r'Content-Security-Policy"\s+content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; ")
    for name, kind in (("style", "style-src"), ("script", "script-src")):
        text = re.search(rf"<{name}[^>]*>(.*?)</{name}>", page, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"\ssrc\s*=|@import|url\(|fetch\(|XMLHttpRequest|https?://", page)
    assert not re.search(r"\sstyle=|\son[a-z]+=", page)


def test_no_text_becomes_markup(nasty):
    page = html_page(nasty, (NASTY, NASTY))
    assert page.count("<script") == 1
    assert "<img" not in page
    assert "\x1b" not in page and "\u202e" not in page
    assert "&lt;script&gt;alert(1)" in page
    for unsafe in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert unsafe not in page


def test_the_page_links_what_changed_in_meaning_to_its_place(diff):
    page = html_page(diff)
    target, number = re.search(r'<a href="#(p\d)" data-to="(\d+)">40 → 45</a>', page).groups()
    assert f'id="{target}"' in page
    assert len(re.findall(rf'class="alarm" data-n="{number}"[^>]* data-alarm=""', page)) == 4
    assert page.count(f'data-n="{number}" data-change="number"') == 2  # one sign in each view


def test_the_page_has_ids_once_and_folds_what_is_the_same(diff):
    page = html_page(diff, context=0)
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert "<summary>2 paragraphs unchanged</summary>" in page


def test_the_page_leads_from_one_place_of_a_moved_sentence_to_the_other():
    old, new = "One two. Three.\n\nFour.", "Three.\n\nFour. One two."
    blocks = [((1,), (0,), False), ((2,), (1,), False), ((0,), (2,), True)]
    page = html_page(diff_of(texts_of(old, new, blocks)))
    assert 'href="#p2"' in page and "moved to ¶2 ↓" in page
    assert 'href="#p1"' in page and "moved from ¶1 ↑" in page


def test_hard_wrapped_lines_are_one_on_a_page_and_code_keeps_its_lines():
    code = "```\nif x:\n    y = {n}\n\nz = 1\n```\n"
    old = f"It is\nold and has\n40 rooms.\n\n{code.format(n=1)}\nEnd.\n"
    new = f"It is old\nand has 45\nrooms.\n\n{code.format(n=2)}\nEnd.\n"
    diff = tokalign.diff(old, new)
    page = html_page(diff)
    assert '<div data-side="old">It is old and has <del' in page
    assert 'class="paragraph code has-alarm"' in page and "if x:\n    y = <del" in page
    shown = "\n".join(markdown_lines(diff))
    assert (
        "````diff\n  ```\n  if x:\n-     y = 1\n+     y = 2\n  \n  z = 1\n  ```\n````\n"
    ) in shown
    assert "```\nif x:\n    y = [-1-]{+2+}\n\nz = 1\n```\n" in "\n".join(terminal_lines(diff))


def test_what_moved_and_keeps_hardly_a_word_is_deleted_and_inserted():
    new = f"They sell old boats by night. It opened in 1990 and has 45 workers.{REST}"
    found = diff_of(texts_of(OLD, new, BLOCKS))
    found.check()
    assert [str(each.kind) for each in found.blocks] == [
        "inserted",
        "merged",
        "deleted",
        "same",
        "same",
    ]
    assert all(each.move is None for each in found.segments())
    assert found.rebuild_new(OLD) == new and found.rebuild_old(new) == OLD


def test_marks_of_one_kind_that_touch_are_one_in_markdown():
    parts = ["a ", "**b**", "**c**", "~~d~~", "~~e~~", " f"]
    assert MarkdownPainter().joined(parts) == "a **bc**~~de~~ f"
    assert MarkdownPainter().joined(["\\*\\*", "**c**"]) == "\\*\\***c**"


def test_a_paragraph_whose_last_sentence_went_ends_with_a_blank_line():
    old = "The mill is old.\n\n\nThe wheel is slow.\nThe boat left.\nDogs bark.\n"
    new = "The mill is old.\n\n\nThe wheel is slow and wet.\n\nDogs bark.\n"
    lines = list(terminal_lines(tokalign.diff(old, new), context=0))
    at = next(k for k, line in enumerate(lines) if "The boat left." in line)
    assert lines[at + 1] == ""
