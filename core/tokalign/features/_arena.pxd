# Many arrays in one block of memory: carve once to learn the size, and again to hand them out.

cdef enum:
    ALIGNMENT = 16       # malloc's, enough for every type

cdef struct Arena:
    char *memory             # NULL while the size is being learnt
    size_t n_bytes           # taken so far

cdef inline void *take(Arena *arena, size_t n_bytes) noexcept nogil:
    # Return the next n_bytes, aligned; NULL while the size is being learnt.
    cdef void *taken = NULL if arena.memory == NULL else arena.memory + arena.n_bytes
    arena.n_bytes += (n_bytes + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    return taken
