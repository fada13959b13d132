import pytest
from tokalign.english.annotate.tagging import Forms
from tokalign.errors import InputError


def row(token):
    return Forms([[token]]).rows()[0]


def test_case_changes_the_form_but_not_the_lower_hash():
    assert row("Paris")["form"] != row("paris")["form"]
    assert row("Paris")["lower"] == row("paris")["lower"]
    assert row("Élan")["lower"] == row("élan")["lower"]


def test_digits_share_one_lower_hash_of_their_length():
    assert row("1994")["lower"] == row("2006")["lower"] != row("206")["lower"]
    assert row("1994")["form"] != row("2006")["form"]


@pytest.mark.parametrize(
    ("penn", "plain"), [("-LRB-", "("), ("-RCB-", "}"), ("``", '"'), ("''", "”"), ("’s", "'s")]
)
def test_penn_spelling_has_the_hashes_of_plain_text(penn, plain):
    seen, wanted = row(penn), row(plain)
    seen.pop("fixed"), wanted.pop("fixed")
    assert seen == wanted


def test_only_penn_quotes_have_a_fixed_tag():
    assert [row(token)["fixed"] for token in ("``", "''", '"', "(", "dog")] == [1, 2, 0, 0, 0]


def test_shape_cuts_runs_to_two():
    assert row("Aaaaa")["shape"] == row("Xyz")["shape"] != row("Xy-z")["shape"]
    assert row("12")["shape"] == row("12345")["shape"] != row("1")["shape"]


def test_case_bits_tell_which_cases_occur():
    assert [row(token)["case"] for token in ("12", "dog", "USA", "Dog")] == [0, 1, 2, 3]


def test_suffixes_longer_than_the_token_are_missing():
    assert row("at")["suffix3"] == 0 == row("at")["prefix3"]
    assert row("cat")["suffix2"] == row("at")["suffix2"] != 0


def test_an_empty_token_is_refused():
    with pytest.raises(InputError, match="empty"):
        Forms([["a", ""]])


def test_offsets_delimit_sentences():
    forms = Forms([["a", "b"], [], ["c"]])
    assert forms.offsets_list() == [0, 2, 2, 3]
    assert (forms.n_tokens, forms.n_sentences) == (3, 3)
