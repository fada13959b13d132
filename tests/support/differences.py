"""Texts aligned by hand or at random, for tests of differences."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from tokalign.english.annotate.sentence_splitter import Sentences
from tokalign.types import Alignment, Sentence
from tokalign.types.edits import Change, Edit, EditKind
from tokalign.types.options import Symmetrization
from tokalign.types.texts import SentenceSpan, TextAlignment, TextBlock

_TOKEN = re.compile(r"\w+|[^\w\s]")
_NUMBER = re.compile(r"\d+")


def sentence_of(text: str) -> Sentence:
    """Return a text as tokens: words and signs."""
    found = list(_TOKEN.finditer(text))
    return Sentence(
        text,
        tuple(each[0] for each in found),
        tuple(each.start() for each in found),
        tuple(each.end() for each in found),
    )


def edits_of(old: Sequence[str], new: Sequence[str]) -> tuple[Edit, ...]:
    """Return edits as a plain diff of the tokens has them; single tokens of one length moved."""
    found: list[Edit] = []
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for name, a, b, c, d in blocks:
        source, target = tuple(range(a, b)), tuple(range(c, d))
        if name == "equal":
            found.append(Edit(EditKind.EQUAL, source, target))
        elif name == "replace":
            is_number = all(map(_NUMBER.fullmatch, [*old[a:b], *new[c:d]]))
            change = Change.NUMBER if is_number else Change.WORDING
            found.append(Edit(EditKind.SUBSTITUTE, source, target, change))
        elif name == "delete":
            found.append(Edit(EditKind.DELETE, source, (), Change.CONTENT))
        else:
            found.append(Edit(EditKind.INSERT, (), target, Change.CONTENT))
    return with_moves(found, old, new)


def with_moves(edits: Sequence[Edit], old: Sequence[str], new: Sequence[str]) -> tuple[Edit, ...]:
    """Return edits in which words that are deleted and inserted alike have moved."""
    left = list(edits)
    for gone in edits:
        for come in edits:
            is_pair = gone.kind is EditKind.DELETE and come.kind is EditKind.INSERT
            if not is_pair or gone not in left or come not in left:
                continue
            if [old[i] for i in gone.source] == [new[j] for j in come.target]:
                left.remove(gone)
                moved = Edit(EditKind.MOVE, gone.source, come.target, Change.ORDER)
                left[left.index(come)] = moved
    return tuple(left)


def aligned(old: str, new: str, edits: Sequence[Edit] | None = None) -> Alignment:
    """Return an alignment of two texts that holds edits alone."""
    source, target = sentence_of(old), sentence_of(new)
    found = edits_of(source.tokens, target.tokens) if edits is None else tuple(edits)
    return Alignment(source, target, (), 0.0, 0.0, "test", "1", Symmetrization.JOINT, edits=found)


def spans_of(text: str) -> tuple[SentenceSpan, ...]:
    """Return the sentences of a text."""
    return tuple(SentenceSpan(start, end, text[start:end]) for start, end in Sentences(text))


def texts_of(
    old: str,
    new: str,
    blocks: Sequence[tuple[tuple[int, ...], tuple[int, ...], bool]],
    sentences: tuple[Sequence[SentenceSpan], Sequence[SentenceSpan]] | None = None,
) -> TextAlignment:
    """Return two texts aligned as `blocks` say: old sentences, new ones, and whether they moved."""
    olds, news = sentences or (spans_of(old), spans_of(new))
    made = []
    for of_old, of_new, moved in blocks:
        alignment = None
        if of_old and of_new:
            alignment = aligned(
                old[olds[of_old[0]].start : olds[of_old[-1]].end],
                new[news[of_new[0]].start : news[of_new[-1]].end],
            )
        made.append(TextBlock(of_old, of_new, moved, alignment))
    return TextAlignment(old, new, tuple(olds), tuple(news), tuple(made), "test", "1")
