"""Places where two sentences exchange roles: who does what to whom, and what is compared with what.

Trees are not used, so that models without a parser find the same. A word that is before a linked
word on one side and after it on the other has crossed it. The roles of a verb are exchanged if both
words with a role have crossed the verb, or if neither has and only one side is passive. Names,
nouns and pronouns have a role if they have no preposition, or by, to, from or than. The sides of a
comparison are exchanged if they have crossed the word "than"; for other words, such as before and
after, the nearest content words count. Two words have changed places if what is near each of them
is near the other one there.

Marks and conjunctions divide sentences into parts. A part whose words all went to one part of the
other sentence has moved as a whole, which exchanges nothing: "Lions live in Africa and tigers in
Asia", "Tigers live in Asia and lions in Africa". Words of two parts are exchanged if each is now
with a word that stood with the other one: "Lions live in Asia and tigers in Africa".
"""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport abs
from libc.string cimport memset

from tokalign.english.values.kinds cimport *
from tokalign.english.values.value_structs cimport Found
from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *
from tokalign.relations.qualifiers cimport grade_on, kind_of_word

from tokalign.english.annotate.tags_and_relations import TAG_INDEX
from tokalign.english.lexicon.word_lists import function_words, scale_names

cdef enum:
    VERB_REACH = 8       # tokens searched around a verb
    THAN_REACH = 6
    OTHER_REACH = 4
    N_ROLES = 2          # that have to be exchanged
    BE_REACH = 4         # tokens before a participle
    NEIGHBOURS = 3       # tokens to each side of a word that changed places
    BESIDE = 2           # of them, where what parts two words may be

cdef enum:
    # How a function word marks roles.
    IS_BE = 1
    NAMES_ROLE = 2       # a preposition before a word with a role
    IS_BY = 3            # also marks a role
    IS_THAN = 4
    IS_HAVE = 5
    N_WORDS = 1024       # most words in the list of function words

cdef float LEAST_PLACE = 0.49999  # certainty that two words changed places: a half, rounded
cdef float EXCHANGED = 0.8      # that words of two parts did
cdef Letters[19] MUTUAL = [
    b"marry", b"marries", b"married", b"meet", b"meets", b"met", b"border", b"borders", b"bordered",
    b"resemble", b"resembles", b"resembled", b"adjoin", b"adjoins", b"equal", b"equals",
    b"intersect", b"intersects", NULL
]
"""Verbs whose subject and object may change places."""
cdef Letters[37] WITH_EACH_OTHER = [
    b"agree", b"agrees", b"agreed", b"blend", b"collided", b"combine", b"combines", b"combined",
    b"compare", b"compares", b"compared", b"correspond", b"corresponds", b"corresponded", b"draw",
    b"drew", b"meet", b"meets", b"met", b"merge", b"merges", b"merged", b"mix", b"mixes", b"mixed",
    b"overlap", b"overlaps", b"overlapped", b"spoke", b"speak", b"speaks", b"talk", b"talked",
    b"talks", b"tied", b"ties", NULL
]
"""Verbs that join two things alike by "with"."""
cdef Letters[3] RECEIVING = [b"to", b"for", NULL]
cdef Letters[8] DIVIDING = [b",", b";", b":", b".", b"(", b"while", b"whereas", NULL]
cdef int TIME_UNIT = scale_names().index("unit-of-time")
cdef int PARTICIPLE = TAG_INDEX["VBN"], GERUND = TAG_INDEX["VBG"], COMPARATIVE = TAG_INDEX["JJR"]
cdef int PAST = TAG_INDEX["VBD"]  # often confused with participles

cdef uint8_t[<int>N_WORDS] SAYS
_ROLES = dict.fromkeys(("be", "is", "are", "was", "were", "been", "being"), <int>IS_BE) | {
    "have": <int>IS_HAVE, "has": <int>IS_HAVE, "had": <int>IS_HAVE,
    "to": <int>NAMES_ROLE, "from": <int>NAMES_ROLE, "by": <int>IS_BY, "than": <int>IS_THAN,
}
for _index, _word in enumerate(function_words()):
    SAYS[_index] = _ROLES.get(_word, 0)

cdef struct Crossings:
    int crossed
    int straight


cdef bint is_once(const PairState *pair, int32_t i, int32_t j) noexcept nogil:
    """Whether two words are one, and no other word of either sentence is."""
    cdef Py_ssize_t k
    cdef int n = 0
    for k in range(pair.target.n):
        n += pair.lexical_class[i * pair.target.n + k] <= CLASS_LEMMA
    for k in range(pair.source.n):
        n += pair.lexical_class[k * pair.target.n + j] <= CLASS_LEMMA
    return n == 2 and pair.lexical_class[i * pair.target.n + j] <= CLASS_LEMMA


cdef int _divide(const Side *side, int32_t *part, int32_t *verb) noexcept nogil:
    """Number the part of each token; return how many there are. Write the first content verb."""
    cdef bint has_content = False
    cdef int32_t k, n = 0
    verb[0] = -1
    for k in range(<int32_t>side.n):
        if side.kind[k] == KIND_CONTENT:
            has_content = True
            if verb[0] < 0 and side.word[k].coarse == COARSE_VERB:
                verb[0] = k
        elif has_content and (
            side.word[k].coarse == COARSE_CONJUNCTION or is_any(side, k, DIVIDING)
        ):
            n += 1
            has_content = False
        part[k] = n
    return n + has_content


cdef void find_parts(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Divide both sentences; count what went from which part to which, and find parts that moved
    whole. What stays in the first part may serve others, as may a verb that is the first of both."""
    cdef int32_t verb, other, i, j, p, q
    cdef int n = _divide(&pair.source, room.source.part, &verb)
    cdef int m = _divide(&pair.target, room.target.part, &other)
    room.is_divided = 1 < n <= MOST_PARTS and 1 < m <= MOST_PARTS
    if not room.is_divided:
        return
    memset(room.moved, 0, sizeof(room.moved))
    memset(room.whole, -1, sizeof(room.whole))
    for i in range(<int32_t>pair.source.n):
        j = -1
        if pair.source.kind[i] == KIND_CONTENT or pair.source.word[i].coarse == COARSE_NAME:
            j = counterpart(pair, room, i)
        room.only[i] = j if j >= 0 and is_once(pair, i, j) else -1
        if room.only[i] >= 0 and (i != verb or j != other):
            room.moved[room.source.part[i]][room.target.part[j]] += 1
    for p in range(n):
        for q in range(m):
            room.whole[p] = q if _is_alone(room, p, q) else room.whole[p]


cdef bint _is_alone(const ConflictRoom *room, int p, int q) noexcept nogil:
    """Whether two words or more went from a part to another one, and none to or from a third one."""
    cdef int k
    for k in range(MOST_PARTS):
        if (k != q and p + k and room.moved[p][k]) or (k != p and k + q and room.moved[k][q]):
            return False
    return room.moved[p][q] >= 2


cdef inline bint _keeps_part(const ConflictRoom *room, int32_t i, int32_t j) noexcept nogil:
    """Whether a source word stands in a target part that its own part became."""
    return room.is_divided and room.whole[room.source.part[i]] == room.target.part[j]


cdef int find_exchanged_parts(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND words that two parts exchange; return their number."""
    cdef int32_t i, k, j, m, p, r
    cdef int n = 0
    for i in range(<int32_t>pair.source.n if room.is_divided else 0):
        j, p = room.only[i], room.source.part[i]
        for k in range(i + 1, <int32_t>pair.source.n if j >= 0 else 0):
            m, r = room.only[k], room.source.part[k]
            if (
                0 <= m < j and p != r and room.target.part[m] != room.target.part[j]
                and (pair.source.word[i].coarse == COARSE_VERB)
                == (pair.source.word[k].coarse == COARSE_VERB)
                and room.moved[p][room.target.part[m]] and room.moved[r][room.target.part[j]]
            ):
                found[n] = Clash(CONFLICT_ROLES, i, m, BY_PLACE, EXCHANGED, 0.0, -1, False)
                n += 1
                break
        if n == MAX_FOUND:
            break
    return n


cdef inline bint _says(const Lexeme *word, int what) noexcept nogil:
    return 0 <= word.function_word < N_WORDS and SAYS[word.function_word] == what


cdef int _voice(const Side *side, int32_t at) noexcept nogil:
    """Return 1 for a passive verb, 0 for an active one, -1 for a participle without a helper."""
    cdef int32_t k
    if side.word[at].tag != PARTICIPLE and side.word[at].tag != PAST:
        return 0
    if at + 2 < side.n and _says(side.word[at + 1], IS_BY):
        if side.word[at + 2].coarse != COARSE_NUMBER and value_at(side, at + 2) == NULL:
            return 1  # and not "fell by ten percent"
    for k in range(at - 1, max(at - 1 - BE_REACH, -1), -1):
        if _says(side.word[k], IS_BE):  # and not "it is preferred to"
            return not (is_word(side, k - 1, b"it") and is_word(side, at + 1, b"to"))
        if _says(side.word[k], IS_HAVE):
            return 0
        if side.word[k].coarse not in (COARSE_ADVERB, COARSE_VERB, COARSE_CONJUNCTION):
            break
    return -1 if side.word[at].tag == PARTICIPLE else 0


cdef int has_other_voice(const PairState *pair, int32_t i, int32_t j) noexcept nogil:
    """Whether two verbs are active and passive; -1 where it is not sure."""
    cdef int one = _voice(&pair.source, i)
    cdef int other = _voice(&pair.target, j)
    return -1 if one < 0 or other < 0 else one != other


cdef int32_t preposition(const Side *side, int32_t at) noexcept nogil:
    """Return the preposition before a noun's phrase, or -1."""
    cdef int32_t k
    for k in range(at - 1, -1, -1):
        if side.word[k].coarse in (COARSE_ADPOSITION, COARSE_PARTICLE):
            return k
        if side.word[k].coarse in (COARSE_VERB, COARSE_MARK, COARSE_CONJUNCTION, COARSE_ADVERB):
            return -1
    return -1


cdef bint _has_role(const Side *side, int32_t at) noexcept nogil:
    """Whether a noun, name, pronoun or gerund may have a role of a verb, by the word before its phrase."""
    cdef int32_t k = preposition(side, at)
    cdef int grade
    if side.word[at].coarse not in (COARSE_NOUN, COARSE_NAME, COARSE_PRONOUN) and (
        side.word[at].tag != GERUND or (at > 0 and _says(side.word[at - 1], IS_BE))
    ):
        return False  # smoking causes cancer; not "is smoking"
    if grade_on(side.word[at], TIME_UNIT, &grade):
        return False  # renews each month
    return k < 0 or (
        _says(side.word[k], NAMES_ROLE) or _says(side.word[k], IS_BY) or _says(side.word[k], IS_THAN)
    )


cdef int32_t counterpart(
    const PairState *pair, const ConflictRoom *room, int32_t at
) noexcept nogil:
    """Return the target token equal to a source word and to no word that it is linked with, else the
    word's partner, or -1: exchanged words may be linked by position."""
    cdef int32_t best = room.source.best[at]
    cdef int32_t k, other
    if best >= 0 and pair.lexical_class[at * pair.target.n + best] <= CLASS_LEMMA:
        return best
    for k in range(<int32_t>pair.target.n):
        other = room.target.best[k]
        if pair.lexical_class[at * pair.target.n + k] <= CLASS_LEMMA and (
            other < 0 or pair.lexical_class[other * pair.target.n + k] > CLASS_LEMMA
        ):
            return k
    return best


cdef bint are_amounts(const PairState *pair, int32_t i, int32_t j) noexcept nogil:
    """Whether two words are of equal dates or amounts, which have no role; ordinals may."""
    cdef const Found *value = value_at(&pair.source, i)
    return pair.agreement[i * pair.target.n + j] and (value == NULL or value.kind != KIND_ORDINAL)


cdef bint _counts(const PairState *pair, int32_t i, int32_t j, int pivot) noexcept nogil:
    """Whether two linked words count around a verb, the word "than", or another one."""
    cdef const Lexeme *word = pair.source.word[i]
    if are_amounts(pair, i, j):
        return False
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
    cdef int32_t k, m, start, stop, other_start, other_stop
    found.crossed = found.straight = 0
    _reach(&pair.source, i, reach, &start, &stop)
    _reach(&pair.target, j, reach, &other_start, &other_stop)
    for k in range(start, stop):
        m = counterpart(pair, room, k)
        if k == i or m == j or m < 0 or m < other_start or m >= other_stop:
            continue
        if _keeps_part(room, k, m) and room.source.part[k] != room.target.part[m]:
            continue
        if reach == VERB_REACH and k > start and m and counterpart(pair, room, k - 1) == m - 1:
            if pair.source.word[k - 1].coarse == pair.source.word[k].coarse == COARSE_NAME:
                continue  # of the name that the word before counted for: "said Ann Lee"
        if _counts(pair, k, m, reach):
            found.straight += (k < i) == (m < j)
            found.crossed += (k < i) != (m < j)
    return found


cdef bint are_verbs(const PairState *pair, int32_t i, int32_t j) noexcept nogil:
    return pair.source.word[i].coarse == COARSE_VERB and pair.target.word[j].coarse == COARSE_VERB


cdef bint are_exchanged(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil:
    """Whether the words around two words, such as opposites, have mostly crossed them."""
    cdef bint of_verbs = are_verbs(pair, i, j)
    cdef Crossings found = _crossings(pair, room, i, j, VERB_REACH if of_verbs else OTHER_REACH)
    if of_verbs and has_other_voice(pair, i, j) > 0:
        return found.straight > found.crossed
    if of_verbs and found.crossed < N_ROLES:
        return False  # closed to dogs, dogs are allowed
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
    """Write at most MAX_FOUND linked and similar verbs with exchanged roles; return their number."""
    cdef int32_t i, j
    cdef int n = 0
    cdef Crossings around
    cdef int is_turned, likeness
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if n == MAX_FOUND or j < 0 or not are_verbs(pair, i, j):
            continue
        likeness = pair.lexical_class[i * pair.target.n + j]
        if pair.source.kind[i] != KIND_CONTENT or likeness > CLASS_DERIVED or (
            likeness > CLASS_LEMMA and kind_of_word(&pair.source, i) == CONFLICT_MODALITY
        ):
            continue  # another verb may assign roles differently; is not required to, need not
        around = _crossings(pair, room, i, j, VERB_REACH)
        is_turned = has_other_voice(pair, i, j)
        if is_turned == 0 and is_any(&pair.source, i, MUTUAL) and is_any(&pair.target, j, MUTUAL):
            continue
        if (
            (around.crossed >= N_ROLES and not around.straight and is_turned == 0)
            or (around.straight >= N_ROLES and not around.crossed and is_turned > 0)
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
    cdef int n = 0, n_there = 0
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
    if _there_is(&pair.source) != _there_is(&pair.target):
        return 0  # the hotel has a pool
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if j >= 0 and _turns(pair, i, j):
            return 0
    for i in range(<int32_t>pair.source.n):
        room.twin[i] = _twin(pair, room, i)
    for i in range(<int32_t>pair.source.n):
        j = room.twin[i]
        if j < 0:
            continue
        for k in range(i + 1, <int32_t>pair.source.n):
            m = room.twin[k]
            if m < 0 or m >= j or pair.source.word[i].coarse != pair.source.word[k].coarse or (
                k == i + 1 or j == m + 1  # its Leeds plant, its plant in Leeds
                or (_keeps_part(room, i, j) and _keeps_part(room, k, m))
                or _are_listed(&pair.source, i, k) or _are_listed(&pair.target, m, j)
                or _is_owner(pair, i, j) or _is_owner(pair, k, m)
                or _receives(pair, room, i, j, k, m)
                or (_are_mutual(&pair.source, i, k) and _are_mutual(&pair.target, m, j))
                or _keep_verbs(pair, room, i, j, k, m)
                or (  # the father of Jane, Smith's daughter
                    _has_free(&pair.source, &room.source, i, k)
                    and _has_free(&pair.target, &room.target, m, j)
                )
            ):
                continue
            if _moved_whole(pair, room, i, j) or _moved_whole(pair, room, k, m):
                place = _follows(pair, room, i, m) and _follows(pair, room, k, j)
            else:
                place = (_moved_alone(pair, room, i, j, m) + _moved_alone(pair, room, k, m, j)) / 2
            if place >= LEAST_PLACE:
                found[n] = Clash(CONFLICT_ROLES, i, m, BY_PLACE, place, 0.0, -1, False)
                n += 1
                if n == MAX_FOUND:
                    return n
                break
    return n


cdef bint _there_is(const Side *side) noexcept nogil:
    """Whether a sentence says that there is something."""
    cdef Py_ssize_t k
    for k in range(side.n - 1):
        if is_word(side, k, b"there") and _says(side.word[k + 1], IS_BE):
            return True
    return False


cdef bint _turns(const PairState *pair, int32_t i, int32_t j) noexcept nogil:
    """Whether linked words may assign roles in unlike order: in another voice, or as the teacher of."""
    cdef uint8_t one = pair.source.word[i].coarse
    cdef uint8_t other = pair.target.word[j].coarse
    if one == COARSE_VERB and other == COARSE_VERB:
        return has_other_voice(pair, i, j) != 0
    return pair.lexical_class[i * pair.target.n + j] > CLASS_CANONICAL and (
        (one == COARSE_VERB and other == COARSE_NOUN)
        or (one == COARSE_NOUN and other == COARSE_VERB)
    )


cdef inline bint _owns(const Side *side, int32_t at) noexcept nogil:
    return is_word(side, at + 1, b"'s") or is_word(side, at + 1, b"'")


cdef bint _is_owner(const PairState *pair, int32_t i, int32_t j) noexcept nogil:
    """Whether a word owns something in both ways: Anna's boss, the boss of Anna."""
    return (
        _owns(&pair.source, i) and is_word(&pair.target, preposition(&pair.target, j), b"of")
    ) or (_owns(&pair.target, j) and is_word(&pair.source, preposition(&pair.source, i), b"of"))


cdef int32_t _verb_before(const Side *side, int32_t at) noexcept nogil:
    while at >= 0 and side.word[at].coarse != COARSE_VERB:
        at -= 1
    return at


cdef bint _are_mutual(const Side *side, int32_t first, int32_t last) noexcept nogil:
    """Whether two words may change places with their verb: Ann met Tom, mix A with B."""
    cdef int32_t k, at = preposition(side, last)
    if at < 0:
        for k in range(first + 1, last):
            if is_any(side, k, MUTUAL):
                return True
        return False
    for k in range(at if is_word(side, at, b"with") else 0):
        if is_any(side, k, WITH_EACH_OTHER):
            return True
    return False


cdef bint _receives(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j, int32_t k, int32_t m
) noexcept nogil:
    """Whether one of two words behind a verb receives the other: gave Ann a lift, a lift to Ann."""
    cdef int32_t verb = _verb_before(&pair.source, i), other = _verb_before(&pair.target, m)
    cdef int32_t of_source = preposition(&pair.source, k), of_target = preposition(&pair.target, j)
    if verb < 0 or other < 0 or not meet(room, verb, other):
        return False
    if verb != _verb_before(&pair.source, k) or other != _verb_before(&pair.target, j):
        return False
    if preposition(&pair.source, i) >= 0 or preposition(&pair.target, m) >= 0:
        return False
    return (of_source < 0 and is_any(&pair.target, of_target, RECEIVING)) or (
        of_target < 0 and is_any(&pair.source, of_source, RECEIVING)
    )


cdef bint _keep_verbs(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j, int32_t k, int32_t m
) noexcept nogil:
    """Whether two words stand behind linked verbs of their own: to do that, use this."""
    cdef int32_t one = _verb_before(&pair.source, i), other = _verb_before(&pair.source, k)
    return (
        0 <= one < other and meet(room, one, _verb_before(&pair.target, j))
        and meet(room, other, _verb_before(&pair.target, m))
    )


cdef bint _has_free(
    const Side *side, const Partners *own, int32_t first, int32_t last
) noexcept nogil:
    """Whether a noun or verb beside two words, or between them, has no partner."""
    cdef int32_t k
    for k in range(max(first - BESIDE, 0), min(last + BESIDE + 1, <int32_t>side.n)):
        if own.best[k] < 0 and side.kind[k] == KIND_CONTENT and (
            side.word[k].coarse == COARSE_NOUN or side.word[k].coarse == COARSE_VERB
        ):
            return True
    return False


cdef bint _are_listed(const Side *side, int32_t first, int32_t last) noexcept nogil:
    """Whether only a conjunction, and no verb, adverb or preposition, is between two words."""
    cdef int32_t k
    cdef bint is_joined = False
    for k in range(first + 1, last):
        if side.word[k].coarse in (COARSE_VERB, COARSE_ADPOSITION, COARSE_ADVERB, COARSE_PARTICLE):
            return False
        is_joined |= side.word[k].coarse == COARSE_CONJUNCTION
    return is_joined


cdef int32_t _twin(const PairState *pair, const ConflictRoom *room, int32_t i) noexcept nogil:
    """Return the target token equal to a source noun, name, pronoun or adjective, or -1; another form
    is one of these, too."""
    cdef int32_t j
    cdef int most = CLASS_CANONICAL
    if not (_may_move(&pair.source, i) or _ends_range(&pair.source, i)):
        return -1
    j = counterpart(pair, room, i)
    if j >= 0 and _may_move(&pair.target, j):
        most = CLASS_LEMMA
    if j < 0 or pair.lexical_class[i * pair.target.n + j] > most or (
        are_amounts(pair, i, j)
        and not (_ends_range(&pair.source, i) and _ends_range(&pair.target, j))
    ):
        return -1
    return j


cdef bint _ends_range(const Side *side, int32_t at) noexcept nogil:
    """Whether a word or its currency stands behind "from" or "to": from May to June, to $ 5."""
    cdef const Found *value = value_at(side, at)
    if value != NULL and at > value.start and value.role[at - 1 - value.start] == ROLE_CURRENCY:
        at -= 1
    return is_word(side, at - 1, b"from") or is_word(side, at - 1, b"to")


cdef inline bint _may_move(const Side *side, int32_t at) noexcept nogil:
    return side.word[at].coarse in (COARSE_NOUN, COARSE_NAME, COARSE_PRONOUN, COARSE_ADJECTIVE)


cdef bint _moved_whole(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil:
    """Whether equal words stand behind linked prepositions: on Windows."""
    cdef int32_t k = preposition(&pair.source, i)
    return k >= 0 and room.source.best[k] >= 0 and room.source.best[k] == preposition(&pair.target, j)


cdef bint _follows(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t m
) noexcept nogil:
    """Whether linked words stand before the prepositions of a source and a target word: files on the
    disk, files in the cache."""
    cdef int32_t k = preposition(&pair.source, i)
    cdef int32_t other = preposition(&pair.target, m)
    return k > 0 and other > 0 and room.source.best[k - 1] == other - 1
