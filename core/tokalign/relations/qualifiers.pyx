"""Words that change what a sentence says, and what the other side has there: negations, modals,
words of quantity and of condition. Trees are not used, so that models without a parser find the same.

The scope of a negation (not, no, never, without, fail) is the words next to it in its sentence: the
next two content words, the tokens beside it, and the last content word before it. The negations of
both sides are matched: linked ones, then those with linked words in scope, then any others, without
apart; but not where the partner of what one denies is in another clause than the other one ("not old
but cheap", "not cheap but old"). An unmatched one counts if what it denies is linked: a content word
behind it or, where there is none, another one in scope, else the nearest linked word of its clause,
behind it; unless the other side has a low quantity (few, rarely). Two of a clause cancel. Some deny
nothing: "No, ...", "no doubt", "not only", "may or may not", "isn't it?", "nor" behind another one.

A modal, word of quantity or of condition governs the next content word of its clause that has a
partner, or the last one before it. The other side says it unlike if the partner of what is governed
has another word of the kind near it, or none: "may contain" and "contains", "only guests" and
"guests", "if it rains" and "until it rains". Modals are the words of the scales of obligation and
certainty, words of quantity those of quantity and frequency, and only and even. How often is a value:
once, weekly.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.math cimport fabs
from libc.stdlib cimport abs

from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *

from tokalign.english.lexicon.word_lists import scale_names

cdef enum:
    REACH = 4            # tokens around what is governed or denied
    SOME = 1             # a grade of quantity
    PERMITTED = 1        # grades on the scale of obligation
    OBLIGED = 6
    N_WITH = 6           # words in the scope of a negation, including itself
    LOW = -2             # a grade of quantity that is like a negation
    FREE = -1            # a negation that is not matched

cdef int OBLIGATION = scale_names().index("obligation")
cdef int CERTAINTY = scale_names().index("certainty")
cdef int QUANTITY = scale_names().index("quantity")
cdef int FREQUENCY = scale_names().index("frequency")
cdef int TIMES = scale_names().index("times")
cdef int PERIOD = scale_names().index("period")

cdef Letters[5] RESTRICTING = [b"only", b"solely", b"exclusively", b"even", NULL]
"""Words that say that nothing else is meant, or that even this is."""
cdef Letters[9] CONDITIONS = [
    b"if", b"unless", b"until", b"except", b"provided", b"providing", b"till", b"should", NULL
]
cdef Letters[5] BEING = [b"is", b"are", b"was", b"were", NULL]
cdef Letters[3] UNLESS_LIKE = [b"unless", b"except", NULL]
cdef Letters[3] UNTIL_LIKE = [b"until", b"till", NULL]
cdef Letters[5] IF_LIKE = [b"if", b"provided", b"providing", b"should", NULL]
cdef Letters[7] HAVING = [b"have", b"has", b"had", b"need", b"needs", b"needed", NULL]
"""Words that oblige before "to"."""
cdef Letters[27] PERIODS = [
    b"hour", b"hours", b"hourly", b"day", b"days", b"daily", b"night", b"nights", b"nightly",
    b"morning", b"evening", b"week", b"weeks", b"weekly", b"fortnight", b"fortnightly", b"month",
    b"months", b"monthly", b"quarter", b"quarterly", b"year", b"years", b"yearly", b"annually",
    b"annual", NULL,
]
cdef double[26] PER_YEAR = [
    8760, 8760, 8760, 365, 365, 365, 365, 365, 365, 365, 365, 52, 52, 52, 26, 26, 12, 12, 12, 4, 4,
    1, 1, 1, 1, 1,
]
cdef Letters[6] EACH = [b"a", b"an", b"per", b"each", b"every", NULL]
cdef Letters[13] PARTING = [
    b";", b":", b"(", b"but", b"because", b"although", b"though", b"whereas", b"while", b"if",
    b"unless", b"when", NULL
]
"""Marks and words that begin another clause."""
cdef Letters[7] JOINING = [b"and", b"or", b"so", b"yet", b"which", b"who", NULL]
"""Words that do so behind a comma."""
cdef Letters[4] AFTER_ONLY = [b"if", b"when", b"after", NULL]
cdef Letters[4] NOBODY = [b"nothing", b"nobody", b"none", NULL]
cdef Letters[5] NOUNS_TOO = [b"can", b"will", b"must", b"might", NULL]
"""Modals that are nouns behind a word of OWNING: a can of beans."""
cdef Letters[10] OWNING = [
    b"a", b"an", b"the", b"his", b"her", b"its", b"my", b"your", b"their", NULL
]
cdef Letters[4] COMPARING = [b"less", b"more", b"fewer", NULL]
cdef Letters[9] IDLE = [
    b"after", b"all", b"above", b"all", b"at", b"all", b"at", b"most", NULL
]
"""Pairs of words of which the second counts nothing."""
cdef Letters[3] WITHOUT_FAIL = [b"without", b"fail", NULL]
cdef Letters[37] QUIET = [
    b"no", b"doubt", b"no", b"wonder", b"no", b"question", b"no", b"matter", b"not", b"only",
    b"not", b"just", b"not", b"merely", b"not", b"least", b"nothing", b"but", b"nothing", b"other",
    b"nothing", b"short", b"nobody", b"but", b"none", b"but", b"none", b"other", b"without", b"fail",
    b"without", b"exception", b"without", b"doubt", b"without", b"question", NULL
]
"""Pairs of words of which the first denies nothing."""

cdef struct Negators:
    int n
    int32_t[<int>MAX_FOUND] at
    int32_t[<int>MAX_FOUND] match          # of the other side, or FREE
    int32_t[<int>MAX_FOUND][<int>N_WITH] with_      # the scope of each; -1 for none


cdef inline bint _denies(const Side *side, Py_ssize_t at) noexcept nogil:
    return is_word(side, at, b"not") or is_word(side, at, b"n't") or is_word(side, at, b"never")


cdef bint _are_of_one_clause(const Side *side, int32_t a, int32_t b) noexcept nogil:
    """Whether no sentence ends and no clause begins between two tokens; "but not for all" is none."""
    cdef int32_t k
    for k in range(min(a, b) + 1, max(a, b)):
        if is_any(side, k, PARTING) or (is_any(side, k, JOINING) and is_word(side, k - 1, b",")):
            if k + 2 >= side.n or side.word[k + 2].coarse != COARSE_ADPOSITION or not _denies(side, k + 1):
                return False
    return not are_apart(side, a, b)


cdef int32_t _near(const Side *side, int32_t at, int32_t other) noexcept nogil:
    """Return another token, or -1 if it is missing or in another clause."""
    return other if other >= 0 and _are_of_one_clause(side, at, other) else -1


cdef inline bint _may_be_listed(uint32_t letter) noexcept nogil:
    """Whether a word of RESTRICTING, CONDITIONS or HAVING, "but" or "do", begins with a letter."""
    return letter in (
        <uint32_t>c"b", <uint32_t>c"d", <uint32_t>c"e", <uint32_t>c"h", <uint32_t>c"i", <uint32_t>c"n", <uint32_t>c"o",
        <uint32_t>c"p", <uint32_t>c"s", <uint32_t>c"t", <uint32_t>c"u",
    )


cdef int _grade_on(const Lexeme *word, int scale, int *grade) noexcept nogil:
    """Whether a word is on a scale; write its grade."""
    cdef int k
    for k in range(word.n_scales):
        if word.scale[k] == scale:
            grade[0] = word.grade[k]
            return True
    return False


cdef bint _obligation(const Side *side, int32_t at, int *grade) noexcept nogil:
    """Whether a word obliges, forbids or permits; write its grade on the scale of obligation.

    A negation behind it forbids the deed ("must not"), or permits what was forbidden; one before it
    lifts the obligation ("not required to"), as does "need not". What is not permitted is forbidden.
    """
    cdef bint needs = is_word(side, at, b"need") and _denies(side, at + 1)
    cdef bint is_first = at == 0 or side.kind[at - 1] == KIND_MARK
    if (
        needs or (is_word(side, at + 1, b"to") and is_any(side, at, HAVING))
        or (is_first and is_word(side, at, b"do") and _denies(side, at + 1))  # "Do not run" forbids
        or (is_word(side, at, b"to") and is_any(side, at - 1, BEING) and at + 1 < side.n
            and side.word[at + 1].coarse == COARSE_VERB)
    ):
        grade[0] = OBLIGED
    elif not _grade_on(side.word[at], OBLIGATION, grade):
        return False
    if _denies(side, at + 1) or _denies(side, at - 1):
        if grade[0] == PERMITTED:
            grade[0] = -OBLIGED
        elif grade[0] < 0:
            grade[0] = PERMITTED
        else:
            grade[0] = 0 if needs or _denies(side, at - 1) else -grade[0]
    return True


cdef bint _modal(const Side *side, int32_t at, int *grade) noexcept nogil:
    """Whether a word is a modal; write its grade, of obligation or of how sure it is."""
    if _obligation(side, at, grade):
        return True
    if not _grade_on(side.word[at], CERTAINTY, grade):
        return False
    grade[0] = -grade[0] if _denies(side, at + 1) else grade[0]
    return True


cdef double _per_year(const Side *side, Py_ssize_t at) noexcept nogil:
    """Return how many of a period a year has, 0 for another word."""
    cdef int k = 0
    while PERIODS[k] != NULL:
        if is_word(side, at, PERIODS[k]):
            return PER_YEAR[k]
        k += 1
    return 0.0


cdef double _rate(const Side *side, int32_t at) noexcept nogil:
    """Return how often a year something is that a word says the rate of, or 0: "twice" of "twice a
    day", "three" of "three times a week", "daily", "every" of "every second day"."""
    cdef const Lexeme *word = side.word[at]
    cdef const Found *number = NULL
    cdef double count = 1.0
    cdef int grade
    cdef int32_t k = at + 1
    if word.first_letter == <uint32_t>c"e" and (
        is_word(side, at, b"every") or is_word(side, at, b"each")
    ):
        number = value_at(side, k)
        if is_word(side, k, b"second") or is_word(side, k, b"other"):
            return _per_year(side, k + 1) / 2
        if number != NULL and number.number > 0:
            return _per_year(side, k + 1) / number.number
        return _per_year(side, k)
    if is_word(side, at - 1, b"per"):
        return _per_year(side, at)
    if _grade_on(word, PERIOD, &grade):
        if at > 0 and _grade_on(side.word[at - 1], TIMES, &grade):
            count = (grade + 2) / 3  # once 1, twice 4, thrice 7
        return count * _per_year(side, at)
    if _grade_on(word, TIMES, &grade):
        count = (grade + 2) / 3
    elif side.n_values and is_word(side, k, b"times"):
        number = value_at(side, at)
        if number == NULL:
            return 0.0
        count = number.number
        k += 1
    else:
        return 0.0
    if is_any(side, k, EACH):
        k += 1
    return count * _per_year(side, k)


cdef bint _sets_condition(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a word begins a condition: not "if any", "help provided by Ann"; "should you agree"."""
    cdef Py_ssize_t k = at - 1
    if is_word(side, at, b"should"):
        return (
            at + 1 < side.n and side.word[at + 1].coarse == COARSE_PRONOUN
            and not is_word(side, side.n - 1, b"?")
        )
    if side.word[at].first_letter != <uint32_t>c"p" or is_word(side, at + 1, b"that"):
        return not (is_word(side, at, b"if") and is_word(side, at + 1, b"any"))
    if at + 1 >= side.n or side.word[at + 1].coarse not in (COARSE_PRONOUN, COARSE_DETERMINER):
        return False
    while k >= 0 and side.kind[k] != KIND_MARK and side.word[k].coarse != COARSE_VERB:
        k -= 1
    return k == at - 1 or (k >= 0 and side.word[k].coarse == COARSE_VERB)


cdef int kind_of_word(const Side *side, int32_t at) noexcept nogil:
    """Return the kind of conflict that a modal, word of quantity or of condition makes, or -1."""
    cdef const Lexeme *word = side.word[at]
    cdef int grade
    if not (
        word.n_scales or _may_be_listed(word.first_letter)
        or (side.n_values and is_word(side, at + 1, b"times")) or is_word(side, at - 1, b"per")
    ):
        return NO_KIND
    if is_any(side, at, CONDITIONS):
        if _sets_condition(side, at):
            return CONFLICT_CONDITION
        if not is_word(side, at, b"should"):
            return NO_KIND
    if is_any(side, at, RESTRICTING) or (
        is_word(side, at, b"but") and is_any(side, at - 1, NOBODY)
    ):
        if is_word(side, at - 1, b"not"):
            return NO_KIND
        return CONFLICT_CONDITION if is_any(side, at + 1, AFTER_ONLY) else CONFLICT_QUANTITY
    if is_word(side, at, b"once") and at + 1 < side.n and (
        is_word(side, at + 1, b"the") or side.word[at + 1].coarse in (COARSE_VERB, COARSE_PRONOUN)
    ):
        return NO_KIND  # once sold
    if _grade_on(word, TIMES, &grade) or _rate(side, at) > 0.0:
        return CONFLICT_VALUE
    if value_at(side, at) != NULL or is_pair(side, at - 1, IDLE) or (
        is_any(side, at, NOUNS_TOO) and is_any(side, at - 1, OWNING)
    ):
        return NO_KIND  # the month of May; at most; a can
    if _modal(side, at, &grade):
        return CONFLICT_MODALITY
    if (_grade_on(word, QUANTITY, &grade) or _grade_on(word, FREQUENCY, &grade)) and (
        not word.negates
    ):
        return CONFLICT_QUANTITY
    return NO_KIND


cdef inline bint _is_a_few(const Side *side, int32_t at) noexcept nogil:
    return is_word(side, at, b"few") and is_word(side, at - 1, b"a")


cdef int _grade(const Side *side, int32_t at, int kind) noexcept nogil:
    """Return the grade of a word of a kind, apart for each scale."""
    cdef int grade = 0
    cdef const Lexeme *word = side.word[at]
    if kind == CONFLICT_QUANTITY:
        if _is_a_few(side, at):
            return SOME
        if _grade_on(word, QUANTITY, &grade):
            return grade
        if _grade_on(word, FREQUENCY, &grade):
            return 100 + grade
        return 200 + is_word(side, at, b"even")
    if kind == CONFLICT_VALUE:
        _grade_on(word, TIMES, &grade)
        _grade_on(word, PERIOD, &grade)
        return grade
    if is_any(side, at, IF_LIKE):
        return -1
    if is_any(side, at, UNLESS_LIKE):
        return -2
    return -3 if is_any(side, at, UNTIL_LIKE) else word.lower_form


cdef int agree(const PairState *pair, int32_t i, int32_t j, int kind) noexcept nogil:
    """Whether two modals oblige, permit or forbid alike, or are as sure, or two words of how often
    name one rate; -1 where nothing tells."""
    cdef int one = 0, other = 0
    cdef double rate
    if kind == CONFLICT_VALUE:
        rate = _rate(&pair.source, i)
        if rate <= 0.0 or _rate(&pair.target, j) <= 0.0:
            return -1
        return fabs(rate - _rate(&pair.target, j)) < 1e-6 * rate
    if kind == CONFLICT_QUANTITY and (_is_a_few(&pair.source, i) or _is_a_few(&pair.target, j)):
        return _grade(&pair.source, i, kind) == _grade(&pair.target, j, kind)
    if kind != CONFLICT_MODALITY:
        return -1
    return _modal(&pair.source, i, &one) and _modal(&pair.target, j, &other) and one == other


cdef bint say_the_same(
    const PairState *pair, int32_t i, int32_t j, int kind
) noexcept nogil:
    """Whether a source and a target word of one kind say the same: one form, or one grade."""
    cdef int same = agree(pair, i, j, kind)
    if same >= 0 and kind == CONFLICT_VALUE:
        return same
    if pair.lexical_class[i * pair.target.n + j] <= CLASS_LEMMA:
        return True
    if pair.contrast[i * pair.target.n + j] & CONTRAST_OPPOSITE:
        return True  # as opposites they are found elsewhere, if nothing undoes them
    if same >= 0:
        return same > 0
    if kind == CONFLICT_QUANTITY and pair.contrast[i * pair.target.n + j] & CONTRAST_LEVEL:
        return True
    return _grade(&pair.source, i, kind) == _grade(&pair.target, j, kind)


cdef int32_t _nearest_linked(const Side *side, const Partners *own, int32_t at) noexcept nogil:
    """Return the nearest content word with a partner in a word's clause, the one behind first, or -1."""
    cdef int32_t k = side.next_content[at]
    while k >= 0 and own.best[k] < 0:
        k = side.next_content[k]
    if _near(side, at, k) >= 0:
        return k
    k = side.previous_content[at]
    while k >= 0 and own.best[k] < 0:
        k = side.previous_content[k]
    return _near(side, at, k)


cdef int find_one_sided(
    const PairState *pair, const ConflictRoom *room, bint of_source, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND words without partners that the other side lacks or says unlike;
    return their number."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Partners *own = &room.source if of_source else &room.target
    cdef int kind, n = 0
    cdef int32_t at, governed, there, k, unlike
    cdef bint has_same
    for at in range(<int32_t>side.n):
        if n == MAX_FOUND or own.best[at] >= 0:
            continue
        kind = kind_of_word(side, at)
        governed = -1 if kind == NO_KIND else _nearest_linked(side, own, at)
        if governed < 0:
            continue
        there = own.best[governed]
        unlike = -1
        has_same = False
        for k in range(max(there - REACH, 0), min(there + REACH + 1, <int32_t>other.n)):
            has_same |= side.word[at].denies and other.word[k].negates  # forbidden, do not
            if kind_of_word(other, k) != kind:
                continue
            if say_the_same(pair, at if of_source else k, k if of_source else at, kind):
                has_same = True
            elif unlike < 0 or abs(k - there) < abs(unlike - there):
                unlike = k
        if has_same or (unlike < 0 and (is_word(side, at, b"will") or is_word(side, at, b"to"))):
            continue  # a tense alone; the aim is to win
        k = there if unlike < 0 else unlike
        found[n] = Clash(
            kind, at if of_source else k, k if of_source else at,
            BY_ONE_SIDE if unlike < 0 else BY_SCALES,
            own.confidence[governed] / (1 + max(abs(governed - at) - REACH, 0)), 0.0, -1, False,
        )
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
            and kind_of_word(side, m) == CONFLICT_MODALITY
            and side.word[m].lemma != other.word[k].lemma
        ):
            return CONFLICT_MODALITY
        if counts and kind_of_word(other, k) == CONFLICT_QUANTITY:
            return CONFLICT_QUANTITY
    return CONFLICT_NEGATION


cdef void _find_with(const Side *side, int32_t at, int32_t *out) noexcept nogil:
    """Write the scope of a negation, the nearest words first."""
    cdef int32_t following = _near(side, at, side.next_content[at])
    out[0] = at
    out[1] = following
    out[2] = at + 1 if at + 1 < side.n and side.kind[at + 1] != KIND_MARK else -1
    out[3] = at - 1 if at > 0 and side.kind[at - 1] != KIND_MARK else -1
    out[4] = _near(side, at, side.next_content[following]) if following >= 0 else -1
    out[5] = _near(side, at, side.previous_content[at])
    if is_word(side, at, b"without") and out[4] >= 0 and side.word[out[4]].coarse == COARSE_VERB:
        out[4] = -1


cdef bint _denies_nothing(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a negation is an answer's "no", part of an idiom or a tag, or joined to another."""
    cdef Py_ssize_t k
    for k in range(max(at - 2, 1), min(at, side.n - 2)):  # may or may not, price or no price
        if is_word(side, k, b"or") and (is_word(side, k - 1, b"whether") or side.word[k - 1].lower_form
                in (side.word[k + 1].lower_form, side.word[k + 2].lower_form)):
            return True
    if is_word(side, at, b"no"):
        if at + 1 < side.n and side.kind[at + 1] == KIND_MARK:
            return at == 0 or ends_sentence(side, at - 1)
        if is_word(side, at + 2, b"but") or is_word(side, at + 2, b"than"):
            return True
        if is_any(side, at + 1, COMPARING) and is_word(side, at + 3, b"than"):
            return True  # no less able than
    if is_word(side, at, b"not") and is_word(side, at + 2, b"than"):
        return value_at(side, <int32_t>at + 3) != NULL  # bounds are compared: not more than 50
    if is_pair(side, at, QUIET) or is_pair(side, at - 1, WITHOUT_FAIL):
        return True
    if is_word(side, at, b"nor"):
        for k in range(at - 1, -1, -1):
            if ends_sentence(side, k):
                return False
            if side.word[k].negates:
                return True
        return False
    return (
        (is_word(side, at, b"n't") or is_word(side, at, b"not"))
        and at + 2 < side.n and side.word[at + 1].coarse == COARSE_PRONOUN
        and is_word(side, at + 2, b"?") and at > 2
    )


cdef bint _negates(
    const PairState *pair, bint of_source, const ConflictRoom *room, Py_ssize_t at
) noexcept nogil:
    """Whether a word negates in its context: no number follows it, as in "No 7", and it is not a
    verb, noun or adjective that the other side paraphrases."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef int32_t partner = room.source.best[at] if of_source else room.target.best[at]
    cdef uint8_t coarse = side.word[at].coarse
    if not side.word[at].negates or _denies_nothing(side, at):
        return False
    if at + 1 < side.n and side.word[at + 1].coarse == COARSE_NUMBER and is_word(side, at, b"no"):
        return False
    if coarse not in (COARSE_VERB, COARSE_NOUN, COARSE_ADJECTIVE) or partner < 0:
        return True
    if other.word[partner].negates and side.word[at].lemma == other.word[partner].lemma:
        return False  # both say so
    return other.word[partner].negates or other.kind[partner] != KIND_CONTENT


cdef void _find_negators(
    const PairState *pair, bint of_source, const ConflictRoom *room, Negators *out
) noexcept nogil:
    """Find the negations of a side, except those with an opposite."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef Py_ssize_t k
    cdef int m
    out.n = 0
    for k in range(side.n):
        if out.n == MAX_FOUND or not _negates(pair, of_source, room, k):
            continue
        for m in range(room.n_clashes):
            if room.clash[m].way == BY_OPPOSITES and k == (
                room.clash[m].source if of_source else room.clash[m].target
            ):
                break
        else:
            out.at[out.n] = <int32_t>k
            out.match[out.n] = FREE
            _find_with(side, <int32_t>k, out.with_[out.n])
            out.n += 1


cdef bint _stand_together(
    const ConflictRoom *room, const int32_t *source, const int32_t *target
) noexcept nogil:
    """Whether words in the scopes of two negations are linked."""
    cdef int k, m
    for k in range(N_WITH):
        for m in range(N_WITH):
            if source[k] >= 0 and meet(room, source[k], target[m]):
                return True
    return False


cdef int32_t _linked_behind(const Partners *own, const int32_t *scope) noexcept nogil:
    """Return the first content word with a partner that a negation denies behind it, or -1."""
    if scope[1] >= 0 and own.best[scope[1]] >= 0:
        return scope[1]
    return scope[4] if scope[4] >= 0 and own.best[scope[4]] >= 0 else -1


cdef bint _denies_elsewhere(
    const Partners *own, const int32_t *scope, const Side *other, int32_t there
) noexcept nogil:
    """Whether the partner of what a negation denies is in another clause than a negation there, or
    before it and a comma: "by tabs, not by spaces"."""
    cdef int32_t denied = _linked_behind(own, scope)
    return denied >= 0 and (
        not _are_of_one_clause(other, own.best[denied], there)
        or (own.best[denied] < there and is_word(other, there - 1, b","))
    )


cdef void _match(
    const PairState *pair, const ConflictRoom *room, Negators *source, Negators *target
) noexcept nogil:
    """Match the negations of both sides, the surest pairs first."""
    cdef int round_, k, m
    for round_ in range(3):
        for k in range(source.n):
            for m in range(target.n):
                if source.match[k] != FREE or target.match[m] != FREE:
                    continue
                if _denies_elsewhere(
                    &room.source, source.with_[k], &pair.target, target.at[m]
                ) or _denies_elsewhere(
                    &room.target, target.with_[m], &pair.source, source.at[k]
                ):
                    continue
                if (
                    (round_ == 2 and is_word(&pair.source, source.at[k], b"without")
                     == is_word(&pair.target, target.at[m], b"without"))
                    or (round_ == 0 and meet(room, source.at[k], target.at[m]))
                    or (round_ == 1 and _stand_together(room, source.with_[k], target.with_[m]))
                ):
                    source.match[k] = m
                    target.match[m] = k


cdef bint _is_denied_there(
    const PairState *pair, bint of_source, const ConflictRoom *room, int32_t there
) noexcept nogil:
    """Whether the other side has a word without a partner of a low quantity (few, rarely), or near a
    token one that denies by its meaning and whose partner does not: forbid, stop, deny beside say."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Partners *partners = &room.target if of_source else &room.source
    cdef const Lexeme *word
    cdef Py_ssize_t k
    cdef int32_t at
    cdef int counts, grade = 0
    for k in range(other.n):
        word, at = other.word[k], partners.best[k]
        if abs(k - there) <= 2 * REACH and (
            word.denies or (at >= 0 and word.negates and other.kind[k] == KIND_CONTENT)
        ):
            if at < 0 or not (
                side.word[at].denies or (side.word[at].negates and side.kind[at] == KIND_CONTENT)
            ):
                return True
        elif at < 0 and not word.negates:
            counts = _grade_on(word, QUANTITY, &grade) or _grade_on(word, FREQUENCY, &grade)
            if counts and grade <= LOW:
                return True
    return False


cdef bint _undoes(
    const PairState *pair, const Negators *negators, int number, bint of_source, ConflictRoom *room
) noexcept nogil:
    """Drop an opposite in the scope of a negation, which undoes it, as of "if" and "unless" in its
    sentence; return whether there was one. What stands before "without" is not denied."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef bint denies_behind = is_word(side, negators.at[number], b"without")
    cdef bint is_undone
    cdef int m
    cdef Py_ssize_t k
    cdef int32_t at
    for k in range(room.n_clashes):
        if room.clash[k].way != BY_OPPOSITES:
            continue
        at = room.clash[k].source if of_source else room.clash[k].target
        is_undone = is_word(side, at, b"if") or is_word(side, at, b"unless")
        for m in range(0 if denies_behind and at < negators.at[number] else N_WITH):
            is_undone |= negators.with_[number][m] == at
        if is_undone:
            remove_clash(room, k)
            return True
    return False


cdef int _keep_odd(const Side *side, const int32_t *by, int n, Clash *found) noexcept nogil:
    """Keep the finds of clauses with an odd number of them, since two negations of a clause cancel;
    return the number kept. `by` holds the negations."""
    cdef int n_kept = 0
    cdef int k, m, n_here
    for k in range(n):
        n_here = 0
        for m in range(n):
            n_here += _are_of_one_clause(side, by[k], by[m])
        if n_here % 2:
            found[n_kept] = found[k]
            n_kept += 1
    return n_kept


cdef int32_t _denied(const Side *side, const Partners *own, const int32_t *scope) noexcept nogil:
    """Return the word with a partner that a negation denies: behind it, or around it where no
    content word is behind it, else the nearest one; or -1, also of "not truncated but refused" where
    only the latter has a partner."""
    cdef int m
    cdef int32_t at = _linked_behind(own, scope)
    if at >= 0 or (scope[1] >= 0 and is_word(side, scope[1] + 1, b"but")):
        return at
    for m in range(1, N_WITH + 1):  # itself last
        at = scope[m % N_WITH]
        if scope[1] < 0 and at >= 0 and own.best[at] >= 0:
            return at
    at = _nearest_linked(side, own, scope[0])
    return -1 if scope[1] >= 0 and (at < scope[0] or is_word(side, scope[0], b"without")) else at


cdef int _add_free(
    const PairState *pair, ConflictRoom *room, const Negators *negators, bint of_source,
    Clash *found,
) noexcept nogil:
    """Write the words that only one side negates; return their number."""
    cdef const Partners *own = &room.source if of_source else &room.target
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef int32_t[<int>MAX_FOUND] by    # the negation of each find
    cdef int n = 0
    cdef int k
    cdef int32_t at, i, j
    for k in range(negators.n):
        if negators.match[k] != FREE or _undoes(pair, negators, k, of_source, room):
            continue
        at = _denied(side, own, negators.with_[k])
        if at < 0 or _is_denied_there(pair, of_source, room, own.best[at]):
            continue
        i = at if of_source else own.best[at]
        j = own.best[at] if of_source else at
        found[n] = Clash(
            kind_of_negation(pair, negators.at[k], i, j, of_source), i, j, BY_NEGATION,
            own.confidence[at] / (1 + max(abs(at - negators.at[k]) - REACH, 0)), 0.0,
            negators.at[k], of_source,
        )
        by[n] = negators.at[k]
        n += 1
    return _keep_odd(side, by, n, found)


cdef int find_negations(
    const PairState *pair, ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most 2 * MAX_FOUND words that only one side negates, with their partners; return their
    number. Drops opposites in the room that a negation undoes."""
    cdef Negators source, target
    cdef int n
    _find_negators(pair, True, room, &source)
    _find_negators(pair, False, room, &target)
    if not source.n and not target.n:
        return 0
    _match(pair, room, &source, &target)
    n = _add_free(pair, room, &source, True, found)
    return n + _add_free(pair, room, &target, False, found + n)
