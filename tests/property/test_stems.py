"""Stems against PyStemmer's, on all words of the tables and on words made of suffixes."""

import itertools

import pytest
import Stemmer
from hypothesis import given
from hypothesis import strategies as st
from tokalign.english.lexicon.word_lists import function_words
from tokalign.english.spelling.same_spelling import EXCEPTIONS, stem
from tokalign.files.tables import Table

EXPECTED = Stemmer.Stemmer("english", 0).stemWord
SUFFIXES = [
    "'", "'s", "'s'", "sses", "ied", "ies", "us", "ss", "s", "succ", "proc", "exc", "eed",
    "eedly", "ed", "edly", "ing", "ingly", "even", "cann", "inn", "earr", "herr", "out",
    "y", "at", "bl", "iz", "bb", "dd", "ll", "ational", "tional", "enci", "anci", "abli",
    "entli", "izer", "ization", "ation", "ator", "alism", "aliti", "alli", "fulness",
    "ousli", "ousness", "iveness", "iviti", "biliti", "bli", "ogi", "ogist", "lessli",
    "fulli", "li", "alize", "icate", "iciti", "ical", "ful", "ness", "ative", "al", "ance",
    "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ism", "ate", "iti",
    "ous", "ive", "ize", "ion", "sion", "tion", "e", "l", "past", "gener", "commun",
    "arsen", "inter", "univers",
]  # fmt: skip
PIECES = st.sampled_from([*SUFFIXES, *"abcdehlsty", "yy", "wx", "é", "Y", "\U0001f600"])


@pytest.mark.parametrize("name", ["wordnet", "vectors", "counts"])
def test_every_word_of_a_table_has_its_stem(name):
    table = Table.open_shipped(name)
    text, start = bytes(table["words"]), table["word_start"]
    words = [text[a:b].decode() for a, b in itertools.pairwise(start)]
    assert len(words) > 10_000
    assert [word for word in words if stem(word) != EXPECTED(word)] == []


def test_exceptions_and_function_words_have_their_stems():
    words = [*EXCEPTIONS, *function_words(), *SUFFIXES]
    assert [word for word in words if stem(word) != EXPECTED(word)] == []


@given(st.lists(PIECES, max_size=6).map("".join))
def test_words_made_of_suffixes_have_their_stems(word):
    assert stem(word) == EXPECTED(word)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_has_its_stem(word):
    assert stem(word) == EXPECTED(word)


def test_a_long_word_is_as_a_short_one():
    word = "ab" * 5000
    assert stem(f"{word}ingly") == EXPECTED(f"{word}ingly")
    assert stem(word) == word
    assert stem("a" * 64 + "s") == "a" * 64


@pytest.mark.parametrize("word", ["\ud800", "cats\ud800", "a" * 100 + "\udfff"])
def test_a_lone_surrogate_is_refused(word):
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        stem(word)


def test_none_is_refused():
    with pytest.raises(TypeError):
        stem(None)
