"""The judge of conflicts: the probability that people call a place of two sentences a conflict.

    log odds = base + sum of boosted trees over the inputs of the place

Inputs say how the place was seen, how sure it is that both words stand in the same place, and
whether the two sentences say one thing at all: how much of them, and of what is near, is linked.
`lab.recipes.conflicts` trains the trees on pairs in which people marked conflicts, and on pairs that
say unlike things. A place is told from the probability LEAST on.
"""

from libc.math cimport exp, log1p
from libc.stdint cimport int32_t
from libc.stdlib cimport abs
from libc.string cimport memset

from tokalign.english.lexicon.lexical_tables cimport ANTONYM
from tokalign.english.values.value_structs cimport Found
from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *
from tokalign.relations.related_units cimport Forest

from functools import cache

import numpy as np

from tokalign.files.tables import Table

cdef enum:
    REACH = 4            # tokens to each side that are near

CONFLICT_INPUTS = (
    "by-values", "by-signs", "by-units", "by-codes", "by-names", "by-opposites", "by-scales",
    "by-negation", "by-verb", "by-comparison", "by-place", "by-one-side", "by-nouns",
    *(each.name.lower().replace("_", "-") for each in tuple(ConflictInput)[:-1]),
)  # fmt: skip
"""Names of the inputs, in their order."""


cdef float _covered(const Side *side, const Partners *own) noexcept nogil:
    """Return the share of the weight of a sentence's words that have partners."""
    cdef float whole = 0.0
    cdef float found = 0.0
    cdef Py_ssize_t k
    for k in range(side.n):
        whole += side.word[k].weight
        if own.best[k] >= 0:
            found += side.word[k].weight
    return found / whole if whole > 0.0 else 0.0


cdef float _near(const Side *side, const Partners *own, int32_t at) noexcept nogil:
    """Return that share of the words near a token, without the token."""
    cdef float whole = 0.0
    cdef float found = 0.0
    cdef Py_ssize_t k
    for k in range(max(at - REACH, 0), min(at + REACH + 1, side.n)):
        if k != at:
            whole += side.word[k].weight
            if own.best[k] >= 0:
                found += side.word[k].weight
    return found / whole if whole > 0.0 else 0.0


cdef float _verb(const Side *side, const Partners *own, int32_t at) noexcept nogil:
    """Return whether the nearest verb with content has a partner, or -1 without such a verb."""
    cdef Py_ssize_t step
    for step in range(side.n):
        if _is_verb(side, at - step):
            return own.best[at - step] >= 0
        if _is_verb(side, at + step):
            return own.best[at + step] >= 0
    return -1.0


cdef inline bint _is_verb(const Side *side, Py_ssize_t at) noexcept nogil:
    return (
        0 <= at < side.n and side.word[at].coarse == COARSE_VERB and side.kind[at] == KIND_CONTENT
    )


cdef bint _asks(const Side *side) noexcept nogil:
    return is_word(side, side.n - 1, b"?")


cdef float _content(const Side *side) noexcept nogil:
    cdef Py_ssize_t k
    cdef int n = 0
    for k in range(side.n):
        n += side.kind[k] == KIND_CONTENT
    return <float>log1p(n)


cdef float _gap(const Side *side, const Partners *own, int32_t at) noexcept nogil:
    """Return the number of content words without partners between the links around a token."""
    cdef Py_ssize_t first = own.left[at] + 1
    cdef Py_ssize_t end = own.right[at] if own.right[at] >= 0 else side.n
    cdef Py_ssize_t k
    cdef int n = 0
    for k in range(first, end):
        n += k != at and side.kind[k] == KIND_CONTENT and own.best[k] < 0
    return n


cdef float _free(const Side *side, const Partners *own) noexcept nogil:
    cdef Py_ssize_t k
    cdef int n = 0
    for k in range(side.n):
        n += side.kind[k] == KIND_CONTENT and own.best[k] < 0
    return <float>log1p(n)


cdef int _negations(const Side *side) noexcept nogil:
    cdef Py_ssize_t k
    cdef int n = 0
    for k in range(side.n):
        n += side.word[k].negates
    return n


cdef float _names(const Side *side, const Partners *own) noexcept nogil:
    """Return the share of a sentence's names that have partners, or -1 without names."""
    cdef Py_ssize_t k
    cdef int n = 0
    cdef int found = 0
    for k in range(side.n):
        if side.word[k].coarse == COARSE_NAME:
            n += 1
            found += own.best[k] >= 0
    return <float>found / n if n else -1.0


cdef float _crossed(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil:
    """Return the share of the links that are before one word and behind the other."""
    cdef Py_ssize_t k
    cdef int n = 0
    cdef int crossed = 0
    cdef int32_t m
    for k in range(pair.source.n):
        m = room.source.best[k]
        if m >= 0 and k != i and m != j:
            n += 1
            crossed += (k < i) != (m < j)
    return <float>crossed / n if n else 0.0


cdef float _meet(const ConflictRoom *room, int32_t i, int32_t j) noexcept nogil:
    """Return whether two tokens are linked, or -1 if one is missing."""
    return -1.0 if i < 0 or j < 0 else meet(room, i, j)


cdef void fill_facts(
    const PairState *pair, const ConflictRoom *room, PairFacts *out
) noexcept nogil:
    """Write the inputs that all places of a pair share."""
    cdef const Side *source = &pair.source
    cdef const Side *target = &pair.target
    out.source_covered = _covered(source, &room.source)
    out.target_covered = _covered(target, &room.target)
    out.source_asks, out.target_asks = _asks(source), _asks(target)
    out.source_content, out.target_content = _content(source), _content(target)
    out.negations = abs(_negations(source) - _negations(target))
    out.others = <float>log1p(room.n_clashes - 1)
    out.source_names = _names(source, &room.source)
    out.target_names = _names(target, &room.target)
    out.source_free, out.target_free = _free(source, &room.source), _free(target, &room.target)


cdef void conflict_inputs(
    const PairState *pair, const ConflictRoom *room, const PairFacts *facts, const Clash *clash,
    float *out,
) noexcept nogil:
    """Write the inputs of a place, [N_INPUTS]."""
    cdef const Side *source = &pair.source
    cdef const Side *target = &pair.target
    cdef int32_t i = clash.source
    cdef int32_t j = clash.target
    cdef Py_ssize_t cell = i * target.n + j
    cdef const Found *one
    cdef const Found *other
    memset(out, 0, N_INPUTS * sizeof(float))
    out[clash.way] = 1.0
    out[<int>KIND] = clash.kind
    out[<int>PLACE] = clash.place
    if room.source.best[i] == j:
        out[<int>LINK] = room.source.confidence[i]
    elif room.target.best[j] == i:
        out[<int>LINK] = room.target.confidence[j]
    out[<int>SOURCE_COVERED] = facts.source_covered
    out[<int>TARGET_COVERED] = facts.target_covered
    out[<int>SOURCE_NEAR] = _near(source, &room.source, i)
    out[<int>TARGET_NEAR] = _near(target, &room.target, j)
    out[<int>SOURCE_VERB] = _verb(source, &room.source, i)
    out[<int>TARGET_VERB] = _verb(target, &room.target, j)
    out[<int>SOURCE_ASKS] = facts.source_asks
    out[<int>TARGET_ASKS] = facts.target_asks
    out[<int>SOURCE_CONTENT] = facts.source_content
    out[<int>TARGET_CONTENT] = facts.target_content
    out[<int>SOURCE_WEIGHT] = source.word[i].weight
    out[<int>TARGET_WEIGHT] = target.word[j].weight
    out[<int>SOURCE_GAP] = _gap(source, &room.source, i)
    out[<int>TARGET_GAP] = _gap(target, &room.target, j)
    out[<int>STRENGTH] = pair.strength[cell]
    out[<int>WORD_COSINE] = pair.cosine[cell]
    out[<int>IS_ANTONYM] = pair.relations[cell] & ANTONYM != 0
    out[<int>HAS_ONE_TAG] = source.word[i].tag == target.word[j].tag
    out[<int>NEGATIONS] = facts.negations
    out[<int>OTHERS] = facts.others
    out[<int>CROSSED] = _crossed(pair, room, i, j)
    out[<int>SOURCE_NAMES] = facts.source_names
    out[<int>TARGET_NAMES] = facts.target_names
    out[<int>SOURCE_FREE] = facts.source_free
    out[<int>TARGET_FREE] = facts.target_free
    out[<int>NEXT_MEET] = _meet(room, source.next_content[i], target.next_content[j])
    out[<int>PREVIOUS_MEET] = _meet(room, source.previous_content[i], target.previous_content[j])
    one, other = value_at(source, i), value_at(target, j)
    out[<int>VALUE_KIND] = -1.0 if one == NULL else one.kind
    out[<int>HAS_ONE_UNIT] = (
        one != NULL and other != NULL and one.kind == other.kind and one.code == other.code
    )


cdef class ConflictJudge:
    """Tells which places are conflicts; all models share one.

    Parameters
    ----------
    table : Table or None
        The trees. Without one every place has the probability 1, and all are told, as for training.
    """

    def __init__(self, table=None):
        self.forest = None if table is None else Forest(table, "conflicts", N_INPUTS, 1)
        self.least = 0.0 if table is None else table.array("least", np.float32, (1,))[0]
        self.keeps_inputs = table is None

    cdef void judge(self, const PairState *pair, ConflictRoom *room) noexcept nogil:
        """Write the probability of each place in the room, and drop those that are not told, and of
        several of one word all but the surest."""
        cdef float[<int>N_INPUTS] inputs
        cdef PairFacts facts
        cdef double score
        cdef Py_ssize_t k
        cdef Py_ssize_t n_kept = 0
        if self.forest is None:
            for k in range(room.n_clashes):
                room.clash[k].probability = 1.0
            return
        if room.n_clashes == 0:
            return
        fill_facts(pair, room, &facts)
        for k in range(room.n_clashes):
            conflict_inputs(pair, room, &facts, &room.clash[k], inputs)
            self.forest.score(inputs, 1, &score)
            room.clash[k].probability = <float>(1.0 / (1.0 + exp(-score)))
        for k in range(room.n_clashes):
            if room.clash[k].probability < self.least or _is_weaker(room, k):
                room.clash[k].place = -1.0
        for k in range(room.n_clashes):
            if room.clash[k].place >= 0.0:
                room.clash[n_kept] = room.clash[k]
                n_kept += 1
        room.n_clashes = n_kept


cdef bint _is_weaker(const ConflictRoom *room, Py_ssize_t number) noexcept nogil:
    """Whether another place of either word is surer, or as sure and found before."""
    cdef const Clash *own = &room.clash[number]
    cdef const Clash *other
    cdef Py_ssize_t k
    for k in range(room.n_clashes):
        other = &room.clash[k]
        if k != number and (own.source == other.source or own.target == other.target) and (
            other.probability > own.probability
            or (other.probability == own.probability and k < number)
        ):
            return True
    return False


@cache
def shipped_judge():
    """Return the judge that ships."""
    return ConflictJudge(Table.open_shipped("conflicts"))
