"""Rules for equal words, without a dictionary, and stems.

Two words may be spellings of one word: typos, lengthened words, British and American, with and
without accents; identical words are not variants. Or one token equals a run of tokens: the same
letters in one word or several, identifiers of code, acronyms. The kernels compare arrays of code
points in lower case.

Stems are those of the algorithm "english" of Snowball 3.1 (https://snowballstem.org), Porter's
second; the tests compare them with PyStemmer's on every word of the tables. Suffixes are tried from
the longest to the shortest; if one is found but may not be removed, no shorter one is tried.
"""

import unicodedata

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_4BYTE_KIND, PyUnicode_FromKindAndData, PyUnicode_READ_CHAR
from libc.string cimport strlen

from tokalign.english.spelling.spelling_tables import PAIRS, RULES
from tokalign.errors import InputError, quoted

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISALPHA(Py_UCS4 letter) nogil

cdef enum:
    LEAST_INITIALS = 2
    MOST_INITIALS = 6
    LEAST_LETTERS = 4       # of a word with a typo
    LONG = 8                # letters from which two typos are forgiven
    LENGTHENED = 3          # equal letters in a row that no real word has
    MOST_RULES = 16
    MOST_PAIRS = 128
    MOST_ENDINGS = 8
    MOST_APART = 3          # largest difference in length of variants
    N_FOLDED = 0x250        # letters from this code point on keep their accents
    ON_STACK = 64           # characters of a word to stem; longer ones take memory of their own

ctypedef const char *Text

cdef struct Rule:
    Text british
    Text american
    int n_british
    int n_american
    int before          # letters before them, at least
    int letters         # of the British word, at least
    int n_endings       # 0: any
    Text[MOST_ENDINGS] ending

cdef uint32_t[N_FOLDED] FOLDED     # letter -> itself without its accent
cdef Rule[MOST_RULES] RULE
cdef int N_RULES = 0
cdef Text[4 * MOST_PAIRS] PAIR     # one word after the other, also with -s
cdef int N_PAIRS = 0
cdef list KEPT = []                # the letters that these point to


cdef Text _spelt(str text):
    cdef bytes letters = text.encode("ascii")
    KEPT.append(letters)
    return letters


cdef int _fill_tables() except -1:
    """Copy the tables to C arrays, which are read without the GIL."""
    global N_RULES, N_PAIRS
    cdef Rule *rule
    assert len(RULES) <= MOST_RULES and len(PAIRS) <= MOST_PAIRS
    for british, american, before, letters, endings in RULES:
        rule = &RULE[N_RULES]
        rule.british, rule.american = _spelt(british), _spelt(american)
        rule.n_british, rule.n_american = len(british), len(american)
        rule.before, rule.letters, rule.n_endings = before, letters, len(endings)
        for place, ending in enumerate(endings):
            rule.ending[place] = _spelt(ending)
        N_RULES += 1
    for word in [word + ending for pair in PAIRS for ending in ("", "s") for word in pair]:
        PAIR[N_PAIRS] = _spelt(word)
        N_PAIRS += 1
    return 0


_fill_tables()


cdef class SpelledWord:
    """The letters of a token in lower case; only the length if it exceeds MAX_LETTERS."""

    def __init__(self, token):
        if not isinstance(token, str):
            raise InputError(f"a word is {quoted(token)}, wanted a str")
        cdef str lower = token.lower()
        cdef int k
        self.letters.code = self._code
        self.letters.n = <int32_t>min(len(lower), MAX_LETTERS + 1)
        self.letters.is_function = False
        for k in range(min(self.letters.n, <int>MAX_LETTERS)):
            self._code[k] = <uint32_t>lower[k]


cdef inline bint _stands_at(
    const uint32_t *code, Py_ssize_t n, Py_ssize_t at, const char *text
) noexcept nogil:
    """Whether a text stands at a place of a word of n letters."""
    while text[0]:
        if at >= n or code[at] != <unsigned char>text[0]:
            return False
        at += 1
        text += 1
    return True


cdef inline bint _are_letters(const Letters *word) noexcept nogil:
    cdef int k
    for k in range(word.n):
        if not Py_UNICODE_ISALPHA(<Py_UCS4>word.code[k]):
            return False
    return True


cdef int _distance(const Letters *a, const Letters *b, int most) noexcept nogil:
    """Return the number of letters left out, added, exchanged, or swapped with their neighbour.

    Above `most` the result is not exact, only larger than `most`. So only cells near the diagonal
    are filled, and filling ends after two rows without a small number.
    """
    cdef int[3][MAX_LETTERS + 1] rows
    cdef int *before = rows[0]
    cdef int *last = rows[1]
    cdef int *now = rows[2]
    cdef int *spare
    cdef int i, j, cost, first, end, least, least_before = 0
    for j in range(min(b.n, most + 1) + 1):
        last[j] = j
    for i in range(1, a.n + 1):
        first = max(i - most, 1)
        end = min(i + most, b.n)
        # Cells outside the filled ones are all too large.
        now[first - 1] = i if first == 1 else most + 1
        least = now[first - 1]
        for j in range(first, end + 1):
            cost = a.code[i - 1] != b.code[j - 1]
            now[j] = min(min(last[j] + 1, now[j - 1] + 1), last[j - 1] + cost)
            if (
                i > 1 and j > 1 and a.code[i - 1] == b.code[j - 2]
                and a.code[i - 2] == b.code[j - 1]
            ):
                now[j] = min(now[j], before[j - 2] + 1)
            least = min(least, now[j])
        if end < b.n:
            now[end + 1] = most + 1
        if least > most and least_before >= most:
            return most + 1
        least_before = least
        spare = before
        before = last
        last = now
        now = spare
    return last[b.n]


cdef bint typo(const Letters *a, const Letters *b) noexcept nogil:
    """Whether one word may be a typo of the other."""
    cdef int shorter = min(a.n, b.n), longer = max(a.n, b.n)
    cdef int most = 2 if shorter >= LONG else 1
    if shorter < LEAST_LETTERS or longer > MAX_LETTERS or longer - shorter > most:
        return False
    return 0 < _distance(a, b, most) <= most and _are_letters(a) and _are_letters(b)


cdef bint lengthened(const Letters *a, const Letters *b) noexcept nogil:
    """Whether two words differ only in how often letters are repeated."""
    cdef int i = 0, j = 0, n_a, n_b
    cdef bint any_longer = False
    if max(a.n, b.n) > MAX_LETTERS:
        return False
    while i < a.n and j < b.n:
        if a.code[i] != b.code[j]:
            return False
        n_a = n_b = 1
        while i + n_a < a.n and a.code[i + n_a] == a.code[i]:
            n_a += 1
        while j + n_b < b.n and b.code[j + n_b] == b.code[j]:
            n_b += 1
        if n_a != n_b:
            if max(n_a, n_b) < LENGTHENED:
                return False
            any_longer = True
        i += n_a
        j += n_b
    return any_longer and i == a.n and j == b.n and _are_letters(a)


cdef bint _follows(
    const Rule *rule, const Letters *british, const Letters *american
) noexcept nogil:
    """Whether a rule turns one word into the other."""
    cdef int at, rest, k
    if british.n < rule.letters:
        return False
    if british.n - rule.n_british != american.n - rule.n_american:
        return False
    for at in range(british.n - rule.n_british + 1):
        rest = at + rule.n_british
        if at >= rule.before and _stands_at(british.code, british.n, at, rule.british) and (
            _stands_at(american.code, american.n, at, rule.american)
        ):
            for k in range(british.n - rest):
                if british.code[rest + k] != american.code[at + rule.n_american + k]:
                    break
            else:
                if not rule.n_endings:
                    return True
                for k in range(rule.n_endings):
                    if _ends_with(british, rest, rule.ending[k]):
                        return True
        if british.code[at] != american.code[at]:
            return False
    return False


cdef inline bint _ends_with(const Letters *word, int at, const char *text) noexcept nogil:
    """Whether all of a word from a place on is a text."""
    return _stands_at(word.code, word.n, at, text) and at + <int>strlen(text) == word.n


for _code in range(N_FOLDED):
    _letter = unicodedata.normalize("NFD", chr(_code))[0]
    FOLDED[_code] = ord(_letter) if _letter.isascii() else _code


cdef inline uint32_t _folded(uint32_t code) noexcept nogil:
    return FOLDED[code] if code < N_FOLDED else code


cdef bint _differ_by_accents(const Letters *a, const Letters *b) noexcept nogil:
    cdef bint are_equal = True
    cdef int k
    if a.n != b.n:
        return False
    for k in range(a.n):
        if _folded(a.code[k]) != _folded(b.code[k]):
            return False
        are_equal = are_equal and a.code[k] == b.code[k]
    return not are_equal


cdef bint variant(const Letters *a, const Letters *b) noexcept nogil:
    """Whether two words are British and American spellings of one word, or differ by accents."""
    cdef int k
    if max(a.n, b.n) > MAX_LETTERS or min(a.n, b.n) < 2:
        return False
    if max(a.n, b.n) - min(a.n, b.n) > MOST_APART:
        return False
    if _differ_by_accents(a, b):
        return True
    if a.code[0] != b.code[0] and a.code[a.n - 1] != b.code[b.n - 1]:
        return False  # neither rules nor pairs change both ends
    for k in range(N_RULES):
        if _follows(&RULE[k], a, b) or _follows(&RULE[k], b, a):
            return True
    for k in range(0, N_PAIRS, 2):
        if _ends_with(a, 0, PAIR[k]) and _ends_with(b, 0, PAIR[k + 1]):
            return True
        if _ends_with(b, 0, PAIR[k]) and _ends_with(a, 0, PAIR[k + 1]):
            return True
    return False


def is_typo(a: str, b: str) -> bool:
    """Return whether one word, in any case, may be a typo of the other.

    Both have only letters, at least 4, and are one step apart, or two if both have at least 8: a
    letter left out, added or exchanged, or two neighbours swapped. Damerau (1964), "A technique for
    computer detection and correction of spelling errors".

    Examples
    --------
    >>> is_typo("recieve", "receive"), is_typo("dog", "dig"), is_typo("2018", "2019")
    (True, False, False)
    """
    cdef SpelledWord one = SpelledWord(a)
    cdef SpelledWord other = SpelledWord(b)
    return typo(&one.letters, &other.letters)


def is_variant(a: str, b: str) -> bool:
    """Return whether two words are British and American spellings of one word, in either order, or
    differ only by accents.

    Examples
    --------
    >>> is_variant("colour", "color"), is_variant("gray", "grey"), is_variant("four", "for")
    (True, True, False)
    >>> is_variant("São", "Sao")
    True
    """
    cdef SpelledWord one = SpelledWord(a)
    cdef SpelledWord other = SpelledWord(b)
    return variant(&one.letters, &other.letters)


cdef bint joined(const Letters *word, const Letters **run, int n_run) noexcept nogil:
    """Whether a token has the letters and digits of a run, ignoring other signs."""
    cdef int at = 0, k, j
    cdef bint any_in_token
    if word.n > MAX_LETTERS:
        return False
    for k in range(n_run):
        if run[k].n > MAX_LETTERS:
            return False
        any_in_token = False
        for j in range(run[k].n):
            if not Py_UNICODE_ISALNUM(<Py_UCS4>run[k].code[j]):
                continue
            any_in_token = True
            while at < word.n and not Py_UNICODE_ISALNUM(<Py_UCS4>word.code[at]):
                at += 1
            if at == word.n or word.code[at] != run[k].code[j]:
                return False
            at += 1
        if not any_in_token:
            return False
    while at < word.n and not Py_UNICODE_ISALNUM(<Py_UCS4>word.code[at]):
        at += 1
    return at == word.n and n_run > 0


cdef bint initials(const Letters *word, const Letters **run, int n_run) noexcept nogil:
    """Whether a token has the first letters of a run; its function words may be left out."""
    cdef uint32_t[MOST_INITIALS] letter
    cdef int n = 0, k, j
    # Bit k: the first k letters are those of the words so far.
    cdef uint32_t reached = 1, after
    if word.n > MAX_LETTERS or n_run < 2:
        return False
    for k in range(word.n):
        if word.code[k] == u".":
            continue
        if n == MOST_INITIALS or not Py_UNICODE_ISALPHA(<Py_UCS4>word.code[k]):
            return False
        letter[n] = word.code[k]
        n += 1
    if n < LEAST_INITIALS:
        return False
    for k in range(n_run):
        after = reached if run[k].is_function and 0 < k < n_run - 1 else 0
        for j in range(n):
            if reached >> j & 1 and run[k].n > 0 and run[k].code[0] == letter[j]:
                after |= <uint32_t>1 << (j + 1)
        reached = after
    return reached >> n & 1


cdef struct StemmedWord:
    Py_UCS4 *code        # [n]
    Py_ssize_t n
    Py_ssize_t first     # where region 1 begins: after the first consonant that follows a vowel
    Py_ssize_t second    # where region 2 begins: the same rule applied within region 1
    bint has_marked      # whether a consonant y was written as Y

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

cdef Text[52] SECOND_RULES = [  # a suffix, and what is put instead of it
    "ational", "ate", "fulness", "ful", "iveness", "ive", "ization", "ize", "ousness", "ous",
    "biliti", "ble", "lessli", "less", "tional", "tion", "alism", "al", "aliti", "al", "ation", "ate",
    "entli", "ent", "fulli", "ful", "iviti", "ive", "ogist", "og", "ousli", "ous", "abli", "able",
    "alli", "al", "anci", "ance", "ator", "ate", "enci", "ence", "izer", "ize", "bli", "ble",
    "ogi", "og", "li", "", NULL, NULL,
]
cdef Text[20] THIRD_RULES = [
    "ational", "ate", "tional", "tion", "alize", "al", "ative", "", "icate", "ic", "iciti", "ic",
    "ical", "ic", "ness", "", "ful", "", NULL, NULL,
]
cdef Text[19] FOURTH_SUFFIXES = [
    "ement", "able", "ance", "ence", "ible", "ment", "ant", "ate", "ent", "ion", "ism", "iti",
    "ive", "ize", "ous", "al", "er", "ic", NULL,
]


def stem(str word not None) -> str:
    """Return the stem of a word in lower case, which need not be a word.

    Raises UnicodeEncodeError if it holds a lone surrogate.

    Examples
    --------
    >>> [stem(word) for word in ("connections", "connected", "running", "generally", "sky")]
    ['connect', 'connect', 'run', 'general', 'sky']
    """
    known = (<dict>EXCEPTIONS).get(word)
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


cdef Py_ssize_t before(const StemmedWord *w, Py_ssize_t end, const char *suffix) noexcept nogil:
    """Return the start of a suffix that ends at `end`, or -1 if it is not there."""
    cdef Py_ssize_t start = end - strlen(suffix)
    return start if start >= 0 and _stands_at(<uint32_t *>w.code, end, start, suffix) else -1


cdef const Text *which(
    const StemmedWord *w, Py_ssize_t end, const Text *suffixes, int stride=1
) noexcept nogil:
    """Return the first of some suffixes that ends at `end`; it is NULL if there is none."""
    while suffixes[0] != NULL and before(w, end, suffixes[0]) < 0:
        suffixes += stride
    return suffixes


cdef void put(StemmedWord *w, Py_ssize_t start, const char *text) noexcept nogil:
    """Write a text from a place on, and end the word after it."""
    cdef Py_ssize_t k, n = strlen(text)
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
    cdef Py_ssize_t found = -1
    while found < 0 and prefix[0] != NULL:
        if _stands_at(<uint32_t *>w.code, w.n, 0, prefix[0]):
            found = strlen(prefix[0])
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
    cdef const char *found = which(w, w.n, POSSESSIVES)[0]
    if found != NULL:
        w.n -= strlen(found)
    found = which(w, w.n, PLURALS)[0]
    if found == NULL:
        return
    cdef Py_ssize_t start = w.n - strlen(found)
    if found[0] == b"i":
        put(w, start, "i" if start >= 2 else "ie")
    elif strlen(found) == 4:
        put(w, start, "ss")
    elif strlen(found) == 1 and has_vowel(w, start - 1):
        w.n = start


cdef bint is_kept(const StemmedWord *w, Py_ssize_t end, const Text *words) noexcept nogil:
    """Whether all before a place is one of some words."""
    cdef const char *found = which(w, end, words)[0]
    return found != NULL and <Py_ssize_t>strlen(found) == end


cdef void past_forms(StemmedWord *w) noexcept nogil:
    cdef const char *found = which(w, w.n, PAST_FORMS)[0]
    if found == NULL:
        return
    cdef Py_ssize_t start = w.n - strlen(found)
    if found[0] == b"e" and found[1] == b"e":
        if start >= w.first and not is_kept(w, start, KEPT_BEFORE_EED):
            put(w, start, "ee")
        return
    if strlen(found) == 3:
        if is_kept(w, start, KEPT_BEFORE_ING):
            return
        if start == 2 and w.code[1] == u"y" and not is_vowel(w.code[0]):
            put(w, 1, "ie")
            return
    if has_vowel(w, start):
        w.n = start
        mend_ending(w)


cdef void mend_ending(StemmedWord *w) noexcept nogil:
    """After -ed or -ing was removed: restore an e, or remove a doubled letter."""
    if which(w, w.n, LACK_AN_E)[0] != NULL:
        put(w, w.n, "e")
    elif which(w, w.n, DOUBLES)[0] != NULL:
        if w.n != 3 or w.code[0] not in (u"a", u"e", u"o"):
            w.n -= 1
    elif w.n == w.first and is_short(w, w.n):
        put(w, w.n, "e")


cdef void second(StemmedWord *w) noexcept nogil:
    cdef const Text *rule = which(w, w.n, SECOND_RULES, 2)
    cdef Py_ssize_t start = w.n - strlen(rule[0]) if rule[0] != NULL else -1
    cdef Py_UCS4 left = w.code[start - 1] if start > 0 else 0
    cdef bint is_li = start >= 0 and rule[1][0] == 0
    cdef bint is_ogi = start >= 0 and rule[0][0] == b"o" and strlen(rule[0]) == 3
    if start < w.first or (is_ogi and left != u"l") or (is_li and left not in (
        u"c", u"d", u"e", u"g", u"h", u"k", u"m", u"n", u"r", u"t"
    )):
        return
    put(w, start, rule[1])


cdef void third(StemmedWord *w) noexcept nogil:
    cdef const Text *rule = which(w, w.n, THIRD_RULES, 2)
    cdef Py_ssize_t start = w.n - strlen(rule[0]) if rule[0] != NULL else -1
    if start >= w.first and (rule[0][0] != b"a" or rule[1][0] != 0 or start >= w.second):
        put(w, start, rule[1])


cdef void fourth(StemmedWord *w) noexcept nogil:
    cdef const char *found = which(w, w.n, FOURTH_SUFFIXES)[0]
    if found == NULL:
        return
    cdef Py_ssize_t start = w.n - strlen(found)
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
