"""The stable form of a difference between two texts, the only input of renderers.

Texts are cut into blocks and blocks into segments, without gaps: every character of either text,
including white space, is in exactly one segment. So either text can be rebuilt from the other one
and the segments. docs/diff.schema.json describes the form as JSON.
"""

import enum
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from operator import eq
from typing import Any, ClassVar, Self

from tokalign.errors import InputError, quoted
from tokalign.showing.text import one_line
from tokalign.texts.block_forms import TextRange
from tokalign.types.display import Shown
from tokalign.types.edits import Change, EditKind

SPACE = "space"
"""Change of a segment in which only white space differs."""
MARKUP = "markup"
"""Change of a segment in which only marks differ: mark-up, citation marks, labels; no words.
Other changes are of `Change`."""
_TOKEN = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d](?:\w|['’](?=\w))*|\w+|[^\w\s]")
FORMAT, FORMAT_VERSION = "tokalign-diff", 1


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


def n_alike(a: Sequence[str], b: Sequence[str]) -> int:
    """Return how many items two sequences share at their beginnings."""
    unlike = (k for k, (one, other) in enumerate(zip(a, b, strict=False)) if one != other)
    return next(unlike, min(len(a), len(b)))


def n_words(text: str) -> int:
    """Return the number of words and numbers in a text."""
    return sum(text[start].isalnum() for start, _ in token_spans(text))


class BlockKind(enum.StrEnum):
    """What happened to the sentences of a block.

    ``same``: the words are the same, the white space may differ. ``changed``: the words differ.
    ``moved``: the sentence stands at another place; its words may differ, too. ``split``: one
    sentence became several; ``merged``: several became one. ``deleted``, ``inserted``: one side is
    empty.
    """

    SAME = "same"
    CHANGED = "changed"
    MOVED = "moved"
    SPLIT = "split"
    MERGED = "merged"
    DELETED = "deleted"
    INSERTED = "inserted"


@dataclass(frozen=True, slots=True)
class DiffSegment:
    """A piece of both texts, or of one.

    Attributes
    ----------
    kind : EditKind
        With EQ the two pieces are equal; with DEL the new one is empty, with INS the old one.
    old, new : (start, end)
        Ranges of the old and the new text; an empty one marks the place of the missing piece.
    change : str or None
        A Change, SPACE or MARKUP; None exactly where the kind is EQ.
    move : int or None
        Number of the segment's move: that of its block if that has moved, else its own if the kind
        is MOV.
    """

    kind: EditKind
    old: TextRange
    new: TextRange
    change: str | None = None
    move: int | None = None


@dataclass(frozen=True, slots=True)
class DiffBlock:
    """The sentences of both texts that correspond.

    Attributes
    ----------
    kind : BlockKind
    old, new : (start, end)
        Ranges of the texts, including white space after the last sentence (and, at the beginning of
        a text, before the first).
    old_sentences, new_sentences : tuple of (start, end)
        Ranges of the sentences themselves.
    segments : tuple of DiffSegment
        In the order of the new text. Their new ranges cover `new`, and their old ranges `old`,
        without gaps.
    move : int or None
        Number of the move, if the block moved relative to its neighbours. A split or merged block
        may have moved, too.
    """

    kind: BlockKind
    old: TextRange
    new: TextRange
    old_sentences: tuple[TextRange, ...]
    new_sentences: tuple[TextRange, ...]
    segments: tuple[DiffSegment, ...]
    move: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class TextDiff(Shown):
    """What changed from one text to another.

    Attributes
    ----------
    old, new : str
        The texts.
    blocks : tuple of DiffBlock
        In the order of the new text. They cover both texts without gaps.
    model, version : str
        Name and version of the model that aligned the texts; empty if none was needed.

    Examples
    --------
    >>> same = DiffSegment(EditKind.EQUAL, (0, 5), (0, 5))
    >>> more = DiffSegment(EditKind.INSERT, (5, 5), (5, 6), Change.PUNCTUATION)
    >>> block = DiffBlock(BlockKind.CHANGED, (0, 5), (0, 6), ((0, 5),), ((0, 6),), (same, more))
    >>> diff = TextDiff("It is", "It is.", (block,))
    >>> diff.rebuild_new("It is"), diff.rebuild_old("It is.")
    ('It is.', 'It is')
    >>> TextDiff.from_dict(diff.to_dict()) == diff
    True
    """

    _drawn_by: ClassVar[str] = "tokalign.texts.diff.diff_lines"
    old: str
    new: str
    blocks: tuple[DiffBlock, ...]
    model: str = ""
    version: str = ""

    def __repr__(self) -> str:
        texts = " - ".join(repr(one_line(text)) for text in (self.old, self.new))
        n_changed = sum(block.kind is not BlockKind.SAME for block in self.blocks)
        return f"<TextDiff {texts}: {n_changed} of {len(self.blocks)} blocks changed>"

    def lines(self, *, is_coloured: bool = False) -> Iterable[str]:
        """Return the lines that the command line prints, by default in no colours."""
        if self.is_same:
            return ["The texts are equal."]
        return Shown.lines(self, is_coloured=is_coloured)

    def _table(self) -> dict[str, list[Any]]:
        """Return a row for each segment, also for what is equal."""
        rows = [
            (number, part) for number, block in enumerate(self.blocks) for part in block.segments
        ]
        return {
            "block": [number for number, _ in rows],
            "kind": [each.kind.value for _, each in rows],
            "change": [each.change and str(each.change) for _, each in rows],
            "old_text": [self.old_text(each) for _, each in rows],
            "new_text": [self.new_text(each) for _, each in rows],
            "old_start": [each.old[0] for _, each in rows],
            "new_start": [each.new[0] for _, each in rows],
            "move": [each.move for _, each in rows],
        }

    def _row(self) -> dict[str, Any]:
        """Return the counts of words, and the changes of meaning."""
        found = self._drawing().summarize(self)
        alarms = [f"{each.change}: {each}" for each in found.alarms]
        row: dict[str, Any] = {"old_text": self.old, "new_text": self.new, "alarms": alarms}
        words = {"n_inserted": found.n_inserted, "n_deleted": found.n_deleted}
        return row | words | {"n_moved": found.n_moved}

    @property
    def is_same(self) -> bool:
        """Whether the two texts are equal, including white space."""
        return self.old == self.new

    def segments(self) -> Iterator[DiffSegment]:
        """Yield the segments of all blocks, in the order of the new text."""
        for block in self.blocks:
            yield from block.segments

    def old_text(self, part: DiffSegment | DiffBlock) -> str:
        """Return the old text of a segment or a block."""
        return self.old[slice(*part.old)]

    def new_text(self, part: DiffSegment | DiffBlock) -> str:
        """Return the new text of a segment or a block."""
        return self.new[slice(*part.new)]

    def rebuild_new(self, old: str) -> str:
        """Return the new text, rebuilt from the old one and the segments.

        Raises InputError if `old` is not the old text of this difference.
        """
        _require_text(old, self.old, "old")
        return "".join(
            old[slice(*each.old)] if each.kind is EditKind.EQUAL else self.new_text(each)
            for each in self.segments()
        )

    def rebuild_old(self, new: str) -> str:
        """Return the old text, rebuilt from the new one and the segments.

        Raises InputError if `new` is not the new text of this difference.
        """
        _require_text(new, self.new, "new")
        return "".join(
            new[slice(*each.new)] if each.kind is EditKind.EQUAL else self.old_text(each)
            for each in sorted(self.segments(), key=lambda each: each.old)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as a JSON object; docs/diff.schema.json describes it.

        Segments hold their texts: `text` if both sides are equal, else `old_text` and `new_text`,
        unless empty.
        """
        blocks = []
        for block in self.blocks:
            found = _record(block)
            found["old_sentences"] = list(map(list, block.old_sentences))
            found["new_sentences"] = list(map(list, block.new_sentences))
            found["segments"] = list(map(self._segment_record, block.segments))
            blocks.append(found)
        head = {"format": FORMAT, "format_version": FORMAT_VERSION}
        return head | {"model": self.model, "version": self.version, "blocks": blocks}

    def _segment_record(self, segment: DiffSegment) -> dict[str, Any]:
        found = _record(segment)
        if segment.change is not None:
            found["change"] = str(segment.change)
        old, new = self.old_text(segment), self.new_text(segment)
        if segment.kind is EditKind.EQUAL:
            return found | {"text": new}
        return found | {name: text for name, text in (("old_text", old), ("new_text", new)) if text}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Return the difference that `to_dict` wrote.

        Raises InputError if a field is missing or of another type, a kind is unknown, or the
        segments do not cover both texts without gaps.
        """
        if not isinstance(value, Mapping) or value.get("format") != FORMAT:
            seen = value.get("format") if isinstance(value, Mapping) else value
            raise InputError(f"format is {quoted(seen)}; wanted {FORMAT}", field="format")
        if value.get("format_version") != FORMAT_VERSION:
            raise InputError(
                f"format_version is {quoted(value.get('format_version'))}; wanted {FORMAT_VERSION}",
                field="format_version",
            )
        try:
            blocks = tuple(map(_block_of, value["blocks"]))
            segments = [each for block in value["blocks"] for each in block["segments"]]
            old = "".join(
                each.get("text", each.get("old_text", ""))
                for each in sorted(segments, key=lambda each: each["old"])
            )
            new = "".join(each.get("text", each.get("new_text", "")) for each in segments)
            found = cls(old, new, blocks, value.get("model", ""), value.get("version", ""))
        except KeyError as error:
            raise InputError(f"a block or segment lacks {error}", field="blocks") from None
        except (AttributeError, TypeError, ValueError) as error:
            raise InputError(f"damaged difference: {error}", field="blocks") from None
        found.check()
        return found

    def check(self) -> None:
        """Raise InputError unless blocks and their segments cover both texts without gaps."""
        _require_cover(self.blocks, (0, len(self.old)), (0, len(self.new)), "blocks")
        for number, block in enumerate(self.blocks):
            field = f"blocks[{number}].segments"
            _require_cover(block.segments, block.old, block.new, field)
            for segment in block.segments:
                old, new = self.old_text(segment), self.new_text(segment)
                if segment.kind is EditKind.EQUAL and old != new:
                    message = f"{quoted(old)} is called equal to {quoted(new)}"
                    raise InputError(message, field=field)


def _record(part: DiffSegment | DiffBlock) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": part.kind.value, "old": list(part.old), "new": list(part.new)}
    if part.move is not None:
        found["move"] = part.move
    return found


def _block_of(value: Mapping[str, Any]) -> DiffBlock:
    return DiffBlock(
        BlockKind(value["kind"]),
        _span_of(value["old"]),
        _span_of(value["new"]),
        tuple(map(_span_of, value["old_sentences"])),
        tuple(map(_span_of, value["new_sentences"])),
        tuple(map(_segment_of, value["segments"])),
        value.get("move"),
    )


def _segment_of(value: Mapping[str, Any]) -> DiffSegment:
    for side in ("old", "new"):
        start, end = value[side]
        if len(value.get("text", value.get(f"{side}_text", ""))) != end - start:
            raise ValueError(f"the {side} text of the segment at {value[side]} has another length")
    change = value.get("change")
    if change not in (None, SPACE, MARKUP):
        change = Change(change)
    return DiffSegment(
        EditKind(value["kind"]),
        _span_of(value["old"]),
        _span_of(value["new"]),
        change,
        value.get("move"),
    )


def _span_of(value: Sequence[int]) -> TextRange:
    start, end = value
    if type(start) is not int or type(end) is not int or not 0 <= start <= end:
        raise ValueError(f"{quoted(value)} is no range")
    return start, end


def _require_text(given: str, wanted: str, name: str) -> None:
    if given != wanted:
        at = sum(takewhile(bool, map(eq, given, wanted)))
        raise InputError(
            f"this is not the {name} text of the difference: at character {at}, saw "
            f"{quoted(given[at : at + 20])}, wanted {quoted(wanted[at : at + 20])}",
            field=name,
        )


def _require_cover(
    parts: Sequence[DiffSegment] | Sequence[DiffBlock], old: TextRange, new: TextRange, field: str
) -> None:
    """Raise InputError unless the parts cover both ranges without gaps, in the new one's order."""
    sides = (
        ("old", old, sorted(each.old for each in parts)),
        ("new", new, [each.new for each in parts]),
    )
    for name, (at, end), spans in sides:
        for start, stop in spans:
            if start != at:
                raise InputError(
                    f"the {name} text is covered up to {at}, and then from {start}", field=field
                )
            at = stop
        if at != end:
            raise InputError(f"the {name} text is covered up to {at} of {end}", field=field)
