from tokalign.english.annotate.texts cimport AnnotatedTexts
from tokalign.english.annotate.words cimport Words
from tokalign.features.extract cimport Extractor
from tokalign.features.pair cimport Lexeme

cdef class KnownWords:
    cdef Words _words                # whose numbers these are, or None
    cdef const Lexeme **_lexeme      # [_n_words] NULL where a word has not been met
    cdef Py_ssize_t _n_words
    cdef long long _n_cleared        # of the extractor when it was asked
    cdef int fill(
        self, Extractor extractor, AnnotatedTexts texts, Py_ssize_t index, const Lexeme **out
    ) except -1
    cdef int _keep_up(self, Extractor extractor, Words words) except -1
