from libc.stdint cimport int32_t, uint8_t

from tokalign.edits.segments cimport EditGrid, Stretch4, WordFacts

cdef struct EditRun:
    # An edit before its change is known.
    int kind
    Stretch4 at

cdef class EditPair:
    cdef readonly object source, target    # type: Sentence
    cdef EditGrid grid
    cdef int32_t *here       # [n_source] block of each token, once candidates for moves are asked for
    cdef int32_t *there      # [n_target]
    cdef tuple sources       # tokens
    cdef tuple targets
    cdef WordFacts facts     # None once the words are filled
    cdef void *_block        # the memory of all arrays
    cdef double *_room       # worth of source tokens, and scratch
    cdef uint8_t *_choice    # scratch
    cdef int open(self, Py_ssize_t n_source, Py_ssize_t n_target) except -1
    cdef int fill_words(self) except -1
    cdef bint _leaves_sentence(self, run) except -1
    cdef list tile(self, list moves, model)
    cdef bint _is_decided(self) noexcept
    cdef Py_ssize_t add_runs(self, list moves, list segments, EditRun *runs) except -1
    cdef edit_of(self, const EditRun *run, conflicts)
