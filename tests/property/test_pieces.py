"""Texts without stops are cut by what they say, so that cuts find their places again."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.pieces import pieces as slow_pieces
from tokalign.english.annotate.prepared import pieces
from tokalign.english.annotate.tokenizer import tokenize
from tokalign.texts.split_text import sentences_of

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprstv" for b in "aeiou" for c in ("n", "l", "st", "r")]


@given(
    st.lists(st.sampled_from(["a", "of", "can't", "x-y", "lamp", "(b)", "Zoë"]), min_size=1),
    st.lists(st.sampled_from([" ", "  ", "\n", " \n"]), min_size=1),
    st.integers(1, 12),
)
def test_pieces_are_those_of_the_slow_twin(words, spaces, most):
    text = "".join(word + spaces[k % len(spaces)] for k, word in enumerate(words)).strip()
    found = list(pieces(text, most))
    assert found == slow_pieces(text, most)
    assert all(len(tokenize(text[start:end])[0]) <= most for start, end in found)
    kept = "".join("".join(text[start:end].split()) for start, end in found)
    assert kept == "".join(text.split())


@pytest.mark.parametrize("place", [0, 7, 500, 1200, 1999])
@pytest.mark.parametrize("space", [" ", "\n"], ids=["words", "lines"])
def test_an_inserted_word_changes_few_pieces(place, space):
    words = random.Random(1).choices(WORDS, k=2000)
    longer = [*words[:place], "zebra", *words[place:]]
    old, new = (
        {sentence.text for sentence in sentences_of(space.join(each), "text")}
        for each in (words, longer)
    )
    assert len(old) > 5
    assert len(old - new) <= 2
    assert len(new - old) <= 2
