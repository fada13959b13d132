"""Edits cover every token once, keep identical tokens, and make the target of the source."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from reference.edits import in_order
from tokalign.edits import edits_between
from tokalign.edits.cuts import Stretch
from tokalign.types import Sentence
from tokalign.types.edits import Change, Edit, EditKind

TAGS = {"a": "DT", "b": "NN", "c": "NNP", "B": "NN", ",": ",", "not": "RB", "3": "CD"}
words = st.lists(st.sampled_from(tuple(TAGS)), min_size=1, max_size=9)


def sentence(tokens: list[str], tagged: bool) -> Sentence:
    if not tagged:
        return Sentence.from_tokens(tokens)
    tags, lemmas = [TAGS[token] for token in tokens], [token.lower() for token in tokens]
    return Sentence.from_tokens(tokens, tags=tags, lemmas=lemmas)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Sentence, Sentence, dict[tuple[int, int], float]]:
    source, target, tagged = draw(words), draw(words), draw(st.booleans())
    cell = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    links = draw(st.dictionaries(cell, st.floats(0, 1), max_size=10))
    return sentence(source, tagged), sentence(target, tagged), links


def kinds_fit(edit: Edit) -> bool:
    sides = bool(edit.source), bool(edit.target)
    return sides == {
        EditKind.DELETE: (True, False),
        EditKind.INSERT: (False, True),
    }.get(edit.kind, (True, True))


@given(pairs())
def test_every_token_is_part_of_one_edit(pair) -> None:
    source, target, links = pair
    edits = edits_between(source, target, links)
    assert sorted(i for edit in edits for i in edit.source) == list(range(len(source)))
    assert sorted(j for edit in edits for j in edit.target) == list(range(len(target)))
    for edit in edits:
        assert kinds_fit(edit)
        for side in (edit.source, edit.target):
            assert list(side) == list(range(side[0], side[-1] + 1)) if side else True


@given(pairs())
def test_what_is_kept_or_moved_is_identical_and_what_is_rewritten_is_not(pair) -> None:
    source, target, links = pair
    for edit in edits_between(source, target, links):
        before = [source.tokens[i] for i in edit.source]
        after = [target.tokens[j] for j in edit.target]
        if edit.kind is EditKind.EQUAL and edit.change is None:
            assert before == after
        elif edit.kind in (EditKind.EQUAL, EditKind.MOVE):
            assert [word.lower() for word in before] == [word.lower() for word in after]
            assert edit.kind is EditKind.MOVE or (before != after and len(before) == 1)
            assert edit.change is (Change.ORDER if edit.kind is EditKind.MOVE else Change.CASE)
        else:
            assert before != after
            assert edit.change is not None


@given(pairs())
def test_the_target_is_rebuilt_from_the_source_and_the_edits(pair) -> None:
    source, target, links = pair
    rebuilt: list[str] = []
    for edit in edits_between(source, target, links):
        if edit.kind is EditKind.EQUAL and edit.change is None:
            rebuilt += [source.tokens[i] for i in edit.source]
        else:
            rebuilt += [target.tokens[j] for j in edit.target]
    assert rebuilt == list(target.tokens)


@given(pairs())
def test_kept_runs_are_as_long_as_they_can_be_and_rise(pair) -> None:
    source, target, links = pair
    edits = edits_between(source, target, links)
    kept = [edit for edit in edits if edit.kind is EditKind.EQUAL and edit.change is None]
    for before, after in pairwise(kept):
        assert before.source[-1] < after.source[0]
        assert before.target[-1] < after.target[0]
        assert (before.source[-1] + 1, before.target[-1] + 1) != (
            after.source[0],
            after.target[0],
        )


@given(pairs(), st.randoms())
def test_edits_are_in_the_order_of_the_twin(pair, random) -> None:
    source, target, links = pair
    edits = edits_between(source, target, links)
    ends = [
        [(side[0], side[-1] + 1) if side else (0, 0) for side in (edit.source, edit.target)]
        for edit in edits
    ]
    runs = [
        (edit.kind, Stretch(*one, *other)) for edit, (one, other) in zip(edits, ends, strict=True)
    ]
    random.shuffle(runs)
    placed = [
        (kind, run[:2], (0, 0) if kind is EditKind.DELETE else run[2:])
        for kind, run in in_order(runs)
    ]
    assert placed == [(edit.kind, *each) for edit, each in zip(edits, ends, strict=True)]


@given(words, st.booleans(), st.data())
def test_the_same_tokens_are_one_kept_run(tokens, tagged, data) -> None:
    side = sentence(tokens, tagged)
    cell = st.tuples(*[st.integers(0, len(tokens) - 1)] * 2)
    links = data.draw(st.dictionaries(cell, st.floats(0, 1), max_size=10))
    run = tuple(range(len(tokens)))
    assert edits_between(side, side, links) == (Edit(EditKind.EQUAL, run, run),)


@given(pairs())
def test_the_order_of_the_links_changes_nothing(pair) -> None:
    source, target, links = pair
    backwards = dict(reversed(links.items()))
    assert edits_between(source, target, links) == edits_between(source, target, backwards)
