from tokalign.features._pair cimport Lexeme, LexicalPair
from tokalign.lexicon._paraphrases cimport ParaphraseTable
from tokalign.lexicon._vectors cimport VectorTable
from tokalign.lexicon._wordnet cimport WordNetTable

cdef struct Tables:
    # What comparisons look up; borrowed from the objects that LexemeTable holds.
    const WordNetTable *wordnet
    const VectorTable *vectors           # NULL without vectors; then no lexeme has a row
    const ParaphraseTable *paraphrases   # NULL without paraphrases

cdef float strength_of(int lexical_class) noexcept nogil
cdef void compare(
    const Lexeme *a, const Lexeme *b, const Tables *tables, LexicalPair *out
) noexcept nogil
