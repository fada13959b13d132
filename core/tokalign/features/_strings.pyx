"""Character similarities of two words, each a ratio in [0, 1] with 1 for identical words.

The set is that of Yao et al. (2013), section 3.3. Words are compared as sequences of code points;
the caller decides on case. Words longer than MAX_CHARS are cut, so that every array has a fixed
size and the bit-parallel kernels need one machine word: of each character of one word the
positions at which the other has it.
"""

from libc.stdint cimport uint32_t, uint64_t

from tokalign.features._templates cimport *

from tokalign.features.templates import SIMILARITIES

cdef extern from "_compiler.h" nogil:
    int _ones "tokalign_ones"(uint64_t bits) noexcept
    int _lowest "tokalign_lowest"(uint64_t bits) noexcept  # bits must not be 0


cdef size_t characters_bytes(Py_ssize_t length) noexcept nogil:
    """Return how much memory, aligned for 64 bits, fill_characters needs for so many characters."""
    cdef size_t n = min(length, <Py_ssize_t>MAX_CHARS)
    return (2 * sizeof(uint64_t) + sizeof(uint32_t)) * (n + n % 2)


cdef int fill_characters(str word, Characters *out, void *memory) except -1:
    """Prepare a word; `memory` has characters_bytes(len(word)) bytes."""
    cdef int n = <int>min(len(word), <Py_ssize_t>MAX_CHARS)
    cdef uint64_t *bigram = <uint64_t *>memory
    cdef uint64_t *trigram = bigram + n
    cdef uint32_t *code = <uint32_t *>(trigram + n)
    cdef uint64_t left, right
    cdef int k
    out.n = n
    out.bigram = bigram
    out.trigram = trigram
    out.code = code
    out.letters = 0
    out.is_plain = True
    for k in range(n):
        code[k] = <uint32_t>word[k]
        out.letters |= <uint64_t>1 << (code[k] & 63)
        out.is_plain &= 0 < code[k] < PLAIN
    if n == 1:
        bigram[0] = code[0]
    for k in range(n - 1):
        bigram[k] = (<uint64_t>code[k] << 21) | code[k + 1]
    for k in range(n):
        left = code[k - 1] if k > 0 else 0
        right = code[k + 1] if k + 1 < n else 0
        trigram[k] = (left << 42) | (<uint64_t>code[k] << 21) | right
    _sort(bigram, n - 1)
    _sort(trigram, n)
    return 0


cdef void _sort(uint64_t *values, int n) noexcept nogil:
    """Sort by insertion: there are few."""
    cdef int k, place
    cdef uint64_t value
    for k in range(1, n):
        value = values[k]
        place = k
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


cdef int _shared(const uint64_t *a, int n_a, const uint64_t *b, int n_b) noexcept nogil:
    """Return the size of the multiset intersection of two sorted arrays."""
    cdef int i = 0
    cdef int j = 0
    cdef int shared = 0
    while i < n_a and j < n_b:
        if a[i] == b[j]:
            shared += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return shared


cdef int common_prefix(const Characters *a, const Characters *b) noexcept nogil:
    """Return the length of the longest common prefix."""
    cdef int k = 0
    cdef int shorter = min(a.n, b.n)
    while k < shorter and a.code[k] == b.code[k]:
        k += 1
    return k


cdef int _common_suffix(const Characters *a, const Characters *b) noexcept nogil:
    cdef int k = 0
    cdef int shorter = min(a.n, b.n)
    while k < shorter and a.code[a.n - 1 - k] == b.code[b.n - 1 - k]:
        k += 1
    return k


cdef void _find_places(const Characters *a, const Characters *b, uint64_t *place) noexcept nogil:
    """Write for each character of `a` the mask of the positions at which `b` has it."""
    cdef uint64_t[<int>PLAIN] table
    cdef int i, j
    if not (a.is_plain and b.is_plain):
        for i in range(a.n):
            place[i] = 0
            for j in range(b.n):
                place[i] |= <uint64_t>(a.code[i] == b.code[j]) << j
        return
    # Only the entries of these two words' characters are ever read.
    for i in range(a.n):
        table[a.code[i]] = 0
    for j in range(b.n):
        table[b.code[j]] = 0
    for j in range(b.n):
        table[b.code[j]] |= <uint64_t>1 << j
    for i in range(a.n):
        place[i] = table[a.code[i]]


cdef float _jaro_winkler(
    const Characters *a, const Characters *b, const uint64_t *place
) noexcept nogil:
    """Return Jaro's similarity, raised by common prefixes of up to 4 characters above 0.7.

    Winkler (1990), "String comparator metrics and enhanced decision rules", with scale 0.1.
    """
    cdef int window = max(max(a.n, b.n) // 2 - 1, 0)
    cdef uint64_t matched_a = 0
    cdef uint64_t matched_b = 0
    cdef uint64_t near = ~<uint64_t>0 >> (63 - min(window, 63))  # positions 0..window
    cdef uint64_t free
    cdef int matches = 0
    cdef int transposed = 0
    cdef int i
    for i in range(a.n):
        free = place[i] & near & ~matched_b
        matched_b |= free & (~free + 1)  # the first of them
        matched_a |= <uint64_t>(free != 0) << i
        matches += free != 0
        # the positions i + 1 - window..i + 1 + window come next
        near = (near << 1) | (i < window)
    if matches == 0:
        return 0.0
    while matched_a:
        transposed += a.code[_lowest(matched_a)] != b.code[_lowest(matched_b)]
        matched_a &= matched_a - 1
        matched_b &= matched_b - 1
    cdef double m = matches
    cdef double jaro = (m / a.n + m / b.n + (m - transposed // 2) / m) / 3.0
    if jaro > 0.7:
        jaro += 0.1 * min(4, common_prefix(a, b)) * (1.0 - jaro)
    return <float>jaro


cdef float _levenshtein(
    const Characters *a, const Characters *b, const uint64_t *place
) noexcept nogil:
    """Return 1 - edit distance / length of the longer word.

    Bit-parallel, one machine word: Hyyro (2003), "A bit-vector algorithm for computing
    Levenshtein and Damerau edit distances", figure 3.
    """
    cdef uint64_t positive = ~<uint64_t>0
    cdef uint64_t negative = 0
    cdef int last = b.n - 1
    cdef uint64_t equal, diagonal, plus, minus
    cdef int distance = b.n
    cdef int i
    for i in range(a.n):
        equal = place[i]
        diagonal = (((equal & positive) + positive) ^ positive) | equal | negative
        plus = negative | ~(diagonal | positive)
        minus = diagonal & positive
        distance += <int>((plus >> last) & 1) - <int>((minus >> last) & 1)
        plus = (plus << 1) | 1
        positive = (minus << 1) | ~(diagonal | plus)
        negative = plus & diagonal
    return 1.0 - <float>distance / max(a.n, b.n)


cdef void _share_ngrams(
    const Characters *a, const Characters *b, const uint64_t *place,
    int *bigrams, int *trigrams,
) noexcept nogil:
    """Count the shared bigrams and trigrams, most words having none."""
    cdef bint any_bigram = not (a.is_plain and b.is_plain) or a.n == 1 or b.n == 1
    cdef bint any_trigram = any_bigram
    cdef uint64_t before = 1  # positions of `b` that follow the character before: its start
    cdef uint64_t after
    cdef int i
    for i in range(a.n):
        if i + 1 < a.n:
            after = place[i + 1] >> 1
            any_bigram |= (place[i] & after) != 0
        else:
            after = <uint64_t>1 << (b.n - 1)
        any_trigram |= (before & place[i] & after) != 0
        before = place[i] << 1
    bigrams[0] = trigrams[0] = 0
    if any_bigram:
        bigrams[0] = _shared(a.bigram, max(a.n - 1, 1), b.bigram, max(b.n - 1, 1))
    if any_trigram:
        trigrams[0] = _shared(a.trigram, a.n, b.trigram, b.n)


cdef float _hamming(const Characters *a, const Characters *b, const uint64_t *place) noexcept nogil:
    cdef int equal = 0
    cdef int k
    for k in range(a.n):
        equal += (place[k] >> k) & 1
    return <float>equal / max(a.n, b.n)


cdef float _jaccard(const Characters *a, const Characters *b) noexcept nogil:
    """Return shared / all of the two sets of characters, by code point mod 64."""
    return <float>_ones(a.letters & b.letters) / _ones(a.letters | b.letters)


cdef void similarities(const Characters *a, const Characters *b, float *out) noexcept nogil:
    """Write all N_SIMILARITY of two non-empty words."""
    cdef int k, bigrams, trigrams
    cdef int longer = max(a.n, b.n)
    cdef uint64_t[<int>MAX_CHARS] place
    for k in range(N_SIMILARITY):
        out[k] = 0.0
    if not a.letters & b.letters:
        return  # no character in common: every similarity is 0
    _find_places(a, b, place)
    _share_ngrams(a, b, place, &bigrams, &trigrams)
    out[SIMILARITY_JARO_WINKLER] = _jaro_winkler(a, b, place)
    out[SIMILARITY_DICE_SORENSEN] = 2.0 * bigrams / (max(a.n - 1, 1) + max(b.n - 1, 1))
    out[SIMILARITY_HAMMING] = _hamming(a, b, place)
    out[SIMILARITY_JACCARD] = _jaccard(a, b)
    out[SIMILARITY_LEVENSHTEIN] = _levenshtein(a, b, place)
    out[SIMILARITY_NGRAM] = <float>trigrams / longer
    out[SIMILARITY_PREFIX] = <float>common_prefix(a, b) / longer
    out[SIMILARITY_SUFFIX] = <float>_common_suffix(a, b) / longer


def string_similarities(str a, str b):
    """Return all similarities of two words, by name.

    Parameters
    ----------
    a, b : str
        Non-empty; compared as they are, case included, up to 64 characters.

    Returns
    -------
    dict of str to float
        Each in [0, 1]:

        jaro_winkler
            Jaro's similarity with Winkler's prefix bonus (scale 0.1, above 0.7).
        dice_sorensen
            Twice the shared character bigrams over all bigrams, as multisets.
        hamming
            Positions with equal characters over the longer length.
        jaccard
            Shared over all distinct characters (code points modulo 64).
        levenshtein
            1 - edit distance over the longer length.
        ngram
            Shared trigrams of the words with one boundary mark on each side, over the longer
            length.
        prefix, suffix
            Length of the common prefix or suffix over the longer length.

    Raises
    ------
    ValueError
        If a word is empty.
    """
    if not a or not b:
        raise ValueError("both words must have at least one character")
    cdef Characters left, right
    cdef float out[N_SIMILARITY]
    cdef uint64_t[3 * <int>MAX_CHARS] left_memory, right_memory  # more than characters_bytes says
    fill_characters(a, &left, left_memory)
    fill_characters(b, &right, right_memory)
    similarities(&left, &right, out)
    return {name: out[k] for k, name in enumerate(SIMILARITIES)}
