"""Checks of parser tables that parsing and training share."""

from tokalign.english.annotate.forms cimport Forms


cdef int check(Forms forms, tags, actions, labels, int n_labels) except -1
