# Where the features of one row go; kernels fill it through the functions of _emit.pxd.

from libc.stdint cimport int32_t

from tokalign.features._templates cimport ROW_CAPACITY, Template

cdef extern from "Python.h":
    void Py_FatalError(const char *message) noexcept nogil

cdef struct Sink:
    # `base` is indexed by template; -1 switches one off.
    int n
    int32_t slot[ROW_CAPACITY]
    float value[ROW_CAPACITY]
    const int32_t *base

cdef inline void emit(Sink *sink, Template template, int32_t offset, float value) noexcept nogil:
    # Add one feature; `offset` counts within the template.
    cdef int32_t base = sink.base[<int>template]
    if base >= 0:
        # There is room for what every template may have at most: only a wrong table gets here.
        if sink.n == ROW_CAPACITY:
            Py_FatalError("a feature template has more features in a row than its `most` says")
        sink.slot[sink.n] = base + offset
        sink.value[sink.n] = value
        sink.n += 1
