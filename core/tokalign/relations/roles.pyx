"""Exchanged roles: who does what to whom, what is compared with what, two words that changed places.

Trees are not used, so that models without a parser find the same. A word that is before a linked
word on one side and after it on the other has crossed it. The roles of a verb are exchanged if both
words with a role have crossed the verb, or if neither has and only one side is passive. Names,
nouns and pronouns have a role if they have no preposition, or by, to, from or than. The sides of a
comparison are exchanged if they have crossed the word "than"; for other words, such as before and
after, the nearest content words count. Two equal words have changed places if the partners of what
is around each are around the other one: copy the volume to the drive, copy the drive to the volume.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport abs

from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *

from tokalign.english.lexicon.word_lists import function_words
from tokalign.english.annotate.tags_and_relations import TAG_INDEX

cdef enum:
    VERB_REACH = 8       # tokens searched around a verb
    THAN_REACH = 6
    OTHER_REACH = 4
    N_ROLES = 2          # that have to be exchanged
    BE_REACH = 3         # tokens before a participle
    NEIGHBOURS = 3       # tokens to each side of a word that changed places

cdef enum:
    # How a function word marks roles.
    IS_BE = 1
    NAMES_ROLE = 2       # a preposition before a word with a role
    IS_BY = 3            # also marks a role
    IS_THAN = 4
    N_WORDS = 1024       # most words in the list of function words

cdef float LEAST_PLACE = 0.5  # certainty that two words changed places, at least

cdef int PARTICIPLE = TAG_INDEX["VBN"]
cdef int COMPARATIVE = TAG_INDEX["JJR"]
cdef int PAST = TAG_INDEX["VBD"]  # often confused with participles

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
    if at + 2 < side.n and _says(side.word[at + 1], IS_BY):
        if side.word[at + 2].coarse != COARSE_NUMBER and value_at(side, at + 2) == NULL:
            return True  # and not "fell by ten percent"
    for k in range(at - 1, max(at - 1 - BE_REACH, -1), -1):
        if _says(side.word[k], IS_BE):
            return True
        if side.word[k].coarse != COARSE_ADVERB and side.word[k].coarse != COARSE_VERB:
            return False
    return False


cdef bint _has_role(const Side *side, int32_t at) noexcept nogil:
    """Whether a noun, name or pronoun may have a role of a verb, by the word before its phrase."""
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
    """Return the target token equal to a source word, else its partner, or -1: exchanged words may
    be linked by position."""
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
    """Write the half-open range of tokens searched around a word, which ends at punctuation."""
    start[0] = at
    stop[0] = at + 1
    while start[0] > 0 and start[0] > at - reach and side.kind[start[0] - 1] != KIND_MARK:
        start[0] -= 1
    while stop[0] < side.n and stop[0] <= at + reach and side.kind[stop[0]] != KIND_MARK:
        stop[0] += 1


cdef Crossings _crossings(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j, int reach
) noexcept nogil:
    """Count the links around two words: to the opposite side of them, and to the same side."""
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
        if reach == VERB_REACH and k > start and m and _counterpart(pair, room, k - 1) == m - 1:
            if pair.source.word[k - 1].coarse == pair.source.word[k].coarse == COARSE_NAME:
                continue  # of the name that the word before counted for: "said Ann Lee"
        if _counts(pair, k, m, reach):
            found.straight += (k < i) == (m < j)
            found.crossed += (k < i) != (m < j)
    return found


cdef bint _are_verbs(const PairState *pair, int32_t i, int32_t j) noexcept nogil:
    return pair.source.word[i].coarse == COARSE_VERB and pair.target.word[j].coarse == COARSE_VERB


cdef bint are_exchanged(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil:
    """Whether the words around two words, such as opposites, have mostly crossed them."""
    cdef bint of_verbs = _are_verbs(pair, i, j)
    cdef Crossings found = _crossings(pair, room, i, j, VERB_REACH if of_verbs else OTHER_REACH)
    if of_verbs and _is_passive(&pair.source, i) != _is_passive(&pair.target, j):
        return found.straight > found.crossed
    return found.crossed > found.straight


cdef bint find_compared(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write the place of an exchanged comparison; return whether there is one."""
    cdef int32_t i, j
    cdef Crossings around
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if j >= 0 and _says(pair.source.word[i], IS_THAN) and _says(pair.target.word[j], IS_THAN):
            around = _crossings(pair, room, i, j, THAN_REACH)
            if around.crossed >= N_ROLES and around.crossed >= around.straight:
                found[0] = Clash(CONFLICT_ROLES, i, j, BY_COMPARISON, room.source.confidence[i], 0.0, -1, False)
                return True
    return False


cdef int find_exchanged(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND linked and similar verbs with exchanged roles; return their
    number."""
    cdef int32_t i, j
    cdef int n = 0
    cdef Crossings around
    cdef bint has_other_voice
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if n == MAX_FOUND or j < 0 or not _are_verbs(pair, i, j):
            continue
        if pair.lexical_class[i * pair.target.n + j] > CLASS_DERIVED:
            continue  # another verb may assign roles differently
        if pair.source.kind[i] != KIND_CONTENT:
            continue
        around = _crossings(pair, room, i, j, VERB_REACH)
        has_other_voice = _is_passive(&pair.source, i) != _is_passive(&pair.target, j)
        if (
            (around.crossed >= N_ROLES and not around.straight and not has_other_voice)
            or (around.straight >= N_ROLES and not around.crossed and has_other_voice)
        ):
            found[n] = Clash(CONFLICT_ROLES, i, j, BY_VERB, room.source.confidence[i], 0.0, -1, False)
            n += 1
    return n


cdef float _moved_alone(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j, int32_t other
) noexcept nogil:
    """Return the share of the linked tokens near a source token whose partners are near target
    token `other`, not nearer to its own partner `j`."""
    cdef int32_t k, m
    cdef int n = 0
    cdef int n_there = 0
    for k in range(max(i - NEIGHBOURS, 0), min(i + NEIGHBOURS + 1, <int32_t>pair.source.n)):
        m = room.source.best[k]
        if k == i or m < 0 or m == other or m == j:
            continue
        n += 1
        n_there += abs(m - other) <= NEIGHBOURS and abs(m - other) <= abs(m - j)
    return <float>n_there / n if n else 0.0


cdef int find_changed_places(
    const PairState *pair, ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND words that changed places with another one; return their number."""
    cdef int32_t i, k, j, m
    cdef int n = 0
    cdef float place
    if _has_other_voice(pair, room):
        return 0
    for i in range(<int32_t>pair.source.n):
        room.twin[i] = _twin(pair, room, i)
    for i in range(<int32_t>pair.source.n):
        j = room.twin[i]
        if j < 0:
            continue
        for k in range(i + 1, <int32_t>pair.source.n):
            m = room.twin[k]
            if m < 0 or m >= j or pair.source.word[i].coarse != pair.source.word[k].coarse:
                continue
            if k == i + 1 or j == m + 1:
                continue  # its Leeds plant, its plant in Leeds
            if _are_listed(&pair.source, i, k) or _are_listed(&pair.target, m, j):
                continue
            place = (
                _moved_alone(pair, room, i, j, m) + _moved_alone(pair, room, k, m, j)
            ) / 2
            if place >= LEAST_PLACE:
                found[n] = Clash(CONFLICT_ROLES, i, m, BY_PLACE, place, 0.0, -1, False)
                n += 1
                if n == MAX_FOUND:
                    return n
                break
    return n


cdef bint _has_other_voice(const PairState *pair, const ConflictRoom *room) noexcept nogil:
    """Whether two linked verbs are active and passive."""
    cdef int32_t i, j
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if j >= 0 and _are_verbs(pair, i, j) and (
            _is_passive(&pair.source, i) != _is_passive(&pair.target, j)
        ):
            return True
    return False


cdef bint _are_listed(const Side *side, int32_t first, int32_t last) noexcept nogil:
    """Whether two words are members of a list: a conjunction, and no verb, adverb or preposition is
    between them."""
    cdef int32_t k
    cdef bint is_joined = False
    for k in range(first + 1, last):
        if side.word[k].coarse in (COARSE_VERB, COARSE_ADPOSITION, COARSE_ADVERB, COARSE_PARTICLE):
            return False
        is_joined |= side.word[k].coarse == COARSE_CONJUNCTION
    return is_joined


cdef int32_t _twin(const PairState *pair, const ConflictRoom *room, int32_t i) noexcept nogil:
    """Return the target token equal to a source noun, name, pronoun or adjective, or -1."""
    cdef int32_t j
    if pair.source.word[i].coarse not in (
        COARSE_NOUN, COARSE_NAME, COARSE_PRONOUN, COARSE_ADJECTIVE
    ):
        return -1
    j = _counterpart(pair, room, i)
    if j < 0 or pair.lexical_class[i * pair.target.n + j] > CLASS_LEMMA:
        return -1
    return -1 if pair.agreement[i * pair.target.n + j] else j
