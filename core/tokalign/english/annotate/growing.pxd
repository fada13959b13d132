# Blocks of memory that grow to what is wanted of them.

from libc.stdlib cimport realloc

cdef inline Py_ssize_t more_room(
    Py_ssize_t room, Py_ssize_t wanted, Py_ssize_t least
) noexcept nogil:
    # Return room for what is wanted; it at least doubles, so that growing costs little in all.
    return max(2 * room, wanted, least)

cdef inline bint grow(void **block, Py_ssize_t room, size_t item) noexcept nogil:
    # Give a block room for so many items; return whether there was memory, else it is as it was.
    cdef void *grown = realloc(block[0], room * item)
    if grown == NULL:
        return False
    block[0] = grown
    return True
