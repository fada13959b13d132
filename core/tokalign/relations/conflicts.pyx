"""Conflicts: what two aligned sentences say that cannot both hold.

Places where it may be so are found by rules, and judged by a model of what people call a conflict
(tokalign.relations.conflict_judge). Two words are in the same place if they are linked, or if both
are unaligned and lie between the same links, beside the same link, or anywhere, which counts less.
They may conflict if they are opposites, different values, codes or names, or words of one scale
(features._word_pairs). So may negations of only one side (tokalign.relations.negation), modals,
words of quantity and of condition (tokalign.relations.clauses) and exchanged roles
(tokalign.relations.roles). Two of them may cancel: "not big" and "small", "Ann sold it to Bob" and
"Bob bought it from Ann".

    agreement = product over all conflicts of 1 - probability
"""

from libc.stdint cimport int32_t, int64_t, uint8_t

from tokalign.english.annotate.growing cimport grow, more_room
from tokalign.english.values.kinds cimport (
    KIND_NUMBER,
    KIND_PERCENT,
    KIND_QUANTITY,
    ROLE_MARK,
    ROLE_PERCENT,
    ROLE_UNIT,
)
from tokalign.english.values.value_agreement cimport are_equal, contradict, of_one_dimension
from tokalign.english.values.value_structs cimport Found
from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *
from tokalign.relations.clauses cimport find_one_sided, find_reworded, kind_of_word
from tokalign.relations.conflict_judge cimport (
    N_INPUTS,
    ConflictJudge,
    PairFacts,
    conflict_inputs,
    fill_facts,
)
from tokalign.relations.negation cimport find_negations
from tokalign.relations.roles cimport (
    are_exchanged,
    find_changed_places,
    find_compared,
    find_exchanged,
)

cdef enum:
    N_NUMERAL = 4        # letters of a Roman numeral, at most
    LEAST_ROOM = 16      # conflicts
    MOST_DENIED = 6      # tokens from a negation to the word that it denies, to be one range

cdef extern from *:
    """
    #define BETWEEN 0.8f   /* certainty of the place of words between the same links */
    #define BESIDE 0.6f    /* of words beside one link */
    #define APART 0.3f     /* of words without partners anywhere */
    #define LEAST_COSINE 0.35f  /* of the vectors of nouns of one class */
    """
    const float BETWEEN
    const float BESIDE
    const float APART
    const float LEAST_COSINE


cdef size_t _side_bytes(Py_ssize_t n) noexcept nogil:
    return 4 * n * sizeof(int32_t)


cdef size_t conflict_bytes(Py_ssize_t n_source, Py_ssize_t n_target) noexcept nogil:
    """Return the bytes of scratch for the conflicts of a pair."""
    return (
        n_source * sizeof(int32_t) + (3 * n_source + N_WAYS_ROOM * MAX_FOUND) * sizeof(Clash)
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
    room.most = 3 * n_source
    room.twin = <int32_t *>memory
    memory += n_source * sizeof(int32_t)
    room.clash = <Clash *>memory
    memory += (3 * n_source + N_WAYS_ROOM * MAX_FOUND) * sizeof(Clash)
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
    meets_left = meet(room, room.source.left[i], room.target.left[j])
    meets_right = meet(room, room.source.right[i], room.target.right[j])
    if meets_left and meets_right:
        return BETWEEN
    if pair.source.word[i].coarse != pair.target.word[j].coarse:
        return 0.0
    if meets_left and i > 0 and room.source.left[i] == i - 1 and room.target.left[j] == j - 1:
        return BESIDE
    if meets_right and room.source.right[i] == i + 1 and room.target.right[j] == j + 1:
        return BESIDE
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


cdef void _add(
    ConflictRoom *room, int kind, Py_ssize_t i, Py_ssize_t j, int way, float place
) noexcept nogil:
    room.clash[room.n_clashes] = Clash(kind, <int32_t>i, <int32_t>j, way, place, 0.0, -1, False)
    room.n_clashes += 1


cdef bint _may_contrast(
    const PairState *pair, const ConflictRoom *room, Py_ssize_t i, Py_ssize_t j
) noexcept nogil:
    """Whether two words may contradict each other: linked ones, words of one kind that a sentence
    is about how many or how surely, two names, two nouns, or two verbs or adjectives, which
    participles are both. Particles and prepositions without partners belong to what is said
    otherwise."""
    cdef uint8_t one = pair.source.word[i].coarse
    cdef uint8_t other = pair.target.word[j].coarse
    cdef int kind = kind_of_word(&pair.source, <int32_t>i)
    cdef int other_kind = kind_of_word(&pair.target, <int32_t>j)
    if room.source.best[i] == j or room.target.best[j] == i:
        return True
    if kind >= 0 or other_kind >= 0:
        return (
            kind == other_kind or (kind >= 0 and pair.target.word[j].negates)
            or (other_kind >= 0 and pair.source.word[i].negates)
        )
    if pair.source.kind[i] != KIND_CONTENT or pair.target.kind[j] != KIND_CONTENT:
        return False
    if one in (COARSE_NOUN, COARSE_NAME, COARSE_ADVERB):
        return other == one
    return one in (COARSE_VERB, COARSE_ADJECTIVE) and other in (COARSE_VERB, COARSE_ADJECTIVE)


cdef bint _contrast(
    const PairState *pair, const ConflictRoom *room, Py_ssize_t i, Py_ssize_t j, Clash *out
) noexcept nogil:
    """Write the kind of conflict of two words; return whether there is one."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef uint8_t contrast = pair.contrast[cell]
    if _has_twin(pair, i, j) or not _may_contrast(pair, room, i, j):
        return False
    if contrast & CONTRAST_OPPOSITE:
        out.kind, out.way = CONFLICT_OPPOSITE, BY_OPPOSITES
        if kind_of_word(&pair.source, <int32_t>i) == CONFLICT_CONDITION:
            out.kind = CONFLICT_CONDITION
    elif contrast & CONTRAST_FAR:
        out.kind, out.way = kind_of_word(&pair.source, <int32_t>i), BY_SCALES
        if out.kind < 0 or out.kind != kind_of_word(&pair.target, <int32_t>j):
            out.kind = CONFLICT_OPPOSITE
    elif contrast & CONTRAST_NAMES and not pair.acronym[cell] and not pair.rule[cell]:
        out.kind, out.way = CONFLICT_NAME, BY_NAMES
    elif _are_of_one_class(pair, i, j):
        out.kind, out.way = CONFLICT_NAME, BY_NOUNS
    else:
        return False
    return True


cdef inline bint _is_named(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a word is a noun, a name or an adjective of a name: French."""
    return side.word[at].coarse in (COARSE_NOUN, COARSE_NAME) or (
        side.word[at].coarse == COARSE_ADJECTIVE and side.word[at].case_ == CASE_CAPITALISED
    )


cdef bint _are_of_one_class(const PairState *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Whether two words are nouns or names for unlike things of one class: rice and pasta."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    return (
        pair.lexical_class[cell] >= CLASS_COHYPONYM
        and (pair.lexical_class[cell] == CLASS_COHYPONYM or pair.cosine[cell] >= LEAST_COSINE)
        and _is_named(&pair.source, i) and _is_named(&pair.target, j)
        and not pair.acronym[cell] and not pair.rule[cell]
        and value_at(&pair.source, <int32_t>i) == NULL
        and value_at(&pair.target, <int32_t>j) == NULL
        and kind_of_word(&pair.source, <int32_t>i) < 0
        and kind_of_word(&pair.target, <int32_t>j) < 0
    )


cdef void _compare_places(
    const PairState *pair, ConflictRoom *room, bint are_apart
) noexcept nogil:
    """Add the conflicts of words in the same place, only the surest of each source word; or those
    of words without partners that are in no conflict yet."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t n_before
    cdef Clash found
    for i in range(pair.source.n):
        n_before = room.n_clashes
        if are_apart and (room.source.best[i] >= 0 or _is_told(room, i, True)):
            continue
        for j in range(pair.target.n):
            if pair.contrast[i * pair.target.n + j] == 0 and (
                are_apart or not _are_of_one_class(pair, i, j)
            ):
                continue
            if not are_apart:
                found.place = _same_place(pair, room, i, j)
            elif room.target.best[j] >= 0 or _is_told(room, j, False):
                continue
            else:
                found.place = APART
            if found.place <= 0.0 or not _contrast(pair, room, i, j, &found):
                continue
            if room.n_clashes > n_before:
                if found.place <= room.clash[n_before].place:
                    continue
                room.n_clashes = n_before
            if room.n_clashes < room.most:
                _add(room, found.kind, i, j, found.way, found.place)


cdef bint _is_told(const ConflictRoom *room, Py_ssize_t at, bint of_source) noexcept nogil:
    """Whether a token is in a conflict already."""
    cdef Py_ssize_t k
    for k in range(room.n_clashes):
        if at == (room.clash[k].source if of_source else room.clash[k].target):
            return True
    return False


cdef bint _is_sign(const Side *side, int32_t at) noexcept nogil:
    """Whether a token is a minus before a value."""
    cdef const Characters *text
    if at < 0 or (at > 0 and side.word[at - 1].coarse == COARSE_NUMBER):
        return False
    text = &side.word[at].lower
    return text.n == 1 and text.code[0] in (<uint32_t>c"-", 0x2212)


cdef bint _is_compound(const Side *side, const Found *value) noexcept nogil:
    """Whether a quantity goes on beside it: 2 h 30 min, 5 feet and 10 inches."""
    cdef const Found *other
    cdef int k
    for k in range(side.n_values):
        other = &side.values[k]
        if other.rank == 0 and (
            0 <= other.start - value.end <= 1 or 0 <= value.start - other.end <= 1
        ) and (of_one_dimension(value, other) or other.kind == KIND_NUMBER):
            return True
    return False


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
            if share <= 0.0 and room.source.best[i] < 0 and room.target.best[j] < 0:
                share = APART
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
                or (
                    a.kind == KIND_QUANTITY
                    and (_is_compound(&pair.source, a) or _is_compound(&pair.target, b))
                )
            ):
                continue
            share = _place_of_values(pair, room, a, b, &i, &j)
            if share <= 0.0 and not has_other_sign:
                share, i, j = APART / 2, a.start, b.start
            if share > 0.0:
                _add_value(
                    room, CONFLICT_VALUE, i, j, BY_SIGNS if has_other_sign else BY_VALUES, share
                )


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
                    _add_value(room, CONFLICT_VALUE, i, j, BY_UNITS, share)


cdef void _add_value(
    ConflictRoom *room, int kind, int32_t i, int32_t j, int way, float place
) noexcept nogil:
    """Add a value's or a code's conflict unless there is a surer one of either word."""
    cdef Py_ssize_t k
    cdef Clash *known
    for k in range(room.n_clashes):
        known = &room.clash[k]
        if known.kind in (CONFLICT_VALUE, CONFLICT_CODE) and (
            known.source == i or known.target == j
        ):
            if place > known.place:
                known[0] = Clash(kind, i, j, way, place, 0.0, -1, False)
            return
    if room.n_clashes < room.most:  # what is behind is kept for roles and negations
        _add(room, kind, i, j, way, place)


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


cdef void _compare_codes(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Add codes and Roman numerals that differ in the same place; two values are no codes."""
    cdef int32_t i, j
    cdef float share
    cdef bint has_value, is_numeral
    for i in range(<int32_t>pair.source.n):
        is_numeral = _is_numeral(&pair.source, i)
        if not is_numeral and not _is_code(&pair.source, i):
            continue
        has_value = value_at(&pair.source, i) != NULL
        for j in range(<int32_t>pair.target.n):
            if pair.lexical_class[i * pair.target.n + j] <= CLASS_CANONICAL:
                continue
            if is_numeral:
                if not _is_numeral(&pair.target, j):
                    continue
            elif not _is_code(&pair.target, j) or (has_value and value_at(&pair.target, j) != NULL):
                continue
            if _has_twin(pair, i, j):
                continue
            share = _same_place(pair, room, i, j)
            if share <= 0.0 and room.source.best[i] < 0 and room.target.best[j] < 0:
                share = APART
            if share > 0.0:
                _add_value(
                    room, CONFLICT_VALUE if is_numeral or has_value else CONFLICT_CODE, i, j,
                    BY_CODES, share,
                )


cdef bint _is_undone(
    const PairState *pair, const ConflictRoom *room, const Clash *clash, bint are_compared
) noexcept nogil:
    """Whether roles are exchanged around an opposite: Ann sold it to Bob, who bought it from Ann."""
    if clash.way != BY_OPPOSITES:
        return False
    return are_compared or are_exchanged(pair, room, clash.source, clash.target)


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
            has_dropped and room.clash[k].way == BY_OPPOSITES
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
    """Add what a search found of words that are in no conflict yet."""
    cdef int k
    for k in range(n_found):
        if not _is_told(room, found[k].source, True) or not _is_told(room, found[k].target, False):
            room.clash[room.n_clashes] = found[k]
            room.n_clashes += 1


cdef bint _has_kind(const ConflictRoom *room, int kind) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(room.n_clashes):
        if room.clash[k].kind == kind:
            return True
    return False


cdef void _find_candidates(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Fill the room with places where the sentences may contradict each other."""
    cdef Clash[2 * <int>MAX_FOUND] found
    cdef Clash[<int>MAX_FOUND] compared
    cdef bint are_compared, are_undone
    _compare_places(pair, room, False)
    _compare_values(pair, room)
    _compare_units(pair, True, room)
    _compare_units(pair, False, room)
    _compare_codes(pair, room)
    are_compared = find_compared(pair, room, compared)
    are_undone = _drop_exchanged(pair, room, are_compared)
    if not are_undone:
        if are_compared:
            _add_found(room, compared, 1)
        else:
            _add_found(room, found, find_exchanged(pair, room, found))
    _add_found(room, found, find_negations(pair, room, found))
    _add_found(room, found, find_reworded(pair, room, found))
    _add_found(room, found, find_one_sided(pair, room, True, found))
    _add_found(room, found, find_one_sided(pair, room, False, found))
    if not are_undone and not _has_kind(room, CONFLICT_ROLES):
        _add_found(room, found, find_changed_places(pair, room, found))
    _compare_places(pair, room, True)


cdef double find_conflicts(
    const PairState *pair, const LinkView *links, ConflictJudge judge, ConflictRoom *room
) noexcept nogil:
    """Find the conflicts of a prepared pair; return the agreement."""
    cdef Py_ssize_t k
    cdef double agreement = 1.0
    room.n_clashes = 0
    _find_partners(links, True, pair.source.n, &room.source)
    _find_partners(links, False, pair.target.n, &room.target)
    _find_candidates(pair, room)
    judge.judge(pair, room)
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
        if clash.way == BY_SIGNS and _is_sign(side, value.start - 1):
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


cdef bint add_conflicts(
    ConflictColumns *columns, Py_ssize_t number, const PairState *pair, const ConflictRoom *room
) noexcept nogil:
    """Add the conflicts of the next pair to the columns; return whether there is memory."""
    cdef int64_t first = columns.offset[number]
    cdef Py_ssize_t n_wanted = first + room.n_clashes
    cdef Py_ssize_t n_room, k
    cdef const Clash *clash
    cdef ToldConflict *told
    cdef PairFacts facts
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
        fill_facts(pair, room, &facts)
    for k in range(room.n_clashes):
        clash = &room.clash[k]
        told = &columns.conflict[first + k]
        told.kind, told.reason = clash.kind, clash.way
        told.source, told.target = clash.source, clash.target
        told.probability = clash.probability
        _fill_span(&pair.source, clash, True, &told.source_start, &told.source_end)
        _fill_span(&pair.target, clash, False, &told.target_start, &told.target_end)
        if columns.keeps_inputs:
            conflict_inputs(pair, room, &facts, clash, columns.inputs + (first + k) * N_INPUTS)
    columns.offset[number + 1] = n_wanted
    return True
