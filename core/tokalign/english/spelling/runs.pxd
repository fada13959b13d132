from tokalign.english.spelling.letters cimport Letters

cdef bint joined(const Letters *word, const Letters **run, int n_run) noexcept nogil
cdef bint initials(const Letters *word, const Letters **run, int n_run) noexcept nogil
