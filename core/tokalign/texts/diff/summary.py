"""A summary of a difference: counts of changes, those of meaning first.

`stat_lines` writes its counts in the style of ``git diff --stat``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tokalign.english.reading import without_marks
from tokalign.english.values import find_values
from tokalign.showing.text import one_line
from tokalign.texts.diff.reading_order import paragraphs
from tokalign.texts.diff.text_diff import (
    MARKUP,
    SPACE,
    BlockKind,
    DiffBlock,
    DiffSegment,
    TextDiff,
    TextRange,
)
from tokalign.types.edits import CONFLICTING, Change, EditKind

CHANGES = (
    *CONFLICTING,
    Change.WORDING,
    Change.CONTENT,
    Change.ORDER,
    Change.INFLECTION,
    Change.SPELLING,
    Change.CASE,
    Change.PUNCTUATION,
    MARKUP,
    SPACE,
)
"""All changes, those of meaning first."""
OBLIGING = frozenset(
    (
        "must", "shall", "may", "cannot", "required", "mandatory", "compulsory", "obliged",
        "forbidden", "prohibited", "allowed", "permitted",
    )
)  # fmt: skip
"""Words of a sentence that obliges, forbids or permits."""
DENYING = frozenset(("never", "no", "nobody", "none", "nor", "not", "nothing"))
"""Words of a sentence that denies; without, fail and their like are a part of what it says."""
DENYING_NOTHING = frozenset(("limited", "necessarily", "only"))
"""Words behind "not" in a sentence that need not deny."""
ONLY_SPACE = "Only white space differs."
FATES = {
    BlockKind.MOVED: "moved",
    BlockKind.SPLIT: "split in two",
    BlockKind.MERGED: "merged with another",
    BlockKind.DELETED: "deleted",
    BlockKind.INSERTED: "inserted",
}
"""Fate of a sentence, by the kind of its block."""
_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d](?:\w|['’](?=\w))*|\w+|[^\w\s]")


def token_spans(text: str) -> Iterator[TextRange]:
    """Yield the range of each token: a number, a word with its clitics, or a single sign.

    Examples
    --------
    >>> text = "Don't pay $1,200."
    >>> [text[start:end] for start, end in token_spans(text)]
    ["Don't", 'pay', '$', '1,200', '.']
    """
    for found in _TOKEN.finditer(text):
        yield found.span()


def tokens_of(text: str) -> list[str]:
    """Return the tokens of a piece of text."""
    return _TOKEN.findall(text)


@dataclass(frozen=True, slots=True)
class Alarm:
    """A change of meaning to show first.

    Attributes
    ----------
    change : Change
        Out of CONFLICTING.
    old, new : str
        Old and new words; empty on a side without words.
    block, segment : int
        0-based numbers of the block, and of the segment in it.
    paragraph : int
        Number of its paragraph from 1, as renderers count.
    sentence : str
        Fate of its sentence, such as "moved", or empty.
    """

    change: Change
    old: str
    new: str
    block: int
    segment: int
    paragraph: int
    sentence: str

    def __str__(self) -> str:
        """Return the change in words.

        Examples
        --------
        >>> str(Alarm(Change.NUMBER, "40", "45", 0, 0, 1, "moved"))
        '40 → 45'
        >>> str(Alarm(Change.NEGATION, "", "not", 0, 0, 1, ""))
        '“not” is new'
        """
        old, new = one_line(self.old), one_line(self.new)
        if old and new:
            return f"{old} → {new}"
        return f"“{old}” is gone" if old else f"“{new}” is new"


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
        Changes that conflict with what was said, in the order of CONFLICTING and then of the new
        text.
    """

    blocks: Mapping[BlockKind, int]
    changes: Mapping[str, int]
    n_deleted: int
    n_inserted: int
    n_moved: int
    alarms: tuple[Alarm, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as a JSON object; diff.schema.json describes it."""
        return {
            "blocks": {str(kind): n for kind, n in self.blocks.items()},
            "changes": {str(change): n for change, n in self.changes.items()},
            "words": {
                "deleted": self.n_deleted,
                "inserted": self.n_inserted,
                "moved": self.n_moved,
            },
            "alarms": [asdict(each) | {"change": str(each.change)} for each in self.alarms],
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
        alarms=tuple(sorted(_alarms(diff), key=lambda each: CONFLICTING.index(each.change))),
    )


def _changed(diff: TextDiff) -> Iterator[tuple[DiffBlock, int, DiffSegment, str, str]]:
    """Yield what differs or has moved: its block, its number there, its old and new words.

    Spaces stand for marks, which only the block tells from words.
    """
    for block in diff.blocks:
        found = [
            (s, each)
            for s, each in enumerate(block.segments)
            if block.move is not None or each.kind is not EditKind.EQUAL
        ]
        if not found:
            continue
        old, new = without_marks(diff.old_text(block)), without_marks(diff.new_text(block))
        for s, each in found:
            here = old[each.old[0] - block.old[0] : each.old[1] - block.old[0]]
            there = new[each.new[0] - block.new[0] : each.new[1] - block.new[0]]
            yield block, s, each, here, there


def n_words(text: str) -> int:
    """Return the number of words and numbers in a text."""
    return sum(text[start].isalnum() for start, _ in token_spans(text))


def fate(block: DiffBlock) -> str:
    """Return the fate of a block's sentences besides their words; empty if they stayed."""
    said = [FATES[block.kind]] if block.kind in FATES else []
    if block.move is not None and block.kind is not BlockKind.MOVED:
        said.append("moved")
    return " and ".join(said)


def _alarms(diff: TextDiff) -> Iterator[Alarm]:
    """Yield the alarms in the order of the new text."""
    numbers = {
        id(block): paragraph.number
        for paragraph in paragraphs(diff)
        for block, is_origin in paragraph.places
        if not is_origin
    }
    places = {id(block): k for k, block in enumerate(diff.blocks)}
    for block, s, each, old, new in _changed(diff):
        place = (places[id(block)], s, numbers[id(block)], fate(block))
        if each.change in CONFLICTING:
            yield Alarm(Change(each.change or ""), old.strip(), new.strip(), *place)
        elif block.kind in (BlockKind.DELETED, BlockKind.INSERTED):
            change = obliges(old or new)
            if change is not None:
                yield Alarm(change, old.strip(), new.strip(), *place)


def obliges(text: str) -> Change | None:
    """Return MODALITY if a sentence obliges, forbids or permits, NEGATION if it denies, or None.

    Examples
    --------
    >>> str(obliges("The host must not sell it."))
    'modality'
    >>> str(obliges("It is not for sale."))
    'negation'
    >>> obliges("It is for sale in May.")
    """
    words = [text[start:end] for start, end in token_spans(text)]
    is_value = {
        at for each in find_values(words) for at in range(each.start, each.end) if not each.rank
    }
    lower = [word.lower() for word in words]
    if any(word in OBLIGING and at not in is_value for at, word in enumerate(lower)):
        return Change.MODALITY
    denies = any(
        word.endswith(("n't", "n\u2019t"))
        or (word in DENYING and DENYING_NOTHING.isdisjoint(lower[at + 1 : at + 2]))
        for at, word in enumerate(lower)
    )
    return Change.NEGATION if denies else None


_LONGEST_BAR = 40


def stat_lines(diff: TextDiff, names: tuple[str, str] = ("old", "new")) -> Iterator[str]:
    """Yield the lines of the counts; equal texts have none.

    Parameters
    ----------
    diff : TextDiff
    names : (old, new)
        Names of the two texts.
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
    """Return the counts of changes of meaning, of form, and of white space only."""
    meaning: dict[str, int] = {}
    form: dict[str, int] = {}
    for change, n in changes.items():
        if change != SPACE:
            is_form = change == MARKUP or Change(change).is_form
            (form if is_form else meaning)[str(change)] = n
    return {"meaning": meaning, "form": form, "white space": {"changed": changes.get(SPACE, 0)}}
