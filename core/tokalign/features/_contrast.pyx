"""Ways in which two words say unlike things, whatever their sentences.

Opposites are antonyms of WordNet, words of one scale whose grades have other signs (lexicon.scales),
and a word with its own negation (possible, impossible; careful, careless). Words of one scale and
sign have a higher and a lower one. Names are unlike if nothing is known that they share.
"""

from libc.stdint cimport uint8_t, uint32_t

from tokalign.features.pair cimport *
from tokalign.english.lexicon.wordnet cimport ANTONYM, COHYPONYM, SIMILAR, SYNONYM

cdef enum:
    LEAST_STEM = 4       # letters of a word that a prefix negates
    FAR = 2              # grades that are this far from one another are another statement


cdef float LIKE = 0.87  # letters of one name, spelt in two ways


cdef bint _begins(const Lexeme *word, const char *letters, int n) noexcept nogil:
    cdef int k
    if word.lower.n <= n:
        return False
    for k in range(n):
        if word.lower.code[k] != <uint32_t>letters[k]:
            return False
    return True


cdef bint _ends(const Lexeme *word, const char *letters, int n) noexcept nogil:
    cdef int k
    if word.lower.n <= n:
        return False
    for k in range(n):
        if word.lower.code[word.lower.n - n + k] != <uint32_t>letters[k]:
            return False
    return True


cdef bint _same_letters(
    const Lexeme *a, int first, int n, const Lexeme *b
) noexcept nogil:
    """Whether n letters of one word from `first` on are the first ones of the other."""
    cdef int k
    for k in range(n):
        if a.lower.code[first + k] != b.lower.code[k]:
            return False
    return True


cdef int _negating_prefix(const Lexeme *word) noexcept nogil:
    """Return the length of a prefix that may negate the rest of a word, 0 where there is none.

    In verbs and nouns in-, im-, il- and ir- seldom negate: inform, import.
    """
    cdef bint is_quality = word.coarse == COARSE_ADJECTIVE or word.coarse == COARSE_ADVERB
    if _begins(word, b"non", 3):
        return 4 if word.lower.code[3] == c'-' else 3
    if _begins(word, b"dis", 3):
        return 3
    if _begins(word, b"un", 2):
        return 2
    if is_quality and word.lower.code[0] == c'i' and (
        _begins(word, b"in", 2) or _begins(word, b"im", 2) or _begins(word, b"il", 2)
        or _begins(word, b"ir", 2)
    ):
        return 2
    return 0


cdef bint _negates_form(const Lexeme *word, const Lexeme *other) noexcept nogil:
    """Whether a word is the other one with a prefix that negates it, or with -less for -ful."""
    cdef int n = _negating_prefix(word)
    cdef int n_other = <int>other.lower.n
    if n and n_other >= LEAST_STEM and word.lower.n == n + n_other:
        return word.coarse == other.coarse and _same_letters(word, n, n_other, other)
    if word.lower.n == n_other + 1 and _ends(word, b"less", 4) and _ends(other, b"ful", 3):
        return _same_letters(word, 0, n_other - 3, other)
    return False


cdef uint8_t _compare_grades(const Lexeme *a, const Lexeme *b) noexcept nogil:
    """Return how the grades of two words differ on the first scale that they share."""
    cdef int k, m, difference
    for k in range(a.n_scales):
        for m in range(b.n_scales):
            if a.scale[k] != b.scale[m]:
                continue
            difference = a.grade[k] - b.grade[m]
            if a.grade[k] * b.grade[m] < 0:
                return CONTRAST_OPPOSITE
            if difference == 0:
                return CONTRAST_LEVEL
            return <uint8_t>(
                (CONTRAST_HIGHER if difference * a.grade[k] > 0 else CONTRAST_LOWER)
                | (CONTRAST_FAR if difference >= FAR or difference <= -FAR else 0)
            )
    return 0


cdef bint _is_short(const Lexeme *a, const Lexeme *b) noexcept nogil:
    """Whether a name begins another one, but for a dot: Brig., J."""
    cdef int n = <int>a.lower.n
    n -= n > 0 and a.lower.code[n - 1] == c'.'
    return 0 < n <= b.lower.n and _same_letters(a, 0, n, b)


cdef bint _are_unlike_names(
    const Lexeme *a, const Lexeme *b, uint32_t relations, int lexical_class, float likeness
) noexcept nogil:
    """Whether two names have nothing in common: neither is short for the other, or misspelt."""
    return (
        a.coarse == COARSE_NAME and b.coarse == COARSE_NAME
        and a.kind == KIND_CONTENT and b.kind == KIND_CONTENT
        and not a.is_title and not b.is_title and likeness < LIKE
        and (a.initials >= 0) == (b.initials >= 0) and not _is_short(a, b)
        and not _is_short(b, a)
        and lexical_class >= CLASS_COHYPONYM
        and not relations & ~<uint32_t>COHYPONYM
    )


cdef uint8_t contrast(
    const Lexeme *a, const Lexeme *b, uint32_t relations, int lexical_class, float likeness
) noexcept nogil:
    """Return the CONTRAST_ bits of two words that were compared; `likeness` is that of their
    letters (Jaro-Winkler)."""
    cdef uint8_t grades
    if lexical_class <= CLASS_LEMMA or a.kind == KIND_MARK or b.kind == KIND_MARK:
        return 0
    grades = _compare_grades(a, b)
    if grades:
        return grades
    if (relations & ANTONYM and not relations & (SYNONYM | SIMILAR)) or (
        _negates_form(a, b) or _negates_form(b, a)
    ):
        return CONTRAST_OPPOSITE
    if _are_unlike_names(a, b, relations, lexical_class, likeness):
        return CONTRAST_NAMES
    return 0
