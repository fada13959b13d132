"""Sentences that are too long are refused or cut before anything is made of their text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign import LimitError, Sentence
from tokalign.english.annotate import load_annotator
from tokalign.types import sentence as lengths
from tokalign.types.sentence import MAX_CHARACTERS, MAX_TOKENS, shortened

NATIVE = load_annotator("native")
WORD = "word "
LONG = [
    WORD * (MAX_CHARACTERS // 5 + 1),
    "x" * (MAX_CHARACTERS + 1),
    ["y" * (MAX_CHARACTERS + 1)],
    ["y" * 1000] * (MAX_CHARACTERS // 1000 + 1),
    Sentence.from_tokens(["y" * 1000] * (MAX_CHARACTERS // 1000 + 1)),
    ["word"] * (MAX_TOKENS + 1),
]


@pytest.mark.parametrize("long", LONG)
@pytest.mark.parametrize("side", [0, 1])
def test_long_sentences_are_refused_before_they_are_annotated(aligner, monkeypatch, long, side):
    seen = []

    class Watching:
        name = "watching"

        def annotate(self, sentences, *, trees):
            seen.extend(sentences)
            return NATIVE.annotate(sentences, trees=trees)

    monkeypatch.setattr(aligner._engine, "annotator", Watching())
    pair = [["dog"], ["dog"]]
    pair[side] = long
    with pytest.raises(LimitError, match=r"a sentence has \d+ (characters|tokens), more than"):
        aligner.align(*pair)
    assert all(each == ["dog"] for each in seen)


def test_twenty_million_characters_are_refused_one_by_one(aligner):
    huge = "word " * 4_000_000
    outcomes = list(aligner.pipe([("dog", "dog"), (huge, "dog"), ("a", huge)], errors="return"))
    assert [type(each) for each in outcomes[1:]] == [LimitError] * 2
    assert [each.field for each in outcomes[1:]] == ["source", "target"]
    assert "20000000 characters, more than 100000" in str(outcomes[1])
    assert outcomes[0].links


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (WORD * 100_000, WORD * MAX_TOKENS),
        ("An ox.  " + "x" * 200_000, "An ox."),
        ("x" * 200_000, "x" * MAX_CHARACTERS),
    ],
)
def test_cut_text_keeps_its_tokens_and_all_of_its_text(aligner, text, kept):
    alignment = aligner.align(text, "An ox.", truncate=True)
    assert alignment.source.text == text
    assert alignment.source_truncated and not alignment.target_truncated
    assert alignment.source.tokens == aligner.align(kept, "An ox.").source.tokens


def test_as_much_as_is_allowed_is_aligned(aligner):
    text = ("word " * 10).ljust(MAX_CHARACTERS, "x")
    assert len(aligner.align(text, text).source) == 11
    assert not aligner.align(text, "word", truncate=True).source_truncated


@given(st.text(alphabet="ab .\n", max_size=40), st.integers(1, 12))
def test_what_is_cut_off_begins_at_a_word(text, limit):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lengths, "MAX_CHARACTERS", limit)
        start = shortened(text)
    assert text.startswith(start) and len(start) <= limit
    if len(text) <= limit:
        assert start == text
    elif start.split() and not text[len(start)].isspace():
        assert start[-1].isspace() or len(start.split()) == 1


@given(st.lists(st.text(alphabet="ab", min_size=1, max_size=5), min_size=1, max_size=12))
def test_tokens_are_cut_to_those_that_fit(tokens):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lengths, "MAX_CHARACTERS", 9)
        patch.setattr(lengths, "MAX_TOKENS", 6)
        kept = shortened(tokens)
    kept = list(kept.tokens if isinstance(kept, Sentence) else kept)
    slow = [
        token for k, token in enumerate(tokens[:6]) if sum(map(len, tokens[: k + 1])) <= 9 or k == 0
    ]
    assert kept == slow
