"""Likeness of the words of two sentences."""

import pytest
from tokalign.english.lexicon.likeness import is_content, unlike_cells
from tokalign.types import Sentence


def sentence(*words: str) -> Sentence:
    """Return a sentence of words written as form/lemma/tag."""
    forms, lemmas, tags = zip(*(word.split("/") for word in words), strict=True)
    return Sentence.from_tokens(forms, lemmas=lemmas, tags=tags)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dogs/dog/NNS", "dog/dog/NN"),
        ("seven/seven/CD", "7/7/CD"),
        ("U.S./U.S./NNP", "US/US/NNP"),
        ("went/go/VBD", "gone/go/VBN"),
        ("nations/nation/NNS", "national/national/JJ"),
    ],
)
def test_words_that_share_a_form_are_alike(one, other):
    assert unlike_cells(sentence(one), sentence(other)) == set()


def test_words_of_the_same_meaning_are_not_alike():
    assert unlike_cells(sentence("woman/woman/NN"), sentence("person/person/NN")) == {(0, 0)}


def test_all_words_of_names_that_share_one_are_alike():
    full = sentence("George/George/NNP", "Bush/Bush/NNP", "spoke/speak/VBD")
    short = sentence("Bush/Bush/NNP")
    assert unlike_cells(full, short) == {(2, 0)}


def test_names_that_share_no_word_are_not_alike():
    assert unlike_cells(sentence("China/China/NNP"), sentence("Syria/Syria/NNP")) == {(0, 0)}


def test_nothing_is_said_of_function_words_and_marks():
    one = sentence("he/he/PRP", "./././".removesuffix("/"))
    other = sentence("the/the/DT", ",/,/,")
    assert unlike_cells(one, other) == set()


def test_content_is_what_is_neither_a_function_word_nor_a_mark():
    assert [is_content(token) for token in ("Not", "blue", "n't", "...", "1999")] == [
        False, True, False, False, True,
    ]  # fmt: skip
