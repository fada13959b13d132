"""Packing of tokens into `Form` structs, the only step of tagging and parsing that reads text."""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from tokalign.errors import InputError, ShapeError

cdef extern from "Python.h":
    Py_UCS4* PyUnicode_AsUCS4(str text, Py_UCS4* buffer, Py_ssize_t n, int copy_null)
    uint32_t Py_UNICODE_TOLOWER(uint32_t ch) nogil
    bint Py_UNICODE_ISALPHA(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISDIGIT(Py_UCS4 letter) nogil

cdef enum:
    N_ON_STACK = 64     # longer tokens are copied to the heap

cdef uint64_t SEED = 0xCBF29CE484222325u
cdef uint64_t PRIME = 0x100000001B3u


cdef inline uint32_t fold(uint64_t h) noexcept nogil:
    # Never 0, which marks an empty lexicon slot and a missing neighbour.
    h *= 0x9E3779B97F4A7C15u
    return <uint32_t>(h >> 32) | 1u


cdef inline uint64_t push(uint64_t h, uint32_t ch) noexcept nogil:
    return (h ^ ch) * PRIME


cdef Py_UCS4 bracket(const Py_UCS4* letters, Py_ssize_t n) noexcept nogil:
    """Return the bracket that the Penn Treebank writes as -LRB- and such, or 0."""
    if n != 5 or letters[0] != u"-" or letters[3] != u"B" or letters[4] != u"-":
        return 0
    if letters[1] == u"L":
        return (
            u"(" if letters[2] == u"R" else u"[" if letters[2] == u"S"
            else u"{" if letters[2] == u"C" else 0
        )
    if letters[1] == u"R":
        return (
            u")" if letters[2] == u"R" else u"]" if letters[2] == u"S"
            else u"}" if letters[2] == u"C" else 0
        )
    return 0


cdef int pack(str token, Form* out) except -1:
    cdef Py_UCS4[N_ON_STACK] here
    cdef Py_UCS4* letters = here
    cdef Py_ssize_t n = len(token)
    if n == 0:
        raise InputError("a token is empty", field="tokens")
    if n > N_ON_STACK:
        letters = <Py_UCS4*>malloc(n * sizeof(Py_UCS4))
        if letters is NULL:
            raise MemoryError(f"cannot hold {n} characters")
    PyUnicode_AsUCS4(token, letters, n, 0)
    pack_letters(letters, n, out)
    if n > N_ON_STACK:
        free(letters)
    return 0


# Long, as one pass over the letters finds everything that a form holds.
cdef void pack_letters(const Py_UCS4* token, Py_ssize_t n, Form* out) noexcept nogil:
    """Fill the form of a token of n > 0 letters."""
    cdef Py_UCS4 sign, letter
    cdef Py_ssize_t i
    cdef uint32_t ch, low, kind, last_kind = 0
    cdef uint32_t l1 = 0, l2 = 0, l3 = 0, l4 = 0
    cdef uint64_t form = SEED, lower = SEED, shape = SEED
    cdef Py_ssize_t position = 0
    cdef int run = 0
    out.fixed = 0
    out.case = 0
    if n == 2 and token[0] == u"`" and token[1] == u"`":
        out.fixed = QUOTE_OPEN
        sign = u'"'
    elif n == 2 and token[0] == u"'" and token[1] == u"'":
        out.fixed = QUOTE_CLOSE
        sign = u'"'
    else:
        sign = bracket(token, n)
    if sign:
        token = &sign
        n = 1
    out.prefix1 = out.prefix2 = out.prefix3 = 0
    for i in range(n):
        letter = token[i]
        ch = <uint32_t>letter
        if ch == 0x2019 or ch == 0x2018:
            ch = 39
        elif ch == 0x201C or ch == 0x201D:
            ch = 34
        if 97 <= ch <= 122:
            low, kind = ch, 120
            out.case |= HAS_LOWER
        elif 65 <= ch <= 90:
            low, kind = ch + 32, 88
            out.case |= HAS_UPPER
        elif 48 <= ch <= 57:
            low, kind = 48, 48
        elif ch < 128:
            low, kind = ch, ch
        else:
            low = Py_UNICODE_TOLOWER(ch)
            if low != ch:
                kind = 88
                out.case |= HAS_UPPER
            elif Py_UNICODE_ISALPHA(letter):
                kind = 120
                out.case |= HAS_LOWER
            elif Py_UNICODE_ISDIGIT(letter):
                low, kind = 48, 48
            else:
                kind = ch
        form = push(form, ch)
        lower = push(lower, low)
        run = run + 1 if kind == last_kind else 1
        last_kind = kind
        if run <= 2:
            shape = push(shape, kind)
        l4, l3, l2, l1 = l3, l2, l1, low
        position += 1
        if position == 1:
            out.prefix1 = fold(form)
        elif position == 2:
            out.prefix2 = fold(form)
        elif position == 3:
            out.prefix3 = fold(form)
    out.form = fold(form)
    out.lower = fold(lower)
    out.shape = fold(shape)
    out.suffix1 = fold(push(SEED, l1))
    out.suffix2 = fold(push(push(SEED, l2), l1)) if position > 1 else 0
    out.suffix3 = fold(push(push(push(SEED, l3), l2), l1)) if position > 2 else 0
    out.suffix4 = fold(push(push(push(push(SEED, l4), l3), l2), l1)) if position > 3 else 0


cdef class Forms:
    """The packed tokens of a batch of sentences.

    Parameters
    ----------
    sentences : sequence of sequence of str
        Non-empty tokens. Quotes and brackets may be written as in text or as in the Penn
        Treebank.

    Attributes
    ----------
    n_tokens, n_sentences : int
    """

    def __cinit__(self, sentences):
        cdef Py_ssize_t index = 0, n_tokens = 0
        cdef str token
        for sentence in sentences:
            n_tokens += len(sentence)
        self.n_tokens = n_tokens
        self.n_sentences = len(sentences)
        self.items = <Form*>malloc((n_tokens + 1) * sizeof(Form))
        self.offsets = <int32_t*>malloc((self.n_sentences + 1) * sizeof(int32_t))
        if self.items is NULL or self.offsets is NULL:
            raise MemoryError(f"cannot hold {n_tokens} tokens")
        n_tokens = 0
        self.offsets[0] = 0
        for sentence in sentences:
            for token in sentence:
                pack(token, &self.items[n_tokens])
                n_tokens += 1
            index += 1
            self.offsets[index] = <int32_t>n_tokens

    def __dealloc__(self):
        free(self.items)
        free(self.offsets)

    def offsets_list(self):
        """Return where each sentence starts among the tokens, and their number at the end."""
        return [self.offsets[index] for index in range(self.n_sentences + 1)]

    def lower_hashes(self):
        """Return the hash of every token lower-cased with digits as 0, never 0."""
        return [self.items[index].lower for index in range(self.n_tokens)]

    def rows(self):
        """Return every token's hashes as a dict by field name, for tests and reference code."""
        return [self.items[index] for index in range(self.n_tokens)]


cdef int shift_of(Py_ssize_t n_rows) except -1:
    cdef int bits = 0
    while (1 << bits) < n_rows:
        bits += 1
    if (1 << bits) != n_rows or bits < 1 or bits > 31:
        raise ShapeError(f"{n_rows} rows; wanted a power of two")
    return 64 - bits


def feature_slot(template, a, b, bits):
    """Return the row of a feature in a table of ``2**bits`` rows, for tests."""
    return slot(template, a, b, 64 - bits)
