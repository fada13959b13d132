"""Canonical forms, stems and the list of function words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.english.lexicon.word_lists import canonical, function_words


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
