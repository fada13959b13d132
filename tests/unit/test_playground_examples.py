"""Each example of the playground shows what it says, by the library's default model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tokalign import Aligner
from tokalign.texts.diff import BlockKind, summarize

FILE = Path(__file__).parents[2] / "server/http/playground/examples.json"
EXAMPLES = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load()


def of_tab(tab):
    return [pytest.param(each, id=each["name"]) for each in EXAMPLES if each["tab"] == tab]


def test_every_tab_begins_with_an_example_that_says_what_to_see():
    assert {each["tab"] for each in EXAMPLES} == {"align", "rank", "ground", "diff"}
    assert all(each["see"] and each["shows"] for each in EXAMPLES)


@pytest.mark.parametrize("example", of_tab("align"))
def test_links_and_conflicts_are_those_named(aligner, example):
    shows = example["shows"]
    is_related = bool(example.get("related"))
    found = aligner.align(example["a"], example["b"], related=is_related, relations=True)
    links = [[each.source_text, each.target_text] for each in found.links]
    assert [each for each in shows.get("links", []) if each not in links] == []
    assert {word for link in links for word in link}.isdisjoint(shows.get("unlinked", []))
    assert [each.kind.value for each in found.conflicts] == shows["conflicts"]


@pytest.mark.parametrize("example", of_tab("rank"))
def test_the_documents_named_come_first(aligner, example):
    ranking = aligner.rank(example["a"], example["b"].split("\n"), passages=True)
    order = example["shows"]["order"]
    assert [each.index for each in ranking][: len(order)] == order


@pytest.mark.parametrize("example", of_tab("ground"))
def test_what_has_no_support_or_is_in_conflict_is_named(aligner, example):
    passages = example["b"].split("\n\n")
    found = aligner.ground(example["a"], passages)
    spans = [found.answer[each.start : each.end] for s in found.sentences for each in s.unsupported]
    conflicts = [
        [
            found.answer[each.start : each.end],
            passages[int(each.passage)][each.passage_start : each.passage_end],
        ]
        for sentence in found.sentences
        for each in sentence.conflicts
    ]
    assert [each for each in example["shows"]["unsupported"] if each not in spans] == []
    assert conflicts == example["shows"]["conflicts"]


@pytest.mark.parametrize("example", of_tab("diff"))
def test_alarms_and_moves_are_those_named(aligner, example):
    diff = aligner.diff(example["a"], example["b"])
    alarms = [str(each.kind) for each in summarize(diff).alarms]
    moved = [diff.new_text(each).strip() for each in diff.blocks if each.kind is BlockKind.MOVED]
    assert (alarms, moved) == (example["shows"]["alarms"], example["shows"]["moved"])
