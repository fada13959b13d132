cdef change_of(
    kind, source, target, tuple before, tuple after, tuple rows, tuple columns, conflicts
)
