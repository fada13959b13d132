"""Places where two sentences may contradict each other: words, values and codes.

Two words are in the same place if they are linked, or if both are unaligned and lie between the same
links, beside the same link, or anywhere, which counts less. They may conflict if they are opposites,
different values, codes or names, or words of one scale (features._word_pairs).
"""

from libc.math cimport fmod
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.string cimport memcmp

from tokalign.english.lexicon.lexical_tables cimport COHYPONYM
from tokalign.english.values.kinds cimport *
from tokalign.english.values.value_finding cimport are_equal, contradict
from tokalign.english.values.value_structs cimport PERIOD, YEAR, Found
from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *
from tokalign.relations.qualifiers cimport LATE, NO_KIND, agree, kind_of_word, say_the_same
from tokalign.relations.roles cimport is_once

cdef enum:
    TO_TIME = 7          # tokens from a negation to "on time", or "late"
    N_NUMERAL = 5        # letters of a Roman numeral, at most

cdef float BETWEEN = 0.8        # certainty of the place of words between the same links
cdef float BESIDE = 0.6         # of words beside one link
cdef float APART = 0.3          # of words without partners anywhere
cdef float LEAST_COSINE = 0.35  # of the vectors of nouns of one class

cdef Letters[10] AT = [
    b"at", b"until", b"till", b"from", b"to", b"by", b"before", b"after", b"around", NULL,
]
"""Words before an hour."""
cdef Letters[4] ANYONE = [b"any", b"anyone", b"anybody", NULL]
cdef Letters[4] ONE = [b"a", b"an", b"one", NULL]


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


cdef bint _has_twin(
    const PairState *pair, const ConflictRoom *room, Py_ssize_t i, Py_ssize_t j
) noexcept nogil:
    """Whether the other sentence has the form of either word as well, and no twin of its own for it."""
    cdef Py_ssize_t n = pair.target.n, k
    cdef int32_t m
    for k in range(n):
        m = room.target.best[k]
        if pair.lexical_class[i * n + k] <= CLASS_LEMMA and (
            m < 0 or m == i or pair.lexical_class[m * n + k] > CLASS_LEMMA
        ):
            return True
    for k in range(pair.source.n):
        m = room.source.best[k]
        if pair.lexical_class[k * n + j] <= CLASS_LEMMA and (
            m < 0 or m == j or pair.lexical_class[k * n + m] > CLASS_LEMMA
        ):
            return True
    return False


cdef void _add(
    ConflictRoom *room, int kind, Py_ssize_t i, Py_ssize_t j, int way, float place
) noexcept nogil:
    room.clash[room.n_clashes] = Clash(kind, <int32_t>i, <int32_t>j, way, place, 0.0, -1, False)
    room.n_clashes += 1


cdef bint _may_contrast(
    const PairState *pair, const ConflictRoom *room, Py_ssize_t i, Py_ssize_t j, float place
) noexcept nogil:
    """Whether two words may contradict each other: linked ones, words of one kind of quantity,
    modality or condition, two names, nouns or adverbs, or two verbs or adjectives. Particles and
    prepositions without partners belong to what is said otherwise."""
    cdef uint8_t one = pair.source.word[i].coarse
    cdef uint8_t other = pair.target.word[j].coarse
    cdef int kind = kind_of_word(&pair.source, <int32_t>i)
    cdef int other_kind = kind_of_word(&pair.target, <int32_t>j)
    if meet(room, <int32_t>i, <int32_t>j):
        return True
    if kind >= 0 or other_kind >= 0:
        return (
            kind == other_kind or (kind >= 0 and pair.target.word[j].negates)
            or (other_kind >= 0 and pair.source.word[i].negates)
        )
    if pair.source.kind[i] != KIND_CONTENT or pair.target.kind[j] != KIND_CONTENT:
        return False
    if place >= BETWEEN or COARSE_NUMBER in (one, other):
        return True  # whatever their tags: turn left (a participle, it seems), turn right
    if one in (COARSE_NOUN, COARSE_NAME, COARSE_ADVERB):
        return other == one
    return one in (COARSE_VERB, COARSE_ADJECTIVE) and other in (COARSE_VERB, COARSE_ADJECTIVE)


cdef inline bint _bounds(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a word says with "than" which numbers are meant; these are compared as such."""
    return is_word(side, at + 1, b"than") and value_at(side, <int32_t>at + 2) != NULL


cdef inline bint _is_before_verb(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a word is the "to" of an infinitive."""
    return (
        is_word(side, at, b"to") and at + 1 < side.n and side.word[at + 1].coarse == COARSE_VERB
    )


cdef bint _contrast(
    const PairState *pair, const ConflictRoom *room, Py_ssize_t i, Py_ssize_t j, Clash *out
) noexcept nogil:
    """Write the kind of conflict of two words; return whether there is one."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    cdef uint8_t contrast = pair.contrast[cell]
    if _has_twin(pair, room, i, j) or not _may_contrast(pair, room, i, j, out.place):
        return False
    if contrast & CONTRAST_OPPOSITE:
        if _bounds(&pair.source, i) and _bounds(&pair.target, j):
            return False
        if _is_before_verb(&pair.source, i) or _is_before_verb(&pair.target, j):
            return False  # forbidden to go, banned from going
        if agree(pair, <int32_t>i, <int32_t>j, CONFLICT_QUANTITY) == 1:
            return False  # a few, some
        out.kind, out.way = CONFLICT_OPPOSITE, BY_OPPOSITES
        if kind_of_word(&pair.source, <int32_t>i) == CONFLICT_CONDITION:
            out.kind = CONFLICT_CONDITION
    elif contrast & CONTRAST_FAR:
        if value_at(&pair.source, <int32_t>i) != NULL and value_at(&pair.target, <int32_t>j) != NULL:
            return False  # compared as such: 10 seconds, 10 minutes
        out.kind, out.way = kind_of_word(&pair.source, <int32_t>i), BY_SCALES
        if out.kind < 0 or out.kind != kind_of_word(&pair.target, <int32_t>j):
            out.kind = CONFLICT_OPPOSITE
        elif agree(pair, <int32_t>i, <int32_t>j, out.kind) == 1:
            return False  # must not, may not
    elif contrast & CONTRAST_NAMES and not pair.acronym[cell] and not pair.rule[cell]:
        if value_at(&pair.source, <int32_t>i) != NULL and value_at(&pair.target, <int32_t>j) != NULL:
            return False  # Monday, Mon-Fri
        out.kind, out.way = CONFLICT_NAME, BY_NAMES
    elif _are_of_one_class(pair, i, j):
        out.kind, out.way = CONFLICT_NAME, BY_NOUNS
    else:
        return False
    return True


cdef bint _is_named(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a word is a noun, a name or an adjective of a name: French."""
    return side.word[at].coarse in (COARSE_NOUN, COARSE_NAME) or (
        side.word[at].coarse == COARSE_ADJECTIVE and side.word[at].case_ == CASE_CAPITALISED
    )


cdef inline bint _is_addressed(
    const Side *side, Py_ssize_t at, const Side *other, Py_ssize_t there
) noexcept nogil:
    """Whether one word is a title and the other one a name: Mr Smith, John Smith."""
    return (
        side.word[at].is_title and not other.word[there].is_title
        and other.word[there].coarse == COARSE_NAME
    )


cdef bint _are_of_one_class(const PairState *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Whether two words name unlike things of one class, neither a kind of the other: rice, pasta."""
    cdef Py_ssize_t cell = i * pair.target.n + j
    return (
        pair.lexical_class[cell] >= CLASS_COHYPONYM
        and (pair.lexical_class[cell] == CLASS_COHYPONYM or pair.cosine[cell] >= LEAST_COSINE)
        and _is_named(&pair.source, i) and _is_named(&pair.target, j)
        and not pair.relations[cell] & ~<uint32_t>COHYPONYM
        and not pair.acronym[cell] and not pair.rule[cell]
        and value_at(&pair.source, <int32_t>i) == NULL
        and value_at(&pair.target, <int32_t>j) == NULL
        and kind_of_word(&pair.source, <int32_t>i) < 0
        and kind_of_word(&pair.target, <int32_t>j) < 0
        and not _is_addressed(&pair.source, i, &pair.target, j)
        and not _is_addressed(&pair.target, j, &pair.source, i)
    )


cdef void compare_places(const PairState *pair, ConflictRoom *room, bint are_apart) noexcept nogil:
    """Add the conflicts of words in the same place, only the surest of each source word; or those
    of words without partners that are in no conflict yet."""
    cdef Py_ssize_t i, j, n_before
    cdef Clash found
    for i in range(pair.source.n):
        n_before = room.n_clashes
        if are_apart and (room.source.best[i] >= 0 or is_told(room, i, True)):
            continue
        for j in range(pair.target.n):
            if pair.contrast[i * pair.target.n + j] == 0 and (
                are_apart or not _are_of_one_class(pair, i, j)
            ):
                continue
            if not are_apart:
                found.place = _same_place(pair, room, i, j)
            elif room.target.best[j] >= 0 or is_told(room, j, False):
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


cdef bint is_told(const ConflictRoom *room, Py_ssize_t at, bint of_source) noexcept nogil:
    """Whether a token is in a conflict already."""
    cdef Py_ssize_t k
    for k in range(room.n_clashes):
        if at == (room.clash[k].source if of_source else room.clash[k].target):
            return True
    return False


cdef bint is_sign(const Side *side, int32_t at) noexcept nogil:
    """Whether a token is a minus before a value."""
    cdef const Characters *text
    if at < 0 or (at > 0 and side.word[at - 1].coarse == COARSE_NUMBER):
        return False
    text = &side.word[at].lower
    return text.n == 1 and text.code[0] in (<uint32_t>c"-", 0x2212)


cdef bint _count_one(const PairState *pair, const Found *a, const Found *b) noexcept nogil:
    """Whether two numbers stand before the same noun: two sons and one daughter, one son."""
    return (
        a.kind == KIND_NUMBER and b.kind == KIND_NUMBER
        and a.end < pair.source.n and b.end < pair.target.n
        and pair.source.word[a.end].coarse == COARSE_NOUN and is_once(pair, a.end, b.end)
    )


cdef int _compare_hours(
    const Side *side, const Found *a, const Side *other, const Found *b
) noexcept nogil:
    """Return 1 for a time and its bare hour, as in "at 10", -1 for a time and another one or hours of
    which it is none ("from 9 to 5"), else 0."""
    cdef double low = b.amount, high = b.amount
    if b.kind == KIND_TIME:
        return 0 if a.kind == KIND_TIME else _compare_hours(other, b, side, a)
    if b.kind == KIND_SCORE:
        low, high = b.field[0], b.field[1]
    elif b.kind == KIND_RANGE:
        high = b.high if b.number_kind == KIND_NUMBER else 25.0
    if a.kind != KIND_TIME or b.kind not in (KIND_NUMBER, KIND_RANGE, KIND_SCORE) or (
        min(low, high) < 0.0 or max(low, high) > 24.0 or not is_any(other, b.start - 1, AT)
        or (b.end < other.n and other.word[b.end].coarse in (COARSE_NOUN, COARSE_ADJECTIVE))
    ):
        return 0
    if a.field[1] or a.field[2] or (fmod(a.field[0] - low, 12.0) and fmod(a.field[0] - high, 12.0)):
        return -1
    return b.kind == KIND_NUMBER


cdef bint _is_met(
    const PairState *pair, const ConflictRoom *room, const Found *value, bint of_source
) noexcept nogil:
    """Whether the other side has an equal value, not linked with another equal one of this side."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Found *equal
    cdef const Found *twin
    cdef int32_t at
    cdef int k
    for k in range(other.n_values):
        equal = &other.values[k]
        if not are_equal(value, equal) and _compare_hours(side, value, other, equal) <= 0:
            continue
        at = room.target.best[equal.start] if of_source else room.source.best[equal.start]
        twin = value_at(side, at) if at >= 0 else NULL
        if twin == NULL or twin.start == value.start or not are_equal(twin, value):
            return True
    return False


cdef bint _clash(
    const PairState *pair, const ConflictRoom *room, const Found *a, const Found *b
) noexcept nogil:
    """Whether two values in the same place cannot both hold."""
    cdef const Found *year
    if a.rank or b.rank:
        return False
    if a.kind + b.kind == KIND_DATE + KIND_NUMBER and KIND_DATE in (a.kind, b.kind):
        year = a if a.kind == KIND_DATE else b  # or a number: 2000 inhabitants
        return (
            year.role[0] == ROLE_YEAR and year.field[PERIOD] == 1
            and a.amount + a.field[YEAR] != b.amount + b.field[YEAR]
            and a.end < pair.source.n and pair.source.word[a.end].coarse == COARSE_NOUN
            and b.end < pair.target.n and pair.target.word[b.end].coarse == COARSE_NOUN
            and meet(room, a.end, b.end)
        )
    return contradict(a, b) or _compare_hours(&pair.source, a, &pair.target, b) < 0


cdef bint _are_exchanged(
    const PairState *pair, const ConflictRoom *room, const Found *a, const Found *b
) noexcept nogil:
    """Whether linked values each stand where the other one does: 0 if equal, 1 if not."""
    cdef const Found *c, *d
    cdef int k, m
    for k in range(pair.source.n_values if meet(room, a.start, b.start) else 0):
        c = &pair.source.values[k]
        for m in range(pair.target.n_values if are_equal(c, b) else 0):
            d = &pair.target.values[m]
            if (
                c.start != a.start and d.start != b.start and are_equal(d, a)
                and meet(room, c.start, d.start)
            ):
                return True
    return False


cdef float _place_of_values(
    const PairState *pair, const ConflictRoom *room, const Found *a, const Found *b,
    int32_t *source, int32_t *target,
) noexcept nogil:
    """Return the certainty that two values are in the same place; write the first words of one
    role that differ."""
    cdef float share, best = 0.0
    cdef int k, m
    cdef int32_t i, j
    cdef bint differs, has_unlike = False, is_met = False
    for k in range(a.end - a.start):
        for m in range(b.end - b.start):
            if not a.role[k] & b.role[m] & ~<uint32_t>ROLE_MARK and (
                a.kind == b.kind
                or (KIND_TIME not in (a.kind, b.kind) and KIND_DATE not in (a.kind, b.kind))
            ):
                continue
            i, j = a.start + k, b.start + m
            share = _same_place(pair, room, i, j)
            if share <= 0.0 and room.source.best[i] < 0 and room.target.best[j] < 0:
                share = APART
            best = max(best, share)
            differs = pair.source.word[i].lower_form != pair.target.word[j].lower_form
            if share > 0.0 and not has_unlike and (differs or not is_met):
                source[0], target[0] = i, j
                has_unlike, is_met = differs, True
    return best


cdef void compare_values(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Add the values that differ in one place; no value that the other side has, unless it counts
    other things there or they are exchanged."""
    cdef const Found *a, *b
    cdef int k, m
    cdef int32_t i = 0, j = 0
    cdef float share
    cdef bint has_other_sign, is_met
    for m in range(pair.target.n_values):
        room.is_met[m] = _is_met(pair, room, &pair.target.values[m], False)
    for k in range(pair.source.n_values):
        a = &pair.source.values[k]
        is_met = _is_met(pair, room, a, True)
        for m in range(pair.target.n_values):
            b = &pair.target.values[m]
            has_other_sign = (
                is_met and a.rank == 0 and b.rank == 0 and a.kind not in (KIND_DATE, KIND_TIME)
                and are_equal(a, b)
                and is_sign(&pair.source, a.start - 1) != is_sign(&pair.target, b.start - 1)
            )
            if not has_other_sign and (
                ((is_met or room.is_met[m])
                 and not _count_one(pair, a, b) and not _are_exchanged(pair, room, a, b))
                or not _clash(pair, room, a, b)
            ):
                continue
            share = _place_of_values(pair, room, a, b, &i, &j)
            if share <= 0.0 and _count_one(pair, a, b):
                share, i, j = BETWEEN, a.start, b.start
            if share <= 0.0 and not has_other_sign:
                share, i, j = APART / 2, a.start, b.start
            if share > 0.0:
                _add_value(
                    room, CONFLICT_VALUE, i, j, BY_SIGNS if has_other_sign else BY_VALUES, share
                )


cdef void compare_units(const PairState *pair, bint of_source, ConflictRoom *room) noexcept nogil:
    """Add the units of one side that are other words behind the same number: 5%, 5 points."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Found *a, *b
    cdef int k, m, at
    cdef int32_t i, j
    cdef float share
    for k in range(side.n_values):
        a = &side.values[k]
        if a.rank or a.kind not in (KIND_PERCENT, KIND_QUANTITY) or (
            _is_met(pair, room, a, of_source)
        ):
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
    """Whether a token is a code: letters or hyphens and digits, digits that are no number (0755), a name with _ in it, or behind @, or
    the path of a file (/etc/hosts). A web address is none: pages move, and what they say stays."""
    cdef const Characters *text = &side.word[at].lower
    cdef bint has_digit = False, has_other = False, has_name = False
    cdef Py_ssize_t k
    for k in range(text.n):
        if <uint32_t>c"0" <= text.code[k] <= <uint32_t>c"9":
            has_digit = True
        elif text.n > 1 and text.code[k] in (<uint32_t>c"_", <uint32_t>c"@"):
            has_name = True
        elif k > 1 and text.code[k] == text.code[k - 1] == <uint32_t>c"/":
            return False
        elif k > 1 and text.code[0] == text.code[k] == <uint32_t>c"/":
            has_name = True
        elif text.code[k] not in (<uint32_t>c".", <uint32_t>c","):
            has_other = True
    if at > 0 and side.word[at - 1].lower.n == 1 and side.word[at - 1].lower.code[0] == <uint32_t>c"@":
        return True
    return has_name or (has_digit and (has_other or value_at(side, at) == NULL))


cdef bint _is_numeral(const Side *side, int32_t at) noexcept nogil:
    """Whether a token is a small Roman numeral in capitals behind a name, or a longer one behind a
    noun: Chapter VII."""
    cdef const Characters *text = &side.word[at].lower
    cdef Py_ssize_t k
    if at == 0 or text.n > N_NUMERAL or side.word[at - 1].coarse != COARSE_NAME and (
        text.n == 1 or side.word[at - 1].coarse != COARSE_NOUN
    ):
        return False
    for k in range(text.n):
        if text.code[k] not in (<uint32_t>c"i", <uint32_t>c"v", <uint32_t>c"x"):
            return False
    return side.word[at].case_ == CASE_UPPER or text.n == 1


cdef bint _are_one_quoted(const Lexeme *a, const Lexeme *b) noexcept nogil:
    """Whether two words are one but for a quotation mark before it: 'last_name, last_name."""
    cdef Py_ssize_t m = a.lower.code[0] == <uint32_t>c"'"
    cdef Py_ssize_t k = b.lower.code[0] == <uint32_t>c"'"
    return a.lower.n - m == b.lower.n - k and memcmp(
        a.lower.code + m, b.lower.code + k, (b.lower.n - k) * sizeof(a.lower.code[0])
    ) == 0


cdef void compare_codes(const PairState *pair, ConflictRoom *room) noexcept nogil:
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
            share = _same_place(pair, room, i, j)
            if share <= 0.0 and room.source.best[i] < 0 and room.target.best[j] < 0:
                share = APART
            if (
                share > 0.0 and not _are_one_quoted(pair.source.word[i], pair.target.word[j])
                and not _has_twin(pair, room, i, j)
            ):
                _add_value(
                    room, CONFLICT_VALUE if is_numeral or has_value else CONFLICT_CODE, i, j,
                    BY_CODES, share,
                )


cdef bint _is_one(const PairState *pair, int32_t i, int32_t j, bint of_source) noexcept nogil:
    """Whether one of two words is "a", "an" or "one", not that of "a few" where the other says it; or
    "any" beside the "only" of unlike things: only members, any visitor."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef int32_t at = i if of_source else j
    cdef int32_t k = pair.source.next_content[i], m = pair.target.next_content[j]
    if is_any(side, at, ANYONE) and is_word(
        &pair.target if of_source else &pair.source, j if of_source else i, b"only"
    ):
        return k < 0 or m < 0 or pair.lexical_class[k * pair.target.n + m] > CLASS_DERIVED
    if is_word(side, at + 1, b"few") and agree(
        pair, i + of_source, j + (not of_source), CONFLICT_QUANTITY
    ):
        return False
    return is_any(side, at, ONE)


cdef bint _is_late(const Side *one, int32_t at, const Side *other, int32_t there) noexcept nogil:
    """Whether the words are the "time" of "on time" and "late", neither of them denied."""
    cdef int32_t k
    if (
        not is_word(one, at, b"time") or not is_word(one, at - 1, b"on")
        or not is_any(other, there, LATE)
    ):
        return False
    for k in range(1, TO_TIME):
        if (k <= at and one.word[at - k].negates) or (k <= there and other.word[there - k].negates):
            return False
    return True


cdef int find_reworded(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND linked words of one kind that say it unlike; return their number."""
    cdef int kind, other, n = 0
    cdef int32_t i, j
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if n == MAX_FOUND or j < 0:
            continue
        kind = kind_of_word(&pair.source, i)
        other = kind_of_word(&pair.target, j)
        if _is_late(&pair.source, i, &pair.target, j) or _is_late(&pair.target, j, &pair.source, i):
            kind = CONFLICT_OPPOSITE
        elif kind == NO_KIND:
            kind = other if other == CONFLICT_QUANTITY and _is_one(pair, i, j, True) else NO_KIND
        elif other == NO_KIND:
            kind = kind if kind == CONFLICT_QUANTITY and _is_one(pair, i, j, False) else NO_KIND
        elif kind != other or say_the_same(pair, i, j, kind):
            kind = NO_KIND
        if kind != NO_KIND:
            found[n] = Clash(kind, i, j, BY_SCALES, room.source.confidence[i], 0.0, -1, False)
            n += 1
    return n
