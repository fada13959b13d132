"""Edits of two aligned pieces of text as segments: the white space between tokens is shared out.

Words that correspond in the same order are anchors. Between two anchors, white space that both
sides have is kept. The rest goes with the words that it stands beside, so that what is left after a
deletion reads well: of "a big dog" and "a dog", "big " is deleted; of "a dog, too" and "a dog too",
the comma alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tokalign.texts.diff.form import SPACE, DiffSegment, TextRange
from tokalign.types.edits import Change, EditKind


@dataclass(slots=True, eq=False)
class EditPiece:
    """Words of an edit: their ranges on both sides, None on a side that has none."""

    kind: EditKind
    change: Change | None
    old: TextRange | None
    new: TextRange | None


def segments_of(old: str, new: str, pieces: Sequence[EditPiece]) -> list[DiffSegment]:
    """Return the segments of two pieces of text.

    Parameters
    ----------
    old, new : str
    pieces : sequence of EditPiece
        Their ranges overlap on neither side. What they leave out is taken for white space.

    Returns
    -------
    segments : list of DiffSegment
        Without numbers of moves. By their new ranges, they cover `new` without a gap; by their old
        ranges, they cover `old` so.
    """
    sides = _Sides(
        old,
        new,
        sorted((each for each in pieces if each.old), key=lambda each: each.old or ()),
        sorted((each for each in pieces if each.new), key=lambda each: each.new or ()),
    )
    anchors = _anchors(sides.by_new)
    for each in set(sides.by_new).difference(anchors):
        if each.kind is EditKind.EQUAL:  # it crosses others
            each.kind, each.change = EditKind.MOVE, Change.ORDER
    # All before any is written, since words may stand far from where they were.
    stretches = list(_between(sides, anchors))
    writer = _Writer(old, new)
    for stretch, anchor in zip(stretches, [*anchors, None], strict=True):
        writer.write_stretch(stretch)
        if anchor is not None:
            _take_space(writer, anchor)
            writer.write(anchor)
    return writer.segments


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What lies between two anchors.

    Attributes
    ----------
    old, new : list of EditPiece
        In the order of each side.
    before, after : (old, new) or None
        White space that stands on both sides at the beginning, and at the end.
    """

    old: list[EditPiece]
    new: list[EditPiece]
    before: tuple[TextRange, TextRange] | None
    after: tuple[TextRange, TextRange] | None


def _between(sides: _Sides, anchors: Sequence[EditPiece]) -> Iterator[_Stretch]:
    """Yield what lies before each anchor, and after the last."""
    at_old = at_new = -1
    for anchor in anchors:
        end_old = sides.by_old.index(anchor, at_old + 1)
        end_new = sides.by_new.index(anchor, at_new + 1)
        yield _stretch(sides, (at_old, end_old), (at_new, end_new))
        at_old, at_new = end_old, end_new
    yield _stretch(sides, (at_old, len(sides.by_old)), (at_new, len(sides.by_new)))


def _take_space(writer: _Writer, anchor: EditPiece) -> None:
    """Let a substitution take the space that one side has before it, as in "1990. It, 1990 and"."""
    last = writer.segments[-1] if writer.segments else None
    if (
        last is not None
        and last.change == SPACE
        and last.kind is not EditKind.SUBSTITUTE
        and anchor.kind is EditKind.SUBSTITUTE
        and anchor.old is not None
        and anchor.new is not None
        and last.old[1] == anchor.old[0]
    ):
        writer.segments.pop()
        anchor.old = (last.old[0], anchor.old[1])
        anchor.new = (last.new[0], anchor.new[1])


@dataclass(slots=True)
class _Sides:
    """Both texts with their pieces in order; gap k of a side stands before its piece k."""

    old: str
    new: str
    by_old: list[EditPiece]
    by_new: list[EditPiece]
    old_gaps: list[TextRange] = field(init=False)
    new_gaps: list[TextRange] = field(init=False)

    def __post_init__(self) -> None:
        self.old_gaps = _gaps((each.old for each in self.by_old), len(self.old))
        self.new_gaps = _gaps((each.new for each in self.by_new), len(self.new))

    def agree(self, old_gap: TextRange, new_gap: TextRange) -> bool:
        """Whether a gap of the old side is the same text as one of the new side."""
        return self.old[slice(*old_gap)] == self.new[slice(*new_gap)]


def _gaps(spans: Iterable[TextRange | None], end: int) -> list[TextRange]:
    edges = [0, *(edge for span in spans if span for edge in span), end]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _anchors(by_new: Iterable[EditPiece]) -> list[EditPiece]:
    """Return the most pieces with words on both sides that stand in the same order on both."""
    paired = [each for each in by_new if each.old and each.new and each.kind is not EditKind.MOVE]
    starts: list[TextRange] = []  # of the last piece of the best chain of each length
    lasts: list[int] = []
    before: list[int] = []
    for number, piece in enumerate(paired):
        assert piece.old is not None
        length = bisect_left(starts, piece.old)
        before.append(lasts[length - 1] if length else -1)
        starts[length : length + 1] = [piece.old]
        lasts[length : length + 1] = [number]
    chain: list[EditPiece] = []
    number = lasts[-1] if lasts else -1
    while number >= 0:
        chain.append(paired[number])
        number = before[number]
    return chain[::-1]


def _stretch(sides: _Sides, olds: TextRange, news: TextRange) -> _Stretch:
    """Return what lies between two anchors, given by their places on both sides."""
    old_pieces = sides.by_old[olds[0] + 1 : olds[1]]
    new_pieces = sides.by_new[news[0] + 1 : news[1]]
    old_gaps = sides.old_gaps[olds[0] + 1 : olds[1] + 1]
    new_gaps = sides.new_gaps[news[0] + 1 : news[1] + 1]
    keeps_first = sides.agree(old_gaps[0], new_gaps[0])
    keeps_last = sides.agree(old_gaps[-1], new_gaps[-1]) and (
        not keeps_first or (len(old_gaps) > 1 and len(new_gaps) > 1)
    )
    if not keeps_first and not keeps_last and not (old_pieces and new_pieces):
        keeps_first = True  # one side has a single gap, which has changed
    _attach(old_pieces, old_gaps, (keeps_first, keeps_last), "old")
    _attach(new_pieces, new_gaps, (keeps_first, keeps_last), "new")
    return _Stretch(
        old_pieces,
        new_pieces,
        (old_gaps[0], new_gaps[0]) if keeps_first else None,
        (old_gaps[-1], new_gaps[-1]) if keeps_last else None,
    )


def _attach(
    pieces: Sequence[EditPiece], gaps: Sequence[TextRange], kept: tuple[bool, bool], side: str
) -> None:
    """Let pieces take the gaps of their side that are not kept: each what follows it."""
    if not pieces:
        return
    for number, piece in enumerate(pieces):
        start, end = getattr(piece, side)
        if number == 0 and not kept[0]:
            start = gaps[0][0]
        if number < len(pieces) - 1 or not kept[1]:
            end = gaps[number + 1][1]
        setattr(piece, side, (start, end))


class _Writer:
    """Puts segments one after the other, by their place in the new text."""

    def __init__(self, old: str, new: str) -> None:
        self.segments: list[DiffSegment] = []
        self._texts = old, new
        self._at = (0, 0)

    def write_stretch(self, stretch: _Stretch) -> None:
        """Add what lies between two anchors: what was deleted, then what stands there now."""
        if stretch.before is not None:
            self.write_gap(*stretch.before)
        for piece in stretch.old:
            if piece.new is None:
                self.write(piece)
        for piece in stretch.new:
            self.write(piece, is_anchor=False)
        if stretch.after is not None:
            self.write_gap(*stretch.after)

    def write(self, piece: EditPiece, *, is_anchor: bool = True) -> None:
        """Add a piece; on a side without words, it stands where the last words ended.

        What is no anchor comes from another place of the old text, or from none.
        """
        at_old, at_new = self._at
        old, new = piece.old or (at_old, at_old), piece.new or (at_new, at_new)
        self._add(piece.kind, old, new, piece.change)
        if not is_anchor:
            self._at = (at_old, new[1])

    def write_gap(self, old: TextRange, new: TextRange) -> None:
        """Add what stands between words on both sides."""
        texts = self._texts[0][slice(*old)], self._texts[1][slice(*new)]
        if texts[0] == texts[1]:
            if texts[0]:
                self._add(EditKind.EQUAL, old, new, None)
            return
        blank = [not text.strip() for text in texts]
        change = SPACE if all(blank) else Change.CONTENT
        if all(texts) and blank[0] == blank[1]:
            self._add(EditKind.SUBSTITUTE, old, new, change)
            return
        if texts[0]:
            self._add(EditKind.DELETE, old, (new[0], new[0]), SPACE if blank[0] else change)
        if texts[1]:
            self._add(EditKind.INSERT, (old[1], old[1]), new, SPACE if blank[1] else change)

    def _add(self, kind: EditKind, old: TextRange, new: TextRange, change: str | None) -> None:
        self._at = (old[1], new[1])
        last = self.segments[-1] if self.segments else None
        if (
            last is not None
            and kind is last.kind is EditKind.EQUAL
            and last.old[1] == old[0]
            and last.new[1] == new[0]
        ):
            self.segments[-1] = DiffSegment(kind, (last.old[0], old[1]), (last.new[0], new[1]))
            return
        self.segments.append(DiffSegment(kind, old, new, change))


def pieces_of_run(
    texts: tuple[str, str],
    olds: Sequence[TextRange],
    news: Sequence[TextRange],
    change: Change | None,
) -> Iterator[EditPiece]:
    """Yield kept tokens one by one, so that white space between them may differ.

    A token may be other characters in the old and the new text: a capital, or a curly quote in the
    place of a straight one. That is a substitution, which `change` names.
    """
    for a, b in zip(olds, news, strict=True):
        old, new = texts[0][slice(*a)], texts[1][slice(*b)]
        if old == new:
            yield EditPiece(EditKind.EQUAL, None, a, b)
        else:
            is_word = any(map(str.isalnum, old + new))
            otherwise = Change.SPELLING if is_word else Change.PUNCTUATION
            yield EditPiece(EditKind.SUBSTITUTE, change or otherwise, a, b)
