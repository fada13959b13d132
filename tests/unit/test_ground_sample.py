"""The answers with planted errors in tests/data: what is flagged, and that the sample is sound.

They were written for this project and nothing was tuned to them; see tests/data/README.md.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest
from tokalign.grounding.evidence.cited_sources import CHECKED
from tokalign.types.options import GroundOptions

KINDS = {"number", "name", "unsupported", "negation"}


@pytest.fixture(scope="module")
def sample(sample_dir):
    lines = (sample_dir / "grounding.jsonl").read_text(encoding="utf-8").splitlines()
    return list(map(json.loads, lines))


@pytest.fixture(scope="module")
def grounded(sample, aligner):
    return [
        aligner.ground(each["answer"], [tuple(p.values()) for p in each["passages"]])
        for each in sample
    ]


def planted_ranges(item):
    """Return kind, start and end of each planted error."""
    for each in item["planted"]:
        start = item["answer"].index(each["text"])
        yield each["kind"], start, start + len(each["text"])


def is_flagged(found, start, end):
    """Whether part of a range is without support, or in conflict with a passage."""
    return any(
        mark.start < end and start < mark.end
        for sentence in found.sentences
        for mark in (*sentence.unsupported, *sentence.conflicts)
    )


def test_the_sample_is_sound(sample):
    assert len(sample) == 5
    for item in sample:
        assert item["question"].endswith("?")
        assert 2 <= len(item["passages"]) <= 4
        assert all(item["answer"].count(each["text"]) == 1 for each in item["planted"])
    assert {each["kind"] for item in sample for each in item["planted"]} == KINDS


def test_planted_errors_are_flagged(sample, grounded):
    planted, flagged = Counter(), Counter()
    for item, found in zip(sample, grounded, strict=True):
        for kind, start, end in planted_ranges(item):
            planted[kind] += 1
            flagged[kind] += is_flagged(found, start, end)
    assert planted == {"number": 4, "name": 1, "unsupported": 6, "negation": 2}
    assert (flagged["number"], flagged["name"]) == (4, 1)
    assert flagged["unsupported"] >= 4
    assert flagged["negation"] >= 1


def test_sentences_that_are_all_right_have_sources_and_most_of_their_words_support(
    sample, grounded
):
    n_right = n_words = n_unsupported = 0
    for item, found in zip(sample, grounded, strict=True):
        planted = list(planted_ranges(item))
        for sentence in found.sentences:
            if any(start < sentence.end and sentence.start < end for _, start, end in planted):
                continue
            n_right += 1
            assert sentence.citations, item["answer"][sentence.start : sentence.end]
            words = [word for word in sentence.words if word.kind in CHECKED]
            n_words += len(words)
            n_unsupported += sum(word.support < GroundOptions().threshold for word in words)
    assert (n_right, n_words) == (9, 56)
    assert n_unsupported <= 0.15 * n_words


def test_what_is_flagged_of_an_answer_lies_in_it(sample, grounded):
    for item, found in zip(sample, grounded, strict=True):
        texts = {each["id"]: each["text"] for each in item["passages"]}
        for sentence in found.sentences:
            for word in sentence.words:
                for start, end in word.partners:
                    cited = sentence.citations[word.citation]
                    assert cited.start <= start < end <= cited.end <= len(texts[cited.passage])
            for each in sentence.conflicts:
                assert sentence.start <= each.start < each.end <= sentence.end
                assert texts[each.passage][each.passage_start : each.passage_end].strip()
