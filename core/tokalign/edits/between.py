"""Edits between two sentences."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from tokalign.edits.changes import change_of
from tokalign.edits.matching import kept_tokens
from tokalign.lexicon.weights import content_weight
from tokalign.types import Sentence
from tokalign.types.edits import Edit, EditKind
from tokalign.types.relations import Conflict

_WORD = 0.8
"""What keeping a word is worth, at most beside its link."""


def edits_between(
    source: Sentence,
    target: Sentence,
    links: Mapping[tuple[int, int], float],
    conflicts: Collection[Conflict] = (),
) -> tuple[Edit, ...]:
    """Return the edits that make the target of the source.

    Parameters
    ----------
    source, target : Sentence
        Tags and lemmas are used where there are any.
    links : mapping from (source, target) to confidence
    conflicts : collection of Conflict

    Returns
    -------
    edits : tuple of Edit
        Every token is part of one. EQ has identical tokens; no SUB has equal sides. By target; a
        deletion stands behind the edit that ends before it in the source.

    Examples
    --------
    >>> source = Sentence.from_tokens(["Old", "dogs", "bark", "."])
    >>> target = Sentence.from_tokens(["Dogs", "bark", "loudly", "."])
    >>> for edit in edits_between(source, target, {(1, 0): 0.9, (2, 1): 1.0, (3, 3): 1.0}):
    ...     print(edit.kind, edit.source, edit.target, edit.change)
    SUB (0, 1) (0,) content
    EQ (2,) (1,) None
    INS () (2,) content
    EQ (3,) (3,) None
    """
    weights = _weights(source)
    kept = kept_tokens(source.tokens, target.tokens, weights, links)
    edits: list[Edit] = []
    i = j = 0
    for row, column in [*kept, (len(source), len(target))]:
        rows, columns = tuple(range(i, row)), tuple(range(j, column))
        if rows or columns:
            edits += _changed(source, target, (rows, columns), links, conflicts)
        if row < len(source):
            _keep(edits, row, column)
        i, j = row + 1, column + 1
    return tuple(edits)


def _weights(side: Sentence) -> list[float]:
    if side.tags is None:
        return [_WORD] * len(side)
    return [_WORD * content_weight(tag) + 0.1 for tag in side.tags]


def _keep(edits: list[Edit], row: int, column: int) -> None:
    """Add a kept token to the edits."""
    if edits and edits[-1].kind is EditKind.EQUAL:
        last = edits.pop()
        edits.append(Edit(EditKind.EQUAL, (*last.source, row), (*last.target, column)))
    else:
        edits.append(Edit(EditKind.EQUAL, (row,), (column,)))


def _changed(
    source: Sentence,
    target: Sentence,
    block: tuple[tuple[int, ...], tuple[int, ...]],
    links: Mapping[tuple[int, int], float],
    conflicts: Collection[Conflict],
) -> list[Edit]:
    """Return the edits of tokens between which none is kept: one substitution where they are
    linked, else a deletion and an insertion."""
    rows, columns = block
    if rows and columns and any((i, j) in links for i in rows for j in columns):
        found = [(EditKind.SUBSTITUTE, rows, columns)]
    else:
        found = [(EditKind.DELETE, rows, ()), (EditKind.INSERT, (), columns)]
    return [
        Edit(kind, a, b, change_of(kind, source, target, (a, b), conflicts))
        for kind, a, b in found
        if a or b
    ]
