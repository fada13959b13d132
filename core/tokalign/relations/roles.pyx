"""Exchanged roles: who does it on one side has it done to them on the other.

No tree is read, so that models without a parser find the same. What stands before a linked word on
one side and behind it on the other has crossed it. Roles are exchanged if all that is linked
around a verb has crossed it, or if none has and one side alone is passive. Around a verb names, nouns and
pronouns count that stand without a preposition, or with by, to, from or than; around a comparison
(heavier than, before) the nearest content words do.
"""

from libc.stdint cimport int32_t, uint8_t

from tokalign.features.pair cimport *
from tokalign.relations._clashes cimport *

from tokalign.features.inventory import TAG_INDEX
from tokalign.lexicon.labels import function_words

cdef enum:
    VERB_REACH = 8       # tokens around a verb that are looked at
    OTHER_REACH = 4
    BE_REACH = 3         # tokens before a participle

cdef enum:
    # What a function word says of roles.
    IS_BE = 1
    NAMES_ROLE = 2       # a preposition before who has a role
    N_WORDS = 1024       # at most, in the list of function words

cdef float ROLES_WEIGHT = 0.8

cdef int PARTICIPLE = TAG_INDEX["VBN"]
cdef int PAST = TAG_INDEX["VBD"]  # for which participles are often taken

cdef uint8_t[<int>N_WORDS] SAYS

for _index, _word in enumerate(function_words()):
    if _word in ("be", "is", "are", "was", "were", "been", "being"):
        SAYS[_index] = IS_BE
    elif _word in ("by", "to", "from", "than"):
        SAYS[_index] = NAMES_ROLE
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
            return _says(side.word[k], NAMES_ROLE)
        if (
            coarse == COARSE_VERB or coarse == COARSE_MARK or coarse == COARSE_CONJUNCTION
            or coarse == COARSE_ADVERB
        ):
            break
    return True


cdef Crossings _crossings(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j, int32_t reach,
    bint of_verb,
) noexcept nogil:
    """Count what is linked around two words: on other sides of them, and on the same ones."""
    cdef Crossings found
    cdef int32_t k, m
    found.crossed = found.straight = 0
    for k in range(max(i - reach, 0), min(i + reach + 1, <int32_t>pair.source.n)):
        m = room.source.best[k]
        if k == i or m < 0 or m == j or m < j - reach or m > j + reach:
            continue
        if of_verb:
            if not _has_role(&pair.source, k) or not _has_role(&pair.target, m):
                continue
        elif pair.source.word[k].kind != KIND_CONTENT:
            continue
        if pair.agreement[k * pair.target.n + m]:
            continue  # dates and amounts have no role
        if (k < i) == (m < j):
            found.straight += 1
        else:
            found.crossed += 1
    return found


cdef bint are_exchanged(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil:
    """Whether what stands around two words, such as opposites, has mostly crossed them."""
    cdef bint of_verb = pair.source.word[i].coarse == COARSE_VERB
    cdef Crossings found = _crossings(
        pair, room, i, j, VERB_REACH if of_verb else OTHER_REACH, of_verb
    )
    cdef bint has_crossed = found.crossed > found.straight
    if of_verb and _is_passive(&pair.source, i) != _is_passive(&pair.target, j):
        return found.straight > found.crossed
    return has_crossed


cdef int find_exchanged(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND linked verbs whose roles are exchanged; return how many."""
    cdef int32_t i, j
    cdef int n = 0
    cdef Crossings around
    cdef bint has_other_voice
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if n == MAX_FOUND or j < 0 or pair.source.word[i].coarse != COARSE_VERB:
            continue
        if pair.source.kind[i] != KIND_CONTENT or pair.target.word[j].coarse != COARSE_VERB:
            continue
        around = _crossings(pair, room, i, j, VERB_REACH, True)
        if around.crossed and around.straight or not (around.crossed or around.straight):
            continue
        has_other_voice = _is_passive(&pair.source, i) != _is_passive(&pair.target, j)
        if (around.crossed > 0) != has_other_voice:
            found[n].kind = CONFLICT_ROLES
            found[n].source = i
            found[n].target = j
            found[n].strength = ROLES_WEIGHT * room.source.confidence[i]
            n += 1
    return n
