"""Conflicts: places where two sentences contradict each other.

Two words are in the same place if they are linked, or if both are unaligned and lie between the
same links. They conflict if they are opposites, different values or names, or far apart on one
scale (features._word_pairs). Negations of only one side (tokalign.relations.negation) and exchanged
roles are conflicts, too. Two of them may cancel: "not big" and "small", "Ann sold it to Bob" and
"Bob bought it from Ann".

    agreement = product over all conflicts of 1 - strength

Roles are exchanged if the agent of one side is the patient of the other. Trees are not used, so
that models without a parser find the same. A word that is before a linked word on one side and
after it on the other has crossed it. The roles of a verb are exchanged if both words with a role
have crossed the verb, or if neither has and only one side is passive. Names, nouns and pronouns
have a role if they have no preposition, or by, to, from or than. The sides of a comparison are
exchanged if they have crossed the word "than"; for other words, such as before and after, the
nearest content words count.
"""

from libc.stdint cimport int32_t, uint8_t

from tokalign.english.values.kinds cimport (
    KIND_NUMBER,
    KIND_PERCENT,
    KIND_QUANTITY,
    ROLE_MARK,
    ROLE_PERCENT,
    ROLE_UNIT,
)
from tokalign.english.values.value_agreement cimport are_equal, contradict
from tokalign.english.values.value_structs cimport Found
from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *
from tokalign.relations.negation cimport find_negations

from tokalign.english.lexicon.word_lists import function_words
from tokalign.english.annotate.tags_and_relations import TAG_INDEX

cdef enum:
    N_CONFLICTS = 5
    VERB_REACH = 8       # tokens searched around a verb
    THAN_REACH = 6
    OTHER_REACH = 4
    N_ROLES = 2          # that have to be exchanged
    BE_REACH = 3         # tokens before a participle

cdef enum:
    # How a function word marks roles.
    IS_BE = 1
    NAMES_ROLE = 2       # a preposition before a word with a role
    IS_BY = 3            # also marks a role
    IS_THAN = 4
    N_WORDS = 1024       # most words in the list of function words
    N_NUMERAL = 4        # letters of a Roman numeral, at most

cdef float ROLES_WEIGHT = 0.8

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

cdef extern from *:
    """
    #define UNLINKED_SHARE 0.8f  /* of a conflict's weight where its words are not linked */
    #define FAR_SHARE 0.6f       /* where not even their neighbours are */
    """
    const float UNLINKED_SHARE
    const float FAR_SHARE

# Loss of agreement by a certain conflict of each kind.
cdef float[<int>N_CONFLICTS] WEIGHT = [0.9, 0.9, 0.9, 0.8, 0.6]
cdef float NAME_WEIGHT = 0.7


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
        if _counts(pair, k, m, reach):
            found.straight += (k < i) == (m < j)
            found.crossed += (k < i) != (m < j)
    return found


cdef bint _are_verbs(const PairState *pair, int32_t i, int32_t j) noexcept nogil:
    return pair.source.word[i].coarse == COARSE_VERB and pair.target.word[j].coarse == COARSE_VERB


cdef bint _are_exchanged(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil:
    """Whether the words around two words, such as opposites, have mostly crossed them."""
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


cdef bint _find_compared(
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
                _found(room, i, j, found)
                return True
    return False


cdef int _find_exchanged(
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
            _found(room, i, j, found + n)
            n += 1
    return n


cdef size_t _side_bytes(Py_ssize_t n) noexcept nogil:
    return 4 * n * sizeof(int32_t)


cdef size_t conflict_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Return the bytes of scratch for the conflicts of a pair."""
    return (
        (2 * n_source + 3 * MAX_FOUND) * sizeof(Clash)
        + _side_bytes(n_source) + _side_bytes(n_target)
    )


cdef char *_carve(Partners *side, char *memory, Py_ssize_t n) noexcept nogil:
    side.best = <int32_t *>memory
    side.confidence = <float *>(side.best + n)
    side.left = <int32_t *>(side.confidence + n)
    side.right = side.left + n
    return memory + _side_bytes(n)


cdef void carve_conflicts(
    ConflictRoom *room, char *memory, Py_ssize_t n_source, Py_ssize_t n_target
) noexcept nogil:
    """Lay out the scratch in a block of conflict_bytes."""
    room.clash = <Clash *>memory
    room.most = 2 * n_source
    memory += (2 * n_source + 3 * MAX_FOUND) * sizeof(Clash)
    _carve(&room.target, _carve(&room.source, memory, n_source), n_target)


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


cdef inline bint _meet(const ConflictRoom *room, int32_t i, int32_t j) noexcept nogil:
    """Whether two neighbours are linked, or neither exists."""
    if i < 0 or j < 0:
        return i == j
    return room.source.best[i] == j or room.target.best[j] == i


cdef float _same_place(
    const PairState *pair, const ConflictRoom *room, Py_ssize_t i, Py_ssize_t j
) noexcept nogil:
    """Return the certainty that two words are in the same place, in [0, 1]."""
    cdef bint meets_left, meets_right
    if room.source.best[i] == j:
        return room.source.confidence[i]
    if room.target.best[j] == i:
        return room.target.confidence[j]
    if room.source.best[i] >= 0 or room.target.best[j] >= 0:
        return 0.0
    meets_left = _meet(room, room.source.left[i], room.target.left[j])
    meets_right = _meet(room, room.source.right[i], room.target.right[j])
    if meets_left and meets_right:
        return UNLINKED_SHARE
    if pair.source.word[i].coarse != pair.target.word[j].coarse:
        return 0.0
    if meets_left and i > 0 and room.source.left[i] == i - 1 and room.target.left[j] == j - 1:
        return FAR_SHARE
    if meets_right and room.source.right[i] == i + 1 and room.target.right[j] == j + 1:
        return FAR_SHARE
    return 0.0


cdef bint _has_twin(const PairState *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Whether the other sentence has the form of either word as well."""
    cdef Py_ssize_t k
    for k in range(pair.target.n):
        if pair.lexical_class[i * pair.target.n + k] <= CLASS_LEMMA:
            return True
    for k in range(pair.source.n):
        if pair.lexical_class[k * pair.target.n + j] <= CLASS_LEMMA:
            return True
    return False


cdef void _add(ConflictRoom *room, int kind, Py_ssize_t i, Py_ssize_t j, float share) noexcept nogil:
    cdef Clash *clash = &room.clash[room.n_clashes]
    clash.kind = kind
    clash.source = <int32_t>i
    clash.target = <int32_t>j
    clash.strength = WEIGHT[kind] * share
    room.n_clashes += 1


cdef bint _may_contrast(
    const PairState *pair, const ConflictRoom *room, Py_ssize_t i, Py_ssize_t j
) noexcept nogil:
    """Whether two words may contradict each other: linked ones, two nouns, or two verbs or
    adjectives, which participles are both. Particles and prepositions without partners belong to
    what is said otherwise: on the project's corpus 1 of 76 such conflicts is right. Of names
    without partners none of 20 is."""
    if room.source.best[i] == j or room.target.best[j] == i:
        return True
    if pair.source.kind[i] != KIND_CONTENT or pair.target.kind[j] != KIND_CONTENT:
        return False
    if pair.source.word[i].coarse == COARSE_NOUN:
        return pair.target.word[j].coarse == COARSE_NOUN
    return (
        pair.source.word[i].coarse in (COARSE_VERB, COARSE_ADJECTIVE)
        and pair.target.word[j].coarse in (COARSE_VERB, COARSE_ADJECTIVE)
    )


cdef int _kind_of(
    const PairState *pair, const ConflictRoom *room, Py_ssize_t i, Py_ssize_t j, float *share
) noexcept nogil:
    """Return the kind of conflict of two words in the same place, or -1."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef uint8_t contrast = pair.contrast[cell]
    if contrast == 0 or _has_twin(pair, i, j):
        return -1
    if not _may_contrast(pair, room, i, j):
        return -1
    if contrast & CONTRAST_OPPOSITE:
        return CONFLICT_OPPOSITE
    if contrast & CONTRAST_FAR:
        return CONFLICT_DEGREE
    if contrast & CONTRAST_NAMES and not pair.acronym[cell] and not pair.rule[cell]:
        share[0] *= NAME_WEIGHT / WEIGHT[<int>CONFLICT_VALUE]
        return CONFLICT_VALUE
    return -1


cdef void _compare_places(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Add the conflicts of words in the same place; only the strongest of each word."""
    cdef Py_ssize_t i, j, cell
    cdef int kind
    cdef float share
    cdef Py_ssize_t n_before
    for i in range(pair.source.n):
        n_before = room.n_clashes
        for j in range(pair.target.n):
            cell = i * pair.target.n + j
            if pair.contrast[cell] == 0:
                continue
            share = _same_place(pair, room, i, j)
            if share <= 0.0:
                continue
            kind = _kind_of(pair, room, i, j, &share)
            if kind < 0:
                continue
            if room.n_clashes == n_before:
                _add(room, kind, i, j, share)
            elif WEIGHT[kind] * share > room.clash[n_before].strength:
                room.n_clashes = n_before
                _add(room, kind, i, j, share)


cdef bint _is_sign(const Side *side, int32_t at) noexcept nogil:
    """Whether a token is a minus before a value."""
    cdef const Characters *text
    if at < 0 or (at > 0 and side.word[at - 1].coarse == COARSE_NUMBER):
        return False
    text = &side.word[at].lower
    return text.n == 1 and text.code[0] in (<uint32_t>c"-", 0x2212)


cdef bint _is_met(const Found *value, const Side *other) noexcept nogil:
    """Whether the other side has an equal value."""
    cdef int k
    for k in range(other.n_values):
        if are_equal(value, &other.values[k]):
            return True
    return False


cdef float _place_of_values(
    const PairState *pair, const ConflictRoom *room, const Found *a, const Found *b,
    int32_t *source, int32_t *target,
) noexcept nogil:
    """Return the certainty that two values are in the same place; write the words of one role that
    differ."""
    cdef float share
    cdef float best = 0.0
    cdef int k, m
    cdef int32_t i, j
    cdef bint differs
    cdef bint is_written = False
    for k in range(a.end - a.start):
        for m in range(b.end - b.start):
            if not a.role[k] & b.role[m] & ~<uint32_t>ROLE_MARK:
                continue
            i, j = a.start + k, b.start + m
            share = _same_place(pair, room, i, j)
            best = max(best, share)
            differs = pair.source.word[i].lower_form != pair.target.word[j].lower_form
            if share > 0.0 and (not is_written or differs):
                source[0], target[0] = i, j
                is_written = differs
    return best


cdef void _compare_values(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Add the values that differ in the same place; a value that the other side has as well is in no
    conflict."""
    cdef const Found *a
    cdef const Found *b
    cdef int k, m
    cdef int32_t i = 0
    cdef int32_t j = 0
    cdef float share
    cdef bint has_other_sign
    for k in range(pair.source.n_values):
        a = &pair.source.values[k]
        for m in range(pair.target.n_values):
            b = &pair.target.values[m]
            has_other_sign = (
                a.rank == 0 and b.rank == 0 and are_equal(a, b)
                and _is_sign(&pair.source, a.start - 1) != _is_sign(&pair.target, b.start - 1)
            )
            if not has_other_sign and (
                not contradict(a, b) or _is_met(a, &pair.target) or _is_met(b, &pair.source)
            ):
                continue
            share = _place_of_values(pair, room, a, b, &i, &j)
            if share > 0.0:
                _add_value(room, i, j, share)


cdef void _compare_units(
    const PairState *pair, bint of_source, ConflictRoom *room
) noexcept nogil:
    """Add the units of one side that are other words behind the same number: 5%, 5 points."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Found *a
    cdef const Found *b
    cdef int k, m, at
    cdef int32_t i, j
    cdef float share
    for k in range(side.n_values):
        a = &side.values[k]
        if a.rank or a.kind not in (KIND_PERCENT, KIND_QUANTITY) or _is_met(a, other):
            continue
        for m in range(other.n_values):
            b = &other.values[m]
            if b.rank or b.kind != KIND_NUMBER or b.amount != a.number or b.end >= other.n:
                continue
            for at in range(a.end - a.start):
                if a.role[at] not in (ROLE_PERCENT, ROLE_UNIT) or other.kind[b.end] != KIND_CONTENT:
                    continue
                i = a.start + at if of_source else b.end
                j = b.end if of_source else a.start + at
                share = _same_place(pair, room, i, j)
                if share > 0.0:
                    _add_value(room, i, j, share)


cdef void _add_value(ConflictRoom *room, int32_t i, int32_t j, float share) noexcept nogil:
    """Add a value's conflict unless there is a stronger one of either word."""
    cdef Py_ssize_t k
    for k in range(room.n_clashes):
        if room.clash[k].kind == CONFLICT_VALUE and (
            room.clash[k].source == i or room.clash[k].target == j
        ):
            if WEIGHT[<int>CONFLICT_VALUE] * share > room.clash[k].strength:
                room.clash[k].source, room.clash[k].target = i, j
                room.clash[k].strength = WEIGHT[<int>CONFLICT_VALUE] * share
            return
    if room.n_clashes < room.most:  # what is behind is kept for roles and negations
        _add(room, CONFLICT_VALUE, i, j, share)


cdef bint _is_code(const Side *side, int32_t at) noexcept nogil:
    """Whether a token is a code: letters or hyphens and digits, a name with _ in it, or behind @."""
    cdef const Characters *text = &side.word[at].lower
    cdef bint has_digit = False
    cdef bint has_other = False
    cdef Py_ssize_t k
    for k in range(text.n):
        if <uint32_t>c"0" <= text.code[k] <= <uint32_t>c"9":
            has_digit = True
        elif text.code[k] == <uint32_t>c"_" and text.n > 1:
            return True
        elif text.code[k] not in (<uint32_t>c".", <uint32_t>c","):
            has_other = True
    if at > 0 and side.word[at - 1].lower.n == 1 and side.word[at - 1].lower.code[0] == <uint32_t>c"@":
        return True
    return has_digit and has_other


cdef bint _is_numeral(const Side *side, int32_t at) noexcept nogil:
    """Whether a token is a small Roman numeral in capitals behind a name."""
    cdef const Characters *text = &side.word[at].lower
    cdef Py_ssize_t k
    if at == 0 or text.n > N_NUMERAL or side.word[at - 1].coarse != COARSE_NAME:
        return False
    for k in range(text.n):
        if text.code[k] not in (<uint32_t>c"i", <uint32_t>c"v", <uint32_t>c"x"):
            return False
    return side.word[at].case_ == CASE_UPPER or text.n == 1


cdef bint _holds(const Side *side, int32_t at) noexcept nogil:
    """Whether a token is part of a value."""
    cdef int k
    for k in range(side.n_values):
        if side.values[k].start <= at < side.values[k].end:
            return True
    return False


cdef void _compare_codes(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Add codes and Roman numerals that differ in the same place."""
    cdef int32_t i, j
    cdef float share
    cdef bint is_code
    for i in range(<int32_t>pair.source.n):
        is_code = _is_code(&pair.source, i) and not _holds(&pair.source, i)
        if not is_code and not _is_numeral(&pair.source, i):
            continue
        for j in range(<int32_t>pair.target.n):
            if pair.lexical_class[i * pair.target.n + j] <= CLASS_CANONICAL:
                continue
            if is_code:
                if not _is_code(&pair.target, j) or _holds(&pair.target, j):
                    continue
            elif not _is_numeral(&pair.target, j):
                continue
            if _has_twin(pair, i, j):
                continue
            share = _same_place(pair, room, i, j)
            if share > 0.0:
                _add_value(room, i, j, share)


cdef bint _is_undone(
    const PairState *pair, const ConflictRoom *room, const Clash *clash, bint are_compared
) noexcept nogil:
    """Whether roles are exchanged around an opposite: Ann sold it to Bob, who bought it from Ann."""
    if clash.kind != CONFLICT_OPPOSITE:
        return False
    return are_compared or _are_exchanged(pair, room, clash.source, clash.target)


cdef bint _drop_exchanged(
    const PairState *pair, ConflictRoom *room, bint are_compared
) noexcept nogil:
    """Drop opposites whose roles are exchanged, and the prepositions that go with their verbs;
    return whether there were any."""
    cdef Py_ssize_t k
    cdef Py_ssize_t n_kept = 0
    cdef bint has_dropped = False
    for k in range(room.n_clashes):
        has_dropped |= _is_undone(pair, room, &room.clash[k], are_compared)
    for k in range(room.n_clashes):
        if _is_undone(pair, room, &room.clash[k], are_compared) or (
            has_dropped and room.clash[k].kind == CONFLICT_OPPOSITE
            and pair.source.word[room.clash[k].source].coarse in (
                COARSE_ADPOSITION, COARSE_PARTICLE
            )
        ):
            continue
        room.clash[n_kept] = room.clash[k]
        n_kept += 1
    room.n_clashes = n_kept
    return has_dropped


cdef void _add_found(ConflictRoom *room, const Clash *found, int n_found) noexcept nogil:
    cdef int k
    for k in range(n_found):
        room.clash[room.n_clashes] = found[k]
        room.n_clashes += 1


cdef double find_conflicts(
    const PairState *pair, const LinkView *links, ConflictRoom *room
) noexcept nogil:
    """Find the conflicts of a prepared pair; return the agreement."""
    cdef Clash[2 * <int>MAX_FOUND] found
    cdef Clash[<int>MAX_FOUND] compared
    cdef Py_ssize_t k
    cdef bint are_compared
    cdef double agreement = 1.0
    room.n_clashes = 0
    _find_partners(links, True, pair.source.n, &room.source)
    _find_partners(links, False, pair.target.n, &room.target)
    _compare_places(pair, room)
    _compare_values(pair, room)
    _compare_units(pair, True, room)
    _compare_units(pair, False, room)
    _compare_codes(pair, room)
    are_compared = _find_compared(pair, room, compared)
    if not _drop_exchanged(pair, room, are_compared):
        if are_compared:
            _add_found(room, compared, 1)
        else:
            _add_found(room, found, _find_exchanged(pair, room, found))
    _add_found(room, found, find_negations(pair, room, found))
    for k in range(room.n_clashes):
        agreement *= 1.0 - room.clash[k].strength
    return agreement
