"""Words as arrays of code points, which kernels compare."""

from tokalign.errors import InputError, quoted


cdef class SpelledWord:
    """The letters of a token in lower case; of a longer one than MAX_LETTERS only its length."""

    def __init__(self, token, bint is_function=False):
        if not isinstance(token, str):
            raise InputError(f"a word is {quoted(token)}, wanted a str")
        cdef str lower = token.lower()
        cdef int k
        self.letters.code = self._code
        self.letters.n = <int32_t>min(len(lower), MAX_LETTERS + 1)
        self.letters.is_function = is_function
        for k in range(min(self.letters.n, <int>MAX_LETTERS)):
            self._code[k] = <uint32_t>lower[k]
