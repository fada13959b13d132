"""Insertions and deletions begin where lines or sentences do, where the same words allow it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokalign.texts.diff import diff_of
from tokalign.texts.diff.sliding import slid
from tokalign.texts.diff.text_diff import BlockKind, DiffBlock, DiffSegment, TextDiff
from tokalign.types.edits import Change, EditKind

LONGER = {
    "lines": ("Signed 3 May 2021", "\nChecked 3 May 2021"),
    "other-lines": ("Draft dated 19 November 2024", "\nFinch notes 19 November 2024"),
    "carriage-returns": ("Signed 3 May 2021", "\r\nChecked 3 May 2021"),
}


@pytest.mark.parametrize("is_new", [True, False], ids=["new", "gone"])
@pytest.mark.parametrize(("text", "more"), LONGER.values(), ids=LONGER)
def test_a_line_that_ends_alike_is_one_change(aligner, text, more, is_new):
    texts = (text, text + more) if is_new else (text + more, text)
    found = diff_of(aligner.align_texts(*texts, edits=True))
    found.check()
    (changed,) = (each for each in found.segments() if each.change)
    assert (found.new_text(changed) if is_new else found.old_text(changed)) == more


def diff_with(before: str, inserted: str, after: str, *, is_new: bool) -> TextDiff:
    """Return the difference of a piece between two kept ones."""
    short, long = before + after, before + inserted + after
    a, b = len(before), len(before + inserted)
    kind = EditKind.INSERT if is_new else EditKind.DELETE
    ranges = [((0, a), (0, a)), ((a, a), (a, b)), ((a, len(short)), (b, len(long)))]
    kinds = [EditKind.EQUAL, kind, EditKind.EQUAL]
    old, new = (short, long) if is_new else (long, short)
    segments = [
        DiffSegment(each, *(one if is_new else one[::-1]), Change.CONTENT if each is kind else None)
        for each, one in zip(kinds, ranges, strict=True)
        if one[1][0] < one[1][1]
    ]
    ends = (0, len(old)), (0, len(new))
    found = tuple(slid(old, new, segments))
    return TextDiff(old, new, (DiffBlock(BlockKind.CHANGED, *ends, (), (), found),))


@pytest.mark.parametrize(
    ("before", "inserted", "after", "wanted"),
    [
        ("He left. It ", "rained. It ", "rained.", "{+It rained. +}It rained."),
        ("x\na ", "b\na ", "c", "x\n{+a b\n+}a c"),
        ("Go. We ", "may. We ", "say.", "Go. {+We may. +}We say."),
        ("a ", "a ", "b", "{+a +}a b"),
        ("the big ", "big ", "dog", "the big {+big +}dog"),
    ],
)
def test_an_insertion_slides_to_a_line_then_to_a_sentence(before, inserted, after, wanted):
    found = diff_with(before, inserted, after, is_new=True)
    marked = [
        ("{+%s+}" if each.change else "%s") % found.new_text(each) for each in found.segments()
    ]
    assert "".join(marked).endswith(wanted)


PIECE = st.text("ab. \n", max_size=6)


@given(PIECE, PIECE.filter(bool), PIECE, st.booleans())
def test_what_slides_still_covers_both_texts(before, inserted, after, is_new):
    found = diff_with(before, inserted, after, is_new=is_new)
    found.check()
    assert found.rebuild_new(found.old) == found.new
    assert found.rebuild_old(found.new) == found.old
    (changed,) = (each for each in found.segments() if each.change)
    text = found.new_text(changed) if is_new else found.old_text(changed)
    assert sorted(text) == sorted(inserted)
