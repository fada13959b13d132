# Structs that the feature groups share: lexemes, the two sides, the cells, the sink.

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

from tokalign.features._strings cimport N_SIMILARITIES, Characters
from tokalign.features._templates cimport Template

cdef extern from *:
    """
    /* Sums of float32 strengths miss an edge, or each other, by rounding: 0.9f - 0.7f < 0.2f. */
    #define SLACK 1e-5f
    """
    const float SLACK

cdef enum:
    CONTENT = 0          # kinds of words
    FUNCTION = 1
    PUNCTUATION = 2
    N_KINDS = 3
    LOWER = 0            # cases of words
    CAPITALISED = 1
    UPPER = 2
    NO_LETTERS = 3
    N_CASES = 4
    SAME = 0             # strengths of a lexical class
    RELATED = 1
    UNRELATED_STRENGTH = 2
    N_STRENGTHS = 3
    N_PARTS = 4          # parts of a hyphenated word that are kept
    N_ENTRIES = 4        # WordNet entries of a word: one a part of speech
    ROW_CAPACITY = 192   # values of one feature row

cdef enum LexicalClass:
    # By falling strength; model values in _lexemes.pyx.
    CLASS_IDENTICAL
    CLASS_CANONICAL
    CLASS_LEMMA
    CLASS_STEM
    CLASS_SYNONYM
    CLASS_PARAPHRASE
    CLASS_DERIVED
    CLASS_STEM_PREFIX
    CLASS_HYPHEN
    CLASS_FUZZY
    CLASS_PREFIX
    CLASS_HYPERNYM
    CLASS_NEAR
    CLASS_COHYPONYM
    CLASS_ANTONYM
    CLASS_NONE
    CLASS_CLOSE      # the first of four, by rising cosine
    CLASS_CLOSEST = CLASS_CLOSE + 3
    N_CLASSES

cdef struct Lexeme:
    # A word form with its tag and lemma. Owned by LexemeTable.
    int32_t id               # position in the table
    Characters lower
    int32_t form             # ids of strings: equal ids mean equal strings
    int32_t lower_form
    int32_t canonical        # without dots, hyphens, commas; number words as digits
    int32_t lemma
    int32_t stem
    int32_t stem_length
    int32_t number           # id of the canonical form if it is a number, else -1
    int32_t initials         # id of its letters if it may be an acronym, else -1
    int32_t parts[N_PARTS]   # ids of the parts of a hyphenated word, -1 where there are fewer
    int32_t entries[N_ENTRIES]   # WordNet entry under n, v, a, r; -1 where there is none
    int32_t vector           # row of its word vector, or -1
    int32_t paraphrases[2]   # number of its form and lemma among the paraphrases, or -1
    int32_t function_word    # index in the list of function words and marks, or -1
    int16_t tag              # index in PENN_TAGS
    uint8_t coarse           # index in COARSE_TAGS
    uint8_t kind             # CONTENT, FUNCTION or PUNCTUATION
    uint8_t is_title         # whether it is a part of many names
    uint8_t case_            # LOWER, CAPITALISED, UPPER or NO_LETTERS

cdef struct LexicalPair:
    # What two lexemes have in common, whatever their sentences.
    float similarity[N_SIMILARITIES]
    float strength           # V in [0, 1]: how strong the class below is
    float cosine             # of the word vectors; 0 where a content word has none
    uint32_t relations       # mask of WordNet relations
    uint8_t lexical_class
    uint8_t are_paraphrases

cdef struct Side:
    # One sentence. Arrays of length n, owned by Extractor.
    Py_ssize_t n
    bint has_tree
    const Lexeme **word
    int32_t *lemma           # id of each word's lemma
    int32_t *head            # -1 for a root
    int32_t *relation        # index in RELATIONS
    int32_t *group           # index in RELATION_GROUPS
    int32_t *first_child     # -1 for none
    int32_t *next_sibling    # -1 for none
    int32_t *previous_content    # nearest content word to the left, or -1
    int32_t *next_content
    float *best              # largest strength in the token's row or column
    int32_t *ties            # cells of strength >= 0.9 in the token's row or column
    float *top               # [n, 4] largest tension values, falling
    float *nearest           # largest cosine with a content word that has no partner yet
    const float *encoded     # [n, 1 + the other side's n] the encoder's log-probability of each
                             # partner, NULL first; borrowed, NULL without an encoder
    float *likeliest         # [n, 2] the largest of those, falling

cdef struct Pair:
    # One annotated pair. Cell arrays are [source.n, target.n], row-major, owned by Extractor.
    Side source
    Side target
    LexicalPair *lexical
    float *strength          # V of each cell: the lexical pair's, or an acronym's
    uint8_t *acronym         # 1 where one side abbreviates a run of words that holds the other
    uint8_t *name_part       # 0, or 1 + the offset of the feature of completing a name
    float *window            # C1: strength of the diagonal neighbours
    float *bag               # C2: strength of the neighbourhoods, order-free
    float *tension           # T: what competes in rows and columns
    bint has_arcs            # whether the next array is filled
    float *distributional    # similarity of the words' arcs
    uint8_t *run             # length of the diagonal run that holds the cell
    uint8_t *content_run     # the same, counted in content words
    float *scratch           # [source.n, target.n]

cdef struct Sink:
    # Where the features of one row go. `base` is indexed by template; -1 switches one off.
    int n
    int32_t slot[ROW_CAPACITY]
    float value[ROW_CAPACITY]
    const int32_t *base

cdef inline void emit(Sink *sink, Template template, int32_t offset, float value) noexcept nogil:
    # Add one feature; `offset` counts within the template, its last axis varying fastest.
    cdef int32_t base = sink.base[<int>template]
    if base >= 0 and sink.n < ROW_CAPACITY:
        sink.slot[sink.n] = base + offset
        sink.value[sink.n] = value
        sink.n += 1

cdef inline int bin_of(float value, const float *edges, int n_edges) noexcept nogil:
    # Return the number of edges that are <= value; see SLACK.
    cdef int k = 0
    while k < n_edges and value >= edges[k] - <float>SLACK:
        k += 1
    return k

cdef inline float strength_at(const Pair *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    # Strength of a cell; 0 outside the sentences.
    if i < 0 or j < 0 or i >= pair.source.n or j >= pair.target.n:
        return 0.0
    return pair.strength[i * pair.target.n + j]

cdef inline int strength_class(float strength) noexcept nogil:
    # Strengths are float32: compared with a double, 0.9 would be less than 0.9.
    return (
        SAME if strength >= <float>0.9 else RELATED if strength >= <float>0.4
        else UNRELATED_STRENGTH
    )

cdef inline int kinds_of(const Lexeme *a, const Lexeme *b) noexcept nogil:
    return a.kind * N_KINDS + b.kind
