"""Phrase edits cover every token once and say what the links say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tokalign.types.edits import Edit, EditKind, phrase_edits

words = st.lists(st.sampled_from(("a", "A", "b", "c")), max_size=6)


@st.composite
def alignments(draw: st.DrawFn) -> tuple[list[str], list[str], set[tuple[int, int]]]:
    source, target = draw(words), draw(words)
    if not source or not target:
        return source, target, set()
    cell = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.sets(cell, max_size=8))


def connected(links: set[tuple[int, int]]) -> set[tuple[frozenset[int], frozenset[int]]]:
    """Return the parts of an alignment by merging until nothing meets."""
    parts = [({i}, {j}) for i, j in links]
    while True:
        for k, (rows, columns) in enumerate(parts):
            for other in parts[k + 1 :]:
                if rows & other[0] or columns & other[1]:
                    parts.remove(other)
                    rows |= other[0]
                    columns |= other[1]
                    break
            else:
                continue
            break
        else:
            return {(frozenset(rows), frozenset(columns)) for rows, columns in parts}


@given(alignments())
def test_every_token_is_part_of_one_edit(case) -> None:
    source, target, links = case
    edits = phrase_edits(source, target, links)
    assert sorted(i for edit in edits for i in edit.source) == list(range(len(source)))
    assert sorted(j for edit in edits for j in edit.target) == list(range(len(target)))


@given(alignments())
def test_edits_hold_the_parts_that_hang_together(case) -> None:
    source, target, links = case
    parts = connected(links)
    for edit in phrase_edits(source, target, links):
        rows, columns = frozenset(edit.source), frozenset(edit.target)
        inside = {part for part in parts if part[0] <= rows and part[1] <= columns}
        if edit.kind is EditKind.SUBSTITUTE:
            assert inside == {(rows, columns)}
        elif edit.kind is EditKind.EQUAL:
            assert frozenset().union(*(part[0] for part in inside)) == rows
            assert [source[i].lower() for i in edit.source] == [
                target[j].lower() for j in edit.target
            ]
        else:
            assert not inside
            assert (not rows) is (edit.kind is EditKind.INSERT)
            assert (not columns) is (edit.kind is EditKind.DELETE)


@given(alignments())
def test_swapped_sides_swap_the_edits(case) -> None:
    source, target, links = case
    swapped = {
        EditKind.EQUAL: EditKind.EQUAL,
        EditKind.SUBSTITUTE: EditKind.SUBSTITUTE,
        EditKind.DELETE: EditKind.INSERT,
        EditKind.INSERT: EditKind.DELETE,
    }
    mirrored = phrase_edits(target, source, {(j, i) for i, j in links})
    expected = {
        (kind, j, i)
        for edit in mirrored
        for kind, i, j in [(swapped[edit.kind], edit.source, edit.target)]
    }
    # Inserted words are one edit where they stand together and nothing between them is linked.
    found = {(edit.kind, edit.source, edit.target) for edit in phrase_edits(source, target, links)}
    assert found == expected


def test_worked_by_hand() -> None:
    source = [
        "In",
        "most",
        "Pacific",
        "countries",
        "there",
        "are",
        "very",
        "few",
        "women",
        "in",
        "parliament",
        ".",
    ]
    target = ["Women", "are", "poorly", "represented", "in", "parliament", "."]
    links = {(8, 0), (5, 1), (6, 2), (7, 2), (9, 4), (10, 5), (11, 6)}
    assert phrase_edits(source, target, links) == (
        Edit(EditKind.EQUAL, (8,), (0,)),
        Edit(EditKind.EQUAL, (5,), (1,)),
        Edit(EditKind.SUBSTITUTE, (6, 7), (2,)),
        Edit(EditKind.INSERT, (), (3,)),
        Edit(EditKind.EQUAL, (9, 10, 11), (4, 5, 6)),
        Edit(EditKind.DELETE, (0, 1, 2, 3, 4), ()),
    )
