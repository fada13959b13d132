"""Relations of links: links that share tokens are one unit, and have one relation."""

from libc.stdint cimport int32_t
from libc.string cimport memcpy

from tokalign.features.pair cimport CLASS_LEMMA, PairState
from tokalign.relations.clashes cimport LinkView
from tokalign.relations.inputs cimport N_UNIT_INPUTS, UnitRoom, unit_inputs
from tokalign.relations.model cimport N_RELATIONS, RelationModel
from tokalign.english.values.kinds cimport RELATION_DIFFERENT


cdef void _collect(
    const LinkView *links, Py_ssize_t first, const PairState *pair, const UnitRoom *room,
    int *n_source, int *n_target,
) noexcept nogil:
    """Write the tokens that a link's unit holds, in rising order."""
    cdef Py_ssize_t k
    cdef bint grows = True
    for k in range(pair.source.n):
        room.source_unit[k] = 0
    for k in range(pair.target.n):
        room.target_unit[k] = 0
    room.source_unit[links.source[first]] = 1
    while grows:
        grows = False
        for k in range(links.n):
            if room.source_unit[links.source[k]] != room.target_unit[links.target[k]]:
                room.source_unit[links.source[k]] = room.target_unit[links.target[k]] = 1
                grows = True
    n_source[0] = n_target[0] = 0
    for k in range(pair.source.n):
        if room.source_unit[k]:
            room.source_unit[n_source[0]] = <int32_t>k
            n_source[0] += 1
    for k in range(pair.target.n):
        if room.target_unit[k]:
            room.target_unit[n_target[0]] = <int32_t>k
            n_target[0] += 1


cdef bint _is_single(const LinkView *links, Py_ssize_t number) noexcept nogil:
    """Whether a link shares no token with another; links are sorted by source, then target."""
    cdef Py_ssize_t k
    for k in range(links.n):
        if k != number and (
            links.source[k] == links.source[number] or links.target[k] == links.target[number]
        ):
            return False
    return True


cdef bint _is_plain(const PairState *pair, const LinkView *links, Py_ssize_t number) noexcept nogil:
    """Whether a link joins two words of one form or lemma, and shares no token with another."""
    cdef Py_ssize_t cell = links.source[number] * pair.target.n + links.target[number]
    return (
        pair.lexical_class[cell] <= CLASS_LEMMA and pair.agreement[cell] != RELATION_DIFFERENT
        and _is_single(links, number)
    )


cdef Py_ssize_t _first_of_unit(
    const LinkView *links, Py_ssize_t number, const UnitRoom *room
) noexcept nogil:
    """Return the first link of the unit that was collected for a link."""
    cdef Py_ssize_t k
    for k in range(number + 1):
        if links.source[k] == room.source_unit[0]:
            return k
    return number


cdef void relate_links(
    const PairState *pair, const UnitRoom *room, RelationModel model, const LinkView *links,
    float *probabilities,
) noexcept nogil:
    """Write the probability of each kind of relation of every link, [links.n, N_RELATIONS]."""
    cdef float[<int>N_UNIT_INPUTS] inputs
    cdef Py_ssize_t k, first
    cdef int n_source, n_target
    for k in range(links.n):
        if _is_plain(pair, links, k):
            memcpy(probabilities + k * N_RELATIONS, model.identical, sizeof(model.identical))
            continue
        _collect(links, k, pair, room, &n_source, &n_target)
        first = _first_of_unit(links, k, room)
        if first < k:  # the unit has been seen
            memcpy(
                probabilities + k * N_RELATIONS, probabilities + first * N_RELATIONS,
                sizeof(model.identical),
            )
            continue
        unit_inputs(
            pair, room, room.source_unit, n_source, room.target_unit, n_target, inputs
        )
        model.relate(inputs, probabilities + k * N_RELATIONS)
