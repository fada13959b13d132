# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Weight lines of model files: ``NAME<TAB>S2T<TAB>T2S``.

A file has some ten thousand lines for each style, and every process that aligns reads them once.
"""

from libc.stdint cimport int32_t
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.string cimport memchr, memcmp, strncmp

import numpy as np

from tokalign.crf.chains import TRANSITION_NAMES
from tokalign.errors import ModelError, quoted
from tokalign.files.headers import LARGEST_WEIGHT
from tokalign.model.styles import OwnWeights

cdef extern from "Python.h":
    double PyOS_string_to_double(const char* text, char** end, void* overflow) except? -1.0

STYLE: str = "style "
"""Begins the line above a style's weights."""
cdef bytes _STYLE = STYLE.encode()
TRANSITION: str = "transition:"

_PLACES = {f"{TRANSITION}{name}": place for place, name in enumerate(TRANSITION_NAMES)}


cdef class _Row:
    """The row of the names read last (see FeatureTable.rows), and the number behind that of the
    last one: most names follow one of their row."""

    cdef const char* name
    cdef Py_ssize_t n
    cdef int first, next
    cdef tuple labels


def read_weights(
    path: str | os.PathLike[str], bytes text, Py_ssize_t start, Py_ssize_t stop_at, int first,
    table: FeatureTable
) -> tuple[OwnWeights, int, int]:
    """Return the weights and transitions of lines, where they end, and how many they are.

    They end before the line of a style, or at `stop_at`, behind a line break. `path`: of the file,
    for errors. `start`: index of the first line's first byte. `first`: number of that line in the
    file.

    ModelError is raised if a line has other than three fields, an unknown name, the name of a line
    above, no number in [-LARGEST_WEIGHT, LARGEST_WEIGHT], or bytes that are not UTF-8.
    """
    cdef:
        const char* line = text
        const char* end = line + stop_at
        const char* stop
        int number = first
        int place, n_slots = table.n_slots, n_transitions = len(TRANSITION_NAMES)
        const char* style = _STYLE
        Py_ssize_t n = 0
        dict rows = table.rows
        _Row row = _Row()
        int32_t[::1] slots = np.empty(n_slots, dtype=np.int32)
        float[:, ::1] values = np.empty((n_slots, 2), dtype=np.float32)
        double[:, ::1] transitions = np.zeros((2, n_transitions))
        unsigned char[::1] is_given = np.zeros(n_slots + n_transitions, dtype=np.uint8)
        const char* tab
        double[2] numbers
        bint is_rising = True
    line += start
    while line < end and strncmp(line, style, len(_STYLE)):
        stop = <const char*>memchr(line, c"\n", end - line)
        try:
            tab = <const char*>memchr(line, c"\t", stop - line)
            if tab == NULL:
                raise ValueError("saw 1 field; wanted 3")
            _read_numbers(tab + 1, stop, numbers)
            place = _slot(rows, row, line, tab)
            if place < 0:
                name = line[: tab - line].decode()
                place = n_slots + _PLACES[name] if name in _PLACES else table.slot(name)
            if is_given[place]:
                raise ValueError("there is a line above for the same feature")
            is_given[place] = True
            if place < n_slots:
                is_rising &= n == 0 or slots[n - 1] < place
                slots[n] = place
                values[n, 0], values[n, 1] = <float>numbers[0], <float>numbers[1]
                n += 1
            else:
                transitions[0, place - n_slots], transitions[1, place - n_slots] = numbers
        except (ValueError, ModelError) as error:
            text_of_line = line[: stop - line].decode("utf-8", "replace")
            raise ModelError(
                f"{path}:{number}: bad weight line {quoted(text_of_line)}: {_brief(error)}"
            ) from error
        line = stop + 1
        number += 1
    found, weights = np.asarray(slots)[:n].copy(), np.asarray(values)[:n].copy()
    if not is_rising:
        order = np.argsort(found)
        found, weights = found[order], weights[order]
    own = OwnWeights(found, weights, np.asarray(transitions))
    return own, line - <const char*>text, number - first


cdef int _slot(dict rows, _Row row, const char* line, const char* tab) except -2:
    """Return the slot of a name by the rows that the table knows so far, or -1."""
    cdef const char* label, *cut = tab - 1
    cdef Py_ssize_t n, tried, n_labels
    while cut > line and cut[0] != c" ":
        cut -= 1
    if cut == line:
        cut = <const char*>memchr(line, c"[", tab - line)
    if cut == NULL or tab[-1] != c"]":
        return -1
    if cut - line != row.n or memcmp(line, row.name, row.n):
        found = rows.get(line[: cut - line].decode())
        if found is None:
            return -1
        row.first, row.labels = found
        row.name, row.n, row.next = line, cut - line, 0
    n_labels = len(row.labels)
    for tried in range(n_labels):
        if row.next == n_labels:
            row.next = 0
        label = PyUnicode_AsUTF8AndSize(row.labels[row.next], &n)
        row.next += 1
        if n == tab - cut - 2 and not memcmp(label, cut + 1, n):
            return row.first + row.next - 1
    return -1


cdef int _read_numbers(const char* text, const char* stop, double* found) except -1:
    """Read ``S2T<TAB>T2S``; ValueError if that is not all there is up to `stop`."""
    cdef:
        const char* end
        int column
    for column in range(2):
        end = _read_decimal(text, &found[column])
        if end == NULL:  # an exponent, many digits, or no number
            found[column] = PyOS_string_to_double(text, <char**>&end, NULL)
        if not -1e6 <= found[column] <= 1e6:
            raise ValueError(f"wanted numbers of at most {LARGEST_WEIGHT:.0f}, either sign")
        if (end != stop) if column else (end[0] != c"\t"):
            raise ValueError("wanted a name and two numbers, with a tab between them")
        text = end + 1
    return 0


cdef const char* _read_decimal(const char* text, double* found) noexcept nogil:
    """Read a number of at most 15 digits without an exponent; return its end, or NULL.

    One division of two exact numbers rounds correctly: the value is that of Python's float.
    """
    cdef:
        bint is_negative = text[0] == c"-"
        const char* point = NULL
        long long digits = 0
        double scale = 1.0
        const char* first
    text += is_negative
    first = text
    while c"0" <= text[0] <= c"9" or (text[0] == c"." and point == NULL):
        if text[0] == c".":
            point = text
        else:
            digits = 10 * digits + (text[0] - c"0")
            if point != NULL:
                scale *= 10.0
        text += 1
        if text - first > 15:
            return NULL
    if text - first - (point != NULL) < 1 or (text[0] != c"\t" and text[0] != c"\n"):
        return NULL
    found[0] = -(digits / scale) if is_negative else digits / scale
    return text


def _brief(error):
    """Return the message of an error, which may quote the line."""
    text = str(error)
    return text if len(text) <= 200 else f"{text[:200]}..."
