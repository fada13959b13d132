"""Rules for equal words, without a dictionary.

Two words may be spellings of one word: typos, lengthened words, British and American, with and
without accents; identical words are not variants. Or one token equals a run of tokens: the same
letters in one word or several, identifiers of code, acronyms. The kernels compare arrays of code
points in lower case.
"""

import unicodedata

from libc.stdint cimport int32_t, uint32_t

from tokalign.english.spelling.spelling_tables import PAIRS, RULES
from tokalign.errors import InputError, quoted

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISALPHA(Py_UCS4 letter) nogil

cdef enum:
    MOST_WORDS = 12         # of a run
    LEAST_INITIALS = 2
    MOST_INITIALS = 6
    LEAST_LETTERS = 4       # of a word with a typo
    LONG = 8                # letters from which two typos are forgiven
    LENGTHENED = 3          # equal letters in a row that no real word has
    MOST_RULES = 16
    MOST_PAIRS = 128
    MOST_ENDINGS = 8
    N_SPELLING = 20         # letters of an entry of the tables
    MOST_APART = 3          # largest difference in length of variants
    N_FOLDED = 0x250        # letters from this code point on keep their accents

cdef struct Spelling:
    uint32_t[N_SPELLING] code
    int n

cdef struct Rule:
    Spelling british
    Spelling american
    int before          # letters before them, at least
    int letters         # of the British word, at least
    int n_endings       # 0: any
    Spelling[MOST_ENDINGS] ending

cdef uint32_t[N_FOLDED] FOLDED     # letter -> itself without its accent
cdef Rule[MOST_RULES] RULE
cdef int N_RULES = 0
cdef Spelling[2 * MOST_PAIRS] PAIR
cdef int N_PAIRS = 0


cdef int _spell(str text, Spelling *out) except -1:
    cdef int k
    assert len(text) <= N_SPELLING, text
    out.n = <int>len(text)
    for k in range(out.n):
        out.code[k] = <uint32_t>text[k]
    return 0


cdef int _fill_tables() except -1:
    """Copy the tables to C arrays, which are read without the GIL."""
    global N_RULES, N_PAIRS
    assert len(RULES) <= MOST_RULES and 2 * len(PAIRS) <= MOST_PAIRS
    for british, american, before, letters, endings in RULES:
        _spell(british, &RULE[N_RULES].british)
        _spell(american, &RULE[N_RULES].american)
        RULE[N_RULES].before = before
        RULE[N_RULES].letters = letters
        RULE[N_RULES].n_endings = len(endings)
        for place, ending in enumerate(endings):
            _spell(ending, &RULE[N_RULES].ending[place])
        N_RULES += 1
    for british, american in PAIRS:
        for ending in ("", "s"):
            _spell(british + ending, &PAIR[2 * N_PAIRS])
            _spell(american + ending, &PAIR[2 * N_PAIRS + 1])
            N_PAIRS += 1
    return 0


_fill_tables()


cdef class SpelledWord:
    """The letters of a token in lower case; only the length if it exceeds MAX_LETTERS."""

    def __init__(self, token, bint is_function=False):
        if not isinstance(token, str):
            raise InputError(f"a word is {quoted(token)}, wanted a str")
        cdef str lower = token.lower()
        cdef int k
        self.letters.code = self._code
        self.letters.n = <int32_t>min(len(lower), MAX_LETTERS + 1)
        self.letters.is_function = is_function
        for k in range(min(self.letters.n, <int>MAX_LETTERS)):
            self._code[k] = <uint32_t>lower[k]


cdef inline bint _stands_at(const Letters *word, int at, const Spelling *text) noexcept nogil:
    cdef int k
    if at + text.n > word.n:
        return False
    for k in range(text.n):
        if word.code[at + k] != text.code[k]:
            return False
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
    cdef int i, j, cost, first, end, least
    cdef int least_before = 0
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
    cdef int shorter = min(a.n, b.n)
    cdef int longer = max(a.n, b.n)
    cdef int most = 2 if shorter >= LONG else 1
    if shorter < LEAST_LETTERS or longer > MAX_LETTERS or longer - shorter > most:
        return False
    return 0 < _distance(a, b, most) <= most and _are_letters(a) and _are_letters(b)


cdef bint lengthened(const Letters *a, const Letters *b) noexcept nogil:
    """Whether two words differ only in how often letters are repeated."""
    cdef int i = 0
    cdef int j = 0
    cdef int n_a, n_b
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
    if british.n - rule.british.n != american.n - rule.american.n:
        return False
    for at in range(british.n - rule.british.n + 1):
        rest = at + rule.british.n
        if at >= rule.before and _stands_at(british, at, &rule.british) and _stands_at(
            american, at, &rule.american
        ):
            for k in range(british.n - rest):
                if british.code[rest + k] != american.code[at + rule.american.n + k]:
                    break
            else:
                if not rule.n_endings:
                    return True
                for k in range(rule.n_endings):
                    if rule.ending[k].n == british.n - rest and _stands_at(
                        british, rest, &rule.ending[k]
                    ):
                        return True
        if british.code[at] != american.code[at]:
            return False
    return False


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
    for k in range(N_PAIRS):
        if _is(a, &PAIR[2 * k]) and _is(b, &PAIR[2 * k + 1]):
            return True
        if _is(b, &PAIR[2 * k]) and _is(a, &PAIR[2 * k + 1]):
            return True
    return False


cdef inline bint _is(const Letters *word, const Spelling *text) noexcept nogil:
    return word.n == text.n and _stands_at(word, 0, text)


def is_typo(a, b):
    """Return whether one word may be a typo of the other.

    Parameters
    ----------
    a, b : str
        Single words, in any case.

    Returns
    -------
    bool
        Whether both have only letters, at least 4, and are one step apart, or two if both have at
        least 8: a letter left out, added or exchanged, or two neighbours swapped.

    References
    ----------
    Damerau (1964), "A technique for computer detection and correction of spelling errors".

    Examples
    --------
    >>> is_typo("recieve", "receive"), is_typo("dog", "dig"), is_typo("2018", "2019")
    (True, False, False)
    """
    cdef SpelledWord one = SpelledWord(a)
    cdef SpelledWord other = SpelledWord(b)
    return typo(&one.letters, &other.letters)


def is_lengthened(a, b):
    """Return whether words differ only in letters repeated three times or more.

    Examples
    --------
    >>> is_lengthened("sooo", "so"), is_lengthened("Yesss", "yes"), is_lengthened("too", "to")
    (True, True, False)
    """
    cdef SpelledWord one = SpelledWord(a)
    cdef SpelledWord other = SpelledWord(b)
    return lengthened(&one.letters, &other.letters)


def is_variant(a, b):
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
    cdef int at = 0
    cdef int k, j
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
    cdef int n = 0
    cdef int k, j
    # Bit k: the first k letters are those of the words so far.
    cdef uint32_t reached = 1
    cdef uint32_t after
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


cdef object _compare(word, run, function_words, bint is_acronym):
    cdef SpelledWord one = SpelledWord(word)
    cdef list others = [
        SpelledWord(each, isinstance(each, str) and each.lower() in function_words) for each in run
    ]
    cdef Borrowed[MOST_WORDS] letters
    cdef int k
    cdef SpelledWord other
    if len(others) > MOST_WORDS:
        raise InputError(f"a run has {len(others)} tokens, at most {MOST_WORDS} are compared")
    for k, other in enumerate(others):
        letters[k] = &other.letters
    if is_acronym:
        return initials(&one.letters, letters, <int>len(others))
    return joined(&one.letters, letters, <int>len(others))


def is_joined(word, run):
    """Return whether a token is a run of tokens written as one.

    Parameters
    ----------
    word : str
    run : sequence of str
        At most 12 tokens; a single one may be the same word with other hyphens.

    Returns
    -------
    bool
        Whether both have the same letters and digits in the same order, ignoring case and other
        signs. So identifiers of code match in any style of case.

    Raises
    ------
    InputError
        If the run has more than 12 tokens.

    Examples
    --------
    >>> is_joined("database", ["data", "base"]), is_joined("16GB", ["16", "GB"])
    (True, True)
    >>> is_joined("getUserName", ["get_user_name"]), is_joined("e-mail", ["email"])
    (True, True)
    """
    return _compare(word, run, (), False)


def is_initials(word, run, function_words=()):
    """Return whether a token is the initials of a run of tokens.

    Parameters
    ----------
    word : str
        2 to 6 letters, in any case, with or without dots.
    run : sequence of str
        2 to 12 tokens.
    function_words : collection of str, optional
        Lower-case words that may be left out, except the first and the last of the run.

    Returns
    -------
    bool

    Raises
    ------
    InputError
        If the run has more than 12 tokens.

    Examples
    --------
    >>> is_initials("imf", ["International", "Monetary", "Fund"])
    True
    >>> is_initials("FBI", ["Federal", "Bureau", "of", "Investigation"], {"of"})
    True
    """
    return _compare(word, run, function_words, True)
