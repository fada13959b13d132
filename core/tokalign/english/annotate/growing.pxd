# Blocks of memory that grow.

from libc.stdlib cimport realloc

cdef inline Py_ssize_t more_room(
    Py_ssize_t room, Py_ssize_t wanted, Py_ssize_t least
) noexcept nogil:
    # Return the new capacity; it at least doubles, so that growing costs little in all.
    return max(2 * room, wanted, least)

cdef inline bint grow(void **block, Py_ssize_t room, size_t item) noexcept nogil:
    # Give a block room for so many items; return whether there was memory, else the block is
    # unchanged.
    cdef void *grown = realloc(block[0], room * item)
    if grown == NULL:
        return False
    block[0] = grown
    return True

cdef inline bint has_room(
    void **block, Py_ssize_t *room, Py_ssize_t wanted, Py_ssize_t least, size_t item
) noexcept nogil:
    # Make room for so many items where it lacks; return whether there was memory.
    cdef Py_ssize_t more = more_room(room[0], wanted, least)
    if wanted <= room[0]:
        return True
    if not grow(block, more, item):
        return False
    room[0] = more
    return True
