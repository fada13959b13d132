"""Structs of a pair that _sultan_rules.pyx works on."""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from tokalign.lexicon.wordnet cimport Kin

cdef enum:
    MAX_INITIALS = 8

# What linked two words, in the order of the modules.
cdef enum:
    NO_RULE = 0
    FINAL_MARK = 1
    SEQUENCE = 2
    NAME = 3
    DEPENDENCY = 4
    CONTEXT = 5
    TEXT = 6
    STOP_DEPENDENCY = 7
    STOP_TEXT = 8

cdef struct SultanWord:
    int32_t form             # number of the lower-case form
    int32_t canonical        # of the form without inner marks
    int32_t lemma
    int32_t listed_form      # places among the paraphrases, or -1
    int32_t listed_lemma
    int32_t[4] entries       # places in WordNet by part of speech, or -1
    Kin kin
    uint8_t category         # place in CATEGORIES
    bint is_stop             # a function word or mark
    bint is_final            # a mark that ends sentences
    bint is_like_itself      # a mark or clitic: it has no paraphrases
    bint is_mark
    bint is_number
    bint is_name             # tagged as a proper noun
    bint is_title            # a part of many names
    int32_t first            # first character, lower-case
    int32_t n_initials       # of what may be an acronym, else 0
    int32_t[MAX_INITIALS] initials

cdef struct Arc:
    int32_t other            # the word at its other end
    int32_t type
    bint is_down             # whether that is the dependent
    uint32_t same            # rows of SAME_DIRECTION that it is in
    uint32_t one, other_way  # rows of OPPOSITE_DIRECTIONS that it is in, on either side

cdef struct SultanSide:
    Py_ssize_t n
    SultanWord *word
    Arc *arc
    int32_t *start           # [n + 1] the arcs of each word
    uint8_t *linked          # whether a word has a link

cdef struct Candidate:
    int32_t score
    int32_t i, j

cdef struct SultanPair:
    SultanSide source, target
    uint8_t *similarity      # [n, m] in tenths
    uint8_t *rule            # [n, m] what linked two words, or NO_RULE


cdef inline bint is_linked(const SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return pair.rule[i * pair.target.n + j] != NO_RULE


cdef inline int similarity(const SultanPair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    return pair.similarity[i * pair.target.n + j]


# The module does its work in this; candidates: room for as many as there are pairs of words.
cdef void align_words(SultanPair *pair, Candidate *found) noexcept nogil
