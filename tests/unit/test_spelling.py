"""Sameness of words by rule, as the documentation lists it."""

from __future__ import annotations

from importlib.resources import files

import pytest
from tokalign.english.spelling import code_words, expansions, is_typo, is_variant
from tokalign.english.spelling.spelling_tables import FIELDS
from tokalign.errors import InputError

from lab.kernels.doors import is_initials, is_joined, is_lengthened

TYPOS = ("recieve receive", "wether weather", "restaraunt restaurant", "Realy really",
         "definately definitely", "acknowlege acknowledge", "frige fridge")  # fmt: skip
NO_TYPOS = ("teh the", "dog dig", "2018 2019", "same same", "Vienna Prague",
            "word words2", "abcdefgh hgfedcba", "house mouths")  # fmt: skip
VARIANTS = (
    "colour color", "honoured honored", "apologise apologize", "organisation organization",
    "analyse analyze", "theatre theater", "metres meters", "catalogue catalog",
    "travelled traveled", "traveller traveler", "anaemia anemia", "oestrogen estrogen",
    "defence defense", "centred centered", "kilogrammes kilograms", "grey gray", "tyres tires",
    "cheques checks", "jewellery jewelry", "Licence license", "fulfil fulfill",
)  # fmt: skip
NO_VARIANTS = (
    "four for", "color color", "prise prize", "filled filed", "shoe she", "hour hor", "rise rize",
    "sense senses",
)  # fmt: skip
LENGTHENED = ("sooo so", "yesss yes", "gooood good", "NOOOO no", "soooo sooooo")
NOT_LENGTHENED = ("too to", "so so", "good god", "1000 100", "hmm hm", "sooo so1")


def told(compare, pairs: tuple[str, ...]) -> list[str]:
    """Return the pairs that a function says are the same, in either order."""
    return [pair for pair in pairs if compare(*pair.split()) and compare(*reversed(pair.split()))]


@pytest.mark.parametrize(
    ("compare", "alike", "unlike"),
    [
        (is_typo, TYPOS, NO_TYPOS),
        (is_variant, VARIANTS, NO_VARIANTS),
        (is_lengthened, LENGTHENED, NOT_LENGTHENED),
    ],
    ids=["typo", "variant", "lengthened"],
)
def test_words_are_the_same_by_rule(compare, alike, unlike):
    assert told(compare, alike) == list(alike)
    assert told(compare, unlike) == []


def test_words_beyond_the_longest_are_the_same_as_no_other():
    word = "a" * 40
    assert is_typo(word, word[:-1] + "b") and is_joined(word, [word])
    assert not is_typo(word + "a", word) and not is_joined(word + "a", [word + "a"])


def test_tokens_are_joined_whatever_stands_between():
    joined = {
        "database": "data base", "ice-cream": "ice cream", "16GB": "16 GB", "e-mail": "email",
        "well-known": "Well known", "getUserName": "get_user_name", "readOnly": "read-only",
        "U.S.A.": "USA", "db.connect": "dbConnect",
    }  # fmt: skip
    assert [word for word, run in joined.items() if not is_joined(word, run.split())] == []
    apart = {"database": "data bases", "16GB": "16", "a": "", "...": "...", "ab": "a - b"}
    assert [word for word, run in apart.items() if is_joined(word, run.split())] == []


def test_initials_may_leave_out_function_words():
    skipped = {"of", "the", "and"}
    assert is_initials("IMF", ["International", "Monetary", "Fund"])
    assert is_initials("F.B.I.", ["Federal", "Bureau", "of", "Investigation"], skipped)
    assert is_initials("mit", ["Massachusetts", "Institute", "of", "Technology"], skipped)
    assert is_initials("DoD", ["Department", "of", "Defense"], skipped)
    assert not is_initials("FI", ["Federal", "Bureau", "of", "Investigation"], skipped)
    assert not is_initials("FB", ["the", "Federal", "Bureau"], skipped)
    assert not is_initials("FB", ["Federal", "Bureau", "of"], skipped)
    assert not is_initials("F", ["Federal"]) and not is_initials("F1", ["Federal", "1"])
    assert not is_initials("abcdefg", list("abcdefg"))


def test_names_of_code_are_cut_into_words():
    names = {
        "getUserName": "get user name", "MAX_UPLOAD_SIZE": "max upload size",
        "JSONDecodeError": "json decode error", "dry-run": "dry run", "db.connect": "db connect",
        "text_parser.py": "text parser py", "sort2Lists": "sort 2 lists", "word": "", "Word": "",
        "e.g.": "", "3.5": "", "don't": "",
    }  # fmt: skip
    assert {name: " ".join(code_words(name)) for name in names} == names


def test_short_forms_and_contractions_are_expanded():
    forms = {
        "idk": {"i do not know"}, "BTW": {"by the way"}, "Prof.": {"professor"}, "n't": {"not"},
        "’re": {"are"}, "gon": {"going"}, "cant": {"can not"}, "db": {"database"},
        "ur": {"your", "you are"}, "w/o": {"without"}, "word": set(), "": set(),
    }  # fmt: skip
    assert {form: {" ".join(e.words) for e in expansions(form)} for form in forms} == forms


def test_the_table_of_short_forms_is_sorted_and_whole():
    text = files("tokalign").joinpath("data", "short-forms.tsv").read_text(encoding="utf-8")
    lines = text.splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("# ")]
    assert "CC0" in "".join(lines[:3])
    assert rows == sorted(rows) and len(rows) == len({tuple(row) for row in rows}) >= 300
    assert {field for _, _, field in rows} == set(FIELDS)
    assert all(text == text.lower().strip() and text for row in rows for text in row)


def test_what_is_no_word_is_refused():
    for call in (
        lambda: is_typo("word", 5),
        lambda: is_variant(None, "word"),
        lambda: is_joined("word", ["a", 5]),
        lambda: is_initials("ab", ["a"] * 13),
        lambda: expansions(5),
    ):
        with pytest.raises(InputError, match=r"wanted a str|at most 12"):
            call()
