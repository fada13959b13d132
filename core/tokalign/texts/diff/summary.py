"""A summary of a difference: counts of changes, those of meaning first.

`stat_lines` writes its counts in the style of ``git diff --stat``.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tokalign.english.reading.text_reading import without_marks
from tokalign.texts.diff.alarms import Alarm, Renumbered, alarms_of, renumbered
from tokalign.texts.diff.text_diff import (
    MARKUP,
    SPACE,
    BlockKind,
    DiffBlock,
    DiffSegment,
    TextDiff,
    n_words,
)
from tokalign.types.edits import CONFLICTING, Change, EditKind

CHANGES = (
    *CONFLICTING, Change.WORDING, Change.CONTENT, Change.ORDER, Change.INFLECTION, Change.SPELLING,
    Change.CASE, Change.PUNCTUATION, MARKUP, SPACE,
)  # fmt: skip
"""All changes, those of meaning first."""
ONLY_SPACE = "Only white space differs."


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of a difference.

    Attributes
    ----------
    blocks : mapping of BlockKind to int
        Blocks of each kind, where there are any.
    changes : mapping of str to int
        Segments of each change, where there are any; those of the meaning come first.
    n_deleted, n_inserted, n_moved : int
        Words that were deleted, inserted or moved; a replaced word is a deletion and an insertion.
        Punctuation is not counted.
    alarms : tuple of Alarm
        Changes of meaning, the most important first.
    renumbered : tuple of Renumbered
        Labels that were numbered anew.
    """

    blocks: Mapping[BlockKind, int]
    changes: Mapping[str, int]
    n_deleted: int
    n_inserted: int
    n_moved: int
    alarms: tuple[Alarm, ...]
    renumbered: tuple[Renumbered, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as a JSON object; docs/diff.schema.json describes it."""
        return {
            "blocks": {str(kind): n for kind, n in self.blocks.items()},
            "changes": {str(change): n for change, n in self.changes.items()},
            "words": {
                "deleted": self.n_deleted,
                "inserted": self.n_inserted,
                "moved": self.n_moved,
            },
            "alarms": [each.to_dict() for each in self.alarms],
            "renumbered": [each._asdict() for each in self.renumbered],
        }


def summarize(diff: TextDiff) -> Summary:
    """Return the counts of a difference, and its changes of meaning."""
    kinds = Counter(block.kind for block in diff.blocks)
    changes = Counter(each.change for each in diff.segments() if each.change is not None)
    counts: Counter[EditKind] = Counter()
    n_moved = 0
    for block, _, each, old, new in _changed(diff):
        if each.kind is EditKind.MOVE or (block.move is not None and not each.change):
            n_moved += n_words(new)
        else:
            counts[EditKind.DELETE] += n_words(old)
            counts[EditKind.INSERT] += n_words(new)
    return Summary(
        blocks={kind: kinds[kind] for kind in BlockKind if kind in kinds},
        changes={change: changes[change] for change in CHANGES if change in changes},
        n_deleted=counts[EditKind.DELETE],
        n_inserted=counts[EditKind.INSERT],
        n_moved=n_moved,
        alarms=alarms_of(diff),
        renumbered=renumbered(diff),
    )


def _changed(diff: TextDiff) -> Iterator[tuple[DiffBlock, int, DiffSegment, str, str]]:
    """Yield what differs or has moved: its block, its number there, its old and new words.

    Spaces stand for marks, which only the block tells from words.
    """
    for block in diff.blocks:
        found = [
            (s, each)
            for s, each in enumerate(block.segments)
            if each.change not in (None if block.move is None else MARKUP, MARKUP, SPACE)
        ]
        if not found:
            continue
        old, new = without_marks(diff.old_text(block)), without_marks(diff.new_text(block))
        for s, each in found:
            here = old[each.old[0] - block.old[0] : each.old[1] - block.old[0]]
            there = new[each.new[0] - block.new[0] : each.new[1] - block.new[0]]
            yield block, s, each, here, there


def github_lines(diff: TextDiff, names: tuple[str, str]) -> Iterator[str]:
    """Yield a command of GitHub Actions for each alarm, which shows it at its line of the new text.

    `names` are the paths of the two texts.
    """
    escaped = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
    path = names[1].translate(escaped | {ord(":"): "%3A", ord(","): "%2C"})
    n_lines = max(1, len(diff.new.splitlines()))  # what stood below the last line is told there
    for alarm in summarize(diff).alarms:
        command = "notice" if alarm.is_minor else "warning"
        for place in alarm.places:
            head = f"file={path},line={min(place.new_line, n_lines)},title={alarm.kind}"
            yield f"::{command} {head}::{str(alarm).translate(escaped)}"


_LONGEST_BAR = 40


def stat_lines(diff: TextDiff, names: tuple[str, str] = ("old", "new")) -> Iterator[str]:
    """Yield the lines of the counts; equal texts have none."""
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
    plus, minus = (round(max(n * scale, n > 0)) for n in (n_new, n_old))
    return "+" * plus + "-" * minus


def _by_weight(changes: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return the counts of changes of meaning, of form, and of white space only."""
    meaning: dict[str, int] = {}
    form: dict[str, int] = {}
    for change, n in changes.items():
        if change != SPACE:
            is_form = change == MARKUP or Change(change).is_form
            (form if is_form else meaning)[str(change)] = n
    return {"meaning": meaning, "form": form, "white space": {"changed": changes.get(SPACE, 0)}}
