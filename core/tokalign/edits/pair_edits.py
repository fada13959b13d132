"""Edits between two sentences, and the model that scores segments and moves."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.edits.changes import change_of
from tokalign.edits.cuts import (
    LONGEST_GAP,
    MOVE_INPUTS,
    Cuts,
    Segment,
    Stretch,
    blocks_of,
    cuts_of,
    move_candidates,
    move_inputs,
)
from tokalign.edits.segments import (
    SEGMENT_INPUTS,
    SegmentInputs,
    SideWords,
    WordFacts,
    kept_tokens,
    link_matrix,
    numbers_of,
    same_words,
    sides_of,
    tags_of,
)
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.english.lexicon.word_lists import CONTENT_WEIGHT, content_weight
from tokalign.errors import ResourceError
from tokalign.files.tables import Table
from tokalign.relations.related_units import Forest
from tokalign.types import Sentence
from tokalign.types.edits import Edit, EditKind
from tokalign.types.locks import cached_property
from tokalign.types.relations import Conflict

TABLE = "edits"


class EditModel:
    """Predicts the probability that people mark a segment as one edit, or a run as moved.

    Raises ResourceError if the table is damaged, or made for other inputs.
    """

    def __init__(self, table: Table, frequencies: Frequencies) -> None:
        wanted = {"inputs": SEGMENT_INPUTS, "move_inputs": MOVE_INPUTS}
        if any(table.strings(name) != list(names) for name, names in wanted.items()):
            raise ResourceError(f"{table.path}: made for other inputs; rebuild it")
        self._segments = Forest(table, "segment", len(SEGMENT_INPUTS), 1)
        self._moves = Forest(table, "move", len(MOVE_INPUTS), 1)
        self.facts = WordFacts(frequencies.idf)

    @classmethod
    @cache
    def open_shipped(cls) -> Self:
        """Return the shipped model, opened once for each process."""
        return cls(Table.open_shipped(TABLE), Frequencies.open_shipped())

    def segment_probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        return _sigmoid(self._segments.scores(rows))

    def move_probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        return _sigmoid(self._moves.scores(rows))


def _sigmoid(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-scores[:, 0]))
    return found


_Run: TypeAlias = tuple[EditKind, Stretch]

LEAST_MOVED = 0.5
"""Least probability of a moved run."""
COST = 0.3
"""Least probability that an edit must gain, since a wrong edit costs as well."""
_CONTENT_WORTH, _OTHER_WORTH = 0.9, 0.1
"""Worth of keeping a content word, and of keeping another word."""
_STOPS = frozenset((".", "!", "?"))


def edits_between(
    source: Sentence,
    target: Sentence,
    links: Mapping[tuple[int, int], float],
    conflicts: Collection[Conflict] = (),
    model: EditModel | None = None,
) -> tuple[Edit, ...]:
    """Return the edits that turn the source into the target.

    Every token is part of one edit; see tokalign.types.edits. No SUB has equal sides. Tags and
    lemmas are used where there are any. `links` maps (source, target) to a confidence.

    Examples
    --------
    >>> source = Sentence.from_tokens("Dogs often bark at cats .".split())
    >>> target = Sentence.from_tokens("Dogs bark loudly at cats .".split())
    >>> links = {(0, 0): 1.0, (2, 1): 1.0, (3, 3): 1.0, (4, 4): 1.0, (5, 5): 1.0}
    >>> for edit in edits_between(source, target, links):
    ...     print(edit.kind, edit.source, edit.target, edit.change)
    EQ (0,) (0,) None
    DEL (1,) () content
    EQ (2,) (1,) None
    INS () (2,) content
    EQ (3, 4, 5) (3, 4, 5) None
    """
    if source.tokens == target.tokens:
        run = tuple(range(len(source.tokens)))
        return (Edit(EditKind.EQUAL, run, run),) if run else ()
    model = EditModel.open_shipped() if model is None else model
    pair = EditPair(source, target, links, model.facts)
    moves = _moves(pair, model)
    segments = tile(pair, moves, model)
    runs = [
        *_kept(pair, segments),
        *((EditKind.MOVE, move) for move in moves),
        *((_kind(each), Stretch(*each[:4])) for each in segments),
    ]
    edits = []
    for kind, (i0, i1, j0, j1) in _in_order(runs):
        tokens = tuple(range(i0, i1)), tuple(range(j0, j1))
        edits.append(Edit(kind, *tokens, change_of(kind, source, target, tokens, conflicts)))
    return tuple(edits)


def _kept(pair: EditPair, segments: Sequence[Segment]) -> Iterator[_Run]:
    """Yield runs of kept tokens outside segments; a token whose case differs is its own run."""
    source, target = pair.source.tokens, pair.target.tokens
    partner = pair.partner.tolist()
    for i0, i1, _, _, first, last in segments:
        if first < last:
            partner[i0:i1] = [-1] * (i1 - i0)
    row, n_source = 0, len(partner)
    while row < n_source:
        start, column = row, partner[row]
        row += 1
        if column < 0:
            continue
        if source[start] == target[column]:
            shift = column - start
            while (
                row < n_source
                and partner[row] == row + shift
                and source[row] == target[partner[row]]
            ):
                row += 1
        yield EditKind.EQUAL, Stretch(start, row, column, column + row - start)


def _kind(segment: Segment) -> EditKind:
    if segment.source_start == segment.source_end:
        return EditKind.INSERT
    return EditKind.SUBSTITUTE if segment.target_start < segment.target_end else EditKind.DELETE


def _in_order(runs: Sequence[_Run]) -> list[_Run]:
    """Return runs in target order. A deletion follows the unmoved run before it in the source;
    neighbouring deletions, or insertions, are joined."""
    placed = []
    end = 0
    for kind, run in sorted(runs, key=lambda each: each[1]):
        if kind is EditKind.DELETE:
            run = run._replace(target_start=end, target_end=end)
        elif kind in (EditKind.EQUAL, EditKind.SUBSTITUTE):
            end = run.target_end
        placed.append((kind, run))
    placed.sort(key=lambda each: (each[1].target_start, each[1].target_end, each[1].source_start))
    found: list[_Run] = []
    for kind, run in placed:
        if found and kind in (EditKind.DELETE, EditKind.INSERT) and found[-1][0] is kind:
            last = found[-1][1]
            is_next = last.source_end == run.source_start or kind is EditKind.INSERT
            if is_next and last.target_end == run.target_start:
                found.pop()
                start = last.source_start if kind is EditKind.DELETE else run.source_start
                run = Stretch(start, run.source_end, last.target_start, run.target_end)
        found.append((kind, run))
    return found


def _moves(pair: EditPair, model: EditModel) -> list[Stretch]:
    """Return the runs that have moved."""
    candidates = [each for each in pair.move_candidates() if pair.may_move(each)]
    if not candidates:
        return []
    probabilities = model.move_probabilities(pair.move_inputs(candidates))
    return chosen_moves(candidates, probabilities.tolist())


def chosen_moves(candidates: Sequence[Stretch], probabilities: Iterable[float]) -> list[Stretch]:
    """Return the runs that moved, the likeliest first; no token is in two of them."""
    likely = [
        (probability, candidate)
        for candidate, probability in zip(candidates, probabilities, strict=True)
        if probability >= LEAST_MOVED
    ]
    likely.sort(key=lambda each: -each[0])
    found: list[Stretch] = []
    for _, candidate in likely:
        if not any(_meet(candidate, other) for other in found):
            found.append(candidate)
    return found


def _meet(a: Stretch, b: Stretch) -> bool:
    return (a.source_start < b.source_end and b.source_start < a.source_end) or (
        a.target_start < b.target_end and b.target_start < a.target_end
    )


def tile(pair: EditPair, moves: Sequence[Stretch], model: EditModel) -> list[Segment]:
    """Return the segments that are edits; the model runs only if there is a choice."""
    blocks = pair.blocks.tolist()
    if not moves and _are_decided(blocks):
        return [Segment(i0, i1, j0, j1, k, k) for k, (i0, i1, j0, j1) in enumerate(blocks)]
    cuts = pair.cuts(moves)
    if not len(cuts.segments):
        return []
    return cuts.best(model.segment_probabilities(pair.segment_inputs(cuts.segments)) - COST)


def _are_decided(blocks: Iterable[Sequence[int]]) -> bool:
    """Whether every block is empty on one side and too far from the others to join them."""
    end = -LONGEST_GAP - 1
    for i0, i1, j0, j1 in blocks:
        if (i0 < i1 and j0 < j1) or i0 - end <= LONGEST_GAP:
            return False
        end = i1
    return True


class EditPair:
    """A pair whose edits are to be decided; inputs of the model are computed on demand.

    `same` [n_source, n_target]: 1 where two tokens are the same word. `partner` [n_source]: the
    target token that each source token is kept as, -1 where it is not. `blocks` [n_blocks, 4]: each
    as a Stretch.
    """

    def __init__(
        self,
        source: Sentence,
        target: Sentence,
        links: Mapping[tuple[int, int], float],
        facts: WordFacts,
    ) -> None:
        self.source, self.target = source, target
        self._facts = facts
        self.same = same_words(source, target)
        self.links = link_matrix(links, len(source.tokens), len(target.tokens))
        worth = np.array(list(map(_worth, tags_of(source))))
        self.partner = kept_tokens(self.same, worth, self.links)
        self.blocks = blocks_of(self.partner, len(target.tokens))

    @cached_property
    def sides(self) -> tuple[SideWords, SideWords]:
        return sides_of(self.source, self.target, self._facts)

    def move_candidates(self) -> list[Stretch]:
        """Return the runs that may have moved."""
        return move_candidates(self.same, self.blocks)

    def may_move(self, run: Stretch) -> bool:
        """Whether readers would see a run as moved: it has words of content, and several of them
        where it leaves its sentence."""
        n_words = int(np.count_nonzero(self.sides[0].weights[run.source_start : run.source_end]))
        return bool(n_words > 1 or (n_words == 1 and not self._leaves_sentence(run)))

    def _leaves_sentence(self, run: Stretch) -> bool:
        """Whether a sentence ends between the place of a run and where its neighbours stayed."""
        kept = [(i, j) for i, j in enumerate(self.partner.tolist()) if j >= 0]
        source = max((i for i, j in kept if j < run.target_start), default=-1) + 1
        target = max((j for i, j in kept if i < run.source_start), default=-1) + 1
        places = (
            (self.source.tokens, source, run.source_start, run.source_end),
            (self.target.tokens, target, run.target_start, run.target_end),
        )
        return any(
            not _STOPS.isdisjoint(tokens[min(stayed, start) : max(stayed, end)])
            for tokens, stayed, start, end in places
        )

    def move_inputs(self, candidates: Sequence[Stretch]) -> NDArray[np.float32]:
        return move_inputs(candidates, self.blocks, self.sides, self.links, self.same)

    def cuts(self, moves: Sequence[Stretch]) -> Cuts:
        """Return how the blocks can be cut around the moves."""
        kinds = self.sides[0].kinds, self.sides[1].kinds
        numbers: dict[str, int] = {}
        words = (
            numbers_of(self.source.tokens, numbers),
            numbers_of(self.target.tokens, numbers),
        )
        return cuts_of(self.blocks, kinds, self.links, moves, words)

    def segment_inputs(self, segments: NDArray[np.int32]) -> NDArray[np.float32]:
        inputs = SegmentInputs(*self.sides, self.links, self.partner, self.blocks)
        return inputs.rows(segments)


@cache
def _worth(tag: str) -> float:
    """Return the worth of keeping a word with this tag."""
    return _CONTENT_WORTH if content_weight(tag) == CONTENT_WEIGHT else _OTHER_WORTH
