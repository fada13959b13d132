"""Tokens by the Penn Treebank's conventions, with their offsets.

The rules are those of Robert MacIntyre's script as NLTK's TreebankWordTokenizer has them, in the
same order: each pass rewrites the text, mostly by putting spaces around something, and at the end
the text is split at white space. Every character keeps the position it came from, so offsets need
no alignment afterwards. A pass is a loop over a buffer; one sentence costs about 20 short loops.

The text is taken as one sentence: only a period at its end is split off.
"""

from cpython.unicode cimport PyUnicode_FromKindAndData
from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(uint32_t code) nogil
    bint Py_UNICODE_ISALNUM(uint32_t code) nogil
    bint Py_UNICODE_ISDECIMAL(uint32_t code) nogil
    enum:
        PyUnicode_4BYTE_KIND

cdef enum:
    GROWTH = 5           # a rule adds at most 4 characters to one of the text's
    INSERTED = -1        # origin of a space that a rule put in

cdef uint32_t QUOTE = c'"'
cdef uint32_t APOSTROPHE = c"'"
cdef uint32_t BACKTICK = c'`'
cdef uint32_t SPACE = c' '
cdef uint32_t PERIOD = c'.'

cdef struct Buffer:
    uint32_t *code
    int32_t *origin      # position of each character in the original text, or INSERTED
    Py_ssize_t n


cdef inline void _put(Buffer *out, uint32_t code, int32_t origin) noexcept nogil:
    out.code[out.n] = code
    out.origin[out.n] = origin
    out.n += 1


cdef inline void _space(Buffer *out) noexcept nogil:
    _put(out, SPACE, INSERTED)


cdef inline void _copy(const Buffer *text, Py_ssize_t k, Buffer *out) noexcept nogil:
    _put(out, text.code[k], text.origin[k])


cdef inline uint32_t _at(const Buffer *text, Py_ssize_t k) noexcept nogil:
    """Return a character, 0 outside the text."""
    return text.code[k] if 0 <= k < text.n else 0


cdef inline bint _is_any(uint32_t code, const char *of) noexcept nogil:
    """Whether an ASCII character is one of a string's."""
    cdef Py_ssize_t k = 0
    while of[k]:
        if code == <uint32_t>of[k]:
            return True
        k += 1
    return False


cdef inline bint _is_word(uint32_t code) noexcept nogil:
    return Py_UNICODE_ISALNUM(code) or code == c'_'


cdef void _pad(const Buffer *text, const char *marks, Buffer *out) noexcept nogil:
    """Put spaces around every one of some characters."""
    cdef Py_ssize_t k
    for k in range(text.n):
        if text.code[k] < 128 and _is_any(text.code[k], marks):
            _space(out)
            _copy(text, k, out)
            _space(out)
        else:
            _copy(text, k, out)


cdef void _pad_repeated(const Buffer *text, uint32_t mark, int times, Buffer *out) noexcept nogil:
    """Put spaces around every stretch of `times` equal characters, from the left."""
    cdef Py_ssize_t k = 0
    cdef int length
    while k < text.n:
        length = 0
        while length < times and _at(text, k + length) == mark:
            length += 1
        if length == times:
            _space(out)
            for k in range(k, k + times):
                _copy(text, k, out)
            _space(out)
        else:
            _copy(text, k, out)
        k += 1


cdef void _leading_quote(const Buffer *text, Buffer *out) noexcept nogil:
    """A double quote that begins the text opens."""
    cdef Py_ssize_t k
    cdef Py_ssize_t first = 0
    if _at(text, 0) == QUOTE:
        _put(out, BACKTICK, text.origin[0])
        _put(out, BACKTICK, text.origin[0])
        first = 1
    for k in range(first, text.n):
        _copy(text, k, out)


cdef void _opening_quotes(const Buffer *text, Buffer *out) noexcept nogil:
    """A double quote, or two single ones, after a space or bracket opens."""
    cdef Py_ssize_t k = 0
    while k < text.n:
        _copy(text, k, out)
        if _is_any(text.code[k], b" ([{<"):
            if _at(text, k + 1) == QUOTE:
                _open_quote(text.origin[k + 1], text.origin[k + 1], out)
                k += 1
            elif _at(text, k + 1) == APOSTROPHE and _at(text, k + 2) == APOSTROPHE:
                _open_quote(text.origin[k + 1], text.origin[k + 2], out)
                k += 2
        k += 1


cdef void _open_quote(int32_t first, int32_t second, Buffer *out) noexcept nogil:
    _space(out)
    _put(out, BACKTICK, first)
    _put(out, BACKTICK, second)
    _space(out)


cdef void _commas(const Buffer *text, Buffer *out) noexcept nogil:
    """A comma or colon stands alone unless a digit follows."""
    cdef Py_ssize_t k = 0
    while k < text.n:
        if not _is_any(text.code[k], b":,"):
            _copy(text, k, out)
        elif k + 1 == text.n:
            _space(out)
            _copy(text, k, out)
            _space(out)
        elif not Py_UNICODE_ISDECIMAL(text.code[k + 1]):
            _space(out)
            _copy(text, k, out)
            _space(out)
            k += 1
            _copy(text, k, out)
        else:
            _copy(text, k, out)
        k += 1


cdef void _trailing_comma(const Buffer *text, Buffer *out) noexcept nogil:
    """A comma or colon that ends the text stands alone, even right after another."""
    cdef Py_ssize_t k
    for k in range(text.n):
        if k + 1 == text.n and _is_any(text.code[k], b":,"):
            _space(out)
            _copy(text, k, out)
            _space(out)
        else:
            _copy(text, k, out)


cdef void _final_period(const Buffer *text, Buffer *out) noexcept nogil:
    """Split off the period at the end, before closing brackets and quotes and white space."""
    cdef Py_ssize_t end = text.n
    cdef Py_ssize_t k
    while end > 0 and Py_UNICODE_ISSPACE(text.code[end - 1]):
        end -= 1
    cdef Py_ssize_t period = end - 1
    while period >= 0 and _is_any(text.code[period], b"])}>\"'"):
        period -= 1
    if period < 1 or text.code[period] != PERIOD or text.code[period - 1] == PERIOD:
        period = end = text.n
    for k in range(end):
        if k == period:
            _space(out)
        _copy(text, k, out)
    if end < text.n or period < text.n:
        _space(out)


cdef void _lone_apostrophes(const Buffer *text, Buffer *out) noexcept nogil:
    """An apostrophe before a space stands alone, unless it follows another."""
    cdef Py_ssize_t k = 0
    while k < text.n:
        _copy(text, k, out)
        if (text.code[k] != APOSTROPHE and _at(text, k + 1) == APOSTROPHE
                and _at(text, k + 2) == SPACE):
            _space(out)
            _copy(text, k + 1, out)
            _space(out)
            k += 2
        k += 1


cdef void _closing_quotes(const Buffer *text, Buffer *out) noexcept nogil:
    """A double quote that has not become an opening one closes."""
    cdef Py_ssize_t k
    for k in range(text.n):
        if text.code[k] == QUOTE:
            _space(out)
            _put(out, APOSTROPHE, text.origin[k])
            _put(out, APOSTROPHE, text.origin[k])
            _space(out)
        else:
            _copy(text, k, out)


cdef Py_ssize_t _short_clitic(const Buffer *text, Py_ssize_t k) noexcept nogil:
    """Return the length of 's, 'm, 'd or ' before a space, 0 if there is none."""
    if _at(text, k) != APOSTROPHE:
        return 0
    if _at(text, k + 1) and _is_any(_at(text, k + 1), b"sSmMdD") and _at(text, k + 2) == SPACE:
        return 2
    return 1 if _at(text, k + 1) == SPACE else 0


cdef Py_ssize_t _long_clitic(const Buffer *text, Py_ssize_t k) noexcept nogil:
    """Return the length of 'll, 're, 've or n't, in one case, before a space, 0 if none."""
    cdef uint32_t a = _at(text, k)
    cdef uint32_t b = _at(text, k + 1)
    cdef uint32_t c = _at(text, k + 2)
    if _at(text, k + 3) != SPACE:
        return 0
    if a == APOSTROPHE and (
        (b == c'l' and c == c'l') or (b == c'L' and c == c'L')
        or (b == c'r' and c == c'e') or (b == c'R' and c == c'E')
        or (b == c'v' and c == c'e') or (b == c'V' and c == c'E')
    ):
        return 3
    if b == APOSTROPHE and ((a == c'n' and c == c't') or (a == c'N' and c == c'T')):
        return 3
    return 0


cdef void _clitics(const Buffer *text, bint long_ones, Buffer *out) noexcept nogil:
    """Split off clitics that follow a character other than a space or an apostrophe."""
    cdef Py_ssize_t k = 0
    cdef Py_ssize_t length, m
    while k < text.n:
        _copy(text, k, out)
        if text.code[k] != APOSTROPHE and text.code[k] != SPACE:
            length = _long_clitic(text, k + 1) if long_ones else _short_clitic(text, k + 1)
            if length:
                _space(out)
                for m in range(k + 1, k + 1 + length):
                    _copy(text, m, out)
                _space(out)
                k += length + 1
        k += 1


cdef void _split_word(
    const Buffer *text, const char *first, const char *second, bint before_space, Buffer *out
) noexcept nogil:
    """Split every word that is `first` + `second`, whatever its (ASCII) case."""
    cdef Py_ssize_t k = 0
    cdef Py_ssize_t m, cut, end
    cdef uint32_t code
    cdef const char *part
    while k < text.n:
        end = k
        cut = 0
        if not _is_word(_at(text, k - 1)):
            part = first
            while True:
                if not part[0]:
                    if cut:
                        break
                    cut = end
                    part = second
                code = _at(text, end)
                if c'A' <= code <= c'Z':
                    code += 32
                if code != <uint32_t>part[0]:
                    cut = 0
                    break
                part += 1
                end += 1
        if cut and not (
            Py_UNICODE_ISSPACE(_at(text, end)) if before_space else not _is_word(_at(text, end))
        ):
            cut = 0
        if cut:
            _space(out)
            for m in range(k, end):
                if m == cut:
                    _space(out)
                _copy(text, m, out)
            _space(out)
            k = end
        else:
            _copy(text, k, out)
            k += 1


cdef void _contractions(Buffer *text, Buffer *spare) noexcept nogil:
    """Split cannot, gonna and the like; the result is in `text`."""
    _split_word(text, b"can", b"not", False, spare)
    _swap(text, spare)
    _split_word(text, b"d", b"'ye", False, spare)
    _swap(text, spare)
    _split_word(text, b"gim", b"me", False, spare)
    _swap(text, spare)
    _split_word(text, b"gon", b"na", False, spare)
    _swap(text, spare)
    _split_word(text, b"got", b"ta", False, spare)
    _swap(text, spare)
    _split_word(text, b"lem", b"me", False, spare)
    _swap(text, spare)
    _split_word(text, b"more", b"'n", False, spare)
    _swap(text, spare)
    _split_word(text, b"wan", b"na", True, spare)
    _swap(text, spare)
    _split_word_after_space(text, b"'tis", spare)
    _swap(text, spare)
    _split_word_after_space(text, b"'twas", spare)
    _swap(text, spare)


cdef void _split_word_after_space(const Buffer *text, const char *word, Buffer *out) noexcept nogil:
    """Split 't from a word that follows a space."""
    cdef Py_ssize_t k = 0
    cdef Py_ssize_t m, length
    cdef uint32_t code
    while k < text.n:
        _copy(text, k, out)
        k += 1
        if text.code[k - 1] != SPACE:
            continue
        length = 0
        while word[length]:
            code = _at(text, k + length)
            if c'A' <= code <= c'Z':
                code += 32
            if code != <uint32_t>word[length]:
                break
            length += 1
        if word[length] or _is_word(_at(text, k + length)):
            continue
        for m in range(k, k + length):
            if m == k + 2:
                _space(out)
            _copy(text, m, out)
        _space(out)
        k += length


cdef inline void _swap(Buffer *text, Buffer *out) noexcept nogil:
    cdef Buffer kept = text[0]
    text[0] = out[0]
    out[0] = kept
    out.n = 0


cdef void _rewrite(Buffer *text, Buffer *spare) noexcept nogil:
    """Apply all rules in order; the result is in `text`."""
    _leading_quote(text, spare)
    _swap(text, spare)
    _pad_repeated(text, BACKTICK, 2, spare)
    _swap(text, spare)
    _opening_quotes(text, spare)
    _swap(text, spare)
    _commas(text, spare)
    _swap(text, spare)
    _trailing_comma(text, spare)
    _swap(text, spare)
    _pad_repeated(text, PERIOD, 3, spare)
    _swap(text, spare)
    _pad(text, b";@#$%&", spare)
    _swap(text, spare)
    _final_period(text, spare)
    _swap(text, spare)
    _pad(text, b"?!", spare)
    _swap(text, spare)
    _lone_apostrophes(text, spare)
    _swap(text, spare)
    _pad(text, b"][(){}<>", spare)
    _swap(text, spare)
    _pad_repeated(text, c'-', 2, spare)
    _swap(text, spare)
    _space(spare)
    cdef Py_ssize_t k
    for k in range(text.n):
        _copy(text, k, spare)
    _space(spare)
    _swap(text, spare)
    _pad_repeated(text, APOSTROPHE, 2, spare)
    _swap(text, spare)
    _closing_quotes(text, spare)
    _swap(text, spare)
    _clitics(text, False, spare)
    _swap(text, spare)
    _clitics(text, True, spare)
    _swap(text, spare)
    _contractions(text, spare)


def tokenize(str text):
    """Return the tokens of one sentence and where they stand.

    Parameters
    ----------
    text : str

    Returns
    -------
    tokens : list of str
        Straight double quotes become `` and ''.
    starts, ends : list of int
        Half-open offsets of each token in `text`, in code points.

    Examples
    --------
    >>> tokenize('He said "no".')
    (['He', 'said', '``', 'no', "''", '.'], [0, 3, 8, 9, 11, 12], [2, 7, 9, 11, 12, 13])
    """
    cdef Py_ssize_t n_text = len(text)
    cdef Py_ssize_t capacity = GROWTH * n_text + 16
    cdef uint32_t *block = <uint32_t *>malloc(4 * capacity * sizeof(uint32_t))
    if block == NULL:
        raise MemoryError(f"text of {n_text} characters")
    cdef Buffer buffer, spare
    buffer.code = block
    buffer.origin = <int32_t *>(block + capacity)
    buffer.n = 0
    spare.code = block + 2 * capacity
    spare.origin = <int32_t *>(block + 3 * capacity)
    spare.n = 0
    cdef Py_UCS4 letter
    for letter in text:
        _put(&buffer, <uint32_t>letter, <int32_t>buffer.n)
    with nogil:
        _rewrite(&buffer, &spare)
    cdef list tokens = []
    cdef list starts = []
    cdef list ends = []
    cdef Py_ssize_t k = 0
    cdef Py_ssize_t start
    try:
        while True:
            while k < buffer.n and Py_UNICODE_ISSPACE(buffer.code[k]):
                k += 1
            if k == buffer.n:
                return tokens, starts, ends
            start = k
            while k < buffer.n and not Py_UNICODE_ISSPACE(buffer.code[k]):
                k += 1
            tokens.append(
                PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, buffer.code + start, k - start)
            )
            starts.append(buffer.origin[start])
            ends.append(buffer.origin[k - 1] + 1)
    finally:
        free(block)
