"""Whatever two texts and their alignment are, the form covers both, and rebuilds either."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from support.differences import aligned, sentence_of
from tokalign.differences import TextDiff, diff_of
from tokalign.differences.reading import in_reading_order, paragraphs
from tokalign.differences.summary import summarize
from tokalign.types.edits import Change, Edit, EditKind
from tokalign.types.texts import SentenceSpan, TextAlignment, TextBlock

SPACES = [" ", "", "\n", "\r\n", "\n\n", "\t", "\u00a0", "\u2028", "  \n\n ", "\u200b"]
WORDS = ["a", "cat", "Straße", "Cafe\u0301", "12", "13", "🐈", "-", "*", "</b>", "“", "中文", "."]
SEEDS = st.integers(0, 2**32)


def a_text(draw: random.Random, n_sentences: int) -> tuple[str, tuple[SentenceSpan, ...]]:
    """Return a text with odd white space, and its sentences."""
    text, spans = draw.choice(SPACES), []
    for _ in range(n_sentences):
        words = draw.choices(WORDS, k=draw.randint(1, 5))
        sentence = words[0] + "".join(draw.choice(SPACES) + word for word in words[1:])
        spans.append(SentenceSpan(len(text), len(text) + len(sentence), sentence))
        text += sentence + draw.choice(SPACES)
    return text, tuple(spans)


def runs(draw: random.Random, n: int) -> list[tuple[int, ...]]:
    """Return the numbers up to n in runs of one or several."""
    found, at = [], 0
    while at < n:
        size = draw.randint(1, 3)
        found.append(tuple(range(at, min(at + size, n))))
        at += size
    return found


def some_edits(draw: random.Random, old: str, new: str) -> list[Edit]:
    """Return edits that have each token of two sentences once, and are else at random."""
    source, target = sentence_of(old).tokens, sentence_of(new).tokens
    olds, news = runs(draw, len(source)), runs(draw, len(target))
    draw.shuffle(olds)
    found = []
    for run in news:
        words = [target[j] for j in run]
        if not olds or draw.random() < 0.3:
            found.append(Edit(EditKind.INSERT, (), run, Change.CONTENT))
            continue
        other = olds.pop()
        if [source[i] for i in other] == words:
            kind = draw.choice([EditKind.EQUAL, EditKind.MOVE])
        else:
            kind = EditKind.SUBSTITUTE
        change = None if kind is EditKind.EQUAL else draw.choice(list(Change))
        found.append(Edit(kind, other, run, change))
    found += [Edit(EditKind.DELETE, run, (), draw.choice(list(Change))) for run in olds]
    return found


def some_texts(seed: int) -> TextAlignment:
    """Return two aligned texts at random: any blocks, in any order."""
    draw = random.Random(seed)
    old, olds = a_text(draw, draw.randint(0, 5))
    if draw.random() < 0.1:
        new, news = old, olds
    else:
        new, news = a_text(draw, draw.randint(0, 5))
    free = [run[:2] for run in runs(draw, len(olds))]
    free += [(k,) for k in range(len(olds)) if not any(k in run for run in free)]
    draw.shuffle(free)
    blocks = []
    k = 0
    while k < len(news):
        run = tuple(range(k, min(k + draw.randint(1, 2), len(news))))
        k = run[-1] + 1
        of_old = free.pop() if free and draw.random() < 0.8 else ()
        if not of_old:
            blocks += [TextBlock((), (j,), False, None) for j in run]
            continue
        sides = (old[olds[of_old[0]].start : olds[of_old[-1]].end],
                 new[news[run[0]].start : news[run[-1]].end])  # fmt: skip
        alignment = None if draw.random() < 0.1 else aligned(*sides, some_edits(draw, *sides))
        blocks.append(TextBlock(of_old, run, draw.random() < 0.4, alignment))
    for run in free:
        blocks.insert(draw.randint(0, len(blocks)), TextBlock(run, (), False, None))
    return TextAlignment(old, new, olds, news, tuple(blocks), "test", "1")


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
    assert left == sorted((b for b in diff.blocks if b.move is not None), key=lambda b: b.old)
    assert [each for part in paragraphs(diff) for each in part.places] == places


@given(SEEDS)
def test_the_summary_counts_every_block_and_change(seed):
    diff = diff_of(some_texts(seed))
    summary = summarize(diff)
    assert sum(summary.blocks.values()) == len(diff.blocks)
    assert sum(summary.changes.values()) == sum(
        each.kind is not EditKind.EQUAL for each in diff.segments()
    )
