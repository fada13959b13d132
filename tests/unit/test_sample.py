"""The hand-aligned sample is what its README says."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from nltk.tokenize import TreebankWordTokenizer
from tokalign.formats import read_gold

DATA = Path(__file__).parents[1] / "data"
SAMPLE = read_gold(DATA / "sample.jsonl", "jsonl")
KINDS = {"question", "paraphrase", "near-miss", "number", "name", "negation"}
SENTENCES = [
    pytest.param(sentence, id=f"{pair.id}-{side}")
    for pair in SAMPLE
    for side, sentence in (("source", pair.source), ("target", pair.target))
]


def test_the_sample_has_twelve_pairs_of_each_kind():
    assert Counter(pair.id.rpartition("-")[0] for pair in SAMPLE) == dict.fromkeys(KINDS, 12)
    assert len({pair.id for pair in SAMPLE}) == len(SAMPLE)


def test_every_pair_has_sure_links_and_sure_and_possible_are_disjoint():
    for pair in SAMPLE:
        assert pair.sure
        assert not pair.sure & pair.possible


@pytest.mark.parametrize("sentence", SENTENCES)
def test_tokens_and_offsets_are_those_of_the_penn_tokeniser(sentence):
    judge = TreebankWordTokenizer()
    assert list(sentence.tokens) == judge.tokenize(sentence.text)
    spans = list(zip(sentence.starts, sentence.ends, strict=True))
    assert spans == list(judge.span_tokenize(sentence.text))
    for token, (start, end) in zip(sentence.tokens, spans, strict=True):
        assert sentence.text[start:end] == (token if token not in ("``", "''") else '"')


def test_final_punctuation_is_aligned():
    for pair in SAMPLE:
        final = (len(pair.source) - 1, len(pair.target) - 1)
        is_same = pair.source.tokens[-1] == pair.target.tokens[-1]
        assert final in (pair.sure if is_same else pair.possible)


def test_rank_questions_have_one_right_candidate():
    rows = [json.loads(line) for line in (DATA / "rank.jsonl").read_text("utf-8").splitlines()]
    assert len(rows) == 8
    for row in rows:
        assert set(row) == {"id", "question", "candidates", "answer"}
        assert 5 <= len(row["candidates"]) <= 6
        assert len(set(row["candidates"])) == len(row["candidates"])
        assert 0 <= row["answer"] < len(row["candidates"])
        assert row["question"].endswith("?")
