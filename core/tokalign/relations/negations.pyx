"""Negations: what only one of two sentences denies. Trees are not used, so that models without a
parser find the same.

The scope of a negation (not, no, never, without, fail) is the words next to it in its sentence: the
next two content words, the tokens beside it, and the last content word before it. The negations of
both sides are matched: linked ones, then those with linked words in scope, then any others, those
apart that deny what is behind them alone (without, but not). They are not matched where the partner
of what one denies is in another clause than the other one ("not old but cheap", "not cheap but
old"), or before it and an infinitive ("not empty", "empty to show no name"). An unmatched one counts
if what it denies is linked: a content word behind it or, where there is none, another one in scope,
else the nearest linked word of its clause, behind it; unless the other side has a low quantity (few,
rarely). Two of a clause cancel. In data "false" or "no" denies the name before it. Some deny nothing:
"No, ...", "no doubt", "not only", "may or may not", "isn't it?", "nor" behind another one.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport abs

from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *
from tokalign.relations.qualifiers cimport *

cdef enum:
    N_WITH = 6           # words in the scope of a negation, including itself
    LOW = -2             # a grade of quantity that is like a negation
    FREE = -1            # a negation that is not matched

cdef float LEAST_ALIKE = 0.3  # strength of a denied word and its partner

cdef Letters[4] COMPARING = [b"less", b"more", b"fewer", NULL]
cdef Letters[7] SUBJECTS = [b"no", b"nobody", b"none", b"nothing", b"neither", b"no-one", NULL]
cdef Letters[9] COSTS = [
    b"charge", b"charges", b"cost", b"costs", b"fee", b"fees", b"pay", b"payment", NULL,
]
cdef Letters[6] EVERY = [b"all", b"each", b"every", b"everyone", b"everything", NULL]
cdef Letters[6] AT_NO = [b"time", b"point", b"stage", b"moment", b"place", NULL]
cdef Letters[3] LACKING = [b"less", b"-less", b"-free"]
cdef Letters[3] OUT_OF = [b"out", b"of", NULL]
cdef Letters[3] CLOSED_TO = [b"closed", b"to", NULL]
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
        grade_on(side.word[negator], QUANTITY, &grade)
        or grade_on(side.word[negator], FREQUENCY, &grade)
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


cdef bint _denies_name(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a word denies the name before it and a mark, as data do (waterproof: false), or the
    value behind it: other than 0; not "none other than"."""
    if is_word(side, at, b"other") and is_word(side, at + 1, b"than"):
        return value_at(side, <int32_t>at + 2) != NULL and not (
            at > 0 and side.word[at - 1].negates
        )
    return (
        at > 1 and (is_word(side, at - 1, b":") or is_word(side, at - 1, b"="))
        and (is_word(side, at, b"false") or is_word(side, at, b"no"))
        and (at + 1 >= side.n or side.kind[at + 1] == KIND_MARK)
    )


cdef inline bint _excepts(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether what follows is excepted: all except one, every day but one."""
    return is_any(side, at, EXCEPTING) and (
        not is_word(side, at, b"but") or is_any(side, at - 1, EVERY) or is_any(side, at - 2, EVERY)
    )


cdef bint _parts(const Side *side, Py_ssize_t one, Py_ssize_t other) noexcept nogil:
    """Whether a comma stands between two tokens."""
    cdef Py_ssize_t k
    for k in range(min(one, other), max(one, other)):
        if is_word(side, k, b","):
            return True
    return False


cdef void _find_with(const Side *side, int32_t at, int32_t *out) noexcept nogil:
    """Write the scope of a negation, the nearest words first."""
    cdef int32_t following = near_token(side, at, side.next_content[at])
    out[0], out[1] = at, following
    if _denies_name(side, at):
        out[1] = following if is_word(side, at, b"other") else side.previous_content[at]
        out[2] = out[3] = out[4] = out[5] = -1
        return
    out[2] = at + 1 if at + 1 < side.n and side.kind[at + 1] != KIND_MARK else -1
    out[3] = at - 1 if at > 0 and side.kind[at - 1] != KIND_MARK else -1
    out[4] = near_token(side, at, side.next_content[following]) if following >= 0 else -1
    if out[4] >= 0 and _parts(side, following, out[4]):
        out[4] = -1
    out[5] = near_token(side, at, side.previous_content[at])
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


cdef inline bint _is_free_of(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a word is "free" before "of" or "from" and no value: not free from Monday."""
    return is_word(side, at, b"free") and (
        is_word(side, at + 1, b"of")
        or (is_word(side, at + 1, b"from") and value_at(side, <int32_t>at + 2) == NULL)
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
    if _denies_name(side, at) or _is_free_of(side, at):
        return True
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


cdef bint _denies_behind(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a negation denies nothing of what stands before it: without, free of, with no, at no
    cost, but not, a comma and not."""
    if is_word(side, at, b"no"):
        return is_word(side, at - 1, b"with") or (
            is_word(side, at - 1, b"at") and not is_any(side, at + 1, AT_NO)
        )
    return is_word(side, at, b"without") or _is_free_of(side, at) or (
        is_word(side, at, b"not") and (is_word(side, at - 1, b"but") or is_word(side, at - 1, b","))
    )


cdef bint _stand_together(
    const PairState *pair, const ConflictRoom *room, const int32_t *source, const int32_t *target
) noexcept nogil:
    """Whether words in the scopes of two negations are linked. What stands before one that denies
    nothing there may be denied by the other: not allowed, allowed without consent."""
    cdef bint by_source = _denies_behind(&pair.source, source[0])
    cdef bint by_target = _denies_behind(&pair.target, target[0])
    cdef int k, m
    for k in range(N_WITH):
        if source[k] < 0 or (by_source and not by_target and source[k] < source[0]):
            continue
        for m in range(N_WITH):
            if by_target and not by_source and target[m] < target[0]:
                continue
            if meet(room, source[k], target[m]):
                return True
    return False


cdef int32_t _linked_behind(const Partners *own, const int32_t *scope) noexcept nogil:
    """Return the first content word with a partner that a negation denies behind it, or -1."""
    if scope[1] >= 0 and own.best[scope[1]] >= 0:
        return scope[1]
    return scope[4] if scope[4] >= 0 and own.best[scope[4]] >= 0 else -1


cdef bint _denies_elsewhere(
    const Side *side, const Partners *own, const int32_t *scope, const Side *other,
    const int32_t *other_scope,
) noexcept nogil:
    """Whether the partner of what a negation denies is in another clause than a negation there that
    denies another word, or before it and a comma or an infinitive: "by tabs, not by spaces"."""
    cdef int32_t denied = _linked_behind(own, scope)
    cdef int32_t there = other_scope[0]
    cdef int32_t k
    if denied < 0 or _denies_name(other, there) or (
        other_scope[1] >= 0 and side.word[denied].lemma == other.word[other_scope[1]].lemma
    ):
        return False
    for k in range(own.best[denied] + 1, there):
        if is_word(other, k, b"to") and other.word[k + 1].coarse == COARSE_VERB:
            return True
    return not are_of_one_clause(other, own.best[denied], there) or (
        own.best[denied] < there and is_word(other, there - 1, b",")
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
                    &pair.source, &room.source, source.with_[k], &pair.target, target.with_[m]
                ) or _denies_elsewhere(
                    &pair.target, &room.target, target.with_[m], &pair.source, source.with_[k]
                ):
                    continue
                if (
                    (round_ == 2 and _denies_behind(&pair.source, source.at[k])
                     == _denies_behind(&pair.target, target.at[m])
                     and not _denies_name(&pair.source, source.at[k])
                     and not _denies_name(&pair.target, target.at[m]))
                    or (round_ == 0 and meet(room, source.at[k], target.at[m]))
                    or (round_ == 1 and _stand_together(
                        pair, room, source.with_[k], target.with_[m]
                    ))
                ):
                    source.match[k] = m
                    target.match[m] = k


cdef inline bint _ends_in(const Lexeme *word, Py_ssize_t at, const char *letters) noexcept nogil:
    """Whether these letters are all of a word from a place on."""
    cdef Py_ssize_t k
    for k in range(at, word.lower.n):
        if word.lower.code[k] != <unsigned char>letters[k - at]:
            return False  # also where the letters end
    return letters[word.lower.n - at] == 0


cdef bint _lacks(const Lexeme *word, const Lexeme *thing) noexcept nogil:
    """Whether a word says that there is nothing of a thing: windowless, sugar-free."""
    cdef Py_ssize_t n = 0
    cdef int k
    while n < min(word.lower.n, thing.lower.n) and word.lower.code[n] == thing.lower.code[n]:
        n += 1
    for k in range(3):
        if n > 2 and _ends_in(word, n, LACKING[k]) and (
            n == thing.lower.n or _ends_in(thing, n, b"s") or _ends_in(thing, n, b"es")
        ):
            return True
    return False


cdef bint _is_denied_there(
    const PairState *pair, bint of_source, const ConflictRoom *room, int32_t there,
    const int32_t *scope,
) noexcept nogil:
    """Whether the other side has a word without a partner of a low quantity (few, rarely), "free" for a
    denied cost, a word that ends in "-less" or "-free", "late" for "on time", "unlike" or an exception before what is denied, or near a token
    a word that denies by its meaning and whose partner does not: forbid, stop, deny beside say."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Partners *partners = &room.target if of_source else &room.source
    cdef const Lexeme *word
    cdef Py_ssize_t k
    cdef int32_t at, m
    cdef int counts, grade = 0
    for k in range(other.n):
        word, at = other.word[k], partners.best[k]
        if is_any(other, k, LATE) and (at < 0 or is_word(side, at, b"time")):
            for m in range(side.n - 1):
                if is_word(side, m, b"on") and is_word(side, m + 1, b"time"):
                    return True
        if at < 0 and is_word(other, k, b"free") and is_any(side, scope[1], COSTS):
            return True
        if scope[1] >= 0 and _lacks(word, side.word[scope[1]]):
            return True
        m = other.next_content[k]
        m = partners.best[m] if m >= 0 else -1
        if m >= 0 and (
            (m == scope[5] and is_word(other, k, b"unlike"))
            or (m != scope[1] and _excepts(other, k) and are_of_one_clause(side, scope[0], m))
        ):
            return True  # unlike cats; all but cats
        if abs(k - there) <= 2 * REACH and (
            word.denies or is_pair(other, k, OUT_OF) or (at < 0 and is_word(other, k, b"off"))
            or (is_pair(other, k, CLOSED_TO) and (at < 0 or side.word[at].lemma != word.lemma))
            or (at >= 0 and word.negates and other.kind[k] == KIND_CONTENT)
        ):
            if at < 0 or not (
                side.word[at].denies or (side.word[at].negates and side.kind[at] == KIND_CONTENT)
            ):
                return True
        elif at < 0 and not word.negates:
            counts = grade_on(word, QUANTITY, &grade) or grade_on(word, FREQUENCY, &grade)
            if counts and grade <= LOW:
                return True
    return False


cdef bint _undoes(
    const PairState *pair, const Negators *negators, int number, bint of_source, ConflictRoom *room
) noexcept nogil:
    """Drop an opposite that a negation undoes: in its scope, a preposition of its clause, or "if" and
    "unless" of its sentence; return whether there was one. "Without" denies nothing before it."""
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef bint denies_behind = is_word(side, negators.at[number], b"without"), is_undone
    cdef int m
    cdef Py_ssize_t k
    cdef int32_t at
    for k in range(room.n_clashes):
        if room.clash[k].way != BY_OPPOSITES:
            continue
        at = room.clash[k].source if of_source else room.clash[k].target
        is_undone = is_word(side, at, b"if") or is_word(side, at, b"unless") or (
            at > negators.at[number] and (  # no pets without, not before, not above 25, nobody died
                side.word[at].coarse == COARSE_ADPOSITION or value_at(side, at + 1) != NULL
                or is_any(side, negators.at[number], SUBJECTS)
            ) and are_of_one_clause(side, negators.at[number], at)
        )
        for m in range(0 if denies_behind and at < negators.at[number] else N_WITH):
            is_undone |= negators.with_[number][m] == at
        if is_undone:
            remove_clash(room, k)
            room.is_reworded = True
            return True
    return False


cdef int _keep_odd(const Side *side, const int32_t *by, int n, Clash *found) noexcept nogil:
    """Keep the finds of clauses with an odd number of them, since two negations of a clause cancel;
    return the number kept. `by` holds the negations."""
    cdef int n_kept = 0, k, m, n_here
    for k in range(n):
        n_here = 0
        for m in range(n):
            n_here += are_of_one_clause(side, by[k], by[m])
        if n_here % 2:
            found[n_kept] = found[k]
            n_kept += 1
    return n_kept


cdef int32_t _denied(const Side *side, const Partners *own, const int32_t *scope) noexcept nogil:
    """Return the word with a partner that a negation denies: behind it, or around it where no content
    word is behind it, else the nearest one behind no comma; or -1, also of "not truncated but refused"
    where only the latter has a partner."""
    cdef int m
    cdef int32_t at = _linked_behind(own, scope)
    if at >= 0 or _denies_name(side, scope[0]) or (
        scope[1] >= 0 and is_word(side, scope[1] + 1, b"but")
    ):
        return at
    for m in range(1, N_WITH + 1):  # itself last
        at = scope[m % N_WITH]
        if scope[1] < 0 and at >= 0 and own.best[at] >= 0:
            return at
    at = nearest_linked(side, own, scope[0])
    if _parts(side, scope[0], at) or (
        at < scope[0] and (scope[1] >= 0 or side.word[scope[0]].coarse == COARSE_VERB)
    ):
        return -1  # if not set, it is on; a warning before the dam failed
    return -1 if scope[1] >= 0 and is_word(side, scope[0], b"without") else at


cdef bint _is_told_elsewhere(
    const PairState *pair, bint of_source, const ConflictRoom *room, int32_t negator, int32_t there
) noexcept nogil:
    """Whether the content verb before a token of the other side, or behind it where none is before, has
    its partner in another clause than a negation."""
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef int32_t partner, verb = verb_near(other, there, other.previous_content)
    if verb < 0:
        verb = verb_near(other, there, other.next_content)
    partner = (&room.target if of_source else &room.source).best[verb] if verb >= 0 else -1
    return partner >= 0 and not are_of_one_clause(
        &pair.source if of_source else &pair.target, negator, partner
    )


cdef bint _are_alike(
    const PairState *pair, const Partners *own, bint of_source, int32_t at
) noexcept nogil:
    """Whether a word has a partner that says something like it: not late, on time."""
    cdef Py_ssize_t i = at if of_source else own.best[at]
    cdef Py_ssize_t j = own.best[at] if of_source else at
    return i >= 0 and j >= 0 and pair.strength[i * pair.target.n + j] >= LEAST_ALIKE


cdef int _add_free(
    const PairState *pair, ConflictRoom *room, const Negators *negators, bint of_source,
    Clash *found,
) noexcept nogil:
    """Write the words that only one side negates; return their number."""
    cdef const Partners *own = &room.source if of_source else &room.target
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef int32_t[<int>MAX_FOUND] by    # the negation of each find
    cdef int n = 0, k, is_said
    cdef int32_t at, i, j
    for k in range(negators.n):
        if negators.match[k] != FREE or _undoes(pair, negators, k, of_source, room):
            continue
        at = _denied(side, own, negators.with_[k])
        if at >= 0 and not _are_alike(pair, own, of_source, at):
            i, at = negators.with_[k][1], negators.with_[k][4]  # no longer valid, still valid
            if at < 0 or side.word[i].coarse == COARSE_NOUN or not _are_alike(pair, own, of_source, at):
                continue  # no charge for the service
        is_said = at >= 0 and _is_denied_there(
            pair, of_source, room, own.best[at], negators.with_[k]
        )
        room.is_reworded |= is_said
        if at < 0 or is_said:
            continue
        if negators.with_[k][1] not in (-1, at) and side.word[at].coarse != COARSE_VERB and (
            _is_told_elsewhere(pair, of_source, room, negators.at[k], own.best[at])
        ):
            continue  # it does not run in May, but buses replace it
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


cdef int find_negations(const PairState *pair, ConflictRoom *room, Clash *found) noexcept nogil:
    """Write at most 2 * MAX_FOUND words that only one side negates, with their partners; return their
    number. Drops opposites in the room that a negation undoes."""
    cdef Negators source, target
    cdef int n
    room.is_reworded = False
    _find_negators(pair, True, room, &source)
    _find_negators(pair, False, room, &target)
    if not source.n and not target.n:
        return 0
    _match(pair, room, &source, &target)
    n = _add_free(pair, room, &source, True, found)
    return n + _add_free(pair, room, &target, False, found + n)
