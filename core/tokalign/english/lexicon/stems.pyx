"""Stems of English words, by Porter's second algorithm.

It is the algorithm "english" of Snowball 3.1 (https://snowballstem.org), which the tests compare
with PyStemmer's on every word of the tables. Suffixes are tried from the longest to the shortest;
if one is found but may not be removed, no shorter one is tried.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_4BYTE_KIND, PyUnicode_FromKindAndData, PyUnicode_READ_CHAR

cdef enum:
    ON_STACK = 64        # characters; longer words take memory of their own

ctypedef const char *Text

cdef struct StemmedWord:
    Py_UCS4 *code        # [n]
    Py_ssize_t n
    Py_ssize_t first     # where region 1 begins: after the first consonant that follows a vowel
    Py_ssize_t second    # where region 2 begins: the same rule applied within region 1
    bint has_marked      # whether a consonant y was written as Y

cdef struct SuffixRule:
    const char *suffix
    const char *put      # instead of it

EXCEPTIONS = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli",
    "early": "earli", "only": "onli", "singly": "singl",
    **{word: word for word in ("andes", "atlas", "bias", "cosmos", "howe", "news", "sky")},
}

cdef Text[10] REGION_PREFIXES = [
    "arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers", NULL,
]
cdef Text[4] POSSESSIVES = ["'s'", "'s", "'", NULL]
cdef Text[7] PLURALS = ["sses", "ied", "ies", "us", "ss", "s", NULL]
cdef Text[7] PAST_FORMS = ["eedly", "ingly", "edly", "eed", "ing", "ed", NULL]
cdef Text[4] KEPT_BEFORE_EED = ["succ", "proc", "exc", NULL]
cdef Text[7] KEPT_BEFORE_ING = ["even", "cann", "earr", "herr", "inn", "out", NULL]
cdef Text[10] DOUBLES = ["bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt", NULL]
cdef Text[4] LACK_AN_E = ["at", "bl", "iz", NULL]

cdef SuffixRule[26] SECOND_RULES = [
    SuffixRule("ational", "ate"), SuffixRule("fulness", "ful"), SuffixRule("iveness", "ive"),
    SuffixRule("ization", "ize"), SuffixRule("ousness", "ous"), SuffixRule("biliti", "ble"), SuffixRule("lessli", "less"),
    SuffixRule("tional", "tion"), SuffixRule("alism", "al"), SuffixRule("aliti", "al"), SuffixRule("ation", "ate"),
    SuffixRule("entli", "ent"), SuffixRule("fulli", "ful"), SuffixRule("iviti", "ive"), SuffixRule("ogist", "og"),
    SuffixRule("ousli", "ous"), SuffixRule("abli", "able"), SuffixRule("alli", "al"), SuffixRule("anci", "ance"),
    SuffixRule("ator", "ate"), SuffixRule("enci", "ence"), SuffixRule("izer", "ize"), SuffixRule("bli", "ble"),
    SuffixRule("ogi", "og"), SuffixRule("li", ""), SuffixRule(NULL, NULL),
]
cdef SuffixRule[10] THIRD_RULES = [
    SuffixRule("ational", "ate"), SuffixRule("tional", "tion"), SuffixRule("alize", "al"), SuffixRule("ative", ""),
    SuffixRule("icate", "ic"), SuffixRule("iciti", "ic"), SuffixRule("ical", "ic"), SuffixRule("ness", ""),
    SuffixRule("ful", ""), SuffixRule(NULL, NULL),
]
cdef Text[19] FOURTH_SUFFIXES = [
    "ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti",
    "ive", "ize", "ous", "al", "er", "ic", NULL,
]


def stem(str word not None):
    """Return the stem of a word in lower case, which need not be a word.

    Raises
    ------
    UnicodeEncodeError
        If it holds a lone surrogate.

    Examples
    --------
    >>> [stem(word) for word in ("connections", "connected", "running", "generally", "sky")]
    ['connect', 'connect', 'run', 'general', 'sky']
    """
    known = EXCEPTIONS.get(word)
    if known is not None:
        return known
    cdef Py_ssize_t k, n = len(word)
    if n < 3:
        word.encode()  # raises for a lone surrogate, as the loop below does
        return word
    cdef Py_UCS4[ON_STACK] small
    cdef StemmedWord w
    w.code = &small[0]
    if n > ON_STACK:
        w.code = <Py_UCS4 *>PyMem_Malloc(n * sizeof(Py_UCS4))
        if w.code == NULL:
            raise MemoryError
    w.n = n
    try:
        for k in range(n):
            w.code[k] = PyUnicode_READ_CHAR(word, k)
            if 0xD800 <= w.code[k] < 0xE000:
                word.encode()  # which raises
        shorten(&w)
        return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, w.code, w.n)
    finally:
        if w.code != &small[0]:
            PyMem_Free(w.code)


cdef void shorten(StemmedWord *w) noexcept nogil:
    """Replace a word by its stem, which is never longer."""
    mark_consonants(w)
    mark_regions(w)
    plurals(w)
    past_forms(w)
    if w.n > 2 and w.code[w.n - 1] in (u"y", u"Y") and not is_vowel(w.code[w.n - 2]):
        w.code[w.n - 1] = u"i"
    second(w)
    third(w)
    fourth(w)
    last_letter(w)
    cdef Py_ssize_t k
    if w.has_marked:
        for k in range(w.n):
            if w.code[k] == u"Y":
                w.code[k] = u"y"


cdef inline bint is_vowel(Py_UCS4 letter) noexcept nogil:
    return letter in (u"a", u"e", u"i", u"o", u"u", u"y")


cdef bint has_vowel(const StemmedWord *w, Py_ssize_t end) noexcept nogil:
    """Whether there is a vowel before a place."""
    cdef Py_ssize_t k
    for k in range(end):
        if is_vowel(w.code[k]):
            return True
    return False


cdef bint has_at(const StemmedWord *w, Py_ssize_t start, Py_ssize_t end, const char *text) noexcept nogil:
    """Whether the characters from start to end are those of a text."""
    cdef Py_ssize_t k
    for k in range(start, end):
        if w.code[k] != <unsigned char>text[k - start]:
            return False
    return text[end - start] == 0


cdef Py_ssize_t length(const char *text) noexcept nogil:
    cdef Py_ssize_t n = 0
    while text[n]:
        n += 1
    return n


cdef Py_ssize_t before(const StemmedWord *w, Py_ssize_t end, const char *suffix) noexcept nogil:
    """Return the start of a suffix that ends at `end`, or -1 if it is not there."""
    cdef Py_ssize_t start = end - length(suffix)
    return start if start >= 0 and has_at(w, start, end, suffix) else -1


cdef const char *which(const StemmedWord *w, Py_ssize_t end, const Text *suffixes) noexcept nogil:
    """Return the first of some suffixes that ends at `end`, or NULL."""
    while suffixes[0] != NULL:
        if before(w, end, suffixes[0]) >= 0:
            return suffixes[0]
        suffixes += 1
    return NULL


cdef void put(StemmedWord *w, Py_ssize_t start, const char *text) noexcept nogil:
    """Write a text from a place on, and end the word after it."""
    cdef Py_ssize_t k, n = length(text)
    for k in range(n):
        w.code[start + k] = <unsigned char>text[k]
    w.n = start + n


cdef void mark_consonants(StemmedWord *w) noexcept nogil:
    """Remove a leading apostrophe, and write Y for each y that begins a word or follows a vowel."""
    cdef Py_ssize_t k
    w.has_marked = False
    if w.code[0] == u"'":
        w.n -= 1
        for k in range(w.n):
            w.code[k] = w.code[k + 1]
    for k in range(w.n):
        if w.code[k] == u"y" and (k == 0 or is_vowel(w.code[k - 1])):
            w.code[k] = u"Y"
            w.has_marked = True


cdef Py_ssize_t after_consonant(const StemmedWord *w, Py_ssize_t start) noexcept nogil:
    """Return the place after the first consonant that follows a vowel; -1 without one."""
    cdef Py_ssize_t k
    for k in range(start + 1, w.n):
        if is_vowel(w.code[k - 1]) and not is_vowel(w.code[k]):
            return k + 1
    return -1


cdef void mark_regions(StemmedWord *w) noexcept nogil:
    cdef const Text *prefix = REGION_PREFIXES
    cdef Py_ssize_t found = -1, n
    while found < 0 and prefix[0] != NULL:
        n = length(prefix[0])
        if n <= w.n and has_at(w, 0, n, prefix[0]):
            found = n
        prefix += 1
    if found < 0:
        found = after_consonant(w, 0)
    w.first = w.second = w.n
    if found >= 0:
        w.first = found
        found = after_consonant(w, found)
        if found >= 0:
            w.second = found


cdef bint is_short(const StemmedWord *w, Py_ssize_t end) noexcept nogil:
    """Whether a short syllable ends at a place: a vowel between consonants, or at the start."""
    if before(w, end, "past") >= 0:
        return True
    if end < 2 or is_vowel(w.code[end - 1]) or not is_vowel(w.code[end - 2]):
        return False
    if end == 2:
        return True
    return not is_vowel(w.code[end - 3]) and w.code[end - 1] not in (u"w", u"x", u"Y")


cdef void plurals(StemmedWord *w) noexcept nogil:
    cdef const char *found = which(w, w.n, POSSESSIVES)
    if found != NULL:
        w.n -= length(found)
    found = which(w, w.n, PLURALS)
    if found == NULL:
        return
    cdef Py_ssize_t start = w.n - length(found)
    if found[0] == b"i":
        put(w, start, "i" if start >= 2 else "ie")
    elif length(found) == 4:
        put(w, start, "ss")
    elif length(found) == 1 and has_vowel(w, start - 1):
        w.n = start


cdef void past_forms(StemmedWord *w) noexcept nogil:
    cdef const char *found = which(w, w.n, PAST_FORMS)
    if found == NULL:
        return
    cdef const char *kept
    cdef Py_ssize_t n = length(found), start = w.n - n
    if found[0] == b"e" and found[1] == b"e":
        kept = which(w, start, KEPT_BEFORE_EED)
        if start >= w.first and (kept == NULL or length(kept) != start):
            put(w, start, "ee")
        return
    if n == 3:
        kept = which(w, start, KEPT_BEFORE_ING)
        if kept != NULL and length(kept) == start:
            return
        if start == 2 and w.code[1] == u"y" and not is_vowel(w.code[0]):
            put(w, 1, "ie")
            return
    if has_vowel(w, start):
        w.n = start
        mend_ending(w)


cdef void mend_ending(StemmedWord *w) noexcept nogil:
    """After -ed or -ing was removed: restore an e, or remove a doubled letter."""
    if which(w, w.n, LACK_AN_E) != NULL:
        put(w, w.n, "e")
    elif which(w, w.n, DOUBLES) != NULL:
        if w.n != 3 or w.code[0] not in (u"a", u"e", u"o"):
            w.n -= 1
    elif w.n == w.first and is_short(w, w.n):
        put(w, w.n, "e")


cdef const SuffixRule *which_rule(const StemmedWord *w, const SuffixRule *rules) noexcept nogil:
    while rules.suffix != NULL:
        if before(w, w.n, rules.suffix) >= 0:
            return rules
        rules += 1
    return NULL


cdef void second(StemmedWord *w) noexcept nogil:
    cdef const SuffixRule *rule = which_rule(w, SECOND_RULES)
    if rule == NULL:
        return
    cdef Py_ssize_t start = w.n - length(rule.suffix)
    cdef Py_UCS4 left = w.code[start - 1] if start > 0 else 0
    if start < w.first:
        return
    if rule.put[0] == 0 and left not in (
        u"c", u"d", u"e", u"g", u"h", u"k", u"m", u"n", u"r", u"t"
    ):
        return
    if rule.suffix[0] == b"o" and length(rule.suffix) == 3 and left != u"l":
        return
    put(w, start, rule.put)


cdef void third(StemmedWord *w) noexcept nogil:
    cdef const SuffixRule *rule = which_rule(w, THIRD_RULES)
    if rule == NULL:
        return
    cdef Py_ssize_t start = w.n - length(rule.suffix)
    cdef bint is_ative = rule.put[0] == 0 and rule.suffix[0] == b"a"
    if start >= w.first and (not is_ative or start >= w.second):
        put(w, start, rule.put)


cdef void fourth(StemmedWord *w) noexcept nogil:
    cdef const char *found = which(w, w.n, FOURTH_SUFFIXES)
    if found == NULL:
        return
    cdef Py_ssize_t start = w.n - length(found)
    cdef bint is_ion = found[0] == b"i" and found[1] == b"o"
    if start < w.second or (is_ion and (start == 0 or w.code[start - 1] not in (u"s", u"t"))):
        return
    w.n = start


cdef void last_letter(StemmedWord *w) noexcept nogil:
    cdef Py_ssize_t start = w.n - 1
    if start < 0:
        return
    if w.code[start] == u"e":
        if start >= w.second or (start >= w.first and not is_short(w, start)):
            w.n = start
    elif w.code[start] == u"l" and start >= w.second and start and w.code[start - 1] == u"l":
        w.n = start
