"""Quotation marks of other languages are read as curly ones; offsets are those of what was sent."""

from __future__ import annotations

import pytest

QUOTED = {
    "guillemets": "«Go,» she said.",
    "spaced-guillemets": "« Go, » she said.",
    "no-break-spaces": "«\u00a0Go,\u00a0» she said.",
    "single-guillemets": "‹Go,› she said.",
    "turned-guillemets": "»Go,« she said.",
    "low-and-high": "„Go,“ she said.",
    "low-and-curly": "„Go,” she said.",
    "curly": "“Go,” she said.",
}


@pytest.mark.parametrize("text", QUOTED.values(), ids=QUOTED)
def test_quotation_marks_are_one_sign(aligner, text):
    found = aligner.align(text, '"Go," she said.')
    assert found.source.tokens == ("``", "Go", ",", "''", "she", "said", ".")
    shown = [text[a:b].strip() for a, b in zip(found.source.starts, found.source.ends, strict=True)]
    assert shown == [text.split("Go")[0].strip(), "Go", ",", shown[3], "she", "said", "."]
    assert shown[3] in "»›«“”"
    assert found.similarity == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize(
    "text",
    [
        "He read «War and Peace» twice.",
        "He read „War and Peace“ twice.",
        "He read (»War and Peace«)",
    ],
)
def test_quotation_marks_in_a_sentence_open_and_close(aligner, text):
    tokens = aligner.align(text, "x").source.tokens
    assert tokens.index("``") < tokens.index("War") < tokens.index("''")
