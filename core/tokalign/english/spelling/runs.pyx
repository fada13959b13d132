"""One token against a run of tokens: words in one or several, names of code, acronyms."""

from libc.stdint cimport uint32_t

from tokalign.english.spelling.letters cimport MAX_LETTERS, Borrowed, Letters, SpelledWord

from tokalign.errors import InputError

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISALPHA(Py_UCS4 letter) nogil

cdef enum:
    MOST_WORDS = 12         # of a run
    LEAST_INITIALS = 2
    MOST_INITIALS = 6

cdef bint joined(const Letters *word, const Letters **run, int n_run) noexcept nogil:
    """Whether a token has the letters and digits of a run, whatever stands between them."""
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
        Whether both have the same letters and digits in the same order, in any case, whatever
        signs stand between them. So names of code are joined whatever their case.

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
        Lower-case words that may be left out, but for the first and the last of the run.

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
