"""A sentence of a batch: its analysis, and what its tokens weigh in the score."""

from libc.stdlib cimport free, malloc

from tokalign.english.annotate.texts cimport AnnotatedTexts
from tokalign.decoding._decoder cimport Decoder
from tokalign.features.extract cimport Analysis

from tokalign.errors import InputError
from tokalign.english.lexicon.word_weights import content_weight


cdef bint _has_words(columns, Py_ssize_t index):
    """Whether a sentence is a view of annotated texts, and not empty."""
    if not isinstance(columns, AnnotatedTexts):
        return False
    cdef AnnotatedTexts texts = columns
    return texts.offsets[index + 1] > texts.offsets[index]


cdef class Analysed(Analysis):
    """A sentence of a batch."""

    def __dealloc__(self):
        free(self.score_weights)

    cdef int _reserve_weights(self) except -1:
        self.score_weights = <double *>malloc(self.side.n * sizeof(double))
        if self.score_weights == NULL:
            raise MemoryError("weights of a sentence")
        return 0

    cdef int weigh(self, tags) except -1:
        """Fill what the tokens of these tags weigh in the score."""
        cdef Py_ssize_t k
        self._reserve_weights()
        for k, tag in enumerate(tags):
            self.score_weights[k] = content_weight(tag)
        return 0

    cdef int fill(self, Decoder decoder, sentence, str field) except -1:
        """Analyse a sentence; `field` names it in errors."""
        viewed = sentence.viewed()
        if viewed is not None and _has_words(viewed[0], viewed[1]):
            self._read(decoder, viewed[0], viewed[1])
            decoder.extractor.fill_tree(&self.side, sentence.heads, sentence.relations)
        else:
            decoder.extractor.analyse(sentence, field, self)
        return 0

    cdef int _read(self, Decoder decoder, AnnotatedTexts texts, Py_ssize_t index) except -1:
        """Fill the words of a text that the native annotator has read."""
        cdef Py_ssize_t first = texts.offsets[index]
        cdef Py_ssize_t k
        cdef double[::1] weights = decoder.weights_of(texts.words.tags)
        self.reserve(texts.offsets[index + 1] - first)
        self._reserve_weights()
        try:
            decoder.known.fill(decoder.extractor, texts, index, self.side.word)
        except UnicodeEncodeError as error:
            raise InputError(f"a token or lemma is not valid Unicode: {error}") from error
        for k in range(self.side.n):
            self.score_weights[k] = weights[texts.words.word[texts.numbers[first + k]].tag]
        self.find_content()
        self.find_values()
        return 0
