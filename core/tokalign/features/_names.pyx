"""Completion of names: "Abraham" belongs to "Lincoln" where both sentences say "Lincoln".

Annotators link a name with every word of its longer form, although one of them alone is repeated.
Such a word stands in the run of names around the repeated one, nowhere in the other sentence, and
is no title.
"""

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *

# Larger than an indicator's 1, so that the L2 penalty lets few, but clear, examples count.
cdef float NAME_VALUE = 10.0


cdef inline bint _is_name(const Side *side, Py_ssize_t k) noexcept nogil:
    return 0 <= k < side.n and side.word[k].coarse == COARSE_NAME and (
        side.word[k].case_ == CASE_CAPITALISED or side.word[k].case_ == CASE_UPPER
    )


cdef inline Py_ssize_t _only_place(const Side *side, int32_t lower_form) noexcept nogil:
    """Return where a word stands, case ignored; -1 if nowhere, -2 if more than once."""
    cdef Py_ssize_t k
    cdef Py_ssize_t place = -1
    for k in range(side.n):
        if side.word[k].lower_form == lower_form:
            if place >= 0:
                return -2
            place = k
    return place


cdef void _complete(PairState *pair, bint source_is_longer) noexcept nogil:
    """Mark the words of one side that complete a name of the other."""
    cdef Side *longer = &pair.source if source_is_longer else &pair.target
    cdef Side *shorter = &pair.target if source_is_longer else &pair.source
    cdef Py_ssize_t at, anchor, k, cell, step
    cdef int form
    cdef int32_t offset
    for at in range(shorter.n):
        if not _is_name(shorter, at):
            continue
        anchor = _only_place(longer, shorter.word[at].lower_form)
        if not _is_name(longer, anchor):
            continue
        if _only_place(shorter, shorter.word[at].lower_form) != at:
            continue
        form = SHORT_NAME_SHORT_FORM_ALONE
        if _is_name(shorter, at - 1) or _is_name(shorter, at + 1):
            form = SHORT_NAME_SHORT_FORM_IN_NAME
        for step in range(-1, 2, 2):
            offset = offset_name_part(
                NAME_SOURCE_LONGER if source_is_longer else NAME_TARGET_LONGER,
                SIDE_LEFT if step < 0 else SIDE_RIGHT,
                form,
            )
            k = anchor + step
            while (
                _is_name(longer, k)
                and not longer.word[k].is_title
                and _only_place(shorter, longer.word[k].lower_form) == -1
            ):
                cell = k * pair.target.n + at if source_is_longer else at * pair.target.n + k
                pair.name_part[cell] = <uint8_t>(1 + offset)
                k += step


cdef void mark_names(PairState *pair) noexcept nogil:
    """Fill `name_part` of every cell."""
    cdef Py_ssize_t cell
    for cell in range(pair.source.n * pair.target.n):
        pair.name_part[cell] = 0
    _complete(pair, True)
    _complete(pair, False)


cdef void name_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the name feature of one cell that has a name part."""
    emit(sink, NAME_PART, pair.name_part[i * pair.target.n + j] - 1, NAME_VALUE)
