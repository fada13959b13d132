# What CPython has for strings and their characters; the latter needs no GIL.

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void *PyUnicode_DATA(object text)
    Py_UCS4 *PyUnicode_AsUCS4(str text, Py_UCS4 *buffer, Py_ssize_t n, int copy_null)
    str PyUnicode_FromKindAndData(int kind, const void *letters, Py_ssize_t n)
    Py_UCS4 PyUnicode_READ(int kind, const void *data, Py_ssize_t i) nogil
    Py_UCS4 Py_UNICODE_TOLOWER(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISALNUM(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISALPHA(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISDECIMAL(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISDIGIT(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISLOWER(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISSPACE(Py_UCS4 letter) nogil
    bint Py_UNICODE_ISUPPER(Py_UCS4 letter) nogil
