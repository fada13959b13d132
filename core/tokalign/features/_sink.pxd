# Sinks for the features of one row; kernels fill either kind through the functions of _emit.pxd.

from libc.stdint cimport int32_t

from tokalign.features._templates cimport ROW_CAPACITY, Template

cdef extern from "Python.h":
    void Py_FatalError(const char *message) noexcept nogil

cdef struct Sink:
    # The features themselves. `base` is indexed by template; -1 switches one off.
    int n
    int32_t slot[ROW_CAPACITY]
    float value[ROW_CAPACITY]
    const int32_t *base

cdef extern from "features/_weighing.h" nogil:
    ctypedef struct TwoSums "two_sums":
        pass
    void add_weight(TwoSums *sums, const float *weight)
    void add_weighted(TwoSums *sums, const float *weight, float value)

cdef struct Score:
    # The sums of their weights for s2t and t2s, without a row of features.
    TwoSums sums
    const float *weights         # [n_slots, 2]
    const int32_t *base

ctypedef fused AnySink:
    # Kernels are compiled for each.
    Sink
    Score

cdef inline void emit(AnySink *sink, Template template, int32_t offset, float value) noexcept nogil:
    # Add one feature; `offset` counts within the template.
    cdef int32_t base = sink.base[<int>template]
    if base >= 0:
        if AnySink is Score:
            # Most values are a constant 1.
            if value == 1.0:
                add_weight(&sink.sums, sink.weights + 2 * <Py_ssize_t>(base + offset))
                return
            add_weighted(&sink.sums, sink.weights + 2 * <Py_ssize_t>(base + offset), value)
        else:
            # There is room for every template's most features, so only a wrong table gets here.
            if sink.n == ROW_CAPACITY:
                Py_FatalError("a feature template has more features in a row than its `most` says")
            sink.slot[sink.n] = base + offset
            sink.value[sink.n] = value
            sink.n += 1
