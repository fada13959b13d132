"""Places where two sentences may contradict each other: words, values, codes and roles.

Two words are in the same place if they are linked, or if both are unaligned and lie between the same
links, beside the same link, or anywhere, which counts less. They may conflict if they are opposites,
different values, codes or names, or words of one scale (features._word_pairs).

Roles say who does what to whom, and what is compared with what. Trees are not used, so that models
without a parser find the same. A word that is before a linked word on one side and after it on the
other has crossed it. The roles of a verb are exchanged if both words with a role have crossed the
verb, or if neither has and only one side is passive. Names, nouns and pronouns have a role if they
have no preposition, or by, to, from or than. The sides of a comparison are exchanged if they have
crossed the word "than"; for other words, such as before and after, the nearest content words count.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport abs
from libc.string cimport memcmp

from tokalign.english.lexicon.lexical_tables cimport COHYPONYM
from tokalign.english.values.kinds cimport *
from tokalign.english.values.value_finding cimport are_equal, contradict, of_one_dimension
from tokalign.english.values.value_structs cimport Found
from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *
from tokalign.relations.qualifiers cimport NO_KIND, agree, kind_of_word, say_the_same

from tokalign.english.annotate.tags_and_relations import TAG_INDEX
from tokalign.english.lexicon.word_lists import function_words

cdef enum:
    N_NUMERAL = 5        # letters of a Roman numeral, at most
    VERB_REACH = 8       # tokens searched around a verb
    THAN_REACH = 6
    OTHER_REACH = 4
    N_ROLES = 2          # that have to be exchanged
    BE_REACH = 4         # tokens before a participle

cdef enum:
    # How a function word marks roles.
    IS_BE = 1
    NAMES_ROLE = 2       # a preposition before a word with a role
    IS_BY = 3            # also marks a role
    IS_THAN = 4
    IS_HAVE = 5
    N_WORDS = 1024       # most words in the list of function words

cdef float BETWEEN = 0.8        # certainty of the place of words between the same links
cdef float BESIDE = 0.6         # of words beside one link
cdef float APART = 0.3          # of words without partners anywhere
cdef float LEAST_COSINE = 0.35  # of the vectors of nouns of one class

cdef int PARTICIPLE = TAG_INDEX["VBN"]
cdef int COMPARATIVE = TAG_INDEX["JJR"]
cdef int PAST = TAG_INDEX["VBD"]  # often confused with participles

cdef Letters[4] ONE = [b"a", b"an", b"one", NULL]
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

cdef inline bint _says(const Lexeme *word, int what) noexcept nogil:
    return 0 <= word.function_word < N_WORDS and SAYS[word.function_word] == what


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
    if place >= BETWEEN:
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
    if _has_twin(pair, i, j) or not _may_contrast(pair, room, i, j, out.place):
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
        out.kind, out.way = kind_of_word(&pair.source, <int32_t>i), BY_SCALES
        if out.kind < 0 or out.kind != kind_of_word(&pair.target, <int32_t>j):
            out.kind = CONFLICT_OPPOSITE
        elif agree(pair, <int32_t>i, <int32_t>j, out.kind) == 1:
            return False  # must not, may not
    elif contrast & CONTRAST_NAMES and not pair.acronym[cell] and not pair.rule[cell]:
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


cdef void compare_places(
    const PairState *pair, ConflictRoom *room, bint are_apart
) noexcept nogil:
    """Add the conflicts of words in the same place, only the surest of each source word; or those
    of words without partners that are in no conflict yet."""
    cdef Py_ssize_t i, j
    cdef Py_ssize_t n_before
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


cdef bint _is_compound(const Side *side, const Found *value) noexcept nogil:
    """Whether a quantity goes on beside it, or beyond a mark or "and": 5 feet and 10 inches."""
    cdef const Found *other
    cdef int k
    cdef int32_t gap, end
    for k in range(side.n_values):
        other = &side.values[k]
        gap, end = max(other.start - value.end, value.start - other.end), min(value.end, other.end)
        if other.rank == 0 and (
            gap == 0
            or (gap == 1 and (side.kind[end] == KIND_MARK or is_word(side, end, b"and")))
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
    """Return the certainty that two values are in the same place; write the first words of one
    role that differ."""
    cdef float share, best = 0.0
    cdef int k, m
    cdef int32_t i, j
    cdef bint differs, has_unlike = False, is_met = False
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
            if share > 0.0 and not has_unlike and (differs or not is_met):
                source[0], target[0] = i, j
                has_unlike, is_met = differs, True
    return best


cdef void compare_values(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Add the values that differ in the same place; a value that the other side has as well is in no
    conflict."""
    cdef const Found *a, *b
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
                and is_sign(&pair.source, a.start - 1) != is_sign(&pair.target, b.start - 1)
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


cdef void compare_units(
    const PairState *pair, bint of_source, ConflictRoom *room
) noexcept nogil:
    """Add the units of one side that are other words behind the same number: 5%, 5 points."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Found *a, *b
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
    """Whether a token is a code: letters or hyphens and digits, a name with _ in it, or behind @. A
    web address is none: pages move, and what they say stays."""
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
        elif text.code[k] not in (<uint32_t>c".", <uint32_t>c","):
            has_other = True
    if at > 0 and side.word[at - 1].lower.n == 1 and side.word[at - 1].lower.code[0] == <uint32_t>c"@":
        return True
    return has_name or (has_digit and has_other)


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
            if _has_twin(pair, i, j) or _are_one_quoted(pair.source.word[i], pair.target.word[j]):
                continue
            share = _same_place(pair, room, i, j)
            if share <= 0.0 and room.source.best[i] < 0 and room.target.best[j] < 0:
                share = APART
            if share > 0.0:
                _add_value(
                    room, CONFLICT_VALUE if is_numeral or has_value else CONFLICT_CODE, i, j,
                    BY_CODES, share,
                )


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
    """Whether a noun, name or pronoun may have a role of a verb, by the word before its phrase."""
    cdef int32_t k = preposition(side, at)
    if side.word[at].coarse not in (COARSE_NOUN, COARSE_NAME, COARSE_PRONOUN):
        return False
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
    cdef int32_t k, m
    cdef int32_t start, stop, other_start, other_stop
    found.crossed = found.straight = 0
    _reach(&pair.source, i, reach, &start, &stop)
    _reach(&pair.target, j, reach, &other_start, &other_stop)
    for k in range(start, stop):
        m = counterpart(pair, room, k)
        if k == i or m == j or m < 0 or m < other_start or m >= other_stop:
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
    cdef int is_turned
    for i in range(<int32_t>pair.source.n):
        j = room.source.best[i]
        if n == MAX_FOUND or j < 0 or not are_verbs(pair, i, j):
            continue
        if pair.lexical_class[i * pair.target.n + j] > CLASS_DERIVED:
            continue  # another verb may assign roles differently
        if pair.source.kind[i] != KIND_CONTENT:
            continue
        if (
            pair.lexical_class[i * pair.target.n + j] > CLASS_LEMMA
            and kind_of_word(&pair.source, i) == CONFLICT_MODALITY
        ):
            continue  # is not required to, need not
        around = _crossings(pair, room, i, j, VERB_REACH)
        is_turned = has_other_voice(pair, i, j)
        if (
            (around.crossed >= N_ROLES and not around.straight and is_turned == 0)
            or (around.straight >= N_ROLES and not around.crossed and is_turned > 0)
        ):
            found[n] = Clash(CONFLICT_ROLES, i, j, BY_VERB, room.source.confidence[i], 0.0, -1, False)
            n += 1
    return n


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
        if kind == NO_KIND:
            kind = other if other == CONFLICT_QUANTITY and is_any(&pair.source, i, ONE) else NO_KIND
        elif other == NO_KIND:
            kind = kind if kind == CONFLICT_QUANTITY and is_any(&pair.target, j, ONE) else NO_KIND
        elif kind != other or say_the_same(pair, i, j, kind):
            kind = NO_KIND
        if kind != NO_KIND:
            found[n] = Clash(kind, i, j, BY_SCALES, room.source.confidence[i], 0.0, -1, False)
            n += 1
    return n
