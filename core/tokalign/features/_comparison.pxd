from tokalign.features.pair cimport Lexeme, LexicalPair
from tokalign.english.lexicon.paraphrases cimport ParaphraseTable
from tokalign.english.lexicon.vectors cimport VectorTable
from tokalign.english.lexicon.wordnet cimport WordNetTable

cdef struct Tables:
    # What comparisons look up; borrowed from the objects that LexemeTable holds.
    const WordNetTable *wordnet
    const VectorTable *vectors           # NULL without vectors; then no lexeme has a row
    const ParaphraseTable *paraphrases   # NULL without paraphrases

cdef float strength_of(int lexical_class) noexcept nogil
cdef void compare(
    const Lexeme *a, const Lexeme *b, const Tables *tables, LexicalPair *out
) noexcept nogil
