"""Negations that only one side has.

The scope of a negation (not, no, never, without, fail) is the words next to it in its sentence: the
next two content words, the tokens after and before it, and the last content word before it. Trees
are not used, so that models without a parser find the same. The negations of both sides are
matched: first linked ones, then those with linked words in scope, then any others, in linked
sentences if there are several. An unmatched negation counts if what it denies is linked: one of the
content words behind it or, where there are none, another word in its scope; unless the other side
has a low quantity (few, rarely). Some negations deny nothing: "No, ...", "no doubt", "no later
than", "not only", "nothing but", "isn't it?", and "nor" behind another one.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport abs

from tokalign.features.pair cimport *
from tokalign.relations.clashes cimport *
from tokalign.relations.clauses cimport (
    are_apart,
    ends_sentence,
    kind_of_negation,
    nearest_linked,
)

from tokalign.english.lexicon.word_lists import scale_names

cdef enum:
    MAX_NEGATORS = MAX_FOUND
    N_WITH = 6               # words in the scope of a negation, including itself
    LOW = -2                 # a grade of quantity that is like a negation
    FREE = -1                # a negation that is not matched
    NEAR = 4                 # tokens to what it denies

cdef int QUANTITY = scale_names().index("quantity")
cdef int FREQUENCY = scale_names().index("frequency")

cdef struct Negators:
    int n
    int32_t[MAX_NEGATORS] at
    int32_t[MAX_NEGATORS] match          # of the other side, or FREE
    int32_t[MAX_NEGATORS][N_WITH] with_      # the scope of each; -1 for none


cdef inline int32_t _near(const Side *side, int32_t at, int32_t other) noexcept nogil:
    """Return another token, or -1 if it is missing or in another sentence."""
    return -1 if other < 0 or are_apart(side, at, other) else other


cdef void _find_with(const Side *side, int32_t at, int32_t *out) noexcept nogil:
    """Write the scope of a negation, the nearest words first."""
    cdef int32_t following = _near(side, at, side.next_content[at])
    out[0] = at
    out[1] = following
    out[2] = at + 1 if at + 1 < side.n and side.kind[at + 1] != KIND_MARK else -1
    out[3] = at - 1 if at > 0 and side.kind[at - 1] != KIND_MARK else -1
    out[4] = _near(side, at, side.next_content[following]) if following >= 0 else -1
    out[5] = _near(side, at, side.previous_content[at])


cdef bint _denies_nothing(const Side *side, Py_ssize_t at) noexcept nogil:
    """Whether a negation is an answer's "no", part of an idiom or a tag, or joined to another."""
    cdef Py_ssize_t k
    if is_word(side, at, b"no"):
        if at + 1 < side.n and side.kind[at + 1] == KIND_MARK:
            return at == 0 or ends_sentence(side, at - 1)
        return (
            is_word(side, at + 2, b"but") or is_word(side, at + 2, b"than")
            or is_word(side, at + 1, b"doubt") or is_word(side, at + 1, b"wonder")
            or is_word(side, at + 1, b"question") or is_word(side, at + 1, b"matter")
        )
    if is_word(side, at, b"not") and (
        is_word(side, at + 1, b"only") or is_word(side, at + 1, b"just")
        or is_word(side, at + 1, b"merely") or is_word(side, at + 1, b"least")
    ):
        return True
    if is_word(side, at, b"nothing") or is_word(side, at, b"none"):
        return is_word(side, at + 1, b"but") or is_word(side, at + 1, b"other")
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
    if at + 1 < side.n and side.word[at + 1].coarse == COARSE_NUMBER:
        return False
    if coarse not in (COARSE_VERB, COARSE_NOUN, COARSE_ADJECTIVE) or partner < 0:
        return True
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
        if out.n == MAX_NEGATORS or not _negates(pair, of_source, room, k):
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


cdef bint _are_linked(const ConflictRoom *room, int32_t i, int32_t j) noexcept nogil:
    return i >= 0 and j >= 0 and (room.source.best[i] == j or room.target.best[j] == i)


cdef bint _stand_together(
    const ConflictRoom *room, const int32_t *source, const int32_t *target
) noexcept nogil:
    """Whether words in the scopes of two negations are linked."""
    cdef int k, m
    for k in range(N_WITH):
        for m in range(N_WITH):
            if _are_linked(room, source[k], target[m]):
                return True
    return False


cdef bint _is_low(const Lexeme *word) noexcept nogil:
    """Whether a word, such as few or rarely, is a low quantity."""
    cdef int k
    for k in range(word.n_scales):
        if (word.scale[k] == QUANTITY or word.scale[k] == FREQUENCY) and word.grade[k] <= LOW:
            return True
    return False


cdef bint _are_of_linked_sentences(
    const PairState *pair, const ConflictRoom *room, int32_t i, int32_t j
) noexcept nogil:
    """Whether content words of two words' sentences are linked, or both sides are one sentence."""
    cdef Py_ssize_t k, m
    cdef bint is_one = not (
        are_apart(&pair.source, 0, <int32_t>pair.source.n - 1)
        or are_apart(&pair.target, 0, <int32_t>pair.target.n - 1)
    )
    if is_one:
        return True
    for k in range(pair.source.n):
        if pair.source.kind[k] != KIND_CONTENT or are_apart(&pair.source, i, <int32_t>k):
            continue
        for m in range(pair.target.n):
            if _are_linked(room, <int32_t>k, <int32_t>m) and not are_apart(
                &pair.target, j, <int32_t>m
            ):
                return True
    return False


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
                if (
                    (
                        round_ == 2
                        and _are_of_linked_sentences(pair, room, source.at[k], target.at[m])
                    )
                    or (round_ == 0 and _are_linked(room, source.at[k], target.at[m]))
                    or (round_ == 1 and _stand_together(room, source.with_[k], target.with_[m]))
                ):
                    source.match[k] = m
                    target.match[m] = k


cdef bint _is_low_there(const Side *other, const Partners *partners) noexcept nogil:
    """Whether a side has a word of a low quantity that is not a negation and has no equal."""
    cdef Py_ssize_t k
    for k in range(other.n):
        if not other.word[k].negates and _is_low(other.word[k]) and partners.best[k] < 0:
            return True
    return False


cdef void _remove(ConflictRoom *room, Py_ssize_t number) noexcept nogil:
    cdef Py_ssize_t k
    room.n_clashes -= 1
    for k in range(number, room.n_clashes):
        room.clash[k] = room.clash[k + 1]


cdef bint _is_condition(const Side *side, int32_t at) noexcept nogil:
    return is_word(side, at, b"if") or is_word(side, at, b"unless")


cdef bint _undoes(
    const PairState *pair, const Negators *negators, int number, bint of_source, ConflictRoom *room
) noexcept nogil:
    """Drop an opposite in the scope of a negation, which undoes it, as of "if" and "unless" in its
    sentence; return whether there was one."""
    cdef int m
    cdef Py_ssize_t k
    cdef int32_t at
    for k in range(room.n_clashes):
        if room.clash[k].way != BY_OPPOSITES:
            continue
        at = room.clash[k].source if of_source else room.clash[k].target
        if _is_condition(&pair.source if of_source else &pair.target, at):
            _remove(room, k)
            return True
        for m in range(N_WITH):
            if negators.with_[number][m] == at:
                _remove(room, k)
                return True
    return False


cdef int _keep_odd(const Side *side, const int32_t *by, int n, Clash *found) noexcept nogil:
    """Keep the finds of sentences with an odd number of them, since two negations of a sentence
    cancel; return the number kept. `by` holds the negations."""
    cdef int n_kept = 0
    cdef int k, m, n_here
    for k in range(n):
        n_here = 0
        for m in range(n):
            n_here += not are_apart(side, by[k], by[m])
        if n_here % 2:
            found[n_kept] = found[k]
            n_kept += 1
    return n_kept


cdef int32_t _denied(const Side *side, const Partners *own, const int32_t *scope) noexcept nogil:
    """Return the word with a partner that a negation denies: behind it, or around it where no
    content word is behind it, else the nearest one; or -1."""
    cdef int m
    cdef int32_t at
    for m in range(1, N_WITH + 1):  # itself last
        at = scope[m % N_WITH]
        if (m in (1, 4) or scope[1] < 0) and at >= 0 and own.best[at] >= 0:
            return at
    return nearest_linked(side, own, scope[0])


cdef int _add_free(
    const PairState *pair, ConflictRoom *room, const Negators *negators, bint of_source,
    Clash *found,
) noexcept nogil:
    """Write the words that only one side negates; return their number."""
    cdef const Partners *own = &room.source if of_source else &room.target
    cdef const Side *other = &pair.target if of_source else &pair.source
    cdef const Partners *others = &room.target if of_source else &room.source
    cdef const Side *side = &pair.source if of_source else &pair.target
    cdef int32_t[MAX_NEGATORS] by    # the negation of each find
    cdef int n = 0
    cdef int k
    cdef int32_t at, i, j
    for k in range(negators.n):
        if negators.match[k] != FREE or _is_low_there(other, others):
            continue
        if _undoes(pair, negators, k, of_source, room):
            continue
        at = _denied(side, own, negators.with_[k])
        if at < 0:
            continue
        i = at if of_source else own.best[at]
        j = own.best[at] if of_source else at
        found[n] = Clash(
            kind_of_negation(pair, negators.at[k], i, j, of_source), i, j, BY_NEGATION,
            own.confidence[at] / (1 + max(abs(at - negators.at[k]) - NEAR, 0)), 0.0,
            negators.at[k], of_source,
        )
        by[n] = negators.at[k]
        n += 1
    return _keep_odd(side, by, n, found)


cdef void _undo_pairs(const PairState *pair, ConflictRoom *room) noexcept nogil:
    """Drop two opposites where one of them negates: no lights on, all lights off."""
    cdef Py_ssize_t k, m
    cdef const Clash *clash
    for k in range(room.n_clashes):
        clash = &room.clash[k]
        if clash.way != BY_OPPOSITES or not (
            pair.source.word[clash.source].negates or pair.target.word[clash.target].negates
        ):
            continue
        for m in range(room.n_clashes):
            if m != k and room.clash[m].way == BY_OPPOSITES and not (
                are_apart(&pair.source, clash.source, room.clash[m].source)
                and are_apart(&pair.target, clash.target, room.clash[m].target)
            ):
                _remove(room, max(k, m))
                _remove(room, min(k, m))
                return


cdef int find_negations(
    const PairState *pair, ConflictRoom *room, Clash *found
) noexcept nogil:
    """Write at most 2 * MAX_FOUND words that only one side negates, with their partners; return
    their number. Drops opposites in the room that a negation undoes."""
    cdef Negators source, target
    cdef int n
    _undo_pairs(pair, room)
    _find_negators(pair, True, room, &source)
    _find_negators(pair, False, room, &target)
    if not source.n and not target.n:
        return 0
    _match(pair, room, &source, &target)
    n = _add_free(pair, room, &source, True, found)
    return n + _add_free(pair, room, &target, False, found + n)
