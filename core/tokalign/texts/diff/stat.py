"""Counts of what changed, in the manner of ``git diff --stat``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tokalign.texts.diff.form import SPACE, BlockKind, TextDiff
from tokalign.texts.diff.summary import Summary, summarize
from tokalign.types.edits import Change

_LONGEST_BAR = 40


def stat_lines(diff: TextDiff, names: tuple[str, str] = ("old", "new")) -> Iterator[str]:
    """Yield the lines that say how much changed; none where the texts are equal.

    Parameters
    ----------
    diff : TextDiff
    names : (old, new)
        What the two texts are called.
    """
    if diff.is_same:
        return
    summary = summarize(diff)
    n = summary.n_deleted + summary.n_inserted
    name = names[0] if names[0] == names[1] else " => ".join(names)
    yield f" {name} | {n} {_bar(summary)}".rstrip()
    kinds = [kind for kind in BlockKind if kind is not BlockKind.SAME] + [BlockKind.SAME]
    words = {
        "inserted(+)": summary.n_inserted,
        "deleted(-)": summary.n_deleted,
        "moved": summary.n_moved,
    }
    counts = {
        "sentences": {kind.value: summary.blocks.get(kind, 0) for kind in kinds},
        "words": words,
        **_by_weight(summary.changes),
    }
    for heading, found in counts.items():
        shown = ", ".join(f"{n} {what}" for what, n in found.items() if n)
        if shown:
            yield f" {heading}: {shown}"


def _bar(summary: Summary) -> str:
    n_new, n_old = summary.n_inserted, summary.n_deleted
    scale = min(1.0, _LONGEST_BAR / max(n_new + n_old, 1))
    return "+" * _scaled(n_new, scale) + "-" * _scaled(n_old, scale)


def _scaled(n: int, scale: float) -> int:
    return max(round(n * scale), 1) if n else 0


def _by_weight(changes: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return the counts of changes of meaning, of form, and of white space alone."""
    meaning: dict[str, int] = {}
    form: dict[str, int] = {}
    for change, n in changes.items():
        if change != SPACE:
            (form if Change(change).is_form else meaning)[str(change)] = n
    return {"meaning": meaning, "form": form, "white space": {"changed": changes.get(SPACE, 0)}}
