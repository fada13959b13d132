"""Canonical forms, stems and the list of function words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.english.lexicon.word_lists import (
    Hint,
    canonical,
    function_words,
    hints,
    listed_words,
    negates,
)
from tokalign.english.spelling import expansions
from tokalign.english.spelling.spelling_tables import short_forms
from tokalign.english.values import readings
from tokalign.english.values.token_readings import CASED, LOWER

from lab.recipes.word_scales import grades_of


@pytest.mark.parametrize(
    ("token", "form"),
    [
        ("U.S.", "us"),
        ("1,000", "1000"),
        ("1,000.00", "1000"),
        ("3.5", "3.5"),
        ("Twelve", "12"),
        ("twenty-one", "21"),
        ("first", "1st"),
        ("e-mail", "email"),
        ("Co.", "co"),
        ("...", "..."),
        ("-", "-"),
        (",", ","),
        ("'s", "'s"),
    ],
)
def test_canonical_form(token, form):
    assert canonical(token) == form


@given(st.text(min_size=1))
def test_canonical_form_is_never_empty_and_ignores_case(token):
    assert canonical(token)
    assert canonical(token.upper().lower()) == canonical(token.upper())


def test_function_words_are_lower_case_and_listed_once():
    words = function_words()
    assert len(words) == len(set(words)) > 150
    assert all(word == word.lower() and word.strip() == word for word in words)
    assert {"the", "not", "n't", "'s", "would", "between", "because", "they"} <= set(words)
    assert not {"president", "good", "say"} & set(words)


@given(
    st.text(st.characters(categories=["L"]), min_size=1) | st.sampled_from(sorted(listed_words()))
)
def test_lists_say_nothing_of_a_plain_word(token):
    lower = token.lower()
    if not (lower.isalpha() and token.isalpha()) or token in CASED:
        return
    if lower in listed_words() or lower in LOWER or lower in short_forms():
        return
    assert canonical(token) == lower
    assert not readings(token) and not expansions(token)
    assert not grades_of(lower) and not negates(lower)
    assert [hints(token, tag) for tag in ("NN", "CD", "NNP")] == [0, Hint.NUMBER, Hint.NAME]


def test_every_list_has_words_that_are_listed():
    for word in ("eleven", "president", "of", "percent", "yep", "huge", "tuesday", "where"):
        assert word in listed_words()
