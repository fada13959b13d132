"""Sentence splitter for English text, from left to right.

A sentence ends at the end of the text, at a blank line, or at a mark: a run of periods, question
and exclamation marks, with the closing quotation marks and brackets and the emoticon after it.
Whether a mark ends a sentence depends on what follows it and, for a single period, on the word
before it: `ends_here` has the rules, tokalign.english.annotate.abbreviations the words. An emoticon
without a mark ends a sentence before a capital. A single line break is a space, since lines may be
wrapped.

Every character is read a bounded number of times, whatever the text; at most LONGEST_WORD
characters are looked back at from each mark.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset, strcmp

from tokalign.english.annotate.abbreviations import (
    BEFORE_DIGITS,
    BEFORE_LOWER,
    FIRST_WORDS,
    LONGEST_WORD,
    NEVER_LAST,
    SELDOM_LAST,
)

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_UCS4 PyUnicode_READ(int kind, const void* data, Py_ssize_t i) nogil
    bint Py_UNICODE_ISALNUM(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISALPHA(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISLOWER(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISSPACE(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISUPPER(Py_UCS4 letter) nogil

cdef enum:
    PERIOD = 1          # a single period
    DOTS = 2            # several, or an ellipsis
    CALL = 3            # a question or exclamation mark among them


# Whether an ASCII character can neither end a sentence nor be part of the white space or emoticon
# that does: letters, most signs, and the space, which ends no sentence by itself.
cdef uint8_t[128] IS_PLAIN
for _letter in range(128):
    IS_PLAIN[_letter] = chr(_letter) == " " or not (chr(_letter).isspace() or chr(_letter) in ".!?<^:;=")

cdef enum:
    N_LOOKED_AT = 24    # LONGEST_WORD; asserted where the lists are read
    N_WORD = 12         # bytes of a listed word and its end

    # Lists that a word is in.
    NEVER = 1
    DIGITS = 2
    SELDOM = 4
    FIRST = 8
    LOWER = 16
cdef enum:
    N_LISTED = 256      # most words of all lists

ctypedef char[N_WORD] Spelling

cdef Spelling[N_LISTED] SPELLINGS   # the words of all lists, sorted
cdef int[N_LISTED] KINDS
cdef int N_SPELLINGS = 0


cdef int fill_lists() except -1:
    """Copy the lists of words to C arrays, which are read without the GIL."""
    global N_SPELLINGS
    cdef dict kinds = {}
    cdef bytes spelling
    for kind, words in (
        (NEVER, NEVER_LAST),
        (DIGITS, BEFORE_DIGITS),
        (LOWER, BEFORE_LOWER),
        (SELDOM, SELDOM_LAST),
        (FIRST, FIRST_WORDS),
    ):
        for word in words:
            kinds[word] = kinds.get(word, 0) | kind
    if LONGEST_WORD != N_LOOKED_AT or len(kinds) > N_LISTED or max(map(len, kinds)) >= N_WORD:
        raise ValueError("tokalign.english.annotate.abbreviations does not fit the splitter's arrays")
    for word in sorted(kinds):
        spelling = word.encode("ascii")
        memset(SPELLINGS[N_SPELLINGS], 0, N_WORD)
        for i in range(len(spelling)):
            SPELLINGS[N_SPELLINGS][i] = spelling[i]
        KINDS[N_SPELLINGS] = kinds[word]
        N_SPELLINGS += 1
    return 0

fill_lists()


cdef int lists_of(const char *spelling) noexcept nogil:
    """Return the lists that a lower-case word is in, as bits."""
    cdef int low = 0
    cdef int high = N_SPELLINGS
    cdef int middle, order
    while low < high:
        middle = (low + high) // 2
        order = strcmp(SPELLINGS[middle], spelling)
        if order == 0:
            return KINDS[middle]
        if order < 0:
            low = middle + 1
        else:
            high = middle
    return 0


cdef inline Py_UCS4 at(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Return a character, or 0 outside the text."""
    scan.n_steps += 1
    if i >= scan.n:
        scan.is_open = True
        return 0
    return PyUnicode_READ(scan.kind, scan.data, i) if i >= 0 else 0


cdef inline bint is_space(Scan* scan, Py_ssize_t i) noexcept nogil:
    return Py_UNICODE_ISSPACE(at(scan, i)) and i < scan.n


cdef int listed(Scan* scan, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Return the lists that a word is in, ignoring case, as bits."""
    cdef char[N_WORD] spelling
    cdef uint32_t letter
    cdef Py_ssize_t i
    if end - start >= N_WORD:
        return 0
    for i in range(end - start):
        letter = <uint32_t>at(scan, start + i)
        if letter == 0 or letter > 127:
            return 0
        if 65 <= letter <= 90:
            letter += 32
        spelling[i] = <char>letter
    spelling[end - start] = 0
    return lists_of(spelling)


cdef inline bint is_mark(Py_UCS4 letter) noexcept nogil:
    return letter == u"." or letter == u"!" or letter == u"?" or letter == 0x2026


cdef inline bint closes(Py_UCS4 letter) noexcept nogil:
    return letter in (u'"', u"'", 0x201D, 0x2019, u")", u"]", u"}", 0xBB)


cdef inline bint opens(Py_UCS4 letter) noexcept nogil:
    return letter in (
        u'"', u"'", 0x201C, 0x2018, u"`", u"(", u"[", u"{", u"<", 0xAB, u"*", u"_", u"-", u"~"
    )


cdef Py_ssize_t skip_space(Scan* scan, Py_ssize_t i, bint* is_blank) noexcept nogil:
    """Return the end of the white space at i, and whether it holds a blank line."""
    cdef Py_ssize_t n_breaks = 0
    cdef Py_UCS4 letter
    while is_space(scan, i):
        letter = at(scan, i)
        if letter == u"\n" or letter == 0x2028:
            n_breaks += 1
        elif letter == u"\r":
            n_breaks += at(scan, i + 1) != u"\n"
        elif letter == 0x2029:
            n_breaks += 2
        i += 1
    is_blank[0] = n_breaks > 1
    return i


cdef Py_ssize_t emoticon_end(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Return the end of an emoticon that stands by itself at i, or 0: :-) ;) =D <3 ^_^ ."""
    cdef Py_ssize_t end = 0
    cdef Py_ssize_t mouth = i + 1
    cdef Py_UCS4 letter = at(scan, i)
    if letter == u"<" and at(scan, i + 1) == u"3":
        end = i + 2
    elif letter == u"^" and at(scan, i + 1) == u"_" and at(scan, i + 2) == u"^":
        end = i + 3
    elif letter == u":" or letter == u";" or letter == u"=":
        mouth += at(scan, mouth) == u"-" or at(scan, mouth) == u"'"
        end = mouth
        while at(scan, end) in (u"(", u")", u"]", u"D", u"P", u"p", u"O", u"|", u"/", u"\\"):
            end += 1
        if end == mouth:
            return 0
    return end if end and (end == scan.n or is_space(scan, end)) else 0


cdef bint is_initials(Scan* scan, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether a word has parts of one or two letters with periods between: U.S, p.m, Ph.D."""
    cdef Py_ssize_t n_letters = 0
    cdef Py_ssize_t i
    cdef bint has_period = False
    for i in range(start, end):
        if at(scan, i) == u".":
            if n_letters == 0:
                return False
            has_period = True
            n_letters = 0
        elif not Py_UNICODE_ISALPHA(at(scan, i)) or n_letters == 2:
            return False
        else:
            n_letters += 1
    return has_period and n_letters > 0


# Long, because it is one list of rules; the first that applies decides.
cdef bint ends_here(
    Scan* scan, Py_ssize_t start, Py_ssize_t mark, int kind, bint is_closed, bint is_spaced,
    Py_ssize_t after,
) noexcept nogil:
    """Whether a sentence ends with a mark.

    Parameters
    ----------
    start, mark : int
        Offsets of the sentence and of its mark.
    kind : int
        PERIOD, DOTS or CALL.
    is_closed, is_spaced : bool
        Whether quotation marks or brackets follow the mark, and whether white space does.
    after : int
        Offset of the next character that is not white space; there must be one.
    """
    cdef Py_UCS4 following = at(scan, after)
    cdef Py_UCS4 first, second, letter
    cdef Py_ssize_t i, n_letters, word_end
    cdef Py_ssize_t word = mark     # start of the word before the mark, without opening signs
    cdef bint begins
    cdef bint is_lower = True       # of the word
    cdef bint is_alpha = True
    cdef bint is_decimal = True
    cdef int lists

    while word > start and mark - word < N_LOOKED_AT and not is_space(scan, word - 1):
        word -= 1
    while word < mark and opens(at(scan, word)):
        word += 1
    n_letters = mark - word
    for i in range(word, mark):
        letter = at(scan, i)
        is_alpha = is_alpha and Py_UNICODE_ISALPHA(letter)
        is_lower = is_lower and Py_UNICODE_ISLOWER(letter)
        is_decimal = is_decimal and Py_UNICODE_ISDECIMAL(letter)

    if not is_spaced:
        # "the end.The next": a space was forgotten, but no address or file name is cut.
        second = at(scan, after + 1)
        return (
            not is_closed and is_alpha and is_lower and n_letters > 1
            and Py_UNICODE_ISUPPER(following)
            and (Py_UNICODE_ISLOWER(second) or not Py_UNICODE_ISALNUM(second))
            and second != u"." and second != u"@"
        )

    i = after
    while opens(at(scan, i)):
        i += 1
    first = at(scan, i)     # the first character after the mark, if it is a letter or digit
    begins = (
        Py_UNICODE_ISALNUM(first)
        or opens(following) and i < scan.n and not Py_UNICODE_ISSPACE(first)
        or following in (u"#", u"$", u"@", u">")
    )
    if kind == CALL:
        return begins and not (is_closed and Py_UNICODE_ISLOWER(first))
    if kind == DOTS:
        return Py_UNICODE_ISUPPER(first)
    if is_closed:
        return begins and not Py_UNICODE_ISLOWER(first)

    # A single period. First the enumerators: "1. Open it." and "b. Close it."
    if word == start or (at(scan, word - 1) == u" " and at(scan, word - 2) == u":"):
        if n_letters == 1 or (0 < n_letters <= 3 and is_decimal):
            return False
    lists = listed(scan, word, mark)
    if lists & NEVER or (lists & DIGITS and Py_UNICODE_ISDECIMAL(first)):
        return False
    if lists & SELDOM or is_initials(scan, word, mark) or (
        n_letters == 1 and is_alpha and at(scan, word) != u"I"
    ):
        if not Py_UNICODE_ISUPPER(first):
            return False
        word_end = i
        while word_end - i < N_LOOKED_AT and Py_UNICODE_ISALPHA(at(scan, word_end)):
            word_end += 1
        return following == u'"' or following == 0x201C or listed(scan, i, word_end) & FIRST
    if Py_UNICODE_ISLOWER(first):
        return n_letters > 2 and not lists & LOWER
    return begins


cdef Py_ssize_t skip_plain(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Return the first position from i on that may end a sentence, or of the white space before
    it."""
    cdef Py_ssize_t start = i
    cdef Py_UCS4 letter
    while i < scan.n:
        letter = PyUnicode_READ(scan.kind, scan.data, i)
        if letter >= 128 or not IS_PLAIN[letter]:
            break
        i += 1
    while i > start and PyUnicode_READ(scan.kind, scan.data, i - 1) == u" ":
        i -= 1
    scan.n_steps += i - start
    return i


cdef Py_ssize_t next_end(Scan* scan, Py_ssize_t start) noexcept nogil:
    """Return the end of the sentence that starts at `start`."""
    cdef Py_ssize_t i = start
    cdef Py_ssize_t end, after, mark
    cdef bint is_blank = False
    cdef bint is_closed
    cdef int kind
    cdef Py_UCS4 letter
    while True:
        i = skip_plain(scan, i)
        letter = at(scan, i)
        if i == scan.n:
            return i
        if is_space(scan, i):
            after = skip_space(scan, i, &is_blank)
            if is_blank or after == scan.n:
                return i
            end = emoticon_end(scan, after)
            if end == 0:
                i = after
                continue
            after = skip_space(scan, end, &is_blank)
            if Py_UNICODE_ISUPPER(at(scan, after)):
                return end
            i = end
            continue
        if not is_mark(letter):
            i += 1
            continue
        mark = i
        kind = PERIOD if letter == u"." else DOTS if letter == 0x2026 else CALL
        i += 1
        while is_mark(at(scan, i)) or (at(scan, i) == u" " and is_mark(at(scan, i + 1))):
            letter = at(scan, i)
            if letter == u"!" or letter == u"?":
                kind = CALL
            elif kind == PERIOD:
                kind = DOTS
            i += 1
        is_closed = closes(at(scan, i))
        while closes(at(scan, i)):
            i += 1
        end = i
        after = skip_space(scan, end, &is_blank)
        if is_blank or after == scan.n:
            return end
        i = emoticon_end(scan, after)
        if i:
            end = i
            after = skip_space(scan, end, &is_blank)
            if is_blank or after == scan.n:
                return end
        else:
            i = end
        if ends_here(scan, start, mark, kind, is_closed, after > end, after):
            return end


cdef Scan scan_of(int kind, const void* data, Py_ssize_t n) noexcept nogil:
    """Return a new scan of a text."""
    return Scan(kind=kind, data=data, n=n, n_steps=0, is_open=False)


cdef bint next_sentence(Scan* scan, Py_ssize_t* start, Py_ssize_t* end) noexcept nogil:
    """Find the sentence after `end`; return whether there is one."""
    cdef bint is_blank = False
    start[0] = end[0] = skip_space(scan, end[0], &is_blank)
    if start[0] == scan.n:
        return False
    scan.is_open = False
    end[0] = next_end(scan, start[0])
    return True


cdef class Sentences:
    """Iterates over the sentences of a text, found one by one without the GIL.

    Parameters
    ----------
    text : str
        English, of any length, such as a passage. It is not copied.

    Yields
    ------
    start, end : int
        Half-open code point offsets in rising order. Sentences do not overlap or begin or end with
        white space, and only white space is between them. A blank text has none.

    Attributes
    ----------
    n_steps : int
        Characters read so far, for the test that splitting is linear.
    is_open : bool
        Whether the end of the text was read to find the last sentence, whose end may move if text
        is added. Added text changes no other sentence.

    Examples
    --------
    >>> text = 'Dr. Lind arrived at 3 p.m. on Monday. "Is it open?" she asked. It was.'
    >>> [text[start:end] for start, end in Sentences(text)]
    ['Dr. Lind arrived at 3 p.m. on Monday.', '"Is it open?" she asked.', 'It was.']
    """

    cdef str _text
    cdef Scan _scan
    cdef Py_ssize_t _next

    def __cinit__(self, text not None):
        text = str(text) if isinstance(text, str) else text  # of a subclass, such as numpy's
        self._text = text
        self._scan = scan_of(PyUnicode_KIND(text), PyUnicode_DATA(text), len(text))
        self._next = 0

    @property
    def n_steps(self):
        return self._scan.n_steps

    @property
    def is_open(self):
        return self._scan.is_open

    def __iter__(self):
        return self

    def __next__(self):
        cdef Scan scan = self._scan
        cdef Py_ssize_t start = 0
        cdef Py_ssize_t end = self._next
        cdef bint is_found
        with nogil:
            is_found = next_sentence(&scan, &start, &end)
        self._next = end
        self._scan = scan
        if not is_found:
            raise StopIteration
        return start, end
