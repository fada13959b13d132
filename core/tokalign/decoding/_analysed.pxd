from tokalign.english.annotate.texts cimport AnnotatedTexts
from tokalign.decoding._decoder cimport Decoder
from tokalign.features.extract cimport Analysis

cdef class Analysed(Analysis):
    cdef double *score_weights   # [n]
    cdef int _reserve_weights(self) except -1
    cdef int weigh(self, tags) except -1
    cdef int fill(self, Decoder decoder, sentence, str field) except -1
    cdef int _read(self, Decoder decoder, AnnotatedTexts texts, Py_ssize_t index) except -1
