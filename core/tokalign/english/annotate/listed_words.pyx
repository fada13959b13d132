"""Words that say whether a sentence ends at a mark beside them, looked up without the interpreter."""

from libc.string cimport memset, strcmp

from tokalign.english.annotate.abbreviations import (
    BEFORE_DIGITS,
    BEFORE_LOWER,
    FIRST_WORDS,
    LONGEST_WORD,
    NEVER_LAST,
    SELDOM_LAST,
)

cdef enum:
    N_LISTED = 256      # words of a list at most

ctypedef char[N_WORD] Spelling

cdef Spelling[N_LISTED] SPELLINGS   # the words of all lists, sorted
cdef int[N_LISTED] KINDS
cdef int N_SPELLINGS = 0


cdef int fill_lists() except -1:
    """Copy the lists of words to where they are read without the interpreter."""
    global N_SPELLINGS
    cdef dict kinds = {}
    cdef bytes spelling
    for kind, words in (
        (NEVER, NEVER_LAST),
        (DIGITS, BEFORE_DIGITS),
        (LOWER, BEFORE_LOWER),
        (SELDOM, SELDOM_LAST),
        (FIRST, FIRST_WORDS),
    ):
        for word in words:
            kinds[word] = kinds.get(word, 0) | kind
    if LONGEST_WORD != N_LOOKED_AT or len(kinds) > N_LISTED or max(map(len, kinds)) >= N_WORD:
        raise ValueError("tokalign.english.annotate.abbreviations does not fit the splitter's arrays")
    for word in sorted(kinds):
        spelling = word.encode("ascii")
        memset(SPELLINGS[N_SPELLINGS], 0, N_WORD)
        for i in range(len(spelling)):
            SPELLINGS[N_SPELLINGS][i] = spelling[i]
        KINDS[N_SPELLINGS] = kinds[word]
        N_SPELLINGS += 1
    return 0

fill_lists()


cdef int lists_of(const char *spelling) noexcept nogil:
    """Return in which lists a word of small letters is, as bits."""
    cdef int low = 0
    cdef int high = N_SPELLINGS
    cdef int middle, order
    while low < high:
        middle = (low + high) // 2
        order = strcmp(SPELLINGS[middle], spelling)
        if order == 0:
            return KINDS[middle]
        if order < 0:
            low = middle + 1
        else:
            high = middle
    return 0
