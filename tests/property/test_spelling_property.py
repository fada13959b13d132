"""The kernels that compare words against the reference, on words made to be alike."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from reference import spelling as reference
from tokalign.english.spelling import code_words, expansions, is_typo, is_variant
from tokalign.english.spelling.spelling_tables import PAIRS, RULES

from lab.kernels.doors import is_initials, is_joined, is_lengthened

any_word = st.text(max_size=45)
few = st.text(alphabet="abAé", max_size=10)
pieces = st.sampled_from([text for rule in RULES for text in (*rule[:2], *rule[4])] + ["trav", "s"])
built = st.lists(pieces | st.text(alphabet="aeorlsz", max_size=3), max_size=4).map("".join)
listed = st.sampled_from([word for pair in PAIRS for word in pair])
words = few | built | any_word | listed
signed = st.text(alphabet="abA1-._' é", max_size=8)


@st.composite
def edited(draw):
    """A word, and the same after up to three small changes."""
    word = draw(st.text(alphabet="abcdeñ1", min_size=3, max_size=12))
    letters = list(word)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(len(letters) - 1, 0)))
        change = draw(st.sampled_from(("drop", "add", "swap", "double")))
        if change == "add":
            letters.insert(at, draw(st.sampled_from("abx")))
        elif change == "drop":
            del letters[at : at + 1]
        elif change == "double":
            letters[at : at + 1] = letters[at : at + 1] * draw(st.integers(1, 4))
        else:
            letters[at : at + 2] = letters[at : at + 2][::-1]
    return word, "".join(letters)


pairs = edited() | st.tuples(words, words)


@given(pairs)
def test_words_are_compared_as_by_the_reference(pair):
    for kernel, slow in (
        (is_typo, reference.is_typo),
        (is_lengthened, reference.is_lengthened),
        (is_variant, reference.is_variant),
    ):
        assert kernel(*pair) == slow(*pair), slow
        assert kernel(*pair) == kernel(*reversed(pair)), slow


@given(st.lists(built, min_size=1, max_size=1), st.integers(0, 30))
def test_what_the_rules_make_of_a_word_is_its_variant(words, number):
    for american in reference.american(words[0]):
        if min(len(words[0]), len(american)) >= 2 and max(len(words[0]), len(american)) <= 40:
            assert is_variant(words[0], american)


@given(st.lists(signed | words, max_size=4), signed | words)
def test_runs_are_joined_as_by_the_reference(run, word):
    for each in (word, "".join(run), "-".join(run), "_".join(run).upper()):
        assert is_joined(each, run) == reference.is_joined(each, run)


@given(
    st.lists(
        st.sampled_from(("Apple", "ant", "Bear", "of", "and", "the", "b", "", "é")), max_size=7
    ),
    st.text(alphabet="abotABé.", max_size=8),
)
def test_initials_are_read_as_by_the_reference(run, word):
    skipped = {"of", "and", "the"}
    all_letters = "".join(each[:1] for each in run)
    long_letters = "".join(each[:1] for each in run if each not in skipped)
    for letters in (word, all_letters, long_letters):
        assert is_initials(letters, run, skipped) == reference.is_initials(letters, run, skipped)


@given(any_word)
def test_any_string_may_be_a_name_of_code_or_a_short_form(word):
    assert all(code_words(word)) and all(each.words for each in expansions(word))
    assert all(part == part.lower() for part in code_words(word))


def cased(parts: list[str]) -> list[str]:
    head, *rest = parts
    camel = head + "".join(part.capitalize() for part in rest)
    return ["_".join(parts), "-".join(parts), ".".join(parts), camel, "_".join(parts).upper()]


@given(st.lists(st.text(alphabet="abcxyz", min_size=2, max_size=6), min_size=2, max_size=4))
def test_a_name_of_code_has_the_same_words_in_every_case(parts):
    for name in cased(parts):
        assert code_words(name) == tuple(parts)
        assert is_joined(name, parts)
        assert all(is_joined(name, [other]) for other in cased(parts))
