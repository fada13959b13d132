"""Marks as they stand in READMEs and manuals: nested links, references, tags, placeholders."""

from __future__ import annotations

import pytest
from tokalign.english.annotate.tokenizer import tokenize
from tokalign.english.reading.text_reading import words_of

READ = {
    "badge": ("[![CI](https://a.example/c.svg)](https://b.example/) runs.", "CI runs."),
    "image": ("![A lamp](lamp.png) burns.", "A lamp burns."),
    "reference": ("See `Visual Studio`_ now.", "See Visual Studio now."),
    "address": ("See `this page <https://a.example/>`__ now.", "See this page now."),
    "element": ("It is <b>bold</b> and <BR/> new.", "It is bold and new."),
    "comment": ("It is <!-- not --> new.", "It is new."),
}


@pytest.mark.parametrize(("marked", "plain"), READ.values(), ids=READ)
def test_marks_are_no_words(marked, plain):
    assert tokenize(words_of(marked))[0] == tokenize(words_of(plain))[0]


@pytest.mark.parametrize("text", ["Stop <pid> first.", "Read <file> or <user-id>.", "x <y> z"])
def test_a_placeholder_is_a_word(text):
    word = text[text.index("<") + 1 : text.index(">")]
    assert word in tokenize(words_of(text))[0]
