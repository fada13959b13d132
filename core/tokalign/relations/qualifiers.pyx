"""Modals, words of quantity and of condition, and what the other side has there. Trees are not used,
so that models without a parser find the same.

A modal, word of quantity or of condition governs the next content word of its clause that has a
partner, or the last one before it. The other side says it unlike if the partner of what is governed
has another word of the kind near it, or none: "may contain" and "contains", "only guests" and
"guests", "if it rains" and "until it rains". Modals are the words of the scales of obligation and
certainty, words of quantity those of quantity and frequency, and only and even. How often is a value:
once, weekly.
"""

from libc.stdint cimport int32_t, uint32_t
from libc.math cimport fabs
from libc.stdlib cimport abs

from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *

from tokalign.english.annotate.tags_and_relations import TAG_INDEX
from tokalign.english.lexicon.word_lists import scale_names

cdef enum:
    SOME = 1             # a grade of quantity
    PERMITTED = 1        # grades on the scale of obligation
    OBLIGED = 6

cdef int OBLIGATION = scale_names().index("obligation"), CERTAINTY = scale_names().index("certainty")
cdef int QUANTITY = scale_names().index("quantity"), FREQUENCY = scale_names().index("frequency")
cdef int TIMES = scale_names().index("times"), PERIOD = scale_names().index("period")
cdef int GERUND = TAG_INDEX["VBG"], BASE = TAG_INDEX["VB"], PRESENT = TAG_INDEX["VBP"]

cdef Letters[5] RESTRICTING = [b"only", b"solely", b"exclusively", b"even", NULL]
"""Words that say that nothing else is meant, or that even this is."""
cdef Letters[9] CONDITIONS = [
    b"if", b"unless", b"until", b"except", b"provided", b"providing", b"till", b"should", NULL
]
cdef Letters[5] BEING = [b"is", b"are", b"was", b"were", NULL]
cdef Letters[3] SUPPOSING = [b"if", b"when", NULL]
cdef Letters[3] UNLESS_LIKE = [b"unless", b"except", NULL]
cdef Letters[4] EXCEPTING = [b"except", b"excluding", b"but", NULL]
cdef Letters[4] LATE = [b"late", b"delayed", b"overdue", NULL]
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
cdef Letters[4] BARE = [b"will", b"to", b"do", NULL]
cdef Letters[4] ASKING = [b"please", b"always", b"then", NULL]
cdef Letters[4] NOBODY = [b"nothing", b"nobody", b"none", NULL]
cdef Letters[5] NOUNS_TOO = [b"can", b"will", b"must", b"might", NULL]
"""Modals that are nouns behind a word of OWNING: a can of beans."""
cdef Letters[10] OWNING = [
    b"a", b"an", b"the", b"his", b"her", b"its", b"my", b"your", b"their", NULL
]
cdef Letters[9] IDLE = [b"after", b"all", b"above", b"all", b"at", b"all", b"at", b"most", NULL]
"""Pairs of words of which the second counts nothing."""
cdef inline bint _denies(const Side *side, Py_ssize_t at) noexcept nogil:
    return is_word(side, at, b"not") or is_word(side, at, b"n't") or is_word(side, at, b"never")


cdef inline bint _restricts(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether "only" and a preposition stand behind a modal: may leave only after, may only be with."""
    cdef Py_ssize_t k
    cdef bint has_only = False
    for k in range(at + 1, min(at + 1 + REACH, side.n)):
        if has_only and side.word[k].coarse == COARSE_ADPOSITION:
            return True
        has_only |= is_word(side, k, b"only")
    return False


cdef bint are_of_one_clause(const Side *side, int32_t a, int32_t b) noexcept nogil:
    """Whether no sentence ends and no clause begins between two tokens; "but not for all" is none."""
    cdef int32_t k
    for k in range(min(a, b) + 1, max(a, b)):
        if is_any(side, k, PARTING) or (is_any(side, k, JOINING) and is_word(side, k - 1, b",")):
            if k + 2 >= side.n or side.word[k + 2].coarse != COARSE_ADPOSITION or not _denies(side, k + 1):
                return False
    return not are_apart(side, a, b)


cdef int32_t near_token(const Side *side, int32_t at, int32_t other) noexcept nogil:
    """Return another token, or -1 if it is missing or in another clause."""
    return other if other >= 0 and are_of_one_clause(side, at, other) else -1


cdef bint lasts(const Side *side, int32_t at) noexcept nogil:
    """Whether "until" stands behind a word: open until sunset."""
    return is_any(side, at + 1, UNTIL_LIKE) or is_any(side, at + 2, UNTIL_LIKE)


cdef inline bint _may_be_listed(uint32_t letter) noexcept nogil:
    """Whether a word of RESTRICTING, CONDITIONS or HAVING, "but" or "do", begins with a letter."""
    return letter in (
        <uint32_t>c"b", <uint32_t>c"d", <uint32_t>c"e", <uint32_t>c"h", <uint32_t>c"i",
        <uint32_t>c"n", <uint32_t>c"o", <uint32_t>c"p", <uint32_t>c"s", <uint32_t>c"t",
        <uint32_t>c"u",
    )


cdef int grade_on(const Lexeme *word, int scale, int *grade) noexcept nogil:
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
    elif not grade_on(side.word[at], OBLIGATION, grade):
        return False
    if grade[0] == PERMITTED and _restricts(side, at):
        grade[0] = -OBLIGED
    elif _denies(side, at + 1) or _denies(side, at - 1):
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
    if not grade_on(side.word[at], CERTAINTY, grade):
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
    if grade_on(word, PERIOD, &grade):
        if at > 0 and grade_on(side.word[at - 1], TIMES, &grade):
            count = (grade + 2) / 3  # once 1, twice 4, thrice 7
        return count * _per_year(side, at)
    if grade_on(word, TIMES, &grade):
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
    """Whether a word begins a condition: not "if any", "except if", which "except" begins, "unless told
    otherwise", "help provided by Ann"; "should you agree"."""
    cdef Py_ssize_t k
    for k in range(at + 1, at + REACH):
        if is_word(side, k, b"otherwise"):
            return False
    k = at - 1
    if is_word(side, at, b"should"):
        return (
            at + 1 < side.n and side.word[at + 1].coarse == COARSE_PRONOUN
            and not is_word(side, side.n - 1, b"?")
        )
    if side.word[at].first_letter != <uint32_t>c"p" or is_word(side, at + 1, b"that"):
        return not is_word(side, at, b"if") or not (
            is_word(side, at + 1, b"any") or is_word(side, at - 1, b"except")
        )
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
    if grade_on(word, TIMES, &grade) or _rate(side, at) > 0.0:
        return CONFLICT_VALUE
    if value_at(side, at) != NULL or is_pair(side, at - 1, IDLE) or (
        is_any(side, at, NOUNS_TOO) and is_any(side, at - 1, OWNING)
    ) or (is_word(side, at, b"free") and not is_word(side, at + 1, b"to")):
        return NO_KIND  # the month of May; at most; a can; entry is free
    if _modal(side, at, &grade):
        return CONFLICT_MODALITY
    if (grade_on(word, QUANTITY, &grade) or grade_on(word, FREQUENCY, &grade)) and (
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
        if grade_on(word, QUANTITY, &grade):
            return grade
        if grade_on(word, FREQUENCY, &grade):
            return 100 + grade
        return 200 + is_word(side, at, b"even")
    if kind == CONFLICT_VALUE:
        grade_on(word, TIMES, &grade)
        grade_on(word, PERIOD, &grade)
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
    if not _modal(&pair.source, i, &one) or not _modal(&pair.target, j, &other):
        return False
    return one == other or (
        one < 0 and other < 0 and (is_word(&pair.source, i, b"do") or is_word(&pair.target, j, b"do"))
    )


cdef bint say_the_same(const PairState *pair, int32_t i, int32_t j, int kind) noexcept nogil:
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


cdef int32_t verb_near(const Side *side, int32_t at, const int32_t *step) noexcept nogil:
    """Return the first content verb of a word's clause, by the content words before or behind, or -1."""
    cdef int32_t k = step[at]
    while k >= 0 and side.word[k].coarse != COARSE_VERB:
        k = step[k]
    return near_token(side, at, k)


cdef int32_t nearest_linked(const Side *side, const Partners *own, int32_t at) noexcept nogil:
    """Return the nearest content word with a partner in a word's clause, the one behind first, or -1."""
    cdef int32_t k = side.next_content[at]
    while k >= 0 and own.best[k] < 0:
        k = side.next_content[k]
    if near_token(side, at, k) >= 0:
        return k
    k = side.previous_content[at]
    while k >= 0 and own.best[k] < 0:
        k = side.previous_content[k]
    return near_token(side, at, k)


cdef bint _is_noun_there(
    const Side *side, const Partners *own, const Side *other, int32_t at
) noexcept nogil:
    """Whether the first content verb behind a word of condition has a noun or gerund for partner, or no
    verb of the condition has one, and all that is behind a verb has: if you define a value, a value."""
    cdef int32_t k = verb_near(side, at, side.next_content)
    cdef bint has_verb = False, is_linked = False
    if k >= 0 and own.best[k] >= 0:
        k = own.best[k]
        return other.word[k].coarse == COARSE_NOUN or other.word[k].tag == GERUND
    for k in range(at + 1, <int32_t>side.n):
        if side.kind[k] == KIND_MARK or near_token(side, at, k) < 0:
            break
        if side.word[k].coarse == COARSE_VERB:
            if own.best[k] >= 0:
                return False
            has_verb = True
        elif side.kind[k] == KIND_CONTENT:
            if own.best[k] < 0:
                return False
            is_linked = is_linked or has_verb
    return is_linked


cdef bint _opens(const Side *side, int32_t at, const Letters *words) noexcept nogil:
    """Whether one of some words is before a token in its part of the sentence."""
    cdef int32_t k = at - 1
    while k >= 0 and side.kind[k] != KIND_MARK and not (
        is_any(side, k, words) or is_any(side, k, PARTING)
    ):
        k -= 1
    return is_any(side, k, words)


cdef bint _is_undone(
    const PairState *pair, bint of_source, ConflictRoom *room, int32_t governed
) noexcept nogil:
    """Whether what "unless" governs has an opposite for partner, which is dropped, or one that is denied:
    unless supervised, unsupervised."""
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef int32_t there = (&room.source if of_source else &room.target).best[governed]
    cdef Py_ssize_t k
    for k in range(room.n_clashes):
        if room.clash[k].way == BY_OPPOSITES and governed == (
            room.clash[k].source if of_source else room.clash[k].target
        ):
            remove_clash(room, k)
            return True
    return there > 0 and other.word[there - 1].negates


cdef bint _orders(const Side *side, int32_t at) noexcept nogil:
    """Whether a word is the first verb of an order: Take the tablets, Please close the door."""
    return (
        side.word[at].coarse == COARSE_VERB and side.word[at].tag in (BASE, PRESENT)
        and (at == 0 or side.kind[at - 1] == KIND_MARK or is_any(side, at - 1, ASKING))
    )


cdef int find_one_sided(
    const PairState *pair, ConflictRoom *room, bint of_source, Clash *found
) noexcept nogil:
    """Write at most MAX_FOUND words without partners that the other side lacks or says unlike;
    return their number."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Partners *own = &room.source if of_source else &room.target
    cdef int kind, grade, reach, n = 0
    cdef const int32_t *others = room.target.best if of_source else room.source.best
    cdef int32_t at, governed, there, k, m, unlike
    cdef bint has_same, is_only
    for at in range(<int32_t>side.n):
        if n == MAX_FOUND or own.best[at] >= 0:
            continue
        kind = kind_of_word(side, at)
        governed = -1 if kind == NO_KIND else nearest_linked(side, own, at)
        if governed < 0:
            continue
        there = own.best[governed]
        unlike = -1
        has_same = False
        is_only = is_word(side, at, b"only")
        reach = 2 * REACH if kind == CONFLICT_CONDITION else REACH
        for k in range(max(there - reach, 0), min(there + reach + 1, <int32_t>other.n)):
            m = others[k]
            if other.word[k].negates and (  # forbidden, do not; only with, not without
                side.word[at].denies or (is_only and (m < 0 or not side.word[m].negates))
            ):
                has_same = True
            if kind_of_word(other, k) != kind:
                continue
            if say_the_same(pair, at if of_source else k, k if of_source else at, kind):
                has_same = True
            elif unlike < 0 or abs(k - there) < abs(unlike - there):
                unlike = k
        if has_same or (unlike < 0 and is_any(side, at, BARE)):
            continue  # a tense alone; the aim is to win; do not run, whose negation counts
        if unlike < 0 and kind == CONFLICT_MODALITY and _orders(other, there) and (
            _obligation(side, at, &grade) and grade > PERMITTED
        ):
            continue  # you should take, take
        if unlike < 0 and kind == CONFLICT_CONDITION and (
            is_any(side, at, UNTIL_LIKE)  # how long may be left out
            or (is_any(side, at, IF_LIKE) and (
                _is_noun_there(side, own, other, at) or _opens(other, there, SUPPOSING)
            ))
            or (is_any(side, at, UNLESS_LIKE) and _is_undone(pair, of_source, room, governed))
        ):
            continue  # if the seal is broken, breaking the seal
        if unlike < 0 and kind == CONFLICT_MODALITY and _opens(other, there, SUPPOSING):
            continue  # it can fail; if it fails
        k = there if unlike < 0 else unlike
        found[n] = Clash(
            kind, at if of_source else k, k if of_source else at,
            BY_ONE_SIDE if unlike < 0 else BY_SCALES,
            own.confidence[governed] / (1 + max(abs(governed - at) - REACH, 0)), 0.0, -1, False,
        )
        n += 1
    return n
