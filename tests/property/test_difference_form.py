"""Whatever two texts and their alignment are, the form covers both, and rebuilds either."""

from __future__ import annotations

from hypothesis import given
from support.random_texts import SEEDS, some_texts
from tokalign.texts.diff import TextDiff, diff_of
from tokalign.texts.diff.reading_order import in_reading_order, paragraphs
from tokalign.texts.diff.summary import summarize
from tokalign.types.edits import EditKind


@given(SEEDS)
def test_segments_cover_both_texts_without_a_gap(seed):
    texts = some_texts(seed)
    diff = diff_of(texts)
    diff.check()
    at = 0
    for segment in diff.segments():
        assert segment.new[0] == at
        at = segment.new[1]
    assert at == len(texts.new_text)
    assert (
        "".join(diff.old_text(each) for each in sorted(diff.segments(), key=lambda each: each.old))
        == texts.old_text
    )


@given(SEEDS)
def test_either_text_is_rebuilt_from_the_other(seed):
    texts = some_texts(seed)
    diff = diff_of(texts)
    assert diff.rebuild_new(texts.old_text) == texts.new_text
    assert diff.rebuild_old(texts.new_text) == texts.old_text


@given(SEEDS)
def test_the_form_survives_json(seed):
    diff = diff_of(some_texts(seed))
    assert TextDiff.from_dict(diff.to_dict()) == diff


@given(SEEDS)
def test_equal_segments_are_equal_and_sides_that_are_empty_say_so(seed):
    diff = diff_of(some_texts(seed))
    for each in diff.segments():
        old, new = diff.old_text(each), diff.new_text(each)
        assert (each.change is None) == (each.kind is EditKind.EQUAL)
        if each.kind is EditKind.EQUAL:
            assert old == new != ""
        elif each.kind is EditKind.DELETE:
            assert old and not new
        elif each.kind is EditKind.INSERT:
            assert new and not old


@given(SEEDS)
def test_words_of_an_edit_are_in_segments_of_its_kind(seed):
    texts = some_texts(seed)
    diff = diff_of(texts)
    kinds = {}
    for each in diff.segments():
        kinds.update(dict.fromkeys(range(*each.new), each.kind))
    for block in texts.blocks:
        if block.alignment is None:
            continue
        start, end = texts.new[block.new[0]].start, texts.new[block.new[-1]].end
        if texts.new_text[start:end] == block.alignment.source.text:
            continue  # equal sentences need no edits
        if any(each.new[0] <= start and end <= each.new[1] for each in diff.segments()):
            continue  # rewritten as a whole
        for edit in block.alignment.edits:
            if edit.kind is not EditKind.EQUAL:
                for j in edit.target:
                    assert kinds[start + block.alignment.target.starts[j]] is edit.kind


@given(SEEDS)
def test_reading_order_has_each_part_once_and_what_moved_twice(seed):
    diff = diff_of(some_texts(seed))
    places = list(in_reading_order(diff.blocks))
    assert [block for block, is_origin in places if not is_origin] == list(diff.blocks)
    left = [block for block, is_origin in places if is_origin]
    moved = [block for block in diff.blocks if block.move is not None]
    assert sorted(left, key=lambda b: b.old) == sorted(moved, key=lambda b: b.old)
    assert [each for part in paragraphs(diff) for each in part.places] == places


@given(SEEDS)
def test_the_summary_counts_every_block_and_change(seed):
    diff = diff_of(some_texts(seed))
    summary = summarize(diff)
    assert sum(summary.blocks.values()) == len(diff.blocks)
    assert sum(summary.changes.values()) == sum(
        each.kind is not EditKind.EQUAL for each in diff.segments()
    )
