"""Negations of one side alone.

A word that negates (not, no, never, without, fail) stands with the words above it in its sentence's
tree: its head, and the heads of that. The negations of both sides are matched: first those that
are linked, then those that stand with linked words, then any that are left, also with words of a
low quantity (hardly anyone, few). What is left over on one side counts if a word that it stands
with is linked.
"""

from libc.stdint cimport int8_t, int32_t

from tokalign.features.pair cimport *
from tokalign.relations._clashes cimport *

from tokalign.lexicon.scales import scale_names

cdef enum:
    MAX_NEGATORS = 8
    N_ABOVE = 3              # words above a negating one that it stands with
    LOW = -2                 # a grade of quantity that is like a negation
    FREE = -1                # a negation that is not matched

cdef float NEGATION_WEIGHT = 0.9

cdef int QUANTITY = scale_names().index("quantity")
cdef int FREQUENCY = scale_names().index("frequency")

cdef struct Negators:
    int n
    int32_t[MAX_NEGATORS] at
    int32_t[MAX_NEGATORS] match          # of the other side, or FREE
    int32_t[MAX_NEGATORS][N_ABOVE + 1] above    # the word and those above it; -1 behind the last


cdef void _find_above(const Side *side, int32_t at, int32_t *above) noexcept nogil:
    """Write a word and those that it stands with: by the tree, else the content words behind it."""
    cdef int k
    above[0] = at
    for k in range(1, N_ABOVE + 1):
        above[k] = -1
        if above[k - 1] >= 0:
            above[k] = (
                side.head[above[k - 1]] if side.has_tree else side.next_content[above[k - 1]]
            )


cdef void _find_negators(const Side *side, Negators *out) noexcept nogil:
    cdef Py_ssize_t k
    out.n = 0
    for k in range(side.n):
        if side.word[k].negates and out.n < MAX_NEGATORS:
            out.at[out.n] = <int32_t>k
            out.match[out.n] = FREE
            _find_above(side, <int32_t>k, out.above[out.n])
            out.n += 1


cdef bint _are_linked(const ConflictRoom *room, int32_t i, int32_t j) noexcept nogil:
    return i >= 0 and j >= 0 and (room.source.best[i] == j or room.target.best[j] == i)


cdef bint _stand_together(
    const ConflictRoom *room, const int32_t *source, const int32_t *target
) noexcept nogil:
    """Whether words that two negations stand with are linked."""
    cdef int k, m
    for k in range(N_ABOVE + 1):
        for m in range(N_ABOVE + 1):
            if _are_linked(room, source[k], target[m]):
                return True
    return False


cdef bint _is_low(const Lexeme *word) noexcept nogil:
    """Whether a word, such as few or rarely, says a low quantity."""
    cdef int k
    for k in range(word.n_scales):
        if (word.scale[k] == QUANTITY or word.scale[k] == FREQUENCY) and word.grade[k] <= LOW:
            return True
    return False


cdef void _match(const ConflictRoom *room, Negators *source, Negators *target) noexcept nogil:
    """Match the negations of both sides, those that belong together most surely first."""
    cdef int round_, k, m
    for round_ in range(3):
        for k in range(source.n):
            for m in range(target.n):
                if source.match[k] != FREE or target.match[m] != FREE:
                    continue
                if (
                    round_ == 2
                    or (round_ == 0 and _are_linked(room, source.at[k], target.at[m]))
                    or (round_ == 1 and _stand_together(room, source.above[k], target.above[m]))
                ):
                    source.match[k] = m
                    target.match[m] = k


cdef bint _is_low_there(const Side *other, const Partners *partners) noexcept nogil:
    """Whether a side has a word of a low quantity that negates nothing and has no equal."""
    cdef Py_ssize_t k
    for k in range(other.n):
        if not other.word[k].negates and _is_low(other.word[k]) and partners.best[k] < 0:
            return True
    return False


cdef int _add_free(
    const PairState *pair, const ConflictRoom *room, const Negators *negators, bint of_source,
    Clash *found,
) noexcept nogil:
    """Write what one side alone negates; return how many."""
    cdef const Partners *own = &room.source if of_source else &room.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Partners *others = &room.target if of_source else &room.source
    cdef int n = 0
    cdef int k, m
    cdef int32_t at
    for k in range(negators.n):
        if negators.match[k] != FREE or _is_low_there(other, others):
            continue
        for m in range(N_ABOVE + 1):
            at = negators.above[k][m]
            if at >= 0 and own.best[at] >= 0:
                found[n].kind = CONFLICT_NEGATION
                found[n].source = at if of_source else own.best[at]
                found[n].target = own.best[at] if of_source else at
                found[n].strength = NEGATION_WEIGHT * own.confidence[at]
                n += 1
                break
    return n


cdef int find_negations(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND words that one side alone negates, with their partners; return how
    many."""
    cdef Negators source, target
    _find_negators(&pair.source, &source)
    _find_negators(&pair.target, &target)
    if not source.n and not target.n:
        return 0
    _match(room, &source, &target)
    # All that one side has are matched, unless the other has none left.
    if source.n > target.n:
        return _add_free(pair, room, &source, True, found)
    return _add_free(pair, room, &target, False, found)
