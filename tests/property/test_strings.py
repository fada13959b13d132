"""Character similarities against RapidFuzz and against their definitions in plain Python."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import JaroWinkler, Levenshtein, Postfix, Prefix
from tokalign.features.templates import SIMILARITIES

from lab.kernels.doors import string_similarities

MAX_CHARS = 64
NEAR = 1e-6  # the kernel returns float32

# Few letters, so that words share many; and any code points, so that none is special.
few = st.text(alphabet="abcA-é", min_size=1, max_size=12)
any_word = st.text(min_size=1, max_size=20)
words = (
    few | any_word | st.sampled_from(("nation", "nations", "martha", "marhta", "dixon", "dicksonx"))
)


def multiset_overlap(a: list[str], b: list[str]) -> int:
    return sum((Counter(a) & Counter(b)).values())


def bigrams(word: str) -> list[str]:
    """Adjacent characters; a word of one character counts as that character."""
    return [word[k : k + 2] for k in range(len(word) - 1)] or [word]


def trigrams(word: str) -> list[str]:
    marked = f"\0{word}\0"
    return [marked[k : k + 3] for k in range(len(word))]


def similarities(a: str, b: str) -> dict[str, float]:
    """The definitions, as the kernel's docstrings have them."""
    longer = max(len(a), len(b))
    letters_a, letters_b = ({ord(c) % 64 for c in word} for word in (a, b))
    return {
        "jaro_winkler": JaroWinkler.similarity(a, b, prefix_weight=0.1),
        "dice_sorensen": 2
        * multiset_overlap(bigrams(a), bigrams(b))
        / (len(bigrams(a)) + len(bigrams(b))),
        "hamming": sum(x == y for x, y in zip(a, b, strict=False)) / longer,
        "jaccard": len(letters_a & letters_b) / len(letters_a | letters_b),
        "levenshtein": Levenshtein.normalized_similarity(a, b),
        "ngram": multiset_overlap(trigrams(a), trigrams(b)) / longer,
        "prefix": Prefix.similarity(a, b) / longer,
        "suffix": Postfix.similarity(a, b) / longer,
    }


@given(words, words)
@example("a", "b")
@example("a", "\0a")
@example("ab", "ba")
@example("a" * MAX_CHARS, "ba" * (MAX_CHARS // 2))
@example("é", "e")
@example("x" * 63, "x" * 64)
def test_equals_the_definitions(a: str, b: str) -> None:
    assert string_similarities(a, b) == pytest.approx(similarities(a, b), abs=NEAR)


@given(
    st.text(alphabet="ab", min_size=30, max_size=64),
    st.text(alphabet="ab", min_size=30, max_size=64),
)
def test_equals_the_definitions_up_to_the_length_of_a_machine_word(a: str, b: str) -> None:
    assert string_similarities(a, b) == pytest.approx(similarities(a, b), abs=NEAR)


@given(words, words)
def test_each_is_a_ratio(a: str, b: str) -> None:
    values = string_similarities(a, b)
    assert tuple(values) == SIMILARITIES
    assert all(0.0 <= value <= 1.0 for value in values.values())


@given(words)
def test_identical_words_give_one(word: str) -> None:
    assert set(string_similarities(word, word).values()) == {1.0}


@given(words, words)
def test_order_does_not_matter(a: str, b: str) -> None:
    assert string_similarities(a, b) == pytest.approx(string_similarities(b, a), abs=NEAR)


@given(any_word, any_word)
def test_only_the_first_64_characters_count(a: str, b: str) -> None:
    stem = "stem" * 16
    assert string_similarities(stem + a, stem + b) == string_similarities(stem, stem)


def test_words_without_a_common_character_have_nothing_in_common() -> None:
    assert set(string_similarities("abc", "xyz").values()) == {0.0}


def test_values_worked_by_hand() -> None:
    # Winkler's own example: 6 matches, one transposition, 3 characters in front.
    values = string_similarities("martha", "marhta")
    assert values["jaro_winkler"] == pytest.approx(0.9611, abs=1e-4)
    assert values["levenshtein"] == pytest.approx(4 / 6)
    assert values["hamming"] == pytest.approx(4 / 6)
    # ma ar rt th ha / ma ar rh ht ta
    assert values["dice_sorensen"] == pytest.approx(2 * 2 / 10)
    assert values["prefix"] == pytest.approx(3 / 6)
    assert values["suffix"] == pytest.approx(1 / 6)
    assert values["jaccard"] == 1.0


@pytest.mark.parametrize(("a", "b"), [("", "a"), ("a", ""), ("", "")])
def test_an_empty_word_is_refused(a: str, b: str) -> None:
    with pytest.raises(ValueError, match="at least one character"):
        string_similarities(a, b)
