"""Sentences that the aligner refuses, and those that it cuts where it is asked to."""

import pytest
from tokalign.errors import InputError, LimitError
from tokalign.types import Sentence
from tokalign.types.sentence import MAX_TOKENS

DOGS = ("The dogs barked all night.", "All night, the dog was barking.")


@pytest.mark.parametrize("empty", ["", "   \n", [], ()])
@pytest.mark.parametrize("side", [0, 1])
def test_an_empty_sentence_is_refused(aligner, empty, side) -> None:
    pair = ["dog", "dog"]
    pair[side] = empty
    with pytest.raises(InputError):
        aligner.align(*pair)


def test_a_sentence_of_the_largest_length_is_aligned(aligner) -> None:
    words = [f"w{k}" for k in range(MAX_TOKENS)]
    assert len(aligner.align(words, words[:3]).links) == 3


@pytest.mark.parametrize("side", [0, 1])
def test_a_longer_sentence_is_refused(aligner, side) -> None:
    pair = ["dog", "dog"]
    pair[side] = ["dog"] * (MAX_TOKENS + 1)
    with pytest.raises(LimitError, match=f"has {MAX_TOKENS + 1} tokens, more than {MAX_TOKENS}"):
        aligner.align(*pair)


@pytest.mark.parametrize("given", ["text", "tokens", "sentence"])
@pytest.mark.parametrize("side", [0, 1])
def test_a_longer_sentence_is_cut_where_asked_for(aligner, given, side) -> None:
    words = ["dog", "barked", *[f"w{k}" for k in range(MAX_TOKENS)]]
    forms = {"text": " ".join(words), "tokens": words, "sentence": Sentence.from_tokens(words)}
    pair = ["A dog barked", "A dog barked"]
    pair[side] = forms[given]
    alignment = aligner.align(*pair, truncate=True)
    sides = [alignment.source, alignment.target]
    assert sides[side].tokens == tuple(words[:MAX_TOKENS])
    assert sides[side].text == " ".join(words)
    cut = [alignment.source_truncated, alignment.target_truncated]
    assert cut == [side == 0, side == 1]
    assert {(link.source, link.target)[side] for link in alignment.links} >= {0, 1}
    (piped,) = aligner.pipe([pair], truncate=True)
    assert piped == alignment


def test_what_is_not_too_long_is_not_cut(aligner) -> None:
    words = [f"w{k}" for k in range(MAX_TOKENS)]
    for pair in (DOGS, (words, words[:3])):
        plain, cut = aligner.align(*pair), aligner.align(*pair, truncate=True)
        assert cut.links == plain.links
        assert not cut.source_truncated and not cut.target_truncated


def test_a_sentence_keeps_its_first_tokens_and_a_whole_tree() -> None:
    whole = Sentence.from_tokens(
        list("abcd"), tags=list("WXYZ"), heads=[3, 0, 1, -1], relations=["w", "x", "y", "z"]
    )
    cut = whole.first(2)
    assert (cut.text, cut.tokens, cut.starts, cut.ends) == ("a b c d", ("a", "b"), (0, 2), (1, 3))
    assert (cut.tags, cut.lemmas) == (("W", "X"), None)
    assert (cut.heads, cut.relations) == ((-1, 0), ("w", "x"))
    assert whole.first(4) is whole


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_confidence_out_of_range_is_refused(aligner, value) -> None:
    with pytest.raises(InputError, match=r"wanted a number in \[0, 1\]") as caught:
        aligner.align(*DOGS, min_confidence=value)
    assert caught.value.field == "options.min_confidence"


def test_an_unknown_direction_is_refused(aligner) -> None:
    with pytest.raises(
        InputError, match="symmetrization is 'up'; wanted one of s2t, t2s,"
    ) as caught:
        aligner.align(*DOGS, symmetrization="up")
    assert caught.value.field == "options.symmetrization"


@pytest.mark.parametrize("bad", ["dog \ud800", ["dog", "\udfff"]])
def test_text_that_is_not_unicode_is_refused(aligner, bad) -> None:
    with pytest.raises(InputError, match="surrogate"):
        aligner.align(bad, "dog")


def test_an_aligner_is_of_use_after_an_error(aligner) -> None:
    before = aligner.align(*DOGS)
    with pytest.raises(InputError):
        aligner.align("dog", "")
    assert aligner.align(*DOGS) == before
