"""Edits between two sentences, and the model that scores segments and moves."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free

from functools import cache

import numpy as np

from tokalign.edits.changes cimport change_of
from tokalign.edits.cuts cimport (
    Cuts, cuts_of, find_blocks, move_candidates, move_inputs, number_blocks,
)
from tokalign.edits.segments cimport (
    N_SEGMENT_INPUTS, EditGrid, EditSide, Stretch4, WordFacts, fill_inputs, fill_links,
    fill_numbers, fill_same, fill_words, keep_tokens, sum_links,
)

from tokalign.edits.cuts import LONGEST_GAP, MOVE_INPUTS, Segment, Stretch
from tokalign.edits.segments import SEGMENT_INPUTS, tags_of
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.english.lexicon.word_lists import CONTENT_WEIGHT, content_weight
from tokalign.errors import ResourceError
from tokalign.files.tables import Table
from tokalign.relations.related_units import Forest
from tokalign.types.edits import Edit, EditKind

cdef extern from "Python.h":
    int PyObject_GenericSetAttr(object made, object name, object value) except -1

TABLE = "edits"

cdef enum:
    EQUAL
    SUBSTITUTE
    DELETE
    INSERT
    MOVE

cdef tuple KINDS = tuple(EditKind)    # in that order
cdef int32_t LONGEST = LONGEST_GAP


class EditModel:
    """Predicts the probability that people mark a segment as one edit, or a run as moved.

    Raises ResourceError if the table is damaged, or made for other inputs.
    """

    def __init__(self, table, frequencies):
        wanted = {"inputs": SEGMENT_INPUTS, "move_inputs": MOVE_INPUTS}
        if any([table.strings(name) != list(names) for name, names in wanted.items()]):
            raise ResourceError(f"{table.path}: made for other inputs; rebuild it")
        self._segments = Forest(table, "segment", len(SEGMENT_INPUTS), 1)
        self._moves = Forest(table, "move", len(MOVE_INPUTS), 1)
        self.facts = WordFacts(frequencies.idf)

    @classmethod
    @cache
    def open_shipped(cls):
        """Return the shipped model, opened once for each process."""
        return cls(Table.open_shipped(TABLE), Frequencies.open_shipped())

    def segment_probabilities(self, rows):
        return _sigmoid(self._segments.scores(rows))

    def move_probabilities(self, rows):
        return _sigmoid(self._moves.scores(rows))


cdef _sigmoid(scores):
    found = np.exp(-scores[:, 0])
    cdef double[::1] value = found
    cdef Py_ssize_t k
    for k in range(value.shape[0]):
        value[k] = 1.0 / (1.0 + value[k])
    return found


LEAST_MOVED = 0.5
"""Least probability of a moved run."""
COST = 0.3
"""Least probability that an edit must gain, since a wrong edit costs as well."""
_CONTENT_WORTH, _OTHER_WORTH = 0.9, 0.1
"""Worth of keeping a content word, and of keeping another word."""
_STOPS = frozenset((".", "!", "?"))


def edits_between(source, target, links, conflicts=(), model=None):
    """Return the edits that turn the source into the target.

    Every token is part of one edit; see tokalign.types.edits. No SUB has equal sides. Tags and
    lemmas are used where there are any. `links` maps (source, target) to a confidence.

    Examples
    --------
    >>> from tokalign.types import Sentence
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
    cdef EditPair pair
    cdef EditRun *runs
    cdef Py_ssize_t n_runs, k
    if source.tokens == target.tokens:
        run = tuple(range(len(source.tokens)))
        return (Edit(EditKind.EQUAL, run, run),) if run else ()
    model = EditModel.open_shipped() if model is None else model
    pair = EditPair(source, target, links, model.facts)
    candidates = [each for each in pair.move_candidates() if pair.may_move(each)]
    moves = []
    if candidates:
        moves = chosen_moves(candidates, model.move_probabilities(pair.move_inputs(candidates)))
    segments = pair.tile(moves, model)
    runs = <EditRun *>calloc(pair.grid.source.n + pair.grid.target.n, sizeof(EditRun))
    if runs == NULL:
        raise MemoryError("edits of a pair")
    try:
        n_runs = pair.add_runs(moves, segments, runs)
        n_runs = _put_in_order(runs, n_runs)
        return tuple([pair.edit_of(&runs[k], conflicts) for k in range(n_runs)])
    finally:
        free(runs)


cdef Py_ssize_t _put_in_order(EditRun *runs, Py_ssize_t n_runs) noexcept:
    """Put runs in target order, and return how many are left. A deletion follows the unmoved run
    before it in the source; neighbouring deletions, or insertions, are joined."""
    cdef Py_ssize_t k
    cdef Py_ssize_t n = 0
    cdef int32_t end = 0
    cdef EditRun *run
    cdef EditRun *last
    _sort(runs, n_runs, 0)
    for k in range(n_runs):
        if runs[k].kind == DELETE:
            runs[k].at[2] = runs[k].at[3] = end
        elif runs[k].kind != INSERT and runs[k].kind != MOVE:
            end = runs[k].at[3]
    _sort(runs, n_runs, 2)
    for k in range(n_runs):
        run, last = runs + k, runs + n - 1
        if (
            n and run.kind == last.kind and last.at[3] == run.at[2]
            and (run.kind == INSERT or (run.kind == DELETE and last.at[1] == run.at[0]))
        ):
            last.at[0] = last.at[0] if run.kind == DELETE else run.at[0]
            last.at[1], last.at[3] = run.at[1], run.at[3]
            continue
        runs[n] = run[0]
        n += 1
    return n


cdef void _sort(EditRun *runs, Py_ssize_t n_runs, int first) noexcept nogil:
    """Sort runs by the source and then the target, or, if `first` is 2, the other way round; they
    mostly are in order."""
    cdef Py_ssize_t k, at
    cdef EditRun run
    for k in range(1, n_runs):
        run = runs[k]
        at = k
        while at and _is_before(run.at, runs[at - 1].at, first):
            runs[at] = runs[at - 1]
            at -= 1
        runs[at] = run


cdef bint _is_before(const int32_t *a, const int32_t *b, int first) noexcept nogil:
    cdef int k
    for k in range(first, first + 4):
        if a[k % 4] != b[k % 4]:
            return a[k % 4] < b[k % 4]
    return False


def chosen_moves(candidates, probabilities):
    """Return the runs that moved, the likeliest first; no token is in two of them."""
    likely = [
        (probability, candidate)
        for candidate, probability in zip(candidates, probabilities, strict=True)
        if probability >= LEAST_MOVED
    ]
    likely.sort(key=lambda each: -each[0])
    found = []
    for _, candidate in likely:
        if not any([_meet(candidate, other) for other in found]):
            found.append(candidate)
    return found


cdef bint _meet(a, b):
    return (a.source_start < b.source_end and b.source_start < a.source_end) or (
        a.target_start < b.target_end and b.target_start < a.target_end
    )


cdef class EditPair:
    """A pair whose edits are to be decided; inputs of the model are computed on demand.

    IndexError is raised if a link has tokens out of range.
    """

    def __init__(self, source, target, links, WordFacts facts):
        cdef dict numbers = {}
        cdef Py_ssize_t k
        self.source, self.target = source, target
        self.sources, self.targets = source.tokens, target.tokens
        self.facts = facts
        self.open(len(self.sources), len(self.targets))
        fill_numbers(self.grid.source.token, self.sources, numbers)
        fill_numbers(self.grid.target.token, self.targets, numbers)
        fill_same(
            self.grid.same, self.sources, self.targets, self.grid.source.token,
            self.grid.target.token,
        )
        fill_links(self.grid.links, links, self.grid.source.n, self.grid.target.n)
        tags = tags_of(source)
        for k in range(self.grid.source.n):
            self._room[k] = _worth(tags[k])
        keep_tokens(
            self.grid.same, self._room, self.grid.links, self.grid.source.n, self.grid.target.n,
            self._room + self.grid.source.n, self._choice, self.grid.partner,
        )
        find_blocks(&self.grid)

    def __dealloc__(self):
        free(self._block)

    cdef int open(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1:
        """Make room for a pair of so many tokens, all zeros."""
        cdef Py_ssize_t n_tokens = n_source + n_target
        cdef int32_t *numbers
        free(self._block)
        self._block = calloc(
            1,
            (n_source + 2 * (n_target + 1)) * sizeof(double)
            + (6 * n_tokens + 5 * n_source + 4) * sizeof(int32_t)
            + n_tokens * sizeof(float)
            + n_source * n_target * (sizeof(float) + 2),
        )
        if self._block == NULL:
            raise MemoryError("words of a pair")
        self._room = <double *>self._block
        numbers = <int32_t *>(self._room + n_source + 2 * (n_target + 1))
        numbers = _carve(&self.grid.source, n_source, numbers)
        numbers = _carve(&self.grid.target, n_target, numbers)
        self.here, self.there = numbers, numbers + n_source
        self.grid.partner = numbers + n_tokens
        self.grid.block = <Stretch4 *>(self.grid.partner + n_source)
        self.grid.inside = <float *>(self.grid.block + n_source + 1)
        self.grid.links = self.grid.inside + n_tokens
        self.grid.same = <uint8_t *>(self.grid.links + n_source * n_target)
        self._choice = self.grid.same + n_source * n_target
        return 0

    cdef int fill_words(self) except -1:
        """Fill what is known of the words, which few pairs do not need."""
        cdef dict numbers
        if self.facts is not None:
            numbers = {}
            fill_words(&self.grid.source, self.source, self.facts, numbers)
            fill_words(&self.grid.target, self.target, self.facts, numbers)
            self.facts = None
        return 0

    def move_candidates(self):
        """Return the runs that may have moved."""
        number_blocks(&self.grid, self.here, self.there)
        return move_candidates(&self.grid, self.here, self.there)

    def may_move(self, run):
        """Whether readers would see a run as moved: it has words of content, and several of them
        where it leaves its sentence."""
        cdef Py_ssize_t start = run.source_start
        cdef Py_ssize_t end = run.source_end
        cdef Py_ssize_t k
        cdef int n_words = 0
        self.fill_words()
        for k in range(start, end):
            n_words += self.grid.source.weight[k] != 0.0
        return n_words > 1 or (n_words == 1 and not self._leaves_sentence(run))

    cdef bint _leaves_sentence(self, run) except -1:
        """Whether a sentence ends between the place of a run and where its neighbours stayed."""
        cdef Py_ssize_t source = 0
        cdef Py_ssize_t target = 0
        cdef Py_ssize_t i
        for i in range(self.grid.source.n):
            if self.grid.partner[i] >= 0:
                if self.grid.partner[i] < run.target_start:
                    source = i + 1
                if i < run.source_start:
                    target = self.grid.partner[i] + 1
        places = (
            (self.sources, source, run.source_start, run.source_end),
            (self.targets, target, run.target_start, run.target_end),
        )
        return any([
            not _STOPS.isdisjoint(tokens[min(stayed, start) : max(stayed, end)])
            for tokens, stayed, start, end in places
        ])

    def move_inputs(self, candidates):
        """Return the model's inputs of runs; see MOVE_INPUTS."""
        self.fill_words()
        return move_inputs(candidates, &self.grid, self.here, self.there)

    def cuts(self, moves):
        """Return how the blocks can be cut around the moves, as Cuts."""
        self.fill_words()
        cdef const int32_t[:, ::1] moved
        if not moves:
            return cuts_of(&self.grid, NULL, 0)
        moved = np.array(moves, np.int32)
        return cuts_of(&self.grid, <const Stretch4 *>&moved[0, 0], moved.shape[0])

    def segment_inputs(self, Cuts cuts not None):
        """Return the model's inputs of the segments of cuts; see SEGMENT_INPUTS."""
        found = np.zeros((cuts.n_segments, <Py_ssize_t>N_SEGMENT_INPUTS), np.float32)
        cdef float[:, ::1] out = found
        cdef Py_ssize_t k
        self.fill_words()
        sum_links(&self.grid)
        for k in range(cuts.n_segments):
            fill_inputs(&self.grid, cuts.step[k].segment, &out[k, 0])
        return found

    cdef list tile(self, list moves, model):
        """Return the segments that are edits; the model runs only if there is a choice."""
        cdef Py_ssize_t k
        cdef Cuts cuts
        cdef int32_t *block
        cdef list found = []
        if not moves and self._is_decided():
            for k in range(self.grid.n_blocks):
                block = self.grid.block[k]
                found.append(Segment(block[0], block[1], block[2], block[3], k, k))
            return found
        cuts = self.cuts(moves)
        if not cuts.n_segments:
            return []
        return cuts.best(model.segment_probabilities(self.segment_inputs(cuts)) - COST)

    cdef bint _is_decided(self) noexcept:
        """Whether every block is empty on one side and too far from the others to join them."""
        cdef int32_t end = -LONGEST - 1
        cdef const int32_t *block
        cdef Py_ssize_t k
        for k in range(self.grid.n_blocks):
            block = self.grid.block[k]
            if (block[0] < block[1] and block[2] < block[3]) or block[0] - end <= LONGEST:
                return False
            end = block[1]
        return True

    cdef Py_ssize_t add_runs(self, list moves, list segments, EditRun *runs) except -1:
        """Write the edits in no order, and return their number: runs of kept tokens outside
        segments, of which one whose case differs is its own; moves; segments."""
        cdef const int32_t *row = self.grid.source.token
        cdef const int32_t *column = self.grid.target.token
        cdef int32_t *partner = self.grid.partner
        cdef Py_ssize_t n = 0
        cdef int32_t start, end, shift
        for each in segments:
            if each.first_block < each.last_block:
                for end in range(each.source_start, each.source_end):
                    partner[end] = -1
        end = 0
        while end < self.grid.source.n:
            start = end
            end += 1
            if partner[start] < 0:
                continue
            shift = partner[start] - start
            if row[start] == column[partner[start]]:
                while (
                    end < self.grid.source.n and partner[end] == end + shift
                    and row[end] == column[partner[end]]
                ):
                    end += 1
            runs[n].kind = EQUAL
            runs[n].at[0], runs[n].at[1] = start, end
            runs[n].at[2], runs[n].at[3] = start + shift, end + shift
            n += 1
        for kind, several in ((<int>MOVE, moves), (<int>SUBSTITUTE, segments)):
            for each in several:
                runs[n].kind = kind
                runs[n].at[0], runs[n].at[1] = each[0], each[1]
                runs[n].at[2], runs[n].at[3] = each[2], each[3]
                if runs[n].at[0] == runs[n].at[1]:
                    runs[n].kind = INSERT
                elif runs[n].at[2] == runs[n].at[3]:
                    runs[n].kind = DELETE
                n += 1
        return n

    cdef edit_of(self, const EditRun *run, conflicts):
        kind = KINDS[run.kind]
        rows, columns = tuple(range(run.at[0], run.at[1])), tuple(range(run.at[2], run.at[3]))
        change = change_of(
            kind, self.source, self.target, self.sources[run.at[0] : run.at[1]],
            self.targets[run.at[2] : run.at[3]], rows, columns, conflicts,
        )
        edit = Edit.__new__(Edit)  # filled as its constructor does, in a fifth of the time
        PyObject_GenericSetAttr(edit, "kind", kind)
        PyObject_GenericSetAttr(edit, "source", rows)
        PyObject_GenericSetAttr(edit, "target", columns)
        PyObject_GenericSetAttr(edit, "change", change)
        return edit


cdef int32_t *_carve(EditSide *side, Py_ssize_t n, int32_t *room):
    """Give a side its columns; return the room behind them."""
    side.n = n
    side.token, side.kind, side.lemma = room, room + n, room + 2 * n
    side.weight, side.linked = <float *>(room + 3 * n), <float *>(room + 4 * n)
    return room + 5 * n


@cache
def _worth(tag):
    """Return the worth of keeping a word with this tag."""
    return _CONTENT_WORTH if content_weight(tag) == CONTENT_WEIGHT else _OTHER_WORTH
