"""A text as the sentence splitter reads it, from left to right, and lines that begin a block.

A block is a heading, an item of a list, a row of a table, a rule or a fence. The signs are those of
Markdown, HTML, LaTeX, reStructuredText, AsciiDoc and plain text.
"""

from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memset, strcmp

from tokalign.english.annotate.characters cimport *

cdef enum:
    N_BLANKS = 24       # blanks that are looked at behind the signs of a block
    N_NAME = 12         # characters of a number or a name that are looked at

cdef struct Scan:
    int kind            # how the text is stored: bytes of a character
    const void* data
    Py_ssize_t n
    int64_t n_steps     # characters read so far
    bint is_open        # whether the end of the text was read, of the last sentence
    Py_ssize_t line     # the first sign of the last line whose beginning was read
    Py_ssize_t body     # where its text begins, behind the signs of a block; 0 if there are none
    bint begins         # whether it begins a block
    bint is_alone       # whether it is a heading or a fence
    int number          # of the last item, and what is written about it
    int number_kind
    Py_ssize_t closed_at    # brackets are open up to here
    Py_ssize_t unclosed_to  # and none that opened is closed up to here


cdef inline Py_UCS4 at(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Return a character, or 0 outside the text."""
    scan.n_steps += 1
    if i >= scan.n:
        scan.is_open = True
        return 0
    return PyUnicode_READ(scan.kind, scan.data, i) if i >= 0 else 0


cdef inline bint is_space(Scan* scan, Py_ssize_t i) noexcept nogil:
    return Py_UNICODE_ISSPACE(at(scan, i)) and i < scan.n


cdef inline Py_ssize_t skip_space(Scan* scan, Py_ssize_t i, int* n_breaks) noexcept nogil:
    """Return the end of the white space at i, and how many line breaks it holds; 2 are many."""
    cdef Py_UCS4 letter
    n_breaks[0] = 0
    while is_space(scan, i):
        letter = at(scan, i)
        if letter == u"\n" or letter == 0x2028:
            n_breaks[0] += 1
        elif letter == u"\r":
            n_breaks[0] += at(scan, i + 1) != u"\n"
        elif letter == 0x2029:
            n_breaks[0] += 2
        i += 1
    return i


cdef inline bint is_blank_at(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Whether a space or a tab stands at i."""
    return at(scan, i) in (u" ", u"\t")


cdef inline bint ends_line(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Whether nothing but blanks stands between i and the end of its line; few are looked at."""
    cdef Py_ssize_t start = i
    while is_blank_at(scan, i) and i - start < N_BLANKS:
        i += 1
    return i >= scan.n or at(scan, i) in (u"\n", u"\r", 0x2028, 0x2029)


cdef inline bint in_order(Scan* scan, int number, int kind) noexcept nogil:
    """Whether an item has the first number of its kind, or the one after the last; note it then.

    Lines of wrapped text begin with numbers, too.
    """
    if number != 1 and (number != scan.number + 1 or kind != scan.number_kind):
        return False
    scan.number = number
    scan.number_kind = kind
    return True


cdef inline Py_ssize_t number_end(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Return the end of the number of an item that begins a line at i, or 0.

    They are 1. 1) (1) [1] [^1]: a) (a) 2.1. and (iv); a blank follows, or a
    mark of emphasis.
    """
    cdef Py_UCS4 opening = at(scan, i)
    cdef Py_UCS4 letter
    cdef Py_ssize_t first = i + (opening == u"(" or opening == u"[")
    cdef Py_ssize_t end
    cdef int number = 0
    cdef int n_levels = 1
    first += opening == u"[" and at(scan, first) == u"^"
    end = first
    while Py_UNICODE_ISDECIMAL(at(scan, end)) and at(scan, end) < 128 and end - first < 4:
        number = number * 10 + <int>(<uint32_t>at(scan, end) - 48)
        end += 1
    if end - first > 3:
        return 0
    if end > first:
        while first == i and at(scan, end) == u"." and end - first < N_NAME and (
            48 <= <uint32_t>at(scan, end + 1) <= 57
        ):
            n_levels += 1
            end += 2
            while 48 <= <uint32_t>at(scan, end) <= 57 and end - first < N_NAME:
                end += 1
    else:
        letter = at(scan, end)
        while 97 <= <uint32_t>at(scan, end) <= 122 and end - first < 5:
            end += 1
        if end == first or opening == u"[":
            return 0
        number = <int>(<uint32_t>letter - 96)
        if end - first > 1 or letter == u"i":
            if opening != u"(" or not is_roman(scan, first, end):
                return 0
            n_levels = 2
    letter = at(scan, end)
    if opening == u"(" or opening == u"[":
        if (opening == u"(" and letter != u")") or (opening == u"[" and letter != u"]"):
            return 0
        end += 1
        end += opening == u"[" and at(scan, end) == u":"
    elif letter == u")" or (letter == u"." and at(scan, first) < 65):
        end += 1
    else:
        return 0
    if not is_blank_at(scan, end) and at(scan, end) != u"*" and at(scan, end) != u"_":
        return 0
    if n_levels > 1 or in_order(scan, number, <int>opening if first > i else <int>letter):
        return end
    return 0


cdef inline bint is_roman(Scan* scan, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Whether a word is a Roman numeral below 90, in letters of one case."""
    cdef Py_ssize_t i
    cdef bint is_upper = Py_UNICODE_ISUPPER(at(scan, start))
    if end - start > 6 or end == start:
        return False
    for i in range(start, end):
        if is_upper and at(scan, i) not in (u"I", u"V", u"X", u"L"):
            return False
        if not is_upper and at(scan, i) not in (u"i", u"v", u"x", u"l"):
            return False
    return True


cdef inline bint begins_block_tag(Scan* scan, Py_ssize_t i) noexcept nogil:
    """Whether a tag of HTML that begins or ends a block stands at i: <p> <li> </ul> <h2> <td>."""
    cdef Py_UCS4 first, second
    i += 1 + (at(scan, i + 1) == u"/")
    first = at(scan, i)
    second = at(scan, i + 1)
    if first == u"p" and (second == u">" or second == u" " or second == u"r"):
        return True
    if first == u"h":
        return u"1" <= second <= u"6" or second == u"r"
    if first == u"b":
        return second == u"r" or second == u"l"
    if first == u"t":
        return second in (u"r", u"d", u"h", u"a", u"b")
    return (
        (first in (u"u", u"o", u"d") and second in (u"l", u"i", u"t", u"d"))
        or (first == u"l" and second == u"i")
    )


cdef inline bint begins_block_command(Scan* scan, Py_ssize_t i, bint* is_alone) noexcept nogil:
    """Whether a command of LaTeX that begins a block stands at i: \\item, \\section, \\begin."""
    cdef char[N_NAME] name
    cdef int k = 0
    memset(name, 0, N_NAME)
    while k < N_NAME - 1 and 97 <= <uint32_t>at(scan, i + 1 + k) <= 122:
        name[k] = <char>at(scan, i + 1 + k)
        k += 1
    if strcmp(name, b"item") == 0 or strcmp(name, b"paragraph") == 0:
        return True
    is_alone[0] = is_alone[0] or (
        strcmp(name, b"section") == 0 or strcmp(name, b"subsection") == 0
        or strcmp(name, b"chapter") == 0 or strcmp(name, b"begin") == 0 or strcmp(name, b"end") == 0
    )
    return False


# Long, as it is one list of what lines begin with.
cdef inline void read_line(Scan* scan, Py_ssize_t i, bint is_new) noexcept nogil:
    """Find, once, what a line or a sentence begins with whose first sign stands at i.

    A sentence is read, too, so that one by itself is read as in its text.
    """
    cdef Py_UCS4 letter
    cdef Py_ssize_t end
    cdef bint was_alone = scan.is_alone
    if scan.line == i:
        return
    scan.line = i
    scan.begins = is_new and was_alone
    scan.is_alone = was_alone and not is_new
    while at(scan, i) == u">" or is_blank_at(scan, i):
        i += 1
    letter = at(scan, i)
    end = i
    if letter in (u"#", u"=", u"-", u"*", u"+", u"_", u"~", u"^", u"`"):
        while at(scan, end) == letter and end < scan.n:
            end += 1
        if letter == u"#" and end - i <= 6 and is_blank_at(scan, end):
            scan.is_alone = True
        elif letter == u"=" and 2 <= end - i <= 6 and is_blank_at(scan, end):
            scan.is_alone = True
        elif end - i >= 3:
            scan.is_alone = letter in (u"~", u"`") or ends_line(scan, end) or scan.is_alone
        elif end - i == 1 and letter in (u"-", u"*", u"+") and is_blank_at(scan, end):
            scan.begins = True
        elif letter == u"*" or letter == u"_":
            scan.begins = number_end(scan, end) > 0 or scan.begins  # **1.** Wash
        else:
            end = i
    elif letter == u"|" or letter in (0x2022, 0x2023, 0x25E6, 0x25AA, 0x25CF, 0xB7):
        scan.begins = scan.begins or is_blank_at(scan, i + 1)
        end = i + 1
    elif letter == u"<":
        scan.begins = scan.begins or begins_block_tag(scan, i)
    elif letter == u"\\":
        scan.begins = begins_block_command(scan, i, &scan.is_alone) or scan.begins
    elif letter == u"." and at(scan, i + 1) == u"." and at(scan, i + 2) == u" ":
        scan.begins = True  # a directive of reStructuredText
    elif letter < 128:
        scan.begins = number_end(scan, i) > 0 or scan.begins
    scan.begins = scan.begins or scan.is_alone
    i = end
    while is_blank_at(scan, end) and end - i < N_BLANKS:
        end += 1
    scan.body = end if scan.begins else 0
