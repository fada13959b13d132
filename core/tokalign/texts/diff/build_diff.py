"""Build the difference of two aligned texts: edits of words become segments of text.

White space between words is assigned to segments, too. Words that correspond in the same order are
anchors. Between two anchors, white space that both sides have is kept. The rest goes with the words
beside it, so that the text after a deletion reads well: from "a big dog" to "a dog", "big " is
deleted; from "a dog, too" to "a dog too", only the comma.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain, pairwise

from tokalign.english.reading.text_reading import without_marks
from tokalign.english.values import are_one_value, only_value
from tokalign.texts.block_forms import TextRange, cells_of, is_of_label, labels_of, with_underline
from tokalign.texts.diff.sliding import slid
from tokalign.texts.diff.text_diff import (
    MARKUP,
    SPACE,
    BlockKind,
    DiffBlock,
    DiffSegment,
    TextDiff,
    n_alike,
    n_words,
    tokens_of,
)
from tokalign.texts.text_words import have_same_words
from tokalign.types import Alignment, Sentence
from tokalign.types.edits import CONFLICTING, Change, EditKind
from tokalign.types.texts import SentenceSpan, TextAlignment, TextBlock

LEAST_KEPT = 1 / 3
"""Least share of the words of a sentence that stays, unless it was rewritten."""
LEAST_REWRITTEN = 4
"""Least words of a sentence that was rewritten."""
MOST_OF_CELL = 16
"""Most words, old and new, of a cell that is one change."""
_WORD = re.compile(r"\S+")
_HYPHENATED = re.compile(r"\u2010\s+")


@dataclass(slots=True, eq=False)
class EditPiece:
    """Words of an edit: their ranges on both sides, None on a side that has none."""

    kind: EditKind
    change: str | None
    old: TextRange | None
    new: TextRange | None


def segments_of(
    old: str, new: str, pieces: Sequence[EditPiece], otherwise: str = Change.CONTENT
) -> list[DiffSegment]:
    """Return the segments of two pieces of text, without numbers of moves.

    The ranges of `pieces` must not overlap. Text outside of them is taken for white space; what is
    none there has the change `otherwise`.
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
    # All before any is written, since words may have moved far.
    stretches = list(_between(sides, anchors))
    writer = _Writer(old, new, otherwise)
    for stretch, anchor in zip(stretches, [*anchors, None], strict=True):
        writer.write_stretch(stretch)
        if anchor is not None:
            _take_space(writer, anchor)
            writer.write(anchor)
    return writer.segments


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The pieces between two anchors in the order of each side, and the white space before and
    after them that both sides share."""

    old: list[EditPiece]
    new: list[EditPiece]
    before: tuple[TextRange, TextRange] | None
    after: tuple[TextRange, TextRange] | None


def _between(sides: "_Sides", anchors: Sequence[EditPiece]) -> Iterator[_Stretch]:
    """Yield the stretch before each anchor, and after the last."""
    at_old = at_new = -1
    for anchor in anchors:
        end_old = sides.by_old.index(anchor, at_old + 1)
        end_new = sides.by_new.index(anchor, at_new + 1)
        yield _stretch(sides, (at_old, end_old), (at_new, end_new))
        at_old, at_new = end_old, end_new
    yield _stretch(sides, (at_old, len(sides.by_old)), (at_new, len(sides.by_new)))


def _take_space(writer: "_Writer", anchor: EditPiece) -> None:
    """Extend a substitution by the space that one side has before it, as in "1990. It, 1990
    and"."""
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


def _gaps(spans: Iterable[TextRange | None], end: int) -> list[TextRange]:
    edges = [0, *(edge for span in spans if span for edge in span), end]
    return list(zip(edges[::2], edges[1::2], strict=True))


def _anchors(by_new: Iterable[EditPiece]) -> list[EditPiece]:
    """Return the longest sequence of pieces with words on both sides in the same order."""
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
    """Return the stretch between two anchors, given by their indices on both sides."""
    old_pieces = sides.by_old[olds[0] + 1 : olds[1]]
    new_pieces = sides.by_new[news[0] + 1 : news[1]]
    old_gaps = sides.old_gaps[olds[0] + 1 : olds[1] + 1]
    new_gaps = sides.new_gaps[news[0] + 1 : news[1] + 1]
    keeps_first, keeps_last = (
        sides.old[slice(*old_gaps[k])] == sides.new[slice(*new_gaps[k])] for k in (0, -1)
    )
    keeps_last &= not keeps_first or (len(old_gaps) > 1 and len(new_gaps) > 1)
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
    """Extend pieces by the gaps of their side that are not kept: each by the gap after it."""
    for number, piece in enumerate(pieces):
        start, end = getattr(piece, side)
        if number == 0 and not kept[0]:
            start = gaps[0][0]
        if number < len(pieces) - 1 or not kept[1]:
            end = gaps[number + 1][1]
        setattr(piece, side, (start, end))


class _Writer:
    """Writes segments in the order of the new text."""

    def __init__(self, old: str, new: str, otherwise: str) -> None:
        self.segments: list[DiffSegment] = []
        self._texts = old, new
        self._otherwise = otherwise
        self._at = (0, 0)

    def write_stretch(self, stretch: _Stretch) -> None:
        """Add the stretch between two anchors: deleted pieces, then those of the new text."""
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
        """Add a piece; on a side without words, its place is where the last words ended.

        A piece that is not an anchor comes from another place of the old text, or from none.
        """
        at_old, at_new = self._at
        old, new = piece.old or (at_old, at_old), piece.new or (at_new, at_new)
        self._add(piece.kind, old, new, piece.change)
        if not is_anchor:
            self._at = (at_old, new[1])

    def write_gap(self, old: TextRange, new: TextRange) -> None:
        """Add the text between words on both sides; of marks, what both sides share is kept."""
        texts = self._texts[0][slice(*old)], self._texts[1][slice(*new)]
        if texts[0] == texts[1]:
            if texts[0]:
                self._add(EditKind.EQUAL, old, new, None)
            return
        blank = [not text.strip() for text in texts]
        change = SPACE if all(blank) else self._otherwise
        before = _n_shared(*texts) if change == MARKUP else 0
        ends_of = (text[before:][::-1] for text in texts)
        after = _n_shared(*ends_of) if change == MARKUP else 0
        if before or after:
            ends = (old[1] - after, new[1] - after)
            self.write_gap((old[0], old[0] + before), (new[0], new[0] + before))
            self.write_gap((old[0] + before, ends[0]), (new[0] + before, ends[1]))
            self.write_gap((ends[0], old[1]), (ends[1], new[1]))
            return
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


def _n_shared(a: str, b: str) -> int:
    """Return how many characters two texts share at their beginnings, up to white space."""
    n = n_alike(a, b)
    if all(not text[n : n + 1].strip() for text in (a, b)):
        return n
    return next((k for k in range(n, 0, -1) if a[k - 1].isspace()), 0)


def pieces_of_run(
    texts: tuple[str, str],
    olds: Sequence[TextRange],
    news: Sequence[TextRange],
    change: Change | None,
) -> Iterator[EditPiece]:
    """Yield kept tokens one by one, so that white space between them may differ.

    A token may have different characters in the two texts: a capital, or a curly quote for a
    straight one. That is a substitution of the kind `change`, or of white space where a line ends
    within a word.
    """
    for a, b in zip(olds, news, strict=True):
        old, new = texts[0][slice(*a)], texts[1][slice(*b)]
        if old == new:
            yield EditPiece(EditKind.EQUAL, None, a, b)
        elif _HYPHENATED.sub("", old) == _HYPHENATED.sub("", new):
            yield EditPiece(EditKind.SUBSTITUTE, SPACE, a, b)
        else:
            is_word = any(map(str.isalnum, old + new))
            otherwise = Change.SPELLING if is_word else Change.PUNCTUATION
            yield EditPiece(EditKind.SUBSTITUTE, change or otherwise, a, b)


def spaced(old: str, new: str) -> list[DiffSegment]:
    """Return the segments of two texts that are equal but for white space."""
    writer = _Writer(old, new, MARKUP)
    if old == new:
        writer.write_gap((0, len(old)), (0, len(new)))
        return writer.segments
    run = (0, 0)  # where the equal text began
    (gaps, starts), (new_gaps, new_starts) = map(_gaps_of_words, (old, new))
    for k, (a, b) in enumerate(zip(gaps, new_gaps, strict=True)):
        if a != b:
            ends = starts[k] + len(a), new_starts[k] + len(b)
            writer.write_gap((run[0], starts[k]), (run[1], new_starts[k]))
            writer.write_gap((starts[k], ends[0]), (new_starts[k], ends[1]))
            run = ends
    writer.write_gap((run[0], len(old)), (run[1], len(new)))
    return writer.segments


def _gaps_of_words(text: str) -> tuple[list[str], list[int]]:
    """Return the white space before each word and behind the last, and where each begins."""
    gaps = _WORD.split(text)
    sizes = map(len, chain.from_iterable(zip(gaps, _WORD.findall(text), strict=False)))
    return gaps, [0, *accumulate(sizes)][::2]


def diff_of(texts: TextAlignment) -> TextDiff:
    """Return what changed between two aligned texts, whose alignments need edits.

    If an alignment is missing and the words differ, all of the block's text is replaced.

    Examples
    --------
    >>> span = SentenceSpan(0, 4, "Yes.")
    >>> blocks = (TextBlock((), (0,), False, None),)
    >>> diff = diff_of(TextAlignment("", "Yes.", (), (span,), blocks, "en", "1"))
    >>> [(str(each.kind), diff.new_text(each)) for each in diff.segments()]
    [('INS', 'Yes.')]
    """
    blocks = tuple(_Builder(texts).blocks())
    return TextDiff(texts.old_text, texts.new_text, blocks, texts.model, texts.version)


def same_texts(text: str, sentences: Sequence[TextRange]) -> TextDiff:
    """Return the difference between a text and itself, given its sentences."""
    spans = tuple(SentenceSpan(start, end, text[start:end]) for start, end in sentences)
    blocks = tuple(TextBlock((k,), (k,), False, None) for k in range(len(spans)))
    return diff_of(TextAlignment(text, text, spans, spans, blocks, "", ""))


def _without_unlike_moves(blocks: Sequence[TextBlock]) -> Sequence[TextBlock]:
    """Return the blocks; what moved and keeps hardly a word was deleted and inserted."""
    gone = [each for each in blocks if each.moved and _keeps_little(each.alignment)]
    unlike = set(map(id, gone))
    found = [TextBlock((), each.new) if id(each) in unlike else each for each in blocks]
    for each in sorted(gone, key=lambda each: each.old):
        ats = (k for k, other in enumerate(found) if each.old[0] - 1 in other.old)
        found.insert(next(ats, -1) + 1, TextBlock(each.old, ()))
    return found


def _keeps_little(alignment: Alignment | None) -> bool:
    if alignment is None:
        return False
    n_words = kept = 0
    for each in alignment.edits:
        sides = (alignment.source, each.source), (alignment.target, each.target)
        n = sum(side.tokens[k].isalnum() for side, tokens in sides for k in tokens)
        n_words += n
        kept += n * (each.kind in (EditKind.EQUAL, EditKind.MOVE))
    return kept < LEAST_KEPT * n_words


class _Builder:
    """Makes the blocks of a difference in order, and counts the moves."""

    def __init__(self, texts: TextAlignment) -> None:
        self._texts = texts
        self._old_ranges = _ranges(texts.old, len(texts.old_text))
        self._new_ranges = _ranges(texts.new, len(texts.new_text))
        self._n_moves = 0
        self._last: DiffBlock | None = None

    def blocks(self) -> Iterator[DiffBlock]:
        """Yield the blocks; white space outside of sentences goes to the first."""
        texts = self._texts
        at = 0
        stray_old, stray_new = not texts.old, not texts.new
        blocks = _without_unlike_moves(texts.blocks)
        if not blocks and (texts.old_text or texts.new_text):
            blocks = (TextBlock((), (), False, None),)
        at_new = 0
        for block in blocks:
            old = _joined(self._old_ranges, block.old) or (at, at)
            new = _joined(self._new_ranges, block.new) or (at_new, at_new)
            if stray_old:
                old, stray_old = (0, len(texts.old_text)), False
            if stray_new:
                new, stray_new = (0, len(texts.new_text)), False
            self._last = self._block(block, old, new)
            yield self._last
            at = at if block.moved else old[1]
            at_new = new[1]

    def _block(self, block: TextBlock, old: TextRange, new: TextRange) -> DiffBlock:
        texts = self._texts
        move = self._move(old) if block.moved else None
        spans = (
            tuple((texts.old[k].start, texts.old[k].end) for k in block.old),
            tuple((texts.new[k].start, texts.new[k].end) for k in block.new),
        )
        cores = (old, new)
        if block.old and block.new:
            cores = (
                (spans[0][0][0] - old[0], spans[0][-1][1] - old[0]),
                (spans[1][0][0] - new[0], spans[1][-1][1] - new[0]),
            )
        both = texts.old_text[slice(*old)], texts.new_text[slice(*new)]
        if have_same_words(*both):
            found = spaced(*both)
        else:
            pieces = list(_pieces(*both, cores, block.alignment)) if block.old and block.new else []
            # Words are pieces, where there are any: what else differs is marks.
            is_said = not pieces and any(map(str.isalnum, "".join(map(without_marks, both))))
            found = slid(*both, segments_of(*both, pieces, Change.CONTENT if is_said else MARKUP))
            if len(found) > 1 and is_rewritten(*both, found):
                whole = [EditPiece(EditKind.SUBSTITUTE, Change.WORDING, *cores)]
                found = segments_of(*both, whole)
            labelled = with_underline(texts.old_text, old), with_underline(texts.new_text, new)
            found = list(with_labels(*labelled, by_cells(*both, found)))
        segments = tuple(
            DiffSegment(
                each.kind,
                (each.old[0] + old[0], each.old[1] + old[0]),
                (each.new[0] + new[0], each.new[1] + new[0]),
                each.change,
                self._next_move() if each.kind is EditKind.MOVE else move,
            )
            for each in found
        )
        return DiffBlock(_kind(block, segments), old, new, *spans, segments, move)

    def _move(self, old: TextRange) -> int:
        """Return the number of a block's move: neighbours that move together share one."""
        last = self._last
        if last is not None and last.move is not None and last.old[1] == old[0]:
            return last.move
        return self._next_move()

    def _next_move(self) -> int:
        self._n_moves += 1
        return self._n_moves


def is_rewritten(old: str, new: str, segments: Sequence[DiffSegment]) -> bool:
    """Whether a sentence keeps less than a third of its words, and none that conflict: it reads
    better deleted and inserted as a whole."""
    kept = 0
    sizes = [0, 0]
    for each in segments:
        if each.change != MARKUP:
            here, there = n_words(old[slice(*each.old)]), n_words(new[slice(*each.new)])
            sizes[0] += here
            sizes[1] += there
            kept += there if each.kind in (EditKind.EQUAL, EditKind.MOVE) else 0
    return (
        min(sizes) >= LEAST_REWRITTEN
        and LEAST_KEPT * sum(sizes) > 2 * kept
        and all(each.change not in CONFLICTING for each in segments)
    )


def by_cells(old: str, new: str, segments: list[DiffSegment]) -> list[DiffSegment]:
    """Return the segments of a row of a table, with one change a cell.

    Rows stay as they are if no cell changed twice, if a cell is long, or if cells come or go.
    """
    sides = cells_of(old), cells_of(new)
    if not sides[0] or len(sides[0]) != len(sides[1]):
        return segments
    cells = list(zip(*sides, strict=True))
    changed = [each for each in segments if each.change not in (None, SPACE)]
    homes = {
        k
        for k, (a, b) in enumerate(cells)
        for each in changed
        if a[0] <= each.old[0] <= each.old[1] <= a[1] and b[0] <= each.new[0] <= each.new[1] <= b[1]
    }
    sizes = [n_words(old[slice(*a)]) + n_words(new[slice(*b)]) for a, b in cells]
    if len(homes) == len(changed) or max(sizes) > MOST_OF_CELL:
        return segments
    pieces = [piece for cell in cells for piece in _pieces_of_cell((old, new), cell, changed)]
    return segments_of(old, new, pieces, MARKUP)


def _pieces_of_cell(
    texts: tuple[str, str], cell: tuple[TextRange, TextRange], changed: Iterable[DiffSegment]
) -> Iterator[EditPiece]:
    """Yield the bar and the words of a cell: those that both sides share, and one change."""
    a, b = (text.rindex("|", 0, at) for text, (at, _) in zip(texts, cell, strict=True))
    yield EditPiece(EditKind.EQUAL, None, (a, a + 1), (b, b + 1))
    olds, news = (
        [(at + each.start(), at + each.end()) for each in _WORD.finditer(text[at:end])]
        for text, (at, end) in zip(texts, cell, strict=True)
    )
    words = [texts[0][slice(*each)] for each in olds], [texts[1][slice(*each)] for each in news]
    n = n_alike(*words)
    m = n_alike(*(side[n:][::-1] for side in words))
    ends = len(olds) - m, len(news) - m
    yield from pieces_of_run(texts, olds[:n], news[:n], None)
    old, new = (
        (spans[n][0], spans[end - 1][1]) if n < end else None
        for spans, end in zip((olds, news), ends, strict=True)
    )
    if old or new:
        changes = {
            each.change
            for each in changed
            if any(a and a[0] < b[1] and b[0] < a[1] for a, b in ((old, each.old), (new, each.new)))
        }
        change = Change.WORDING if old and new else Change.CONTENT
        change = next((each for each in CONFLICTING if each in changes), change)
        one, other = (
            tokens_of(text[slice(*span)]) if span else ()
            for text, span in zip(texts, (old, new), strict=True)
        )
        before, after = only_value(one), only_value(other)
        if before and after and before.kind is after.kind and not are_one_value(one, other):
            change = Change.NUMBER
        kind = EditKind.SUBSTITUTE if old and new else EditKind.DELETE if old else EditKind.INSERT
        yield EditPiece(kind, change, old, new)
    yield from pieces_of_run(texts, olds[ends[0] :], news[ends[1] :], None)


def with_labels(old: str, new: str, segments: Iterable[DiffSegment]) -> Iterator[DiffSegment]:
    """Yield the segments of a block, with changes of its label as changes of marks."""
    labels = labels_of(old, new)
    for each in segments:
        if (
            labels is not None
            and each.change not in (None, SPACE)
            and is_of_label(each.old, old, labels[0])
            and is_of_label(each.new, new, labels[1])
        ):
            each = replace(each, change=MARKUP)
        yield each


def _ranges(sentences: Sequence[SentenceSpan], end: int) -> list[TextRange]:
    """Return the range of each sentence with the white space after it; the first begins at 0."""
    edges = [0, *(each.start for each in sentences[1:]), end]
    return list(pairwise(edges)) if sentences else []


def _joined(ranges: Sequence[TextRange], numbers: Sequence[int]) -> TextRange | None:
    return (ranges[numbers[0]][0], ranges[numbers[-1]][1]) if numbers else None


def _kind(block: TextBlock, segments: Sequence[DiffSegment]) -> BlockKind:
    n_old, n_new = len(block.old), len(block.new)
    if n_old and not n_new:
        return BlockKind.DELETED
    if n_new and not n_old:
        return BlockKind.INSERTED
    if n_old != n_new:
        return BlockKind.SPLIT if n_old < n_new else BlockKind.MERGED
    if block.moved:
        return BlockKind.MOVED
    is_same = all(each.kind is EditKind.EQUAL or each.change == SPACE for each in segments)
    return BlockKind.SAME if is_same else BlockKind.CHANGED


def _pieces(
    old: str, new: str, cores: tuple[TextRange, TextRange], alignment: Alignment | None
) -> Iterator[EditPiece]:
    """Yield the words of a block's edits, by their ranges in the texts of the block.

    `cores` are the ranges of the sentences in the block, from which offsets of tokens count.
    """
    if old[slice(*cores[0])] == new[slice(*cores[1])]:
        yield EditPiece(EditKind.EQUAL, None, *cores)
        return
    if alignment is None:
        return
    olds = _token_spans(alignment.source, cores[0])
    news = _token_spans(alignment.target, cores[1])
    for edit in alignment.edits:
        here, there = _joined(olds, edit.source), _joined(news, edit.target)
        if edit.kind is EditKind.EQUAL:
            kept = [olds[i] for i in edit.source], [news[j] for j in edit.target]
            yield from pieces_of_run((old, new), *kept, edit.change)
        elif here or there:
            yield EditPiece(edit.kind, edit.change, here, there)


def _token_spans(sentence: Sentence, core: TextRange) -> list[TextRange]:
    """Return the ranges of tokens, which do not overlap or leave the sentence."""
    spans = []
    at = core[0]
    for start, end in zip(sentence.starts, sentence.ends, strict=True):
        start = min(max(start + core[0], at), core[1])
        at = min(max(end + core[0], start), core[1])
        spans.append((start, at))
    return spans
