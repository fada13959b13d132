"""Modals, words of quantity and of condition: what they govern, and what the other side has there.

A word of these three kinds governs the next content word behind it, or the last one before it where
that has no partner. The other side says it unlike if the partner of what is governed has another
word of the kind near it, or none: "may contain" and "contains", "only guests" and "guests", "if it
rains" and "until it rains". Modals are the words of the scales of obligation and certainty, words of
quantity those of quantity and frequency, and only and even. How often is a value: once, weekly.
"""

from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport abs

from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *

from tokalign.english.lexicon.word_lists import scale_names

cdef enum:
    REACH = 4            # tokens around what is governed
    NO_KIND = -1

cdef int OBLIGATION = scale_names().index("obligation")
cdef int CERTAINTY = scale_names().index("certainty")
cdef int QUANTITY = scale_names().index("quantity")
cdef int FREQUENCY = scale_names().index("frequency")
cdef int TIMES = scale_names().index("times")
cdef int PERIOD = scale_names().index("period")


cdef bint ends_sentence(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a token ends a sentence: a period, or another mark before a word that is not in lower
    case."""
    cdef const Lexeme *word = side.word[at]
    if word.lower.n != 1:
        return False
    if word.lower.code[0] == <uint32_t>c".":
        return True
    if word.lower.code[0] != <uint32_t>c"?" and word.lower.code[0] != <uint32_t>c"!":
        return False
    while at + 1 < side.n and side.kind[at] == KIND_MARK:
        at += 1
    return side.word[at].case_ != CASE_LOWER


cdef bint are_apart(const Side *side, int32_t a, int32_t b) noexcept nogil:
    """Whether a sentence ends between two tokens."""
    cdef int32_t k
    for k in range(min(a, b), max(a, b)):
        if ends_sentence(side, k):
            return True
    return False


cdef inline bint _may_be_listed(uint32_t letter) noexcept nogil:
    """Whether one of the words that the next two functions know begins with a letter."""
    return letter in (
        <uint32_t>c"e", <uint32_t>c"i", <uint32_t>c"o", <uint32_t>c"p", <uint32_t>c"s",
        <uint32_t>c"t", <uint32_t>c"u",
    )


cdef bint _restricts(const Side *side, int32_t at) noexcept nogil:
    """Whether a word says that nothing else is meant, or that even this is."""
    return (
        is_word(side, at, b"only") or is_word(side, at, b"solely")
        or is_word(side, at, b"exclusively") or is_word(side, at, b"even")
    )


cdef bint _is_condition(const Side *side, int32_t at) noexcept nogil:
    return (
        is_word(side, at, b"if") or is_word(side, at, b"unless") or is_word(side, at, b"until")
        or is_word(side, at, b"except") or is_word(side, at, b"provided")
        or is_word(side, at, b"providing") or is_word(side, at, b"till")
    )


cdef int _grade_on(const Lexeme *word, int scale, int *grade) noexcept nogil:
    """Whether a word is on a scale; write its grade."""
    cdef int k
    for k in range(word.n_scales):
        if word.scale[k] == scale:
            grade[0] = word.grade[k]
            return True
    return False


cdef int kind_of_word(const Side *side, int32_t at) noexcept nogil:
    """Return the kind of conflict that a modal, word of quantity or of condition makes, or -1."""
    cdef const Lexeme *word = side.word[at]
    cdef int grade
    if not word.n_scales and not _may_be_listed(word.first_letter):
        return NO_KIND
    if _is_condition(side, at):
        return CONFLICT_CONDITION
    if _restricts(side, at):
        if is_word(side, at - 1, b"not"):
            return NO_KIND
        if at + 1 < side.n and (
            is_word(side, at + 1, b"if") or is_word(side, at + 1, b"when")
            or is_word(side, at + 1, b"after")
        ):
            return CONFLICT_CONDITION
        return CONFLICT_QUANTITY
    if _grade_on(word, TIMES, &grade) or _grade_on(word, PERIOD, &grade):
        return CONFLICT_VALUE
    if value_at(side, at) != NULL:
        return NO_KIND  # the month of May
    if _grade_on(word, OBLIGATION, &grade) or _grade_on(word, CERTAINTY, &grade):
        return CONFLICT_MODALITY
    if (_grade_on(word, QUANTITY, &grade) or _grade_on(word, FREQUENCY, &grade)) and (
        not word.negates
    ):
        return CONFLICT_QUANTITY
    return NO_KIND


cdef int _grade(const Side *side, int32_t at, int kind) noexcept nogil:
    """Return the grade of a word of a kind, apart for each scale."""
    cdef int grade = 0
    cdef const Lexeme *word = side.word[at]
    if kind == CONFLICT_MODALITY:
        if _grade_on(word, OBLIGATION, &grade):
            return grade
        _grade_on(word, CERTAINTY, &grade)
        return 100 + grade
    if kind == CONFLICT_QUANTITY:
        if _grade_on(word, QUANTITY, &grade):
            return grade
        if _grade_on(word, FREQUENCY, &grade):
            return 100 + grade
        return 200 + is_word(side, at, b"even")
    if kind == CONFLICT_VALUE:
        _grade_on(word, TIMES, &grade)
        _grade_on(word, PERIOD, &grade)
        return grade
    return word.lower_form


cdef bint _say_the_same(
    const PairState *pair, int32_t i, int32_t j, int kind
) noexcept nogil:
    """Whether a source and a target word of one kind say the same: one form, or one grade."""
    cdef int one, other
    if pair.lexical_class[i * pair.target.n + j] <= CLASS_LEMMA:
        return True
    if pair.contrast[i * pair.target.n + j] & CONTRAST_OPPOSITE:
        return True  # as opposites they are found elsewhere, if nothing undoes them
    if kind == CONFLICT_CONDITION:
        return False
    one, other = _grade(&pair.source, i, kind), _grade(&pair.target, j, kind)
    return one == other


cdef int32_t _governed(const Side *side, const Partners *own, int32_t at) noexcept nogil:
    """Return the content word with a partner that a word governs, or -1."""
    cdef int32_t found = side.next_content[at]
    if found >= 0 and own.best[found] >= 0:
        return found
    if found >= 0:
        found = side.next_content[found]
        if found >= 0 and found - at <= REACH and own.best[found] >= 0:
            return found
    found = side.previous_content[at]
    if found >= 0 and at - found <= REACH and own.best[found] >= 0:
        return found
    return nearest_linked(side, own, at)


cdef int32_t nearest_linked(const Side *side, const Partners *own, int32_t at) noexcept nogil:
    """Return the nearest content word with a partner in a word's sentence, the one behind first, or
    -1."""
    cdef int32_t k = side.next_content[at]
    while k >= 0 and own.best[k] < 0:
        k = side.next_content[k]
    if k >= 0 and not are_apart(side, at, k):
        return k
    k = side.previous_content[at]
    while k >= 0 and own.best[k] < 0:
        k = side.previous_content[k]
    return -1 if k < 0 or are_apart(side, at, k) else k


cdef int find_one_sided(
    const PairState *pair, const ConflictRoom *room, bint of_source, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND words without partners that the other side lacks or says unlike;
    return their number."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Partners *own = &room.source if of_source else &room.target
    cdef int n = 0
    cdef int kind
    cdef int32_t at, governed, there, k
    cdef int32_t unlike
    cdef bint has_same
    for at in range(<int32_t>side.n):
        if n == MAX_FOUND:
            break
        if own.best[at] >= 0:
            continue
        kind = kind_of_word(side, at)
        if kind == NO_KIND:
            continue
        governed = _governed(side, own, at)
        if governed < 0:
            continue
        there = own.best[governed]
        unlike = -1
        has_same = False
        for k in range(max(there - REACH, 0), min(there + REACH + 1, <int32_t>other.n)):
            if kind_of_word(other, k) != kind:
                continue
            if _say_the_same(pair, at if of_source else k, k if of_source else at, kind):
                has_same = True
            elif unlike < 0 or abs(k - there) < abs(unlike - there):
                unlike = k
        if has_same:
            continue
        found[n].kind = kind
        found[n].way = BY_ONE_SIDE if unlike < 0 else BY_SCALES
        k = there if unlike < 0 else unlike
        found[n].source = at if of_source else k
        found[n].target = k if of_source else at
        found[n].place = own.confidence[governed] / (1 + max(abs(governed - at) - REACH, 0))
        found[n].probability = 0.0
        n += 1
    return n


cdef inline bint _is_one(const Side *side, int32_t at) noexcept nogil:
    return is_word(side, at, b"a") or is_word(side, at, b"an") or is_word(side, at, b"one")


cdef int find_reworded(
    const PairState *pair, const ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND linked words of one kind that say it unlike; return their number."""
    cdef int n = 0
    cdef int kind, other
    cdef int32_t i, j
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if n == MAX_FOUND:
            break
        if j < 0:
            continue
        kind = kind_of_word(&pair.source, i)
        other = kind_of_word(&pair.target, j)
        if kind == NO_KIND:
            kind = other if _is_one(&pair.source, i) else NO_KIND
        elif other == NO_KIND:
            kind = kind if _is_one(&pair.target, j) else NO_KIND
        elif kind != other or _say_the_same(pair, i, j, kind):
            kind = NO_KIND
        if kind != NO_KIND:
            found[n] = Clash(kind, i, j, BY_SCALES, room.source.confidence[i], 0.0, -1, False)
            n += 1
    return n


cdef int kind_of_negation(
    const PairState *pair, int32_t negator, int32_t source, int32_t target, bint of_source
) noexcept nogil:
    """Return the kind of a negation: of modality where both sides have unlike modals (must not,
    may), of quantity where the other side has a word of quantity (none, all)."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef int32_t there = target if of_source else source
    cdef int32_t k, m
    cdef int grade
    cdef bint counts = (
        _grade_on(side.word[negator], QUANTITY, &grade)
        or _grade_on(side.word[negator], FREQUENCY, &grade)
    )
    for k in range(max(there - REACH, 0), min(there + REACH + 1, <int32_t>other.n)):
        m = negator - 1
        if (
            m >= 0 and kind_of_word(other, k) == CONFLICT_MODALITY
            and (kind_of_word(side, m) == CONFLICT_MODALITY or is_word(side, m, b"need"))
            and side.word[m].lemma != other.word[k].lemma
        ):
            return CONFLICT_MODALITY
        if counts and kind_of_word(other, k) == CONFLICT_QUANTITY:
            return CONFLICT_QUANTITY
    return CONFLICT_NEGATION
