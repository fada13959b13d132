from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef class Vocabulary:
    cdef const unsigned char[::1] _words     # UTF-8, joined, in the order of their bytes
    cdef const int32_t[::1] _start           # [n_words + 1] start of each word
    cdef const uint64_t[::1] _landmark       # [n_words / STRIDE, rounded up]

    cpdef int32_t find(self, str word)
    cdef int32_t _search(self, const unsigned char *text, int32_t n_text) noexcept nogil

# Bits of a mask of relations, in the order of RELATION_NAMES; the first twelve are Yao's.
cdef enum:
    SYNONYM = 1 << 0
    HYPERNYM = 1 << 1            # the second word is a hypernym of the first
    HYPONYM = 1 << 2
    DERIVED = 1 << 3
    ENTAILING = 1 << 4
    CAUSING = 1 << 5
    MEMBER_OF = 1 << 6
    HAS_MEMBER = 1 << 7
    SUBSTANCE_OF = 1 << 8
    HAS_SUBSTANCE = 1 << 9
    PART_OF = 1 << 10
    HAS_PART = 1 << 11
    SIMILAR = 1 << 12
    VERB_GROUP = 1 << 13
    PERTAINYM = 1 << 14
    ANTONYM = 1 << 15
    DERIVED_SYNONYM = 1 << 16    # a synonym of a derived form
    HYPERNYM_WITHIN_3 = 1 << 17  # two or three steps up
    HYPONYM_WITHIN_3 = 1 << 18
    COHYPONYM = 1 << 19          # a direct hypernym is shared

cdef struct Lists:
    # Sorted numbers of every entry, in CSR form.
    const int32_t *start     # [n_entries + 1]
    const int32_t *item

cdef struct WordNetTable:
    # Borrowed from the mapped file; valid as long as the WordNet object lives.
    Lists neighbour          # related entries
    const uint8_t *code      # parallel to neighbour.item: index of its mask
    const uint32_t *masks
    Lists senses             # synsets of an entry
    Lists parents            # their direct hypernyms
    Lists ancestors          # hypernyms two or three steps up

cdef enum:
    # Lists to search for relations.
    IN_NEIGHBOURS = 1
    IN_ANCESTORS = 2         # of the first word
    IN_DESCENDANTS = 4
    IN_PARENTS = 8
    ANYWHERE = 15

cdef struct Items:
    # A Bloom filter of a set of numbers, one bit each: if two filters share no bit, the sets are
    # disjoint.
    uint64_t[8] bits

cdef struct Kin:
    # Filters of the lists in which a word's relations are looked up; empty without an entry.
    Items entries
    Items neighbours
    Items senses
    Items parents
    Items ancestors

cdef void add_kin(const WordNetTable *table, int32_t entry, Kin *kin) noexcept nogil
cdef int places_to_look(const Kin *a, const Kin *b) noexcept nogil
cdef uint32_t relation(const WordNetTable *table, int32_t a, int32_t b, int places) noexcept nogil

cdef class LexicalTable:
    cdef readonly object source    # type: Table
    cdef readonly Vocabulary vocabulary
    cdef list _arrays        # kept alive, for pointers into them

    cpdef int32_t find(self, str word)
    cdef Py_ssize_t _lists(self, str name, str values, Py_ssize_t n_rows, Lists *out) except -1

cdef class WordNet(LexicalTable):
    cdef WordNetTable table
    cdef const int32_t[:, ::1] _word_entries
    cpdef int32_t entry(self, str lemma, int pos)
    cdef void entries(self, str lemma, int32_t *out)

cdef struct VectorTable:
    # Borrowed from the mapped file; valid as long as the Vectors object lives.
    const int8_t *row        # [n_words, n_dimensions]
    const float *scale       # [n_words] 1 / length of the row
    int32_t n_dimensions

cdef float cosine(const VectorTable *table, int32_t a, int32_t b) noexcept nogil

cdef class Vectors(LexicalTable):
    cdef VectorTable table

cdef bint paraphrases(const Lists *partners, int32_t a, int32_t b) noexcept nogil

cdef class Paraphrases(LexicalTable):
    cdef Lists table         # partners of every word; valid as long as the object lives

cdef class Frequencies(LexicalTable):
    cdef readonly int64_t n_documents
    cdef const int32_t[::1] _count       # [n_lemmas]
    cdef double _log_documents

    cpdef double idf(self, str lemma)
