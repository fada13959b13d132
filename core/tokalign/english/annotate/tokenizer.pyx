"""Penn Treebank tokenisation of one sentence, from left to right.

The conventions are those of McIntyre's tokenizer.sed as ported by NLTK's TreebankWordTokenizer,
to the token. Where the script inserts spaces rule by rule, this scanner sets bits on positions:
punctuation first, then the clitics ('s, 'll, n't), then a few contractions (can not, 't is).
Unlike the script, as web text needs, it takes white space of any kind for a space, and reads
typographic signs as the Treebank writes them (curly quotes as `` '' and ', the em dash as --, the
ellipsis as ...), and negations without their apostrophe (cant) as with it.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint32_t
from libc.string cimport memset

from tokalign.english.annotate.characters cimport *

cdef enum:
    N_ON_STACK = 512    # longer sentences are copied to the heap

    LOW_QUOTE_OPEN = 0x201C
    EM_DASH = 0x2014
    ELLIPSIS_SIGN = 0x2026

cdef dict WRITTEN = {OPENING: "``", CLOSING: "''", DASH: "--", ELLIPSIS: "...", NOT: "n't"}

# Whether an ASCII character may be something else than a part of a word.
cdef uint8_t[128] SPECIAL
memset(SPECIAL, 0, sizeof(SPECIAL))
for _letter in range(128):
    SPECIAL[_letter] = _letter <= 32 or chr(_letter) in "\"'`:,.;@#$%&?!()[]{}<>-"


cdef Py_UCS4 straightened(Py_UCS4 letter) noexcept nogil:
    """Return the ASCII sign for a typographic one, or the letter itself."""
    if letter in (0x2018, 0x2019, 0x201B, 0x02BC):
        return u"'"
    return u'"' if letter == 0x201D else letter


cdef inline void isolate(
    uint8_t* bits, Py_ssize_t start, Py_ssize_t end, uint8_t bit
) noexcept nogil:
    bits[start] |= bit
    bits[end] |= bit


cdef inline bint opens(
    const Py_UCS4* text, const uint8_t* bits, Py_ssize_t i, Py_ssize_t backquotes_end
) noexcept nogil:
    """Whether a quotation mark at i > 0 comes after a space, an opening bracket or ``."""
    return text[i - 1] in (u" ", u"(", u"[", u"{", u"<") or i == backquotes_end


cdef Py_ssize_t final_period(const Py_UCS4* text, Py_ssize_t n) noexcept nogil:
    """Return the position of the period that ends the sentence, before closing signs, or -1."""
    cdef Py_ssize_t end = n, dots = 0
    while end > 0 and text[end - 1] == u" ":
        end -= 1
    while end > 0 and text[end - 1] in (u"]", u")", u"}", u">", u'"', u"'"):
        end -= 1
    while dots < end and text[end - 1 - dots] == u".":
        dots += 1
    # Dots are grouped in threes from the left; a period is final if it is left over.
    return end - 1 if end > 1 and dots % 3 == 1 else -1


# Long, because it is one choice between all marks, and their order matters.
cdef void break_punctuation(
    const Py_UCS4* text, uint8_t* bits, Py_ssize_t n, bint* has_apostrophe
) noexcept nogil:
    """Set the breaks around punctuation, and replace white space by spaces."""
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t backquotes_end = -1  # where the last `` ended
    cdef Py_ssize_t swallowed = -1       # position of a comma or colon that the one before used up
    cdef Py_ssize_t final = final_period(text, n)
    cdef Py_UCS4 letter, after
    if final >= 0:
        bits[final] |= BREAK | EARLY
        bits[n] |= BREAK | EARLY
    while i < n:
        letter = text[i]
        if letter < 128:
            if not SPECIAL[letter]:
                i += 1
                continue
        elif letter not in (LOW_QUOTE_OPEN, EM_DASH, ELLIPSIS_SIGN):
            i += 1
            continue
        after = text[i + 1] if i + 1 < n else 0
        if letter == u" ":
            isolate(bits, i, i + 1, BREAK | EARLY)
        elif letter == u'"':
            if i == 0:
                backquotes_end = 1
            if i == 0 or opens(text, bits, i, backquotes_end):
                isolate(bits, i, i + 1, BREAK | EARLY)
                bits[i] |= OPENING
            else:
                isolate(bits, i, i + 1, BREAK)
                bits[i] |= CLOSING
        elif letter == u"'":
            if after == u"'":
                if i > 0 and opens(text, bits, i, backquotes_end):
                    isolate(bits, i, i + 2, BREAK | EARLY)
                    bits[i] |= OPENING
                else:
                    isolate(bits, i, i + 2, BREAK)
                    bits[i] |= CLOSING
                i += 1
            else:
                has_apostrophe[0] = True
        elif letter == LOW_QUOTE_OPEN:
            isolate(bits, i, i + 1, BREAK | EARLY)
            bits[i] |= OPENING
            backquotes_end = i + 1
        elif letter == u"`":
            if after == u"`":
                isolate(bits, i, i + 2, BREAK | EARLY)
                backquotes_end = i + 2
                i += 1
        elif letter == u":" or letter == u",":
            if i + 1 == n:
                isolate(bits, i, i + 1, BREAK | EARLY)
            elif i != swallowed and not Py_UNICODE_ISDECIMAL(after):
                isolate(bits, i, i + 1, BREAK | EARLY)
                swallowed = i + 1
        elif letter == u".":
            if after == u"." and i + 2 < n and text[i + 2] == u".":
                isolate(bits, i, i + 3, BREAK | EARLY)
                i += 2
        elif letter == u"-":
            if after == u"-":
                isolate(bits, i, i + 2, BREAK)
                i += 1
        elif letter == EM_DASH:
            isolate(bits, i, i + 1, BREAK)
            bits[i] |= DASH
        elif letter == ELLIPSIS_SIGN:
            isolate(bits, i, i + 1, BREAK | EARLY)
            bits[i] |= ELLIPSIS
        elif letter in (u"(", u")", u"[", u"]", u"{", u"}", u"<", u">"):
            isolate(bits, i, i + 1, BREAK)
        elif letter > 32:
            isolate(bits, i, i + 1, BREAK | EARLY)
        i += 1


cdef inline bint is_apostrophe(
    const Py_UCS4* text, const uint8_t* bits, Py_ssize_t i
) noexcept nogil:
    """Whether a ' stands here that is not half of a quotation mark."""
    return text[i] == u"'" and not bits[i] & (OPENING | CLOSING) and not (
        i > 0 and text[i - 1] == u"'" and bits[i - 1] & (OPENING | CLOSING)
    )


cdef void break_clitics(const Py_UCS4* text, uint8_t* bits, Py_ssize_t n) noexcept nogil:
    """Set the breaks before clitics. A break is not seen by those to its left in the same loop."""
    cdef Py_ssize_t i
    cdef Py_UCS4 a, b
    for i in range(n):
        if is_apostrophe(text, bits, i) and bits[i + 1] & EARLY:
            bits[i] |= BREAK
    for i in range(n):
        if is_apostrophe(text, bits, i):
            if bits[i + 1] & BREAK:
                bits[i] |= BREAK
            elif i + 1 < n and bits[i + 2] & BREAK and text[i + 1] in (
                u"s", u"S", u"m", u"M", u"d", u"D"
            ):
                bits[i] |= BREAK
    for i in range(n):
        if not is_apostrophe(text, bits, i) or i + 1 >= n:
            continue
        a = text[i + 1]
        if i > 1 and bits[i + 2] & BREAK and text[i - 2] != u"'" and (
            (text[i - 1] == u"n" and a == u"t") or (text[i - 1] == u"N" and a == u"T")
        ):
            bits[i - 1] |= BREAK
        if i + 2 < n and bits[i + 3] & BREAK:
            b = text[i + 2]
            if (
                (a == u"l" and b == u"l") or (a == u"L" and b == u"L")
                or ((a == u"r" or a == u"v") and b == u"e")
                or ((a == u"R" or a == u"V") and b == u"E")
            ):
                bits[i] |= BREAK


cdef inline bint in_word(const Py_UCS4* text, Py_ssize_t i, Py_ssize_t n) noexcept nogil:
    return 0 <= i < n and (Py_UNICODE_ISALNUM(text[i]) or text[i] == u"_")


cdef Py_ssize_t spells(
    const Py_UCS4* text, const uint8_t* bits, Py_ssize_t i, Py_ssize_t n, const char* word
) noexcept nogil:
    """Return the end of `word` (lower-case ASCII) if it stands whole at i, else 0."""
    cdef Py_ssize_t k = 0
    cdef uint32_t letter, wanted
    while word[k]:
        if i + k >= n or (k > 0 and bits[i + k] & BREAK):
            return 0
        letter = text[i + k]
        wanted = <uint8_t>word[k]
        if letter != wanted and not (letter + 32 == wanted and wanted >= 97):
            return 0
        k += 1
    if not bits[i + k] & BREAK and in_word(text, i + k, n):
        return 0
    return i + k


cdef struct Contraction:
    const char* word
    int middle          # where it is cut

cdef Contraction[8] CONTRACTIONS = [
    Contraction("cannot", 3), Contraction("d'ye", 1), Contraction("gimme", 3),
    Contraction("gonna", 3), Contraction("gotta", 3), Contraction("lemme", 3),
    Contraction("more'n", 4), Contraction("wanna", 3),
]
cdef Contraction[2] IT = [Contraction("'tis", 2), Contraction("'twas", 2)]


cdef inline bint split(
    const Py_UCS4* text, uint8_t* bits, Py_ssize_t i, Py_ssize_t n, const Contraction* written
) noexcept nogil:
    """Cut a contraction that stands whole at i; return whether it does."""
    cdef Py_ssize_t end = spells(text, bits, i, n, written.word)
    # A sign may be glued to any but "wanna".
    if not end or (written.word[0] == b"w" and not bits[end] & BREAK):
        return False
    isolate(bits, i, end, BREAK)
    bits[i + written.middle] |= BREAK
    return True


cdef void break_contractions(
    const Py_UCS4* text, uint8_t* bits, Py_ssize_t n, bint has_apostrophe
) noexcept nogil:
    """Split cannot, d'ye, gimme, gonna, gotta, lemme, more'n, wanna, then 'tis and 'twas."""
    cdef Py_ssize_t i
    cdef uint32_t first
    cdef int k
    for i in range(n):
        first = <uint32_t>text[i] | 32
        if first not in (c"c", c"d", c"g", c"l", c"m", c"w") or (
            not bits[i] & BREAK and in_word(text, i - 1, n)
        ):
            continue
        for k in range(8):
            if <uint32_t>CONTRACTIONS[k].word[0] == first and (
                split(text, bits, i, n, &CONTRACTIONS[k])
            ):
                break
    # From the right, so that a break made here is not seen to its right.
    for k in range(2 if has_apostrophe else 0):
        for i in range(n - 1, -1, -1):
            if text[i] == u"'" and (i == 0 or bits[i] & BREAK):
                split(text, bits, i, n, &IT[k])


ctypedef const char* Stem

cdef Stem[19] DENIED = [
    b"ai", b"are", b"ca", b"could", b"did", b"do", b"does", b"had", b"has", b"have", b"is", b"might",
    b"must", b"need", b"should", b"was", b"were", b"wo", b"would",
]


cdef void break_bare_negations(const Py_UCS4* text, uint8_t* bits, Py_ssize_t n) noexcept nogil:
    """Split cant, isnt and their like before nt. A break is at 0 and at n."""
    cdef Py_ssize_t start = 0, end, k
    cdef int which
    for end in range(1, n + 1):
        if not bits[end] & BREAK:
            continue
        if (4 <= end - start <= 8 and text[end - 1] == u"t" and text[end - 2] == u"n"):
            for which in range(19):
                k = 0
                while DENIED[which][k] and (
                    text[start + k] == <uint8_t>DENIED[which][k]
                    or (k == 0 and (<uint32_t>text[start] | 32) == <uint8_t>DENIED[which][k])
                ):
                    k += 1
                if not DENIED[which][k] and start + k == end - 2:
                    bits[end - 2] |= BREAK | NOT
                    break
        start = end


cdef void mark_tokens(Py_UCS4* letters, uint8_t* bits, Py_ssize_t n) noexcept nogil:
    """Set the bits of every position of a sentence."""
    cdef bint has_apostrophe = False
    cdef Py_ssize_t i
    for i in range(n):
        if Py_UNICODE_ISSPACE(letters[i]):
            letters[i] = u" "
    memset(bits, 0, n + 1)
    break_punctuation(letters, bits, n, &has_apostrophe)
    bits[n] |= BREAK
    if has_apostrophe:
        break_clitics(letters, bits, n)
    break_contractions(letters, bits, n, has_apostrophe)
    break_bare_negations(letters, bits, n)


cdef bint next_token(
    const Py_UCS4* letters, const uint8_t* bits, Py_ssize_t n, Py_ssize_t* start, Py_ssize_t* end
) noexcept nogil:
    """Find the next token; return whether there is one."""
    while start[0] < n and letters[start[0]] == u" ":
        start[0] += 1
    if start[0] >= n:
        return False
    end[0] = start[0] + 1
    while end[0] < n and not bits[end[0]] & BREAK:
        end[0] += 1
    return True


def tokenize(str text not None) -> tuple[list[str], list[int], list[int]]:
    """Return the Penn Treebank tokens of one sentence, their starts and their ends.

    Only the last period is a token; those inside stay with their word. Quotation marks become ``
    and ''; brackets stay. A blank text has no tokens. Offsets are half-open, in code points.
    MacIntyre (1995), tokenizer.sed, Linguistic Data Consortium.

    Examples
    --------
    >>> tokenize('He said "I can\\'t."')[0]
    ['He', 'said', '``', 'I', 'ca', "n't", '.', "''"]
    """
    cdef Py_UCS4[N_ON_STACK + 1] letters_here
    cdef uint8_t[N_ON_STACK + 1] bits_here
    cdef Py_UCS4* letters = letters_here
    cdef uint8_t* bits = bits_here
    cdef Py_ssize_t n = len(text)
    cdef Py_ssize_t i, start = 0, end = 0
    cdef uint8_t written
    cdef list tokens = [], starts = [], ends = []
    if n > N_ON_STACK:
        letters = <Py_UCS4*>PyMem_Malloc((n + 1) * (sizeof(Py_UCS4) + 1))
        if letters is NULL:
            raise MemoryError(f"cannot hold {n} characters")
        bits = <uint8_t*>(letters + n + 1)
    try:
        PyUnicode_AsUCS4(text, letters, n + 1, 1)
        for i in range(n):
            letters[i] = straightened(letters[i])
        mark_tokens(letters, bits, n)
        while next_token(letters, bits, n, &start, &end):
            written = bits[start] & REWRITTEN
            tokens.append(
                WRITTEN[written] if written
                else PyUnicode_FromKindAndData(4, letters + start, end - start)
            )
            starts.append(start)
            ends.append(end)
            start = end
    finally:
        if n > N_ON_STACK:
            PyMem_Free(letters)
    return tokens, starts, ends
