from libc.stdint cimport uint8_t

from tokalign.english.values.value_structs cimport Found

cdef void agree(
    const Found *source,    # [n_source_values]
    int n_source_values,
    const Found *target,    # [n_target_values]
    int n_target_values,
    Py_ssize_t n_target,    # tokens of the target
    uint8_t *cells,         # [n_source, n_target] zeros on entry; RELATION_... is written
) noexcept nogil

cdef bint are_equal(const Found *a, const Found *b) noexcept nogil

cdef bint contradict(const Found *a, const Found *b) noexcept nogil

cdef bint of_one_dimension(const Found *a, const Found *b) noexcept nogil
