"""Lexical tables, mapped from files: words, WordNet, vectors, paraphrases, document counts.

A binary search for a word is mostly among landmarks, the first bytes of every STRIDE-th word, which
stay in the processor's caches; only its last steps read the table, where each is a cache miss. A
table with a vocabulary holds ``words``, the words' UTF-8 bytes joined in rising order, and
``word_start``, the start of each and the end of the last (`lexical_resources.pack_words` makes
both).

An *entry* of WordNet is a lemma with a part of speech (0 noun, 1 verb, 2 adjective, 3 adverb).
Relations hold between entries here: two entries are related if any of their senses are.
`lab/recipes/wordnet.py` compiles the table; Fellbaum (1998) describes WordNet.

Vectors are kept as small integers: the cosine of two rows is their integer dot product times both
scales; with 50 dimensions of 8 bits it is within 0.01 of the unrounded vectors'
(`lab/recipes/vectors` makes the table). Paraphrases are symmetric; their table holds both
directions. Each look-up takes tens of nanoseconds.
"""

from libc.math cimport log
from libc.string cimport memcmp

import numpy as np

from tokalign.errors import InputError, ResourceError, quoted
from tokalign.files.tables import Table

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(str text)
    void *PyUnicode_DATA(str text)

cdef enum:
    STRIDE = 32          # words from one landmark to the next
    PREFIX = 8           # bytes of a landmark

POS_LETTERS: str = "nvar"
MAX_DIMENSIONS = 4096
"""The sum of so many products of two bytes fits 32 bits."""


def _starts_of(table, str name, Py_ssize_t n_items, *, n_rows=None, int least=0):
    """Return the start of each row of a table in an array of `n_items`, and the end of the last.

    Kernels follow these numbers without bounds checks, so all are checked once, when a table is
    opened: from 0 to `n_items`, with at least `least` items, 0 or 1, in every row. `n_rows` is the
    number of rows, None for any. Raises ResourceError if the array is missing or wrong.
    """
    cdef const int32_t[::1] start = table.array(
        name, np.int32, (None if n_rows is None else n_rows + 1,)
    )
    cdef Py_ssize_t k, last = start.shape[0] - 1
    cdef int is_wrong = 0
    if last < 0 or start[0] != 0 or start[last] != n_items:
        ends = "missing" if last < 0 else f"{start[0]} to {start[last]}"
        raise ResourceError(
            f"{table.path}: the {len(start)} starts of {name!r} are {ends}; wanted 0 at first and "
            f"{n_items} at last"
        )
    for k in range(last):
        is_wrong |= (start[k + 1] < start[k]) | (least & (start[k + 1] == start[k]))
    if is_wrong:
        k = int(np.argmin(np.diff(np.asarray(start, np.int64))))
        raise ResourceError(
            f"{table.path}: row {k} of {name!r} is {start[k]} to {start[k + 1]}; wanted at least "
            f"{least} items in it"
        )
    return start


def _landmarks(const uint8_t[::1] words, const int32_t[::1] start):
    """Return the first bytes of every STRIDE-th word as big-endian numbers, padded with zeros."""
    cdef Py_ssize_t k, n_words = start.shape[0] - 1
    cdef uint64_t[::1] found = np.empty((n_words + STRIDE - 1) // STRIDE, dtype=np.uint64)
    for k in range(found.shape[0]):
        found[k] = _prefix(&words[start[k * STRIDE]], start[k * STRIDE + 1] - start[k * STRIDE])
    return found


cdef inline uint64_t _prefix(const unsigned char *text, int32_t n_text) noexcept nogil:
    cdef int k
    cdef uint64_t prefix = 0
    for k in range(PREFIX):
        prefix = prefix << 8 | (text[k] if k < n_text else 0)
    return prefix


cdef class Vocabulary:
    """The words of a table, in its arrays ``words`` and ``word_start``.

    Raises ResourceError if an array is missing, the words do not fill ``words``, or one is empty.
    """

    def __init__(self, table: Table) -> None:
        self._words = table.array("words", np.uint8, (None,))
        self._start = _starts_of(table, "word_start", self._words.shape[0], least=1)
        self._landmark = _landmarks(self._words, self._start)

    def __len__(self) -> int:
        return self._start.shape[0] - 1

    def __getitem__(self, Py_ssize_t index) -> str:
        """Return a word by its number."""
        if not 0 <= index < len(self):
            raise IndexError(f"word {index} of {len(self)}")
        return bytes(self._words[self._start[index]:self._start[index + 1]]).decode("utf-8", "replace")

    cpdef int32_t find(self, str word):
        """Return the number of a word, -1 if the table lacks it."""
        cdef bytes encoded
        if PyUnicode_IS_ASCII(word):
            return self._search(<const unsigned char *>PyUnicode_DATA(word), <int32_t>len(word))
        encoded = word.encode("utf-8", "surrogatepass")
        return self._search(encoded, <int32_t>len(encoded))

    cdef int32_t _search(self, const unsigned char *text, int32_t n_text) noexcept nogil:
        """Return the number of a word by its UTF-8 bytes, -1 if the table lacks it."""
        cdef int32_t low = 0
        cdef int32_t high = <int32_t>self._landmark.shape[0]
        cdef int32_t middle, n_word, first
        cdef int order
        cdef uint64_t prefix = _prefix(text, n_text)
        while low < high:
            middle = (low + high) // 2
            if self._landmark[middle] < prefix:
                low = middle + 1
            else:
                high = middle
        # The word is after the last landmark below it, and before the first one above it.
        first = low
        while high < self._landmark.shape[0] and self._landmark[high] == prefix:
            high += 1
        low = max(first - 1, 0) * STRIDE
        high = min(high * STRIDE, <int32_t>self._start.shape[0] - 1)
        while low < high:
            middle = (low + high) // 2
            n_word = self._start[middle + 1] - self._start[middle]
            order = memcmp(&self._words[self._start[middle]], text, min(n_word, n_text))
            if order == 0:
                order = n_word - n_text
            if order == 0:
                return middle
            if order < 0:
                low = middle + 1
            else:
                high = middle
        return -1


cdef bint _meet(
    const int32_t *a, const int32_t *a_end, const int32_t *b, const int32_t *b_end
) noexcept nogil:
    """Whether two sorted lists share an item."""
    if a == a_end or b == b_end or (a_end - 1)[0] < b[0] or (b_end - 1)[0] < a[0]:
        return False  # usual for words of different parts of speech
    while a < a_end and b < b_end:
        if a[0] == b[0]:
            return True
        if a[0] < b[0]:
            a += 1
        else:
            b += 1
    return False


cdef bint _share(const Lists *left, int32_t a, const Lists *right, int32_t b) noexcept nogil:
    return _meet(
        left.item + left.start[a], left.item + left.start[a + 1],
        right.item + right.start[b], right.item + right.start[b + 1],
    )


cdef int32_t _place_of(const Lists *lists, int32_t row, int32_t wanted) noexcept nogil:
    """Return the place of an item in its row, whose items are sorted, or -1."""
    cdef int32_t low = lists.start[row], high = lists.start[row + 1], middle
    while low < high:
        middle = (low + high) // 2
        if lists.item[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < lists.start[row + 1] and lists.item[low] == wanted else -1


cdef uint32_t _neighbour_mask(const WordNetTable *table, int32_t a, int32_t b) noexcept nogil:
    """Return the mask of an entry's neighbour, or 0 if it is not one."""
    cdef int32_t place = _place_of(&table.neighbour, a, b)
    return 0 if place < 0 else table.masks[table.code[place]]


cdef uint32_t relation(const WordNetTable *table, int32_t a, int32_t b, int places) noexcept nogil:
    """Return the mask of relations from entry a to entry b; SYNONYM if they are the same.

    `places` is the result of places_to_look for the words, or ANYWHERE.
    """
    cdef uint32_t mask = 0
    if a == b:
        return SYNONYM
    if places & IN_NEIGHBOURS:
        mask = _neighbour_mask(table, a, b)
    if places & IN_ANCESTORS and _share(&table.ancestors, a, &table.senses, b):
        mask |= HYPERNYM_WITHIN_3
    if places & IN_DESCENDANTS and _share(&table.senses, a, &table.ancestors, b):
        mask |= HYPONYM_WITHIN_3
    if places & IN_PARENTS and _share(&table.parents, a, &table.parents, b):
        mask |= COHYPONYM
    return mask


cdef void add_kin(const WordNetTable *table, int32_t entry, Kin *kin) noexcept nogil:
    """Add an entry, and all that it can be related through, to the sets of a word."""
    _add(&kin.entries, entry)
    _add_list(&kin.neighbours, &table.neighbour, entry)
    _add_list(&kin.senses, &table.senses, entry)
    _add_list(&kin.parents, &table.parents, entry)
    _add_list(&kin.ancestors, &table.ancestors, entry)


cdef void _add_list(Items *items, const Lists *lists, int32_t entry) noexcept nogil:
    cdef int32_t k
    for k in range(lists.start[entry], lists.start[entry + 1]):
        _add(items, lists.item[k])


cdef inline void _add(Items *items, int32_t item) noexcept nogil:
    cdef uint32_t place = (<uint32_t>item * <uint32_t>0x9E3779B1) >> 23
    items.bits[place >> 6] |= <uint64_t>1 << (place & 63)


cdef int places_to_look(const Kin *a, const Kin *b) noexcept nogil:
    """Return the lists that may relate any entries of two words; mostly none, 0."""
    cdef uint64_t near = 0, up = 0, down = 0, beside = 0
    cdef int k
    for k in range(8):
        near |= (a.entries.bits[k] | a.neighbours.bits[k]) & b.entries.bits[k]
        up |= a.ancestors.bits[k] & b.senses.bits[k]
        down |= a.senses.bits[k] & b.ancestors.bits[k]
        beside |= a.parents.bits[k] & b.parents.bits[k]
    return (
        IN_NEIGHBOURS * (near != 0) | IN_ANCESTORS * (up != 0)
        | IN_DESCENDANTS * (down != 0) | IN_PARENTS * (beside != 0)
    )


cdef class LexicalTable:
    """What a table says of the words of its vocabulary.

    ResourceError is raised if the table lacks an array, its arrays disagree, or an index or value
    is out of range.
    """

    SHIPPED = ""

    def __init__(self, source: Table) -> None:
        self.source = source
        self.vocabulary = Vocabulary(source)
        self._arrays = []

    @classmethod
    def open_shipped(cls) -> Self:
        """Map the shipped table."""
        return cls(Table.open_shipped(cls.SHIPPED))

    def __len__(self) -> int:
        return len(self.vocabulary)

    cpdef int32_t find(self, str word):
        """Return the number of a lower-case word, -1 if the table lacks it."""
        return self.vocabulary.find(word)

    def _keep(self, name, dtype, length):
        """Return an array of the table and keep it alive, since pointers into it are kept."""
        array = self.source.array(name, dtype, (length,))
        if len(array) == 0:
            raise ResourceError(f"{self.source.path}: the array {name!r} is empty")
        self._arrays.append(array)
        return array

    cdef Py_ssize_t _lists(self, str name, str values, Py_ssize_t n_rows, Lists *out) except -1:
        """Fill lists by the names of their starts and their items; return the number of items."""
        cdef const int32_t[::1] item = self._keep(values, np.int32, None)
        starts = _starts_of(self.source, name, item.shape[0], n_rows=n_rows)
        self._arrays.append(starts)
        cdef const int32_t[::1] start = starts
        out.start = &start[0]
        out.item = &item[0]
        return item.shape[0]


cdef class WordNet(LexicalTable):
    """WordNet's single words and their relations."""

    SHIPPED = "wordnet"

    def __init__(self, source):
        super().__init__(source)
        entries = source.array("word_entries", np.int32, (len(self.vocabulary), 4))
        n_entries = source.array("row_start", np.int32, (None,)).shape[0] - 1
        self._check(entries, "word_entries", -1, n_entries)
        self._word_entries = entries
        n_neighbours = self._lists("row_start", "neighbour", n_entries, &self.table.neighbour)
        self._lists("senses_start", "senses", n_entries, &self.table.senses)
        self._lists("parents_start", "parents", n_entries, &self.table.parents)
        self._lists("ancestors_start", "ancestors", n_entries, &self.table.ancestors)
        cdef const uint32_t[::1] masks = self._keep("masks", np.uint32, None)
        cdef const uint8_t[::1] code = self._keep("code", np.uint8, n_neighbours)
        self._check(np.asarray(code), "code", 0, masks.shape[0])
        self.table.code = &code[0]
        self.table.masks = &masks[0]

    def _check(self, array, name, least, end):
        """Raise ResourceError unless all indices into other arrays are in range."""
        if array.size and not (array.min() >= least and array.max() < end):
            raise ResourceError(
                f"{self.source.path}: the array {name!r} holds {array.min()} to {array.max()}; "
                f"wanted {least} to {end - 1}"
            )

    cpdef int32_t entry(self, str lemma, int pos):
        """Return the entry of a lower-case lemma, or -1.

        `pos` is 0 noun, 1 verb, 2 adjective or 3 adverb; another number raises InputError.
        """
        if not 0 <= pos < 4:
            raise InputError(
                f"part of speech {pos} is unknown; wanted 0 to 3, the places in {POS_LETTERS!r}",
                field="pos",
            )
        cdef int32_t word = self.vocabulary.find(lemma)
        return -1 if word < 0 else self._word_entries[word, pos]

    cdef void entries(self, str lemma, int32_t *out):
        """Fill the entries of a lower-case lemma, by part of speech, that are still -1."""
        cdef int32_t word = self.vocabulary.find(lemma)
        cdef int pos
        if word >= 0:
            for pos in range(4):
                if out[pos] < 0:
                    out[pos] = self._word_entries[word, pos]


cdef float cosine(const VectorTable *table, int32_t a, int32_t b) noexcept nogil:
    """Return the cosine of two rows, in [-1, 1]; 0 if either is -1."""
    cdef const int8_t *left
    cdef const int8_t *right
    cdef int32_t total = 0, k
    if a < 0 or b < 0:
        return 0.0
    left = table.row + <Py_ssize_t>a * table.n_dimensions
    right = table.row + <Py_ssize_t>b * table.n_dimensions
    for k in range(table.n_dimensions):
        total += <int32_t>left[k] * <int32_t>right[k]
    return min(max(<float>total * table.scale[a] * table.scale[b], -1.0), 1.0)


cdef class Vectors(LexicalTable):
    """Word vectors."""

    SHIPPED = "vectors"

    def __init__(self, source):
        super().__init__(source)
        n_words = len(self.vocabulary)
        cdef const int8_t[:, ::1] row = source.array("row", np.int8, (n_words, None))
        cdef const float[::1] scale = source.array("scale", np.float32, (n_words,))
        if n_words == 0 or not 0 < row.shape[1] <= MAX_DIMENSIONS:
            raise ResourceError(
                f"{source.path}: {n_words} words, {row.shape[1]} dimensions; wanted words, and "
                f"1 to {MAX_DIMENSIONS} dimensions"
            )
        scales = np.asarray(scale)
        if not (scales.min() >= 0 and scales.max() <= 1):  # written so that NaN fails
            raise ResourceError(
                f"{source.path}: the array 'scale' holds {scales.min()} to {scales.max()}; "
                "wanted numbers from 0 to 1"
            )
        self._arrays = [row, scale]
        self.table.row = &row[0, 0]
        self.table.scale = &scale[0]
        self.table.n_dimensions = <int32_t>row.shape[1]


cdef bint paraphrases(const Lists *partners, int32_t a, int32_t b) noexcept nogil:
    """Whether two words are listed as a pair; False if either is -1."""
    return a >= 0 and b >= 0 and _place_of(partners, a, b) >= 0


cdef class Paraphrases(LexicalTable):
    """Pairs of words that may stand for each other."""

    def __init__(self, source):
        super().__init__(source)
        self._lists("row_start", "partner", len(self.vocabulary), &self.table)

    def __len__(self):
        """Return the number of pairs."""
        return self.table.start[len(self.vocabulary)] // 2


cdef class Frequencies(LexicalTable):
    """Document counts of lemmas; the number of sentences is in the table's ``meta``."""

    SHIPPED = "counts"

    def __init__(self, source):
        super().__init__(source)
        counts = source.array("count", np.int32, (len(self.vocabulary),))
        n_documents = source.header["meta"].get("sentences")
        least, most = counts.min(initial=0), counts.max(initial=0)
        if type(n_documents) is not int or not 0 <= least <= most <= n_documents or not n_documents:
            raise ResourceError(
                f"{source.path}: counts of {least} to {most} among {quoted(n_documents)} "
                "sentences; wanted none below 0 or above the number of sentences, and sentences"
            )
        self._count = counts
        self.n_documents = n_documents
        self._log_documents = log(1 + self.n_documents)

    cpdef double idf(self, str lemma):
        """Return the inverse document frequency of a lower-case lemma, relative to the largest.

        It is log((1 + n) / (1 + count)) / log(1 + n) for n sentences, in [0, 1]: about 0.9 for a
        lemma in one or two of 50,000 sentences, 0.2 for one in a tenth. A lemma that the table
        lacks counts as if it were in one sentence.
        """
        cdef int32_t number = self.vocabulary.find(lemma)
        cdef int64_t count = 1 if number < 0 else self._count[number]
        return 1.0 - log(1 + count) / self._log_documents
