"""Two texts with odd white space, aligned at random, for tests of differences."""

from __future__ import annotations

import random

from hypothesis import strategies as st
from tokalign.types.edits import Change, Edit, EditKind
from tokalign.types.texts import SentenceSpan, TextAlignment, TextBlock

from support.differences import aligned, sentence_of

SPACES = [" ", "", "\n", "\r\n", "\n\n", "\t", "\u00a0", "\u2028", "  \n\n "]
WORDS = ["a", "cat", "Straße", "Cafe\u0301", "12", "13", "🐈", "-", "*", "</b>", "“", "中文", "."]
SEEDS = st.integers(0, 2**32)


def a_text(draw: random.Random, n_sentences: int) -> tuple[str, tuple[SentenceSpan, ...]]:
    """Return a text with odd white space, and its sentences."""
    text, spans = draw.choice(SPACES), []
    for _ in range(n_sentences):
        words = draw.choices(WORDS, k=draw.randint(1, 5))
        sentence = words[0] + "".join(draw.choice([*SPACES, "\u200b"]) + word for word in words[1:])
        spans.append(SentenceSpan(len(text), len(text) + len(sentence), sentence))
        text += sentence + (draw.choice(SPACES) or " ")
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
