"""Edits between two sentences, the model that scores segments and moves, and kinds of change."""

from libc.stdlib cimport calloc, free

import re
from functools import cache

import numpy as np

from tokalign.edits.cuts cimport (
    Cuts, cuts_of, find_blocks, move_candidates, move_inputs, number_blocks,
)
from tokalign.edits.segments cimport *

from tokalign.edits.cuts import LONGEST_GAP, MOVE_INPUTS, Segment, Stretch
from tokalign.edits.segments import SEGMENT_INPUTS, tags_of
from tokalign.english.lexicon.lexical_tables import Frequencies, WordNet
from tokalign.english.lexicon.word_lists import CONTENT_WEIGHT, content_weight, negates
from tokalign.english.spelling import is_typo, is_variant
from tokalign.english.values import are_one_value, find_values, readings
from tokalign.errors import ResourceError
from tokalign.files.tables import Table
from tokalign.relations.related_units import Forest
from tokalign.types.edits import CONFLICTING, Change, Edit, EditKind
from tokalign.types.relations import ConflictKind

cdef extern from "Python.h":
    int PyObject_GenericSetAttr(object made, object name, object value) except -1

TABLE: str = "edits"

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

    facts: WordFacts

    def __init__(self, table: Table, frequencies: Frequencies) -> None:
        wanted = {"inputs": SEGMENT_INPUTS, "move_inputs": MOVE_INPUTS}
        if any([table.strings(name) != list(names) for name, names in wanted.items()]):
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


cdef _sigmoid(scores):
    found = np.exp(-scores[:, 0])
    cdef double[::1] value = found
    cdef Py_ssize_t k
    for k in range(value.shape[0]):
        value[k] = 1.0 / (1.0 + value[k])
    return found


LEAST_MOVED: float = 0.5
"""Least probability of a moved run."""
COST: float = 0.3
"""Least probability that an edit must gain, since a wrong edit costs as well."""
_CONTENT_WORTH, _OTHER_WORTH = 0.9, 0.1
"""Worth of keeping a content word, and of keeping another word."""
_STOPS = frozenset((".", "!", "?"))


def edits_between(
    source: Sentence, target: Sentence, links: Mapping[tuple[int, int], float],
    conflicts: Collection[Conflict] = (), model: EditModel = None
) -> tuple[Edit, ...]:
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
    cdef Py_ssize_t k, n = 0
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


def chosen_moves(candidates: Sequence[Stretch], probabilities: Iterable[float]) -> list[Stretch]:
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

    def __init__(
        self, source: Sentence, target: Sentence, links: Mapping[tuple[int, int], float],
        WordFacts facts
    ) -> None:
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

    def move_candidates(self) -> list[Stretch]:
        """Return the runs that may have moved."""
        number_blocks(&self.grid, self.here, self.there)
        return move_candidates(&self.grid, self.here, self.there)

    def may_move(self, run: Stretch) -> bool:
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

    def move_inputs(self, candidates: Sequence[Stretch]) -> NDArray[np.float32]:
        """Return the model's inputs of runs; see MOVE_INPUTS."""
        self.fill_words()
        return move_inputs(candidates, &self.grid, self.here, self.there)

    def cuts(self, moves: Sequence[Stretch]) -> Cuts:
        """Return how the blocks can be cut around the moves, as Cuts."""
        self.fill_words()
        cdef const int32_t[:, ::1] moved
        if not moves:
            return cuts_of(&self.grid, NULL, 0)
        moved = np.array(moves, np.int32)
        return cuts_of(&self.grid, <const Stretch4 *>&moved[0, 0], moved.shape[0])

    def segment_inputs(self, Cuts cuts not None) -> NDArray[np.float32]:
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
        segments, of which those whose case differs are runs of their own; moves; segments."""
        cdef const int32_t *row = self.grid.source.token
        cdef const int32_t *column = self.grid.target.token
        cdef int32_t *partner = self.grid.partner
        cdef Py_ssize_t n = 0
        cdef int32_t start, end, shift
        cdef bint is_same
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
            is_same = row[start] == column[partner[start]]
            while (
                end < self.grid.source.n and partner[end] == end + shift
                and (row[end] == column[partner[end]]) == is_same
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
            run.kind, self.source, self.target, self.sources[run.at[0] : run.at[1]],
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


MEANINGS: dict[ConflictKind, Change] = {
    kind: Change.NUMBER if kind is ConflictKind.VALUE else Change[kind.name]
    for kind in ConflictKind
}
"""The change that each kind of conflict makes: that of the same name, but for values."""
_SIGN_REACH = 2  # tokens from a minus to its number, over a currency
_ROLE_REACH = 3  # from a moved word to the one whose roles are exchanged
_NEGATION_REACH = 8  # from a negation to the word that it denies
_MODALS = {
    "must": 6, "shall": 6, "will": 6, "ought": 4, "should": 4, "can": 1, "could": 1, "may": 1,
    "might": 1,
}  # fmt: skip
"""Modal verbs with the grades that scales.tsv has of them, and shall and will as must."""
_FORBIDDING = frozenset(("can", "may", "must", "shall"))
"""Modal verbs that forbid before a negation, all alike."""
_BOUND_REACH = 3  # tokens from a bound to its value: less than $ 5
_BOUNDING = frozenset("""
    above after at before below beyond between by earlier exactly fewer from greater higher larger later
    least less longer lower maximum minimum more most older only over shorter smaller than to under
    until up within younger
""".split())
_EXCHANGED = {
    frozenset(phrases.split("/")): change
    for change, rows in (
        (Change.QUANTITY, "and/or both/either both/one_of as_well_as/or"),
        (Change.OPPOSITE,
         "until/from till/from until/after prior_to/after prior_to/following ahead_of/after "
         "today/tomorrow today/yesterday yesterday/tomorrow"),
        (Change.CONDITION,
         "because/although because/though because/even_though subject_to/notwithstanding "
         "due_to/despite because_of/despite because_of/in_spite_of including/except including/excluding including/except_for "
         "instead_of/as_well_as instead_of/in_addition_to other_than/including"),
    )
    for phrases in rows.split()
}  # fmt: skip
"""Phrases that mean another thing than each other, by the change they make."""
_COMPARING = frozenset("<>=!\u2264\u2265\u2260")
_NUMBER = re.compile(r"\d+")
_NUMERALS = {
    numeral: str(number)
    for number, numeral in enumerate(
        ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"), 1
    )
}


cdef change_of(
    int kind, source, target, tuple before, tuple after, tuple rows, tuple columns, conflicts
):
    """Return the kind of change of an edit, a Change or None; of several, the most important one.

    `before`, `after`: its tokens; `rows`, `columns`: their indices in the sentences. `conflicts`
    are those of the pair.
    """
    if kind == EQUAL:
        return None if before == after else Change.CASE
    if kind == MOVE:
        return Change.ROLES if _moves_roles(rows, conflicts) else Change.ORDER
    meaning = _meaning(before, after, rows, columns, conflicts) if conflicts else None
    if meaning is not None:
        return meaning
    lower_before, lower_after = _lower(before), _lower(after)
    if _is_other_modal(lower_before, lower_after):
        if _forbids(source, lower_before, rows) and _forbids(target, lower_after, columns):
            return Change.WORDING
        return Change.MODALITY
    exchanged = _exchanged(source, target, lower_before, lower_after, rows, columns)
    if exchanged is not None:
        return exchanged
    if before and after and before != after and _compare(before) and _compare(after):
        return Change.OPPOSITE
    if not before or not after:
        return Change.CONTENT if _words(before) or _words(after) else Change.PUNCTUATION
    form = _form(before, after, lower_before, lower_after)
    if form is None and _lemmas(source, rows) == _lemmas(target, columns):
        return Change.INFLECTION
    if form is not None:
        return form
    if _is_typo(source, target, before, after, rows, columns):
        return Change.SPELLING
    one = _value_of(source, before, rows)
    other = one and _value_of(target, after, columns)
    if one and other and one.kind is other.kind and one.key != other.key and not are_one_value(
        source.tokens[one.start : one.end], target.tokens[other.start : other.end]
    ):
        return Change.NUMBER
    return Change.WORDING


cdef _meaning(tuple before, tuple after, tuple rows, tuple columns, conflicts):
    """Return the most important change that the conflicts of an edit's words make, or None."""
    changes = {
        MEANINGS[each.kind]
        for each in conflicts
        if each.source in rows or each.target in columns
        or _makes(each, before, after, rows, columns)
    }
    for change in CONFLICTING:
        if change in changes:
            return change
    return None


cdef bint _is_other_modal(tuple before, tuple after):
    """Whether a modal verb took the place of one of another grade: shall and may."""
    if len(before) != 1 or len(after) != 1:
        return False
    one, other = _MODALS.get(before[0]), _MODALS.get(after[0])
    return one is not None and other is not None and one != other


cdef _exchanged(source, target, tuple before, tuple after, tuple rows, tuple columns):
    """Return the change that phrases make which mean another thing than each other, or None.

    `before`, `after` are in lower case. An inflected word may be behind both: both sides, either side.
    """
    if len(before) == len(after) == 2 and _lemmas(source, rows[1:]) == _lemmas(target, columns[1:]):
        before, after = before[:1], after[:1]
    return _EXCHANGED.get(frozenset(("_".join(before), "_".join(after))))


cdef bint _compare(tuple words):
    """Whether words are an operator that compares: <, >= or !=."""
    letters = "".join(words)
    return 0 < len(letters) <= 3 and _COMPARING.issuperset(letters)


cdef bint _forbids(sentence, tuple lower, tuple at):
    """Whether a modal verb and the negation behind it forbid."""
    behind = sentence.tokens[at[0] + 1 : at[0] + 2]
    return lower[0] in _FORBIDDING and bool(behind) and behind[0].lower() in ("not", "n't", "never")


cdef bint _moves_roles(tuple rows, conflicts):
    """Whether moved words are next to a verb or a noun whose roles are exchanged."""
    return any([
        each.kind is ConflictKind.ROLES
        and min([abs(i - each.source) for i in rows]) <= _ROLE_REACH
        for each in conflicts
    ])


cdef bint _makes(conflict, tuple before, tuple after, tuple rows, tuple columns):
    """Whether an edit makes a conflict of words that it keeps: by their negation, sign or bound."""
    own, at = (rows, conflict.source) if before else (columns, conflict.target)
    if conflict.kind is ConflictKind.VALUE:
        is_sign = before + after in (("-",), ("\u2212",))
        return is_sign and own[0] < at <= own[0] + _SIGN_REACH
    if conflict.kind is ConflictKind.QUANTITY and 0 < at - max(own) <= _BOUND_REACH:
        return not _BOUNDING.isdisjoint(_lower(before + after))
    return (
        _is_negated(before) != _is_negated(after)
        and min([abs(each - at) for each in own]) <= _NEGATION_REACH
    )


cdef _form(tuple before, tuple after, tuple lower_before, tuple lower_after):
    """Return the kind of change if only the form differs, or None."""
    if lower_before == lower_after:
        return Change.CASE
    if _words(before) == _words(after):
        return Change.PUNCTUATION
    if _has_letters("".join(before), "".join(after)) and _digits(before) == _digits(after):
        return Change.SPELLING
    if _is_one_value(before, after) or (
        len(before) == len(after)
        and all([a == b or is_variant(a, b) for a, b in zip(lower_before, lower_after)])
    ):
        return Change.SPELLING
    return None


cdef tuple _lower(tuple words):
    return tuple([(<str>word).lower() for word in words])


cdef bint _has_letters(str one, str other):
    """Whether two texts have the same letters and digits in the same order."""
    cdef Py_ssize_t j = 0
    cdef Py_UCS4 letter
    for letter in one:
        if not letter.isalnum():
            continue
        while j < len(other) and not other[j].isalnum():
            j += 1
        if j == len(other) or other[j] != letter:
            return False
        j += 1
    return not _is_word(other[j:])


cdef list _digits(tuple tokens):
    return _NUMBER.findall(" ".join(tokens))


cdef bint _is_one_value(tuple before, tuple after):
    """Whether both sides are one value and nothing else, and the same: five, 5; II, 2."""
    if len(before) == len(after) == 1 and (
        _NUMERALS.get(before[0]) == after[0] or _NUMERALS.get(after[0]) == before[0]
    ):
        return True
    return bool(readings(before[0])) and are_one_value(before, after)


cdef _value_of(side, tuple words, tuple indices):
    """Return the value that holds all tokens of an edit, or None."""
    if not readings(words[0]):
        return None  # a value holds no such token
    for each in find_values(side.tokens):
        if not each.rank and each.start <= indices[0] and indices[len(indices) - 1] < each.end:
            return each
    return None


cdef bint _is_typo(source, target, tuple before, tuple after, tuple rows, tuple columns):
    """Whether words differ by typing errors, where one of the two is not a known word."""
    cdef Py_ssize_t k
    if len(before) != len(after):
        return False
    for k in range(len(before)):
        if before[k] != after[k] and not (
            is_typo(before[k], after[k])
            and _is_known(_lemmas(source, rows)[k]) != _is_known(_lemmas(target, columns)[k])
        ):
            return False
    return True


cdef bint _is_known(lemma):
    return _wordnet().vocabulary.find(lemma) >= 0


@cache
def _wordnet():
    return WordNet.open_shipped()


cdef list _words(tuple tokens):
    return [token for token in tokens if _is_word(token)]


cdef bint _is_word(str token):
    """Whether a token has a letter or digit."""
    cdef Py_UCS4 letter
    for letter in token:
        if letter.isalnum():
            return True
    return False


cdef list _lemmas(side, tuple indices):
    words = side.lemmas or side.tokens
    return [words[i].lower() for i in indices]


cdef bint _is_negated(tuple words):
    cdef list lower = [word.lower() for word in words]
    return (sum(map(negates, lower)) + ("other" in lower and "than" in lower)) % 2 == 1
