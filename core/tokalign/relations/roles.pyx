"""Exchanged roles: who does it on one side has it done to them on the other.

No tree is read, so that models without a parser find the same. What stands before a linked word on
one side and behind it on the other has crossed it. Roles are exchanged if both that have a role of
a verb have crossed it, or if neither has and one side alone is passive. Names, nouns and
pronouns have a role that stand without a preposition, or with by, to, from or than. What is compared
is exchanged if it has crossed the word "than"; around other words, such as before and after, the
nearest content words count.
"""

from libc.stdint cimport int32_t, uint8_t

from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *

from tokalign.features.inventory import TAG_INDEX
from tokalign.english.lexicon.word_lists import function_words

cdef enum:
    VERB_REACH = 8       # tokens around a verb that are looked at
    THAN_REACH = 6
    OTHER_REACH = 4
    N_ROLES = 2          # that have to be exchanged
    BE_REACH = 3         # tokens before a participle

cdef enum:
    # What a function word says of roles.
    IS_BE = 1
    NAMES_ROLE = 2       # a preposition before who has a role
    IS_BY = 3            # names one, too
    IS_THAN = 4
    N_WORDS = 1024       # at most, in the list of function words

cdef float ROLES_WEIGHT = 0.8

cdef int PARTICIPLE = TAG_INDEX["VBN"]
cdef int COMPARATIVE = TAG_INDEX["JJR"]
cdef int PAST = TAG_INDEX["VBD"]  # for which participles are often taken

cdef uint8_t[<int>N_WORDS] SAYS

for _index, _word in enumerate(function_words()):
    if _word in ("be", "is", "are", "was", "were", "been", "being"):
        SAYS[_index] = IS_BE
    elif _word in ("to", "from"):
        SAYS[_index] = NAMES_ROLE
    elif _word == "by":
        SAYS[_index] = IS_BY
    elif _word == "than":
        SAYS[_index] = IS_THAN
    else:
        SAYS[_index] = 0

cdef struct Crossings:
    int crossed
    int straight


cdef inline bint _says(const Lexeme *word, int what) noexcept nogil:
    return 0 <= word.function_word < N_WORDS and SAYS[word.function_word] == what


cdef bint _is_passive(const Side *side, int32_t at) noexcept nogil:
    cdef int32_t k
    if side.word[at].tag != PARTICIPLE and side.word[at].tag != PAST:
        return False
    if at + 1 < side.n and _says(side.word[at + 1], IS_BY):
        return True
    for k in range(at - 1, max(at - 1 - BE_REACH, -1), -1):
        if _says(side.word[k], IS_BE):
            return True
        if side.word[k].coarse != COARSE_ADVERB and side.word[k].coarse != COARSE_VERB:
            return False
    return False


cdef bint _has_role(const Side *side, int32_t at) noexcept nogil:
    """Whether a noun, name or pronoun may have a role of a verb: by what stands before its
    phrase."""
    cdef int32_t k = at
    cdef uint8_t coarse = side.word[at].coarse
    if coarse != COARSE_NOUN and coarse != COARSE_NAME and coarse != COARSE_PRONOUN:
        return False
    while k > 0:
        k -= 1
        coarse = side.word[k].coarse
        if coarse == COARSE_ADPOSITION or coarse == COARSE_PARTICLE:
            return (
                _says(side.word[k], NAMES_ROLE) or _says(side.word[k], IS_BY)
                or _says(side.word[k], IS_THAN)
            )
        if (
            coarse == COARSE_VERB or coarse == COARSE_MARK or coarse == COARSE_CONJUNCTION
            or coarse == COARSE_ADVERB
        ):
            break
    return True


cdef int32_t _counterpart(
    const PairState *pair, const ConflictRoom *room, int32_t at
) noexcept nogil:
    """Return the partner of a source word, or where the same word stands if it has another
    partner or none: what is exchanged may be linked by its place. -1 without either."""
    cdef int32_t best = room.source.best[at]
    cdef int32_t k
    if best >= 0 and pair.lexical_class[at * pair.target.n + best] <= CLASS_LEMMA:
        return best
    for k in range(<int32_t>pair.target.n):
        if pair.lexical_class[at * pair.target.n + k] <= CLASS_LEMMA:
            return k
    return best


cdef bint _counts(const PairState *pair, int32_t i, int32_t j, int pivot) noexcept nogil:
    """Whether two linked words count around a verb, the word "than", or another one."""
    cdef const Lexeme *word = pair.source.word[i]
    if pair.agreement[i * pair.target.n + j]:
        return False  # dates and amounts have no role
    if pivot == VERB_REACH:
        return _has_role(&pair.source, i) and _has_role(&pair.target, j)
    if pivot == THAN_REACH:
        return word.coarse in (
            COARSE_NOUN, COARSE_NAME, COARSE_PRONOUN, COARSE_ADJECTIVE
        ) and word.tag != COMPARATIVE
    return word.kind == KIND_CONTENT


cdef void _reach(
    const Side *side, int32_t at, int reach, int32_t *start, int32_t *stop
) noexcept nogil:
    """Write the tokens around a word that are looked at, which end at marks; half open."""
    start[0] = at
    stop[0] = at + 1
    while start[0] > 0 and start[0] > at - reach and side.kind[start[0] - 1] != KIND_MARK:
        start[0] -= 1
    while stop[0] < side.n and stop[0] <= at + reach and side.kind[stop[0]] != KIND_MARK:
        stop[0] += 1


cdef Crossings _crossings(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j, int reach
) noexcept nogil:
    """Count what is linked around two words: on other sides of them, and on the same ones."""
    cdef Crossings found
    cdef int32_t k, m
    cdef int32_t start, stop, other_start, other_stop
    found.crossed = found.straight = 0
    _reach(&pair.source, i, reach, &start, &stop)
    _reach(&pair.target, j, reach, &other_start, &other_stop)
    for k in range(start, stop):
        m = _counterpart(pair, room, k)
        if k == i or m == j or m < 0 or m < other_start or m >= other_stop:
            continue
        if _counts(pair, k, m, reach):
            found.straight += (k < i) == (m < j)
            found.crossed += (k < i) != (m < j)
    return found


cdef bint _are_verbs(const PairState *pair, int32_t i, int32_t j) noexcept nogil:
    return pair.source.word[i].coarse == COARSE_VERB and pair.target.word[j].coarse == COARSE_VERB


cdef bint are_exchanged(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil:
    """Whether what stands around two words, such as opposites, has mostly crossed them."""
    cdef bint of_verbs = _are_verbs(pair, i, j)
    cdef Crossings found = _crossings(pair, room, i, j, VERB_REACH if of_verbs else OTHER_REACH)
    if of_verbs and _is_passive(&pair.source, i) != _is_passive(&pair.target, j):
        return found.straight > found.crossed
    return found.crossed > found.straight


cdef inline void _found(
    const ConflictRoom *room, int32_t i, int32_t j, Clash *out
) noexcept nogil:
    out.kind = CONFLICT_ROLES
    out.source = i
    out.target = j
    out.strength = ROLES_WEIGHT * room.source.confidence[i]


cdef bint find_compared(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write where what is compared has been exchanged; return whether it has."""
    cdef int32_t i, j
    cdef Crossings around
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if j >= 0 and _says(pair.source.word[i], IS_THAN) and _says(pair.target.word[j], IS_THAN):
            around = _crossings(pair, room, i, j, THAN_REACH)
            if around.crossed >= N_ROLES and around.crossed >= around.straight:
                _found(room, i, j, found)
                return True
    return False


cdef int find_exchanged(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND verbs that are linked and alike whose roles are exchanged; return how
    many."""
    cdef int32_t i, j
    cdef int n = 0
    cdef Crossings around
    cdef bint has_other_voice
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if n == MAX_FOUND or j < 0 or not _are_verbs(pair, i, j):
            continue
        if pair.lexical_class[i * pair.target.n + j] > CLASS_DERIVED:
            continue  # another verb may give its roles otherwise
        if pair.source.kind[i] != KIND_CONTENT:
            continue
        around = _crossings(pair, room, i, j, VERB_REACH)
        has_other_voice = _is_passive(&pair.source, i) != _is_passive(&pair.target, j)
        if (
            (around.crossed >= N_ROLES and not around.straight and not has_other_voice)
            or (around.straight >= N_ROLES and not around.crossed and has_other_voice)
        ):
            _found(room, i, j, found + n)
            n += 1
    return n
