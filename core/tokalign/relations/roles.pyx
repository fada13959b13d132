"""Exchanged roles: who does it on one side has it done to them on the other.

The first role of a predicate is its subject's, or in the passive the one that "by" names; the
second one is its object's, or the passive's subject's. Of a comparison the second role is what
stands behind "than". A third one is of what "to" or "from" names. Roles are exchanged if who has the
first role on one side has another one on the other.
"""

from libc.stdint cimport int32_t, uint8_t

from tokalign.features.pair cimport *
from tokalign.relations._clashes cimport *

from tokalign.annotate.relations import GROUPS
from tokalign.features.inventory import TAG_INDEX
from tokalign.lexicon.labels import function_words

cdef float ROLES_WEIGHT = 0.8

cdef int SUBJECT = GROUPS.index("subject")
cdef int OBJECT = GROUPS.index("object")
cdef int OBLIQUE = GROUPS.index("oblique")
cdef int AUXILIARY = GROUPS.index("auxiliary")
cdef int PARTICIPLE = TAG_INDEX["VBN"]
cdef int PAST = TAG_INDEX["VBD"]  # for which participles are often taken
cdef int CASE = GROUPS.index("case")

_WORDS = function_words()
cdef int BY = _WORDS.index("by")
cdef int THAN = _WORDS.index("than")
cdef int TO = _WORDS.index("to")
cdef int FROM = _WORDS.index("from")
_FORMS_OF_BE = {_WORDS.index(form) for form in ("be", "is", "are", "was", "were", "been", "being")}
cdef uint8_t[1024] IS_BE
for _index in range(1024):
    IS_BE[_index] = _index in _FORMS_OF_BE
assert len(_WORDS) <= 1024

cdef struct Roles:
    int32_t first            # -1 where there is none
    int32_t second
    int32_t third            # who "to" or "from" names


cdef bint _has_case(const Side *side, int32_t at, int word) noexcept nogil:
    """Whether a preposition, by its number among the function words, stands with a word."""
    cdef int32_t child = side.first_child[at]
    while child >= 0:
        if side.group[child] == CASE and side.word[child].function_word == word:
            return True
        child = side.next_sibling[child]
    return False


cdef void _find_roles(const Side *side, int32_t at, Roles *out) noexcept nogil:
    """Write who has which role of a predicate."""
    cdef bint has_be = False
    cdef int32_t agent = -1
    cdef int32_t child = side.first_child[at]
    cdef int32_t swapped
    out.first = out.second = out.third = -1
    while child >= 0:
        if side.group[child] == SUBJECT:
            out.first = child
        elif side.group[child] == OBJECT:
            out.second = child
        elif side.group[child] == OBLIQUE:
            if _has_case(side, child, BY):
                agent = child
            elif _has_case(side, child, THAN):
                out.second = child
            elif _has_case(side, child, TO) or _has_case(side, child, FROM):
                out.third = child
        elif side.group[child] == AUXILIARY and side.word[child].function_word >= 0:
            has_be |= IS_BE[side.word[child].function_word]
        child = side.next_sibling[child]
    if has_be and (side.word[at].tag == PARTICIPLE or side.word[at].tag == PAST):
        swapped = out.first
        out.first = agent
        out.second = swapped


cdef inline bint _link(const ConflictRoom *room, int32_t i, int32_t j) noexcept nogil:
    return i >= 0 and j >= 0 and (room.source.best[i] == j or room.target.best[j] == i)


cdef bint _are_exchanged(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil:
    cdef Roles source, target
    _find_roles(&pair.source, i, &source)
    if source.first < 0 and source.second < 0:
        return False
    _find_roles(&pair.target, j, &target)
    if _link(room, source.first, target.first):
        return False
    if _link(room, source.first, target.third) or _link(room, source.third, target.first):
        return True
    return not _link(room, source.second, target.second) and (
        _link(room, source.first, target.second) or _link(room, source.second, target.first)
    )


cdef int find_exchanged(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND linked predicates whose roles are exchanged; return how many."""
    cdef int32_t i, j
    cdef int n = 0
    if not (pair.source.has_tree and pair.target.has_tree):
        return 0
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if n == MAX_FOUND or j < 0 or pair.source.first_child[i] < 0:
            continue
        if pair.source.word[i].kind == KIND_CONTENT and _are_exchanged(pair, room, i, j):
            found[n].kind = CONFLICT_ROLES
            found[n].source = i
            found[n].target = j
            found[n].strength = ROLES_WEIGHT * room.source.confidence[i]
            n += 1
    return n
