"""Phrase edits: parts of the source that were kept, rewritten, left out or added.

MacCartney, Galley and Manning (2008), EMNLP: A Phrase-Based Alignment Model for Natural Language
Inference, section 3.1: an alignment is a set of edits EQ, SUB, DEL and INS over phrases, and every
token is part of exactly one. Read off links, the phrases of EQ and SUB are the smallest sets of
tokens that no link leaves. Unlike theirs, a phrase of SUB may have gaps, since links may.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


class EditKind(enum.StrEnum):
    """Kinds of edits of a phrase, from the source to the target."""

    EQUAL = "EQ"
    SUBSTITUTE = "SUB"
    DELETE = "DEL"
    INSERT = "INS"


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit.

    Attributes
    ----------
    kind : EditKind
    source, target : tuple of int
        Rising token indices; empty on the side that an insertion or deletion leaves out.
    """

    kind: EditKind
    source: tuple[int, ...]
    target: tuple[int, ...]


def phrase_edits(
    source: Sequence[str], target: Sequence[str], links: Iterable[tuple[int, int]]
) -> tuple[Edit, ...]:
    """Return the edits of an alignment; every token is part of exactly one.

    Parameters
    ----------
    source, target : sequence of str
        What equal words have in common: lemmas, or tokens; case is ignored.
    links : iterable of (source, target)

    Returns
    -------
    edits : tuple of Edit
        By their first target token, then deletions by their first source token. Neighbours are
        one edit where words deleted or inserted follow one another, or equal ones on both sides.

    Notes
    -----
    Tokens that links connect, directly or through others, are one phrase on each side: EQ where
    both phrases are runs of neighbouring tokens and equal word for word, else SUB.

    Examples
    --------
    >>> source, target = ["the", "old", "dogs", "bark"], ["dogs", "woof"]
    >>> for edit in phrase_edits(source, target, [(2, 0), (3, 1)]):
    ...     print(edit.kind, edit.source, edit.target)
    EQ (2,) (0,)
    SUB (3,) (1,)
    DEL (0, 1) ()
    """
    source = [word.lower() for word in source]
    target = [word.lower() for word in target]
    linked = []
    for rows, columns in _components(len(source), len(target), links):
        is_equal = (
            _is_run(rows)
            and _is_run(columns)
            and [source[i] for i in rows] == [target[j] for j in columns]
        )
        kind = EditKind.EQUAL if is_equal else EditKind.SUBSTITUTE
        linked.append(Edit(kind, rows, columns))
    linked.sort(key=lambda edit: edit.target)
    alone_source = sorted(set(range(len(source))).difference(*(edit.source for edit in linked)))
    alone_target = sorted(set(range(len(target))).difference(*(edit.target for edit in linked)))
    inserted = [Edit(EditKind.INSERT, (), (j,)) for j in alone_target]
    deleted = [Edit(EditKind.DELETE, (i,), ()) for i in alone_source]
    ordered = sorted(linked + inserted, key=lambda edit: edit.target)
    return (*_merged(ordered), *_merged(deleted))


def _components(
    n_source: int, n_target: int, links: Iterable[tuple[int, int]]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the source and target tokens of each part of the alignment that hangs together."""
    partners: list[list[int]] = [[] for _ in range(n_source + n_target)]
    for i, j in links:
        partners[i].append(n_source + j)
        partners[n_source + j].append(i)
    seen = [not others for others in partners]
    for first in range(n_source):
        if seen[first]:
            continue
        seen[first] = True
        members = [first]
        for member in members:  # grows as it is read
            for other in partners[member]:
                if not seen[other]:
                    seen[other] = True
                    members.append(other)
        rows = sorted(member for member in members if member < n_source)
        columns = sorted(member - n_source for member in members if member >= n_source)
        yield tuple(rows), tuple(columns)


def _is_run(indices: Sequence[int]) -> bool:
    return indices[-1] - indices[0] == len(indices) - 1


def _follow(first: Edit, second: Edit) -> bool:
    """Tell whether two edits are one: of one kind, not SUB, and neighbours on all their sides."""
    return (
        first.kind is second.kind is not EditKind.SUBSTITUTE
        and first.source[-1:] == tuple(i - 1 for i in second.source[:1])
        and first.target[-1:] == tuple(j - 1 for j in second.target[:1])
    )


def _merged(edits: Iterable[Edit]) -> list[Edit]:
    result: list[Edit] = []
    for edit in edits:
        if result and _follow(result[-1], edit):
            last = result.pop()
            edit = Edit(last.kind, last.source + edit.source, last.target + edit.target)
        result.append(edit)
    return result
