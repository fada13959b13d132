"""Conflicts: what two aligned sentences say that cannot both hold, and the judge of conflicts.

Places where it may be so are found by rules (tokalign.relations.contrasts, qualifiers, negations,
roles). Two of them may cancel: "not big"
and "small", "Ann sold it to Bob" and "Bob bought it from Ann". The judge gives the probability that
people call a place a conflict:

    log odds  = base + sum of boosted trees over the inputs of the place
    agreement = product over all conflicts of 1 - probability

Inputs say how the place was seen, how sure it is that both words stand in the same place, and
whether the two sentences say one thing at all: how much of them, and of what is near, is linked.
`lab.recipes.conflicts` trains the trees on pairs in which people marked conflicts, and on pairs that
say unlike things. A place is told from the probability `least` on; a negation in evidence of an answer
from LEAST_DENIED on: most of a long sentence says other things than the claim, which the judge counts
against it. On the corpus's claims 5 of 6 such places below `least` that `ground` tells are conflicts, and
no supported claim has one, as of WiCE's development claims.
"""

from libc.math cimport exp, log1p
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport abs
from libc.string cimport memcpy, memset

from tokalign.english.annotate.growing cimport grow, more_room
from tokalign.english.lexicon.lexical_tables cimport ANTONYM
from tokalign.english.values.value_finding cimport of_one_dimension
from tokalign.english.values.value_structs cimport MAX_ALIKE, MAX_PIECES, Found
from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *
from tokalign.relations.contrasts cimport *
from tokalign.relations.negations cimport find_negations
from tokalign.relations.qualifiers cimport EXCEPTING, find_one_sided, lasts
from tokalign.relations.related_units cimport Forest
from tokalign.relations.roles cimport *

from functools import cache

import numpy as np

from tokalign.english.annotate.tags_and_relations import TAG_INDEX
from tokalign.files.tables import Table

cdef enum:
    LEAST_ROOM = 16      # conflicts
    MOST_DENIED = 6      # tokens from a negation to the word that it denies, to be one range
    REACH = 4            # tokens to each side that are near
    BOUND_WORDS = 3      # no more than
    TO_VERB = 4          # tokens from a modal to its verb: must not then go

cdef float LEAST_DENIED = 0.3
cdef float LONG = 1.3    # log of 1 and the content words without partners: 3 or more
cdef int COMPARATIVE = TAG_INDEX["JJR"], COMPARATIVE_ADVERB = TAG_INDEX["RBR"]
cdef Letters[7] MORE = [b"least", b"more", b"greater", b"over", b"above", b"exceeding", NULL]
cdef Letters[6] LESS = [b"most", b"less", b"fewer", b"under", b"below", NULL]
cdef Letters[3] LEAST_OF = [b"minimum", b"excess", NULL]
cdef Letters[3] NOT_ON = [b"after", b"before", NULL]


cdef size_t _side_bytes(Py_ssize_t n) noexcept nogil:
    return 6 * n * sizeof(int32_t)


cdef size_t conflict_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Return the bytes of scratch for the conflicts of a pair."""
    return (
        2 * n_source * sizeof(int32_t) + (3 * n_source + N_WAYS_ROOM * MAX_FOUND) * sizeof(Clash)
        + _side_bytes(n_source) + _side_bytes(n_target) + (MAX_PIECES * n_target + 1) * MAX_ALIKE
    )


cdef char *_carve(Partners *side, char *memory, Py_ssize_t n) noexcept nogil:
    side.best = <int32_t *>memory
    side.confidence = <float *>(side.best + n)
    side.left = <int32_t *>(side.confidence + n)
    side.right = side.left + n
    side.told = <float *>(side.right + n)
    side.part = <int32_t *>(side.told + n)
    return memory + _side_bytes(n)


cdef void carve_conflicts(
    ConflictRoom *room, char *memory, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil:
    """Lay out the scratch in a block of conflict_bytes."""
    room.most = 3 * n_source
    room.twin = <int32_t *>memory
    room.only = room.twin + n_source
    memory += 2 * n_source * sizeof(int32_t)
    room.clash = <Clash *>memory
    memory += (3 * n_source + N_WAYS_ROOM * MAX_FOUND) * sizeof(Clash)
    memory = _carve(&room.source, memory, n_source)
    room.is_met = <uint8_t *>_carve(&room.target, memory, n_target)


cdef void _find_partners(
    const LinkView *links, bint of_source, Py_ssize_t n, Partners *side
) noexcept nogil:
    """Fill the partners of one side's tokens, and its linked neighbours."""
    cdef Py_ssize_t k
    cdef int32_t own, last
    for k in range(n):
        side.best[k] = -1
        side.confidence[k] = 0.0
    for k in range(links.n):
        own = links.source[k] if of_source else links.target[k]
        if links.confidence[k] > side.confidence[own]:
            side.confidence[own] = <float>links.confidence[k]
            side.best[own] = links.target[k] if of_source else links.source[k]
    last = -1
    for k in range(n):
        side.left[k] = last
        if side.best[k] >= 0:
            last = <int32_t>k
    last = -1
    for k in range(n - 1, -1, -1):
        side.right[k] = last
        if side.best[k] >= 0:
            last = <int32_t>k


cdef bint _is_excepted(
    const PairState *pair, const ConflictRoom *room, const Clash *clash, bint of_source
) noexcept nogil:
    """Whether one side alone excepts what the other says: open except on Monday, closed on Mondays."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef int32_t there = clash.target if of_source else clash.source
    cdef int32_t m, k = (clash.source if of_source else clash.target) + 1
    while k < side.n and side.kind[k] != KIND_MARK and not is_any(side, k, EXCEPTING):
        k += 1
    m = side.next_content[k] if k < side.n and side.kind[k] != KIND_MARK else -1
    m = -1 if m < 0 else room.source.best[m] if of_source else room.target.best[m]
    for k in range(there, <int32_t>other.n):
        if is_any(other, k, EXCEPTING):
            return False
    return there < m <= there + REACH


cdef bint _is_undone(
    const PairState *pair, const ConflictRoom *room, const Clash *clash, bint are_compared
) noexcept nogil:
    """Whether roles are exchanged around an opposite: Ann sold it to Bob, who bought it from Ann."""
    if clash.way != BY_OPPOSITES or clash.kind == CONFLICT_CONDITION:
        return False
    if lasts(&pair.source, clash.source) != lasts(&pair.target, clash.target):
        return True  # it closes at sunset
    if _is_excepted(pair, room, clash, True) or _is_excepted(pair, room, clash, False):
        return True
    if not are_compared and (pair.source.word[clash.source].coarse == COARSE_VERB) != (
        pair.target.word[clash.target].coarse == COARSE_VERB
    ):
        return False  # the door was unlocked, they locked the door
    return are_compared or are_exchanged(pair, room, clash.source, clash.target)


cdef void _drop_marked(ConflictRoom *room) noexcept nogil:
    """Drop the places with a certainty below 0."""
    cdef Py_ssize_t k, n_kept = 0
    for k in range(room.n_clashes):
        if room.clash[k].place >= 0.0:
            room.clash[n_kept] = room.clash[k]
            n_kept += 1
    room.n_clashes = n_kept


cdef bint _drop_exchanged(
    const PairState *pair, ConflictRoom *room, bint are_compared
) noexcept nogil:
    """Drop opposites whose roles are exchanged, and the prepositions that go with their verbs;
    return whether there were any."""
    cdef Py_ssize_t k
    cdef bint has_dropped = False
    for k in range(room.n_clashes):
        if _is_undone(pair, room, &room.clash[k], are_compared):
            room.clash[k].place = -1.0
            has_dropped = True
    for k in range(room.n_clashes if has_dropped else 0):
        if room.clash[k].way == BY_OPPOSITES and pair.source.word[room.clash[k].source].coarse in (
            COARSE_ADPOSITION, COARSE_PARTICLE
        ):
            room.clash[k].place = -1.0
    _drop_marked(room)
    return has_dropped


cdef void _add_found(ConflictRoom *room, const Clash *found, int n_found) noexcept nogil:
    """Add what a search found of words that are in no conflict yet, and any negation."""
    cdef int k
    for k in range(n_found):
        if (
            found[k].way == BY_NEGATION or not is_told(room, found[k].source, True)
            or not is_told(room, found[k].target, False)
        ):
            room.clash[room.n_clashes] = found[k]
            room.n_clashes += 1


cdef bint _undo_pairs(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Drop two opposites of which one negates (no lights on, all off); return whether there are any."""
    cdef Py_ssize_t k, m
    cdef const Clash *clash
    for k in range(room.n_clashes):
        clash = &room.clash[k]
        if clash.way != BY_OPPOSITES or not (
            pair.source.word[clash.source].negates or pair.target.word[clash.target].negates
        ):
            continue
        for m in range(room.n_clashes):
            if m != k and room.clash[m].way == BY_OPPOSITES and not (
                are_apart(&pair.source, clash.source, room.clash[m].source)
                and are_apart(&pair.target, clash.target, room.clash[m].target)
            ):
                remove_clash(room, max(k, m))
                remove_clash(room, min(k, m))
                return True
    return False


cdef int _bound(const Side *side, const Found *value) noexcept nogil:
    """Return which numbers are meant: 1 for those from a value up ("at least 5", "5 or more",
    "over 5", "older than 5"), -1 for those up to it, 0 where no words say."""
    cdef int32_t at = value.start - 1
    cdef int bound = 0
    cdef bint has_than = is_word(side, at, b"than")
    if is_word(side, value.end, b"or") or is_word(side, value.end, b"and"):
        if is_any(side, value.end + 1, MORE):
            return 1
        if is_any(side, value.end + 1, LESS):
            return -1
    if is_word(side, at, b"to") and is_word(side, at - 1, b"up"):
        return -1
    if is_word(side, at, b"of"):
        return is_any(side, at - 1, LEAST_OF) - is_word(side, at - 1, b"maximum")
    if has_than:
        at -= 1
    if is_any(side, at, MORE):
        bound = 1
    elif is_any(side, at, LESS):
        bound = -1
    elif has_than and at >= 0 and side.word[at].n_scales and (
        side.word[at].tag == COMPARATIVE or side.word[at].tag == COMPARATIVE_ADVERB
    ):
        bound = 1 if side.word[at].grade[0] > 0 else -1
    if has_than and (is_word(side, at - 1, b"no") or is_word(side, at - 1, b"not")):
        return -bound
    return bound


cdef inline bint _differ(
    const Side *one, int32_t at, const Side *other, int32_t there
) noexcept nogil:
    """Whether words before equal values say it unlike: by 5%, to 5%; on Monday, after Monday."""
    if is_word(one, at, b"by"):
        return is_word(other, there, b"to")
    return is_word(one, at, b"on") and is_any(other, there, NOT_ON)


cdef bint _is_told_before(const ConflictRoom *room, int32_t at) noexcept nogil:
    """Whether one of the words before a source token is in a conflict: more than, less than."""
    cdef int32_t k
    for k in range(max(at - BOUND_WORDS, 0), at):
        if is_told(room, k, True):
            return True
    return False


cdef int _find_bounds(const PairState *pair, const ConflictRoom *room, Clash *found) noexcept nogil:
    """Write at most MAX_FOUND equal numbers of which one is the least and the other the most, or
    before which unlike words stand; return their number."""
    cdef const Found *one, *other
    cdef int32_t i, j
    cdef int n = 0
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        one = value_at(&pair.source, i)
        if n == MAX_FOUND or j < 0 or one == NULL or one.start != i:
            continue
        other = value_at(&pair.target, j)
        if other == NULL or other.start != j or other.number != one.number:
            continue
        if _is_told_before(room, i) or not (
            _bound(&pair.source, one) * _bound(&pair.target, other) < 0
            or _differ(&pair.source, i - 1, &pair.target, j - 1)
            or _differ(&pair.target, j - 1, &pair.source, i - 1)
        ):
            continue
        found[n] = Clash(
            CONFLICT_QUANTITY, i, j, BY_SCALES, room.source.confidence[i], 0.0, -1, False
        )
        n += 1
    return n


cdef void _find_candidates(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Fill the room with places where the sentences may contradict each other."""
    cdef Clash[2 * <int>MAX_FOUND] found
    cdef Clash[<int>MAX_FOUND] compared
    cdef bint are_compared, are_undone
    cdef int n_roles = 0
    compare_places(pair, room, False)
    compare_values(pair, room)
    compare_units(pair, True, room)
    compare_units(pair, False, room)
    compare_codes(pair, room)
    compare_places(pair, room, True)
    find_parts(pair, room)
    are_compared = find_compared(pair, room, compared)
    are_undone = _drop_exchanged(pair, room, are_compared)
    if not are_undone and not are_compared:
        n_roles = find_exchanged(pair, room, found)
    _add_found(room, compared, are_compared and not are_undone)
    _add_found(room, found, n_roles)
    _add_found(room, found, _find_bounds(pair, room, found))
    _add_found(room, found, find_negations(pair, room, found))
    are_undone |= _undo_pairs(pair, room) or room.is_reworded
    _add_found(room, found, find_reworded(pair, room, found))
    _add_found(room, found, find_one_sided(pair, room, True, found))
    _add_found(room, found, find_one_sided(pair, room, False, found))
    if not are_undone and not are_compared and n_roles == 0:
        n_roles = find_exchanged_parts(pair, room, found)
        _add_found(room, found, n_roles or find_changed_places(pair, room, found))


cdef double find_conflicts(
    const PairState *pair, const LinkView *links, ConflictJudge judge, bint is_evidence, ConflictRoom *room
) noexcept nogil:
    """Find the conflicts of a prepared pair, perhaps of evidence and an answer; return the agreement."""
    cdef Py_ssize_t k
    cdef double agreement = 1.0
    room.n_clashes = 0
    _find_partners(links, True, pair.source.n, &room.source)
    _find_partners(links, False, pair.target.n, &room.target)
    _find_candidates(pair, room)
    judge.judge(pair, is_evidence, room)
    for k in range(room.n_clashes):
        agreement *= 1.0 - room.clash[k].probability
    return agreement


cdef void _fill_span(
    const Side *side, const Clash *clash, bint of_source, int32_t *start, int32_t *end
) noexcept nogil:
    """Write the range of one side's tokens that show a conflict: the value, its sign included, the
    name, or the word with its negation."""
    cdef int32_t at = clash.source if of_source else clash.target
    cdef const Found *value = value_at(side, at)
    start[0], end[0] = at, at + 1
    if clash.kind in (CONFLICT_VALUE, CONFLICT_CODE) and value != NULL:
        start[0], end[0] = value.start, value.end
        if clash.way == BY_SIGNS and is_sign(side, value.start - 1):
            start[0] = value.start - 1
    elif clash.way == BY_NAMES:
        while start[0] > 0 and side.word[start[0] - 1].coarse == COARSE_NAME:
            start[0] -= 1
        while end[0] < side.n and side.word[end[0]].coarse == COARSE_NAME:
            end[0] += 1
    elif clash.way == BY_NEGATION and clash.is_in_source == of_source:
        start[0], end[0] = min(at, clash.cue), max(at, clash.cue) + 1
        if end[0] - start[0] > MOST_DENIED:
            start[0], end[0] = clash.cue, clash.cue + 1
    elif clash.way == BY_SCALES and clash.kind == CONFLICT_MODALITY:
        if end[0] < side.n and side.word[end[0]].negates:  # must not
            end[0] += 1


cdef bint add_conflicts(
    ConflictColumns *columns, Py_ssize_t number, const PairState *pair, ConflictRoom *room
) noexcept nogil:
    """Add the conflicts of the next pair to the columns; return whether there is memory."""
    cdef int64_t first = columns.offset[number]
    cdef Py_ssize_t n_wanted = first + room.n_clashes
    cdef Py_ssize_t n_room, k
    cdef const Clash *clash
    cdef ToldConflict *told
    cdef float[<int>N_INPUTS] shared
    columns.offset[number + 1] = first
    if n_wanted > columns.n_room:
        n_room = more_room(columns.n_room, n_wanted, LEAST_ROOM)
        if not grow(<void **>&columns.conflict, n_room, sizeof(ToldConflict)):
            return False
        if columns.keeps_inputs and not grow(
            <void **>&columns.inputs, n_room, N_INPUTS * sizeof(float)
        ):
            return False
        columns.n_room = n_room
    if columns.keeps_inputs and room.n_clashes:
        _fill_pair(pair, room, shared)
    for k in range(room.n_clashes):
        clash = &room.clash[k]
        told = &columns.conflict[first + k]
        told.kind, told.reason = clash.kind, clash.way
        told.source, told.target = clash.source, clash.target
        told.probability = clash.probability
        _fill_span(&pair.source, clash, True, &told.source_start, &told.source_end)
        _fill_span(&pair.target, clash, False, &told.target_start, &told.target_end)
        if columns.keeps_inputs:
            _fill_inputs(pair, room, shared, clash, columns.inputs + (first + k) * N_INPUTS)
    columns.offset[number + 1] = n_wanted
    return True


CONFLICT_INPUTS: tuple[str, ...] = (
    "by-values", "by-signs", "by-units", "by-codes", "by-names", "by-opposites", "by-scales",
    "by-negation", "by-verb", "by-comparison", "by-place", "by-one-side", "by-nouns",
    *(each.name.lower().replace("_", "-") for each in tuple(ConflictInput)[:-1]),
)  # fmt: skip
"""Names of the inputs, in their order."""


cdef int _fill_side(const Side *side, const Partners *own, bint is_target, float *out) noexcept nogil:
    """Write the inputs from one sentence, whatever the place; return its number of negations."""
    cdef float whole = 0.0, covered = 0.0
    cdef int n_content = 0, n_free = 0, n_negations = 0
    cdef Py_ssize_t k
    cdef bint is_linked
    for k in range(side.n):
        is_linked = own.best[k] >= 0
        whole += side.word[k].weight
        if is_linked:
            covered += side.word[k].weight
        if side.kind[k] == KIND_CONTENT:
            n_content += 1
            n_free += not is_linked and not side.word[k].negates
        n_negations += side.word[k].negates
    out[<int>SOURCE_COVERED + is_target] = covered / whole if whole > 0.0 else 0.0
    out[<int>SOURCE_ASKS + is_target] = is_word(side, side.n - 1, b"?")
    out[<int>SOURCE_CONTENT + is_target] = <float>log1p(n_content)
    out[<int>SOURCE_FREE + is_target] = <float>log1p(n_free)
    return n_negations


cdef void _fill_pair(const PairState *pair, ConflictRoom *room, float *out) noexcept nogil:
    """Write the inputs that all places of a pair share, 0 for the others, and what is told."""
    cdef const Clash *clash
    cdef Py_ssize_t k
    memset(out, 0, N_INPUTS * sizeof(float))
    memset(room.source.told, 0, pair.source.n * sizeof(float))
    memset(room.target.told, 0, pair.target.n * sizeof(float))
    for k in range(room.n_clashes):
        clash = &room.clash[k]
        room.source.told[clash.source] = room.source.confidence[clash.source]
        room.target.told[clash.target] = room.target.confidence[clash.target]
    out[<int>NEGATIONS] = abs(
        _fill_side(&pair.source, &room.source, False, out)
        - _fill_side(&pair.target, &room.target, True, out)
    )
    out[<int>OTHERS] = <float>log1p(room.n_clashes - 1)


cdef void _fill_around(
    const Side *side, const Partners *own, int32_t at, bint is_target, float *out
) noexcept nogil:
    """Write the inputs from what is around a place in one sentence."""
    cdef Py_ssize_t end = own.right[at] if own.right[at] >= 0 else side.n
    cdef Py_ssize_t k
    cdef float near = 0.0, covered = 0.0, whole = 0.0, alike = 0.0
    cdef int n_gap = 0
    for k in range(side.n):
        if k == at:
            continue
        whole += side.word[k].weight
        alike += side.word[k].weight * max(own.told[k], side.best[k], side.nearest[k])
        if abs(k - at) <= REACH:
            near += side.word[k].weight
            covered += side.word[k].weight * (own.best[k] >= 0)
    for k in range(own.left[at] + 1, end):
        if k != at and side.kind[k] == KIND_CONTENT and own.best[k] < 0:
            n_gap += not side.word[k].negates
    out[<int>SOURCE_NEAR + is_target] = covered / near if near > 0.0 else 0.0
    out[<int>SOURCE_ALIKE + is_target] = alike / whole if whole > 0.0 else 0.0
    out[<int>SOURCE_WEIGHT + is_target] = side.word[at].weight
    out[<int>SOURCE_GAP + is_target] = n_gap


cdef void _fill_inputs(
    const PairState *pair, const ConflictRoom *room, const float *shared, const Clash *clash,
    float *out,
) noexcept nogil:
    """Write the inputs of a place, [N_INPUTS]; `shared` is of `_fill_pair`."""
    cdef const Side *source = &pair.source
    cdef const Side *target = &pair.target
    cdef int32_t i = clash.source, j = clash.target
    cdef Py_ssize_t cell = i * target.n + j
    cdef const Found *one = value_at(source, i)
    cdef const Found *other = value_at(target, j)
    memcpy(out, shared, N_INPUTS * sizeof(float))
    _fill_around(source, &room.source, i, False, out)
    _fill_around(target, &room.target, j, True, out)
    out[clash.way] = 1.0
    out[<int>KIND] = clash.kind
    out[<int>PLACE] = clash.place
    if room.source.best[i] == j:
        out[<int>LINK] = room.source.confidence[i]
    elif room.target.best[j] == i:
        out[<int>LINK] = room.target.confidence[j]
    out[<int>STRENGTH] = pair.strength[cell]
    out[<int>WORD_COSINE] = pair.cosine[cell]
    out[<int>IS_ANTONYM] = pair.relations[cell] & ANTONYM != 0
    out[<int>HAS_ONE_TAG] = source.word[i].tag == target.word[j].tag
    out[<int>AROUND] = pair.window[cell]
    out[<int>VALUE_KIND] = -1.0 if one == NULL else one.kind
    out[<int>HAS_ONE_UNIT] = (
        one != NULL and other != NULL and one.kind == other.kind
        and (one.code == other.code or of_one_dimension(one, other))
    )


cdef class ConflictJudge:
    """Tells which places are conflicts; all models share one.

    `table`: the trees. Without one every place has the probability 1, and all are told, as for
    training.
    """

    def __init__(self, table: Table = None) -> None:
        self.forest = None if table is None else Forest(table, "conflicts", N_INPUTS, 1)
        self.least = 0.0 if table is None else table.array("least", np.float32, (1,))[0]
        self.keeps_inputs = table is None

    cdef void judge(self, const PairState *pair, bint is_evidence, ConflictRoom *room) noexcept nogil:
        """Write the probability of each place in the room, and drop those that are not told, and of
        several of one word all but the surest."""
        cdef float[<int>N_INPUTS] inputs
        cdef float[<int>N_INPUTS] shared
        cdef double score
        cdef bint is_long
        cdef Py_ssize_t k
        if self.forest is None:
            for k in range(room.n_clashes):
                room.clash[k].probability = 1.0
            return
        if room.n_clashes == 0:
            return
        _fill_pair(pair, room, shared)
        is_long = is_evidence and shared[<int>SOURCE_FREE] >= LONG
        for k in range(room.n_clashes):
            _fill_inputs(pair, room, shared, &room.clash[k], inputs)
            self.forest.score(inputs, 1, &score)
            room.clash[k].probability = <float>(1.0 / (1.0 + exp(-score)))
            if room.clash[k].probability < (
                LEAST_DENIED if is_long and room.clash[k].way == BY_NEGATION else self.least
            ):
                room.clash[k].probability = -1.0
        for k in range(room.n_clashes):
            if room.clash[k].probability < 0.0 or _is_weaker(room, k):
                room.clash[k].place = -1.0
        _drop_marked(room)


cdef bint _is_modal_of(const Clash *modals, const Clash *denied) noexcept nogil:
    """Whether unlike modals stand before the words of which one is denied: may go, must not go."""
    return (
        denied.kind == CONFLICT_MODALITY and denied.way == BY_NEGATION
        and modals.kind == CONFLICT_MODALITY and modals.way == BY_SCALES
        and 0 < denied.source - modals.source <= TO_VERB
        and 0 < denied.target - modals.target <= TO_VERB
    )


cdef bint _is_weaker(const ConflictRoom *room, Py_ssize_t number) noexcept nogil:
    """Whether another place of either word is surer, or as sure and found before; or modals that are
    told say the same."""
    cdef const Clash *own = &room.clash[number]
    cdef const Clash *other
    cdef Py_ssize_t k
    for k in range(room.n_clashes):
        other = &room.clash[k]
        if other.probability >= 0.0 and _is_modal_of(other, own):
            return True
        if k != number and (own.source == other.source or own.target == other.target) and (
            other.probability > own.probability
            or (other.probability == own.probability and k < number)
        ):
            return True
    return False


@cache
def shipped_judge() -> ConflictJudge:
    """Return the judge that ships."""
    return ConflictJudge(Table.open_shipped("conflicts"))
