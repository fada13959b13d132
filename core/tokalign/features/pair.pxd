# Structs that the feature groups share: lexemes, the two sides, the cells, the sink.

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from tokalign.english.lexicon.lexical_tables cimport Kin
from tokalign.english.values.kinds cimport RELATION_DIFFERENT, RELATION_SAME_VALUE
from tokalign.english.values.value_structs cimport Found, Piece
from tokalign.features._sink cimport AnySink, Score, Sink
from tokalign.features._templates cimport *

cdef extern from *:
    # Strengths at which words count as something. They are float32, and compared as such: as a
    # double, 0.9 is more than the strength 0.9.
    const float SAME_STRENGTH "0.9f"      # as good as identical
    const float MATCHED_STRENGTH "0.69f"  # a match, for what stands around the words
    const float RELATED_STRENGTH "0.4f"   # a word without this much anywhere has no partner yet

cdef enum:
    N_PARTS = 4          # most parts kept of a hyphenated word
    N_ENTRIES = 4        # WordNet entries of a word: one per part of speech
    N_SCALES = 3         # most scales of a word
    N_TOP = 4            # largest tensions of a row or column that are kept
    N_LANES = 16         # cells that loops over rows do at once
    MARGIN = 2           # cells outside the sentences that `seen` includes
    SEEN_LEVEL = 7       # the bits of the strength's bin
    SEEN_MATCHED = 8     # whether the strength reaches MATCHED_STRENGTH
    SEEN_IDENTICAL = 16  # further bits: what the words share
    SEEN_LEMMA = 32
    SEEN_TAG = 64

cdef enum:
    # Bits of contrasts between two words; see _word_pairs.pyx.
    CONTRAST_OPPOSITE = 1
    CONTRAST_HIGHER = 2      # on one scale, the first word has the higher grade
    CONTRAST_LOWER = 4
    CONTRAST_FAR = 8         # with HIGHER or LOWER: by FAR grades
    CONTRAST_LEVEL = 16      # same grade on one scale
    CONTRAST_NAMES = 32      # names that share nothing

cdef enum:
    # Hints on what a word may be in an answer, as bits in the order of
    # tokalign.english.lexicon.word_lists.Hint.
    HINT_NUMBER = 1
    HINT_NAME = 2
    HINT_CALENDAR = 4
    HINT_BEFORE_DATE = 8
    HINT_BEFORE_PLACE = 16
    HINT_IN = 32
    HINT_UNIT = 64
    HINT_ASKS = 128
    HINT_YES_NO = 256
    HINT_CLAUSE = 512
    HINT_WITHIN = 1024
    HINT_COLOUR = 2048
    HINT_MATERIAL = 4096
    HINT_OFTEN = 8192

cdef struct Characters:
    # A word prepared for comparison; its arrays are in the caller's memory.
    int32_t n
    bint is_plain                # whether all code points are in 1..255
    uint64_t letters             # bit (code point mod 64) set for every character
    const uint64_t *bigram       # sorted; n - 1 of them, or of the character alone if n == 1
    const uint64_t *trigram      # [n] sorted; of the word padded with one boundary on each side
    const uint32_t *code         # [n]

cdef struct RuleFacts:
    # Facts of a word for the rules. One block of memory.
    size_t n_bytes
    int32_t n_letters            # letters and digits in it
    int32_t code_name            # id of its words if it is an identifier of code, else -1
    bint may_hold_value          # whether a sentence with it may hold a value
    int32_t n_pieces
    const Piece *pieces          # [n_pieces] its readings in values
    const int32_t *expansions    # number of words and their ids, for each; then 0

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
    Kin kin                  # of those entries
    int32_t vector           # row of its word vector, or -1
    float idf                # relative to the largest, in [0, 1]; 1 without document counts
    float weight             # in similarity: its idf, of a number twice that, 0 of a mark
    int32_t paraphrases[2]   # number of its form and lemma among the paraphrases, or -1
    int32_t function_word    # index in the list of function words and marks, or -1
    int16_t tag              # index in PENN_TAGS
    uint8_t coarse           # index in COARSE_TAGS
    uint8_t kind             # KIND_CONTENT, KIND_FUNCTION or KIND_MARK
    uint8_t is_title         # whether it is a part of many names
    uint8_t case_            # CASE_LOWER, CASE_CAPITALISED, CASE_UPPER or CASE_NONE
    uint32_t first_letter    # of its letters and digits, in lower case; 0 if there are none
    uint8_t stands_for_more  # whether it is an identifier of code or a short form
    uint8_t negates          # whether it is a negation
    uint8_t denies           # whether it says by its meaning that something is not so: stop, forbid
    uint16_t hints           # HINT_ bits
    uint8_t n_scales
    uint16_t scale[N_SCALES] # numbers of the scales that it stands on
    int8_t grade[N_SCALES]   # its grades on them
    RuleFacts *facts         # owned by the lexeme

cdef struct LexicalPair:
    # Comparison of two lexemes, outside their sentences.
    float similarity[N_SIMILARITY]
    float strength           # V in [0, 1]: how strong the class below is
    float cosine             # of the word vectors; 0 where a content word has none
    uint32_t relations       # mask of WordNet relations
    uint8_t lexical_class    # CLASS_IDENTICAL, ...; its strength is in _word_pairs.pyx
    uint8_t are_paraphrases
    uint8_t contrast         # CONTRAST_ bits

cdef struct Side:
    # One sentence. Arrays of length n, owned by Analysis or Extractor.
    Py_ssize_t n
    bint has_tree
    int share                # bin of the idf share of content words that have a twin
    const Lexeme **word
    uint8_t *kind            # KIND_CONTENT, KIND_FUNCTION or KIND_MARK
    float *relative          # position / n
    int32_t *form            # id of each word in lower case
    int32_t *lemma           # id of each word's lemma
    int32_t *tag
    int32_t *head            # -1 for a root
    int32_t *relation        # index in RELATIONS
    int32_t *group           # index in RELATION_GROUPS
    int32_t *first_child     # -1 for none
    int32_t *next_sibling    # -1 for none
    int32_t *previous_content    # nearest content word to the left, or -1
    int32_t *next_content
    int n_values
    const Found *values      # of the sentence
    float *best              # largest strength in the token's row or column
    int32_t *ties            # cells of SAME_STRENGTH in the token's row or column
    float *top               # [n, N_TOP] largest tension values, falling
    float *nearest           # largest cosine with a content word that has no partner yet
    const float *encoded     # [n, 1 + the other side's n] the encoder's log-probability of each
                             # partner, NULL first; borrowed, NULL without an encoder
    float *likeliest         # [n, 2] the largest of those, falling

cdef struct PairState:
    # One annotated pair. Cell arrays are [source.n, target.n], row-major, owned by Extractor.
    Side source
    Side target
    float *word_score        # [.., .., PairMemory.width] scores of features of the two words
                             # alone: s2t and t2s of the first style, of the next, ...
    float *cosine            # of the word vectors
    uint8_t *lexical_class
    float *strength          # V of each cell: the lexical pair's, an acronym's or a rule's
    uint8_t *acronym         # 1 where one side abbreviates a run of words that holds the other
    uint8_t *name_part       # 0, or 1 + offset_name_part of how it completes a name
    uint8_t *rule            # 0, or 1 + the place of its rule on the axis
    uint8_t *agreement       # 0, or the agreement of the words' values
    uint32_t *relations      # masks of WordNet relations
    uint8_t *contrast        # CONTRAST_ bits
    uint8_t *seen            # [source.n + 2 * MARGIN, target.n + 2 * MARGIN] SEEN_ bits for
    float *window            # C1: strength of the diagonal neighbours
    float *bag               # C2: strength of the neighbourhoods, order-free
    float *tension           # T: tension, compared in rows and columns
    uint8_t *near_bin        # bins of a cell: of the distance of its places, ...
    uint8_t *window_bin
    uint8_t *bag_bin
    uint8_t *row_gap         # of the row's best strength above the cell's
    uint8_t *column_gap
    bint has_arcs            # whether the next array is filled
    float *distributional    # similarity of the words' arcs
    uint8_t *run             # 0, or 1 + count_run of the diagonal run that holds the cell
    uint8_t *content_run     # count_content_run of that run
    float *scratch           # [context_scratch(source.n, target.n)] of _cell_features.pxd

cdef inline float strength_at(const PairState *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    # Strength of a cell; 0 outside the sentences.
    if i < 0 or j < 0 or i >= pair.source.n or j >= pair.target.n:
        return 0.0
    return pair.strength[i * pair.target.n + j]

cdef inline Py_ssize_t whole_lanes(Py_ssize_t n) noexcept nogil:
    # Cells that a loop over a row of n does: what is written behind it, the next row overwrites,
    # and so many are allocated behind the last one.
    return (n + N_LANES - 1) // N_LANES * N_LANES

cdef inline Py_ssize_t seen_width(const PairState *pair) noexcept nogil:
    return pair.target.n + 2 * MARGIN

cdef inline const uint8_t *seen_at(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j
) noexcept nogil:
    return pair.seen + (i + MARGIN) * seen_width(pair) + j + MARGIN

cdef inline bint is_matched(const Side *side, Py_ssize_t at) noexcept nogil:
    return side.best[at] >= MATCHED_STRENGTH

cdef inline bint is_free(const Side *side, Py_ssize_t at) noexcept nogil:
    # Whether a word has no partner anywhere.
    return side.best[at] < RELATED_STRENGTH

cdef inline bint are_same(const PairState *pair, Py_ssize_t cell) noexcept nogil:
    # Whether two words are the same by form, lemma, stem, value or spelling.
    if pair.agreement[cell] == RELATION_DIFFERENT:
        return False
    return (
        pair.lexical_class[cell] <= CLASS_STEM or pair.agreement[cell] == RELATION_SAME_VALUE
        or pair.acronym[cell] or (0 < pair.rule[cell] <= 1 + RULE_INITIALS)
    )

cdef inline int strength_class(float strength) noexcept nogil:
    return (
        STRENGTH_SAME if strength >= SAME_STRENGTH
        else STRENGTH_RELATED if strength >= RELATED_STRENGTH
        else STRENGTH_UNRELATED
    )

cdef inline int kinds_of(const Lexeme *a, const Lexeme *b) noexcept nogil:
    return pair_kinds(a.kind, b.kind)

cdef inline bint have_cosine(const Lexeme *a, const Lexeme *b) noexcept nogil:
    return a.vector >= 0 and b.vector >= 0

cdef inline int pos_of(const Lexeme *a, const Lexeme *b) noexcept nogil:
    # Return how well the tags of two words match.
    return (
        POS_SAME_TAG if a.tag == b.tag else POS_SAME_CLASS if a.coarse == b.coarse
        else POS_OTHER_CLASS
    )
