"""Look-up of WordNet relations between two words, in tens of nanoseconds.

An *entry* is a lemma with a part of speech (0 noun, 1 verb, 2 adjective, 3 adverb). Relations of
senses are relations of entries here: two entries are related if any of their senses are.
`lab/recipes/wordnet.py` compiles the table; Fellbaum (1998) describes WordNet.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

import numpy as np

from tokalign.errors import InputError, ResourceError
from tokalign.english.lexicon.vocabulary cimport Vocabulary
from tokalign.english.lexicon.labels import RELATION_NAMES
from tokalign.english.lexicon.packing import starts_of
from tokalign.files.tables import Table

POS_LETTERS = "nvar"


def relation_bit(str name):
    """Return the bit of a relation of RELATION_NAMES; raise InputError for another name."""
    if name not in RELATION_NAMES:
        raise InputError(
            f"relation {name!r} is unknown; wanted one of {', '.join(RELATION_NAMES)}"
        )
    return 1 << RELATION_NAMES.index(name)


def _place(str letter):
    """Return the number of a part of speech by its letter."""
    if len(letter) != 1 or letter not in POS_LETTERS:
        raise InputError(
            f"part of speech {letter!r} is unknown; wanted letters out of {POS_LETTERS!r}"
        )
    return POS_LETTERS.index(letter)


cdef bint _meet(
    const int32_t *a, const int32_t *a_end, const int32_t *b, const int32_t *b_end
) noexcept nogil:
    """Whether two sorted lists share an item."""
    if a == a_end or b == b_end or (a_end - 1)[0] < b[0] or (b_end - 1)[0] < a[0]:
        return False  # as with any two words of different parts of speech
    while a < a_end and b < b_end:
        if a[0] == b[0]:
            return True
        if a[0] < b[0]:
            a += 1
        else:
            b += 1
    return False


cdef bint _share(
    const Lists *left, int32_t a, const Lists *right, int32_t b
) noexcept nogil:
    return _meet(
        left.item + left.start[a], left.item + left.start[a + 1],
        right.item + right.start[b], right.item + right.start[b + 1],
    )


cdef uint32_t _neighbour_mask(const WordNetTable *table, int32_t a, int32_t b) noexcept nogil:
    """Return the mask of an entry's neighbour, 0 of another entry."""
    cdef int32_t low = table.neighbour.start[a]
    cdef int32_t high = table.neighbour.start[a + 1]
    cdef int32_t middle
    while low < high:
        middle = (low + high) // 2
        if table.neighbour.item[middle] < b:
            low = middle + 1
        else:
            high = middle
    if low < table.neighbour.start[a + 1] and table.neighbour.item[low] == b:
        return table.masks[table.code[low]]
    return 0


cdef uint32_t relation(
    const WordNetTable *table, int32_t a, int32_t b, int places
) noexcept nogil:
    """Return the mask of relations from entry a to entry b; SYNONYM if they are the same.

    `places` are those that places_to_look returns of the words, or ANYWHERE.
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
    """Add an entry, and whatever it is related through, to the sets of a word."""
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
    cdef uint32_t place = (<uint32_t>item * <uint32_t>0x9E3779B1) >> 24
    items.bits[place >> 6] |= <uint64_t>1 << (place & 63)


cdef int places_to_look(const Kin *a, const Kin *b) noexcept nogil:
    """Return where relations of any two entries of two words may be; mostly nowhere, 0."""
    cdef uint64_t near = 0, up = 0, down = 0, beside = 0
    cdef int k
    for k in range(4):
        near |= (a.entries.bits[k] | a.neighbours.bits[k]) & b.entries.bits[k]
        up |= a.ancestors.bits[k] & b.senses.bits[k]
        down |= a.senses.bits[k] & b.ancestors.bits[k]
        beside |= a.parents.bits[k] & b.parents.bits[k]
    return (
        IN_NEIGHBOURS * (near != 0) | IN_ANCESTORS * (up != 0)
        | IN_DESCENDANTS * (down != 0) | IN_PARENTS * (beside != 0)
    )


cdef class WordNet:
    """WordNet's single words and their relations, mapped from a table file.

    Parameters
    ----------
    source : Table

    Raises
    ------
    ResourceError
        If the table lacks an array, or one leads out of another.
    """

    def __init__(self, source):
        self.source = source
        self._arrays = []
        self.vocabulary = Vocabulary(source)
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

    @classmethod
    def open_shipped(cls):
        """Map the WordNet table that ships with the package."""
        return cls(Table.open_shipped("wordnet"))

    def _keep(self, name, dtype, length):
        """Return an array of the table and hold on to it, since pointers into it are kept."""
        array = self.source.array(name, dtype, (length,))
        if len(array) == 0:
            raise ResourceError(f"{self.source.path}: the array {name!r} is empty")
        self._arrays.append(array)
        return array

    def _check(self, array, name, least, end):
        """Raise ResourceError unless all numbers that are places elsewhere are such places."""
        if array.size and not (array.min() >= least and array.max() < end):
            raise ResourceError(
                f"{self.source.path}: the array {name!r} holds {array.min()} to {array.max()}; "
                f"wanted {least} to {end - 1}"
            )

    cdef Py_ssize_t _lists(self, str name, str values, Py_ssize_t n_rows, Lists *out) except -1:
        cdef const int32_t[::1] item = self._keep(values, np.int32, None)
        starts = starts_of(self.source, name, item.shape[0], n_rows=n_rows)
        self._arrays.append(starts)
        cdef const int32_t[::1] start = starts
        out.start = &start[0]
        out.item = &item[0]
        return item.shape[0]

    cpdef int32_t entry(self, str lemma, int pos):
        """Return the entry of a lower-case lemma, -1 if there is none.

        Parameters
        ----------
        lemma : str
        pos : int
            0 noun, 1 verb, 2 adjective, 3 adverb.

        Raises
        ------
        InputError
            If `pos` is none of these.
        """
        if not 0 <= pos < 4:
            raise InputError(
                f"part of speech {pos} is unknown; wanted 0 to 3, the places in {POS_LETTERS!r}",
                field="pos",
            )
        cdef int32_t word = self.vocabulary.find(lemma)
        return -1 if word < 0 else self._word_entries[word, pos]

    cdef void entries(self, str lemma, int32_t *out):
        """Fill in those entries of a lower-case lemma, by part of speech, that are still -1."""
        cdef int32_t word = self.vocabulary.find(lemma)
        cdef int pos
        if word >= 0:
            for pos in range(4):
                if out[pos] < 0:
                    out[pos] = self._word_entries[word, pos]

    def relations(self, str a, str b, str pos_a=POS_LETTERS, str pos_b=POS_LETTERS):
        """Return the names of all relations that hold from one lemma to another.

        Parameters
        ----------
        a, b : str
            Lower-case lemmas.
        pos_a, pos_b : str
            Letters of the parts of speech to look at, out of n, v, a, r.

        Returns
        -------
        frozenset of str
            Names out of RELATION_NAMES; empty if a lemma is unknown.

        Raises
        ------
        InputError
            If a letter is another one.

        Examples
        --------
        >>> wordnet = WordNet.open_shipped()
        >>> sorted(wordnet.relations("dog", "canine", "n", "n"))
        ['hypernym']
        """
        cdef uint32_t mask = 0
        cdef int32_t left, right
        places_b = [_place(letter) for letter in pos_b]
        for place_a in [_place(letter) for letter in pos_a]:
            left = self.entry(a, place_a)
            if left < 0:
                continue
            for place_b in places_b:
                right = self.entry(b, place_b)
                if right >= 0:
                    mask |= relation(&self.table, left, right, ANYWHERE)
        return frozenset(
            name for k, name in enumerate(RELATION_NAMES) if mask >> k & 1
        )
