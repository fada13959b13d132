"""Sentence splitter for English text, from left to right.

A sentence ends at the end of the text, at a blank line, before a line that begins a block, or at a
mark: a run of periods, question and exclamation marks, with what belongs to it (`tail_end`): the
quotation marks and brackets that it closes, references, marks of emphasis, tags, emoji and emoticons.
What follows the mark decides, and before a single period the word: `ends_here` has the rules,
data/word-lists.tsv the words. An emoticon without a mark ends a sentence before a
capital. Nothing ends inside brackets that open within a sentence and are closed soon.

Headings, items of lists, rows of tables, rules and fences are blocks (`read_line`). A heading and a
fence end with their line. Any other line break is a space, for lines may be wrapped.

Every character is read a bounded number of times, whatever the text.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset, strcmp

from tokalign.english.annotate.sentence_scan cimport *

from tokalign.files.shipped import LISTS

cdef enum:
    PERIOD = 1          # a single period
    DOTS = 2            # several, or an ellipsis
    CALL = 3            # a question or exclamation mark among them


# Whether an ASCII character can neither end a sentence nor be the white space or the emoticon that
# does: a letter, most signs, and the space, which alone ends none.
cdef uint8_t[128] IS_PLAIN
for _letter in range(128):
    IS_PLAIN[_letter] = chr(_letter) == " " or not (chr(_letter).isspace() or chr(_letter) in ".!?<^:;=")

cdef enum:
    N_LOOKED_AT = 24    # most characters of the word before a period, and of that after it
    N_WORD = 12         # bytes of a listed word and its end
    N_REFERENCE = 40    # most characters of a reference between brackets
    N_TAG = 96          # most characters of a tag or a command
    N_OPENED = 6        # most tags and signs of emphasis before a label
    N_BRACKETS = 200    # most characters that are looked at, on each side, for brackets

    # What a listed word is.
    NEVER = 1
    DIGITS = 2
    SELDOM = 4
    FIRST = 8
    LOWER = 16
    SHORT = 32
    GOES_ON = 64
    LABEL = 128
cdef enum:
    N_LISTED = 384      # words of a list at most

ctypedef char[N_WORD] Spelling

cdef Spelling[N_LISTED] SPELLINGS   # the words of all lists, sorted
cdef int[N_LISTED] KINDS
cdef int N_SPELLINGS = 0


cdef int fill_lists() except -1:
    """Copy the lists of words to where they are read without the interpreter."""
    global N_SPELLINGS
    cdef dict kinds = {}
    cdef bytes spelling
    for kind, words in (
        (NEVER, "never-last"),
        (DIGITS, "before-digits"),
        (LOWER, "before-lower"),
        (SELDOM, "seldom-last"),
        (FIRST, "first-words"),
        (SHORT, "short-last"),
        (GOES_ON, "go-on"),
        (LABEL, "labelled"),
    ):
        for word in LISTS.words(words):
            kinds[word] = kinds.get(word, 0) | kind
    if len(kinds) > N_LISTED or max(map(len, kinds)) >= N_WORD:
        raise ValueError("word-lists.tsv does not fit the splitter's arrays")
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
    """Return in which lists a word of small letters is, as bits."""
    cdef int low = 0, high = N_SPELLINGS, middle, order
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


cdef int listed(Scan* scan, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Return in which lists a word is, case ignored."""
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


cdef inline bint is_picture(Py_UCS4 letter) noexcept nogil:
    """Whether a character is a part of an emoji."""
    return letter >= 0x2600 and (
        letter <= 0x27BF or 0x1F000 <= letter <= 0x1FAFF or letter == 0xFE0F or letter == 0x2B50
    )


cdef inline bint is_emphasis(Py_UCS4 letter) noexcept nogil:
    return letter == u"*" or letter == u"_" or letter == u"`"


cdef inline bint is_superscript(Py_UCS4 letter) noexcept nogil:
    """Whether a character is a raised digit, a dagger, or another sign of a footnote."""
    return letter in (0xB9, 0xB2, 0xB3, 0x2020, 0x2021, 0xA7, 0xB6) or 0x2070 <= letter <= 0x2079


cdef inline bint is_latin(Py_UCS4 letter) noexcept nogil:
    return 97 <= (<uint32_t>letter | 32) <= 122


cdef Py_ssize_t find(Scan* scan, Py_ssize_t i, Py_UCS4 sign, int most) noexcept nogil:
    """Return the end of the next `sign` on the line, among so many characters, or 0."""
    cdef Py_ssize_t end
    cdef Py_UCS4 letter
    for end in range(i, i + most):
        letter = at(scan, end)
        if letter == sign:
            return end + 1
        if letter == 0 or letter == u"\n" or letter == u"\r":
            return 0
    return 0


cdef Py_ssize_t reference_end(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Return the end of a reference glued to what is before it at i, or 0.

    They are [4], [note 4], [^1], [1](#fn1), (1), <sup>1</sup>, </b> and \\cite{a}.
    """
    cdef Py_UCS4 letter = at(scan, i)
    cdef Py_ssize_t end = 0
    if letter == u"[":
        end = find(scan, i + 1, u"]", N_REFERENCE)
        if end and at(scan, end) == u"(":
            end = max(end, find(scan, end, u")", N_TAG))
    elif letter == u"(":
        end = i + 1
        while Py_UNICODE_ISDECIMAL(at(scan, end)) and end - i < 4:
            end += 1
        end = end + 1 if end > i + 1 and at(scan, end) == u")" else 0
    elif letter == u"<" and (at(scan, i + 1) == u"/" or is_latin(at(scan, i + 1))):
        end = find(scan, i + 1, u">", N_TAG)
        if end and at(scan, i + 1) == u"s" and at(scan, i + 2) == u"u":  # <sup>, <sub>
            i = find(scan, end, u"<", N_WORD)
            end = find(scan, i, u">", N_WORD) if i and at(scan, i) == u"/" else 0
    elif letter == u"\\" or (letter == u"~" and at(scan, i + 1) == u"\\"):
        end = i + 1 + (letter == u"~")
        if not is_latin(at(scan, end)):
            return 0
        while is_latin(at(scan, end)) and end - i < N_LOOKED_AT:
            end += 1
        if at(scan, end) == u"[":
            end = max(end, find(scan, end, u"]", N_REFERENCE))
        end = find(scan, end, u"}", N_TAG) if at(scan, end) == u"{" else 0
    return end


cdef Py_ssize_t tail_end(Scan* scan, Py_ssize_t i, bint* is_closed) noexcept nogil:
    """Return the end of what belongs to the mark before i, and whether it closes something.

    Marks of emphasis that a word follows open what comes next.
    """
    cdef Py_ssize_t end
    cdef Py_UCS4 letter
    is_closed[0] = False
    while True:
        letter = at(scan, i)
        if closes(letter):
            is_closed[0] = True
            end = i + 1
        elif is_emphasis(letter) or is_superscript(letter) or is_picture(letter):
            end = i + 1
        else:
            end = reference_end(scan, i)
            if end == 0:
                break
        i = end
    if i < scan.n and not is_space(scan, i):
        while is_emphasis(at(scan, i - 1)):
            i -= 1
    return i


cdef Py_ssize_t aside_end(Scan* scan, Py_ssize_t i, int n_breaks) noexcept nogil:
    """Return the end of what stands by itself at i and belongs to the mark before it, or 0.

    An emoticon, emoji, or, on the same line, the number of a reference that nothing or a capital
    follows: "It fell. [4] It rose."
    """
    cdef Py_ssize_t end = i, after
    while is_picture(at(scan, end)) and end - i < N_LOOKED_AT:
        end += 1
    if n_breaks == 0 and at(scan, i) == u"[" and Py_UNICODE_ISDECIMAL(at(scan, i + 1)):
        end = i + 2 + Py_UNICODE_ISDECIMAL(at(scan, i + 2))
        if at(scan, end) != u"]":
            return 0
        end += 1
        after = skip_space(scan, end, &n_breaks)
        if after < scan.n and not Py_UNICODE_ISUPPER(at(scan, after)):
            return 0
    if end > i:
        return end if end == scan.n or is_space(scan, end) else 0
    return emoticon_end(scan, i)


cdef bint is_bracketed(Scan* scan, Py_ssize_t start, Py_ssize_t mark) noexcept nogil:
    """Whether a mark stands in brackets that open within the sentence and close soon."""
    cdef Py_ssize_t i = mark - 1
    cdef Py_ssize_t last = max(start, mark - N_BRACKETS)
    cdef int depth = 0, n_breaks = 0
    if mark < scan.closed_at:
        return True
    if mark < scan.unclosed_to:
        return False
    while i > last:
        if at(scan, i) == u")":
            depth += 1
        elif at(scan, i) == u"(":
            if depth == 0 and is_space(scan, i - 1) and not is_space(scan, i + 1):
                break
            depth -= depth > 0
        i -= 1
    if i <= last:
        return False
    depth = 0
    i = mark
    while i - mark < N_BRACKETS and i < scan.n:
        if at(scan, i) == u"(":
            depth += 1
        elif at(scan, i) == u")":
            if depth == 0:
                scan.closed_at = i
                return True
            depth -= 1
        elif is_space(scan, i):
            i = skip_space(scan, i, &n_breaks)
            # A line that begins with a letter is the rest of the one before it.
            if n_breaks > 1 or (n_breaks and (
                scan.is_alone or not Py_UNICODE_ISALPHA(at(scan, i)) or at(scan, i + 1) == u")"
            )):
                break
            continue
        i += 1
    if i >= scan.n:
        scan.is_open = True
    scan.unclosed_to = i
    return False


cdef bint is_initials(Scan* scan, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether a word is of parts of one or two letters with periods between: U.S, p.m, Ph.D."""
    cdef Py_ssize_t n_letters = 0, i
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


cdef Py_ssize_t word_after(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Return the end of the letters at i; so many are looked at."""
    cdef Py_ssize_t end = i
    while end - i < N_LOOKED_AT and Py_UNICODE_ISALPHA(at(scan, end)):
        end += 1
    return end


cdef bint is_level(Scan* scan, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether a word is a number of several levels: 2.1"""
    cdef Py_ssize_t i
    if end - start > N_WORD:
        return False
    for i in range(start, end):
        if not (48 <= <uint32_t>at(scan, i) <= 57) and not (
            at(scan, i) == u"." and start < i < end - 1 and at(scan, i - 1) != u"."
        ):
            return False
    return end > start + 2


# Long, as it is one list of rules; the first that applies decides.
cdef bint ends_here(
    Scan* scan, Py_ssize_t start, Py_ssize_t body, Py_ssize_t mark, int kind, bint is_closed,
    bint is_spaced, Py_ssize_t after,
) noexcept nogil:
    """Whether a sentence ends with a mark of a kind: PERIOD, DOTS or CALL.

    `start`, `body` and `mark` are where the sentence, the text of its line and its mark begin.
    Quotation marks or brackets follow the mark (`is_closed`), and white space (`is_spaced`); the
    next character that is none stands at `after`.
    """
    cdef Py_UCS4 following = at(scan, after)
    cdef Py_UCS4 first, second, letter
    cdef Py_ssize_t i, n_letters
    cdef Py_ssize_t i_label = max(start, body)  # where a label may stand
    cdef Py_ssize_t word = mark     # where the word before the mark starts, without what opens it
    cdef bint begins
    cdef bint is_lower = True       # of the word
    cdef bint is_alpha = True, is_decimal = True, is_alnum = True, is_number
    cdef int lists

    for _ in range(N_OPENED):
        if i_label < mark and at(scan, i_label) in (u"*", u"_"):
            i_label += 1
        elif i_label < mark and at(scan, i_label) == u"<":
            i_label = max(i_label + 1, find(scan, i_label, u">", N_TAG))
    while (
        word > start and word != i_label and mark - word < N_LOOKED_AT
        and not is_space(scan, word - 1)
    ):
        word -= 1
    while word < mark and opens(at(scan, word)):
        word += 1
    n_letters = mark - word
    for i in range(word, mark):
        letter = at(scan, i)
        is_alpha = is_alpha and Py_UNICODE_ISALPHA(letter)
        is_lower = is_lower and Py_UNICODE_ISLOWER(letter)
        is_decimal = is_decimal and Py_UNICODE_ISDECIMAL(letter)
        is_alnum = is_alnum and Py_UNICODE_ISALNUM(letter)

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
    first = at(scan, i)     # the first letter or digit of what follows, where it begins with one
    begins = (
        Py_UNICODE_ISALNUM(first)
        or opens(following) and i < scan.n and not Py_UNICODE_ISSPACE(first)
        or following in (u"#", u"$", u"@", u">")
        or (following == 0xA7 and at(scan, after - 1) == u"\n")
    )
    if kind == CALL:
        if not Py_UNICODE_ISLOWER(first):
            return begins
        # "Yahoo! is a firm."
        return not is_closed and not (
            at(scan, mark) == u"!" and Py_UNICODE_ISUPPER(at(scan, word))
            and listed(scan, i, word_after(scan, i)) & GOES_ON
        )
    if kind == DOTS:
        return Py_UNICODE_ISUPPER(first)
    if is_closed:
        return begins and not Py_UNICODE_ISLOWER(first)

    # A single period. First the enumerators: "1. Open it.", "b. Close it.", "2.1. Terms", "Step 3.",
    # "No. 3. Shut it.", "**3.** Open it.", "<h2>3. Terms", "Q3. Is it open?", "4a. Close it.",
    # "§ 5. Terms"
    is_number = (
        n_letters == 1 or (is_decimal and 0 < n_letters <= 3) or is_level(scan, word, mark)
        or is_roman(scan, word, mark)
    )
    if word == start or word == body or word == i_label:
        if is_number or (is_alnum and 0 < n_letters <= 4 and (
            Py_UNICODE_ISDECIMAL(at(scan, word)) or Py_UNICODE_ISDECIMAL(at(scan, mark - 1))
        )):
            return False
    elif at(scan, word - 1) == u" " and is_number:
        if at(scan, word - 2) == u":" or (
            listed(scan, i_label, word_after(scan, i_label)) & LABEL
            and word - 1 == word_after(scan, i_label) + (at(scan, word - 2) == u".")
        ) or (at(scan, i_label) == 0xA7 and word == i_label + 2):
            return False
    lists = listed(scan, word, mark)
    if lists & NEVER or (lists & DIGITS and (
        Py_UNICODE_ISDECIMAL(first)
        or (Py_UNICODE_ISUPPER(first) and is_roman(scan, i, word_after(scan, i)))
    )):
        return False
    if lists & SELDOM or is_initials(scan, word, mark) or (
        n_letters == 1 and is_alpha and at(scan, word) != u"I"
    ):
        if not Py_UNICODE_ISUPPER(first):
            return False
        return following == u'"' or following == 0x201C or (
            listed(scan, i, word_after(scan, i)) & FIRST
        )
    if Py_UNICODE_ISLOWER(first):
        return (n_letters > 2 or lists & SHORT) and not lists & LOWER
    return begins


cdef Py_ssize_t skip_plain(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Return where the first character at i or behind it is that may end a sentence, or the white
    space before that."""
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


cdef bint is_over(Scan* scan, Py_ssize_t i, int n_breaks) noexcept nogil:
    """Whether the text, a paragraph or a block ends before i, after white space with line breaks."""
    if i == scan.n or n_breaks > 1:
        return True
    if n_breaks == 0:
        return False
    read_line(scan, i, True)
    return scan.begins


cdef Py_ssize_t next_end(Scan* scan, Py_ssize_t start) noexcept nogil:
    """Return where the sentence that starts at `start` ends."""
    cdef Py_ssize_t i = start, end, after, mark, body
    cdef int n_breaks = 0
    cdef bint is_closed
    cdef int kind
    cdef Py_UCS4 letter
    while True:
        i = skip_plain(scan, i)
        letter = at(scan, i)
        if i == scan.n:
            return i
        if is_space(scan, i):
            after = skip_space(scan, i, &n_breaks)
            if is_over(scan, after, n_breaks):
                return i
            end = emoticon_end(scan, after)
            if end == 0:
                i = after
                continue
            after = skip_space(scan, end, &n_breaks)
            if Py_UNICODE_ISUPPER(at(scan, after)) and end > scan.closed_at:
                return end
            i = end
            continue
        if not is_mark(letter):
            i += 1
            continue
        mark = i
        body = scan.body
        kind = PERIOD if letter == u"." else DOTS if letter == 0x2026 else CALL
        i += 1
        while is_mark(at(scan, i)) or (at(scan, i) == u" " and is_mark(at(scan, i + 1))):
            letter = at(scan, i)
            if letter == u"!" or letter == u"?":
                kind = CALL
            elif kind == PERIOD:
                kind = DOTS
            i += 1
        end = tail_end(scan, i, &is_closed)
        after = skip_space(scan, end, &n_breaks)
        if is_over(scan, after, n_breaks):
            return end
        i = aside_end(scan, after, n_breaks)
        if i:
            end = i
            after = skip_space(scan, end, &n_breaks)
            if is_over(scan, after, n_breaks):
                return end
        else:
            i = end
        if ends_here(scan, start, body, mark, kind, is_closed, after > end, after) and (
            not is_bracketed(scan, start, mark)
        ):
            return end


cdef Scan scan_of(int kind, const void* data, Py_ssize_t n) noexcept nogil:
    """Return the start of a scan of a text, as it is stored."""
    cdef Scan scan
    memset(&scan, 0, sizeof(Scan))
    scan.kind = kind
    scan.data = data
    scan.n = n
    scan.line = -1
    return scan


cdef bint next_sentence(Scan* scan, Py_ssize_t* start, Py_ssize_t* end) noexcept nogil:
    """Find the sentence behind `end`; return whether there is one."""
    cdef int n_breaks = 0
    cdef bint is_first = end[0] == 0
    start[0] = end[0] = skip_space(scan, end[0], &n_breaks)
    if start[0] == scan.n:
        return False
    scan.is_open = False
    read_line(scan, start[0], is_first or n_breaks > 0)
    end[0] = next_end(scan, start[0])
    return True


cdef class Sentences:
    """The sentences of a text one by one, found as they are asked for, without the GIL.

    They are half-open code point offsets in rising order, without white space at their ends, and
    nothing but white space is between them; blank text has none. `after` are the sentences of a text
    that this one begins with: those behind the ones that it has yielded are found.

    `n_steps` says how many characters have been read so far, for the test that splitting is linear;
    `is_open` whether the end of the text was read to find the last sentence, which may end elsewhere
    if text is added. No text that is added changes any other.

    Examples
    --------
    >>> text = 'Dr. Lind arrived at 3 p.m. on Monday. "Is it open?" she asked. It was.'
    >>> [text[start:end] for start, end in Sentences(text)]
    ['Dr. Lind arrived at 3 p.m. on Monday.', '"Is it open?" she asked.', 'It was.']
    """

    cdef str _text
    cdef Scan _scan
    cdef Py_ssize_t _next

    def __cinit__(self, text not None: str, Sentences after=None):
        text = str(text) if isinstance(text, str) else text  # of a subclass, such as numpy's
        self._text = text
        self._scan = scan_of(PyUnicode_KIND(text), PyUnicode_DATA(text), len(text))
        self._next = 0
        if after is not None:
            self._next = after._next
            self._scan = after._scan
            self._scan.kind = PyUnicode_KIND(text)
            self._scan.data = PyUnicode_DATA(text)
            self._scan.n = len(text)
            self._scan.closed_at = self._scan.unclosed_to = 0

    @property
    def n_steps(self) -> int:
        return self._scan.n_steps

    @property
    def is_open(self) -> bool:
        return self._scan.is_open

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> tuple[int, int]:
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
