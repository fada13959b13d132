"""Evidence that a source answers its target or supports its words, pair by pair.

A candidate (source) answers a question (target) if it shares the question's topic and has, near the
words it shares with the question, a word of the expected type that the question lacks.

A word of the question is *asked* if it is a content word but not a question word. It is covered as
far as it has a partner. A token of the candidate is *free* if it fits the expected type, has no
partner among the asked words, and its lemma is not in the question.

    covered[j] = min(1, sum over i of mean[i, j])        best[j] = likeliest partner
    near(k, j) = covered[j] * 6 / (6 + |k - best[j]|)    of a free token k

- score: Alignment.score.
- agreement: Alignment.agreement.
- names: covered share of the names and numbers among the asked words, by idf; 1 if there are
  none.
- early: covered share of the asked words, by idf; a later partner counts less: 4 / (4 + place).
- neighbours: share of the neighbours among the asked words whose partners are neighbours in the
  same order, by idf; in another order, or with a word between, half. Without any, as `early` but
  wherever partners stand.
- topic: cosine of the sums of word vectors, by idf, of the asked words and of the candidate's
  content words, in [-1, 1]; 0 where a side has none.
- typed: how well the best free token fits the expected type; of a reason or a way how much is told,
  x / (x + 1.5) with x the sum over the free tokens, as any content word fits.
- value: if a date, a number or a word of a list (as of colours) is expected, the best free token's fit times its nearness to the
  asked words' partners, by idf; else 0.
- name: the same if a person, place or name is expected.
- by_verb: nearness of the nearest free token to the partner of an asked verb.
- length: number of the candidate's tokens, on a logarithmic scale that ends at 100.
- bare: (1 - typed) * early. The candidate has the question's words, but nothing that fits.
- yes_no: 1 if it begins with yes, no or a word like them, else 0.
- clause: 1 if it begins with a word that opens a clause or asks (if, to, how), else 0.

The last column, `polar`, is no evidence: it is 1 for a question of which no answer of a type is
expected, which asks for yes or no and has weights of its own, else 0.

The support of each word of an answer (target) by a sentence of the sources (source), with the
posteriors of both directions, mean(i, j) their mean, and strength(i, j) the similarity of the words
in form and meaning:

    MASS      = min(1, sum over i of min(s2t(i, j), t2s(j, i)))
    BEST      = max over i of mean(i, j)
    SAME      = min(1, sum of mean(i, j) over the partners that are the same word or value)
    STRENGTH  = max over i of strength(i, j), linked or not
    ALIKE     = min(1, sum over i of mean(i, j) * strength(i, j))
    WINDOW    = mean MASS of the content words at most 4 content words away, of weight 1 / distance
    TREE      = mean MASS of the content words right above and below in the tree
    ORDER     = mean over the content words before and after of
                min(MASS, theirs) / (1 + |distance of the likeliest partners - of the words|)
    COVER     = mean MASS of the content words of the answer's sentence, weighed by how rare
                they are

Without a tree, TREE is WINDOW; the mean over no words is 0.

The slow twins are tests/reference/evidence.py and tests/reference/support.py.
"""

from libc.math cimport fabs, log1p, sqrt
from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

import numpy as np

from tokalign.english.values.value_structs cimport Found
from tokalign.english.values.kinds cimport *
from tokalign.features.extract cimport Extractor
from tokalign.features.pair cimport (
    COARSE_NAME, COARSE_NOUN, COARSE_NUMBER, COARSE_VERB, HINT_ASKS, HINT_BEFORE_DATE,
    HINT_BEFORE_PLACE, HINT_CALENDAR, HINT_CLAUSE, HINT_COLOUR, HINT_IN, HINT_MATERIAL, HINT_NAME,
    HINT_NUMBER, HINT_OFTEN, HINT_UNIT, HINT_WITHIN, HINT_YES_NO, KIND_CONTENT, Lexeme, Side,
    are_same,
)

from tokalign.english.values.value import UNIT_BASES
from tokalign.errors import ShapeError
from tokalign.ranking.answer_types import AnswerType, unit_kind

cdef enum:
    REACH = 4                # of the window, in content words
    WITHIN_REACH = 3         # from "in" or "behind" to the noun of a place, in tokens

cdef enum:
    # In the order of AnswerType.
    ANSWER_PERSON, ANSWER_PLACE, ANSWER_DATE, ANSWER_NUMBER, ANSWER_NAME, ANSWER_THING
    ANSWER_OTHER, ANSWER_ANY, ANSWER_WAY, ANSWER_MEANING
    ANSWER_COLOUR, ANSWER_MATERIAL, ANSWER_OFTEN

cdef struct EvidenceRoom:
    # Scratch of one pair.
    int32_t *asked           # [n_target] the question's words that a candidate should cover
    int32_t *best            # [n_target] likeliest partner of each
    double *covered          # [n_target] how far each has a partner, in [0, 1]
    double *taken            # [n_source] the largest of a token's links with them
    double *fit              # [n_source] how well a token fits the expected type
    double *topic            # [2, n_dimensions] sums of word vectors
    int n_asked
    double idf               # sum over all asked words


def _column_names(columns):
    return tuple([name.lower() for name in columns.__members__ if not name.startswith("N_")])


EVIDENCE: tuple[str, ...] = _column_names(EvidencePiece)
"""Names of the pieces of evidence, in the order of their columns."""
COLUMNS: tuple[str, ...] = _column_names(SupportColumn)
"""Names of the columns of SupportRows, in order."""

cdef uint16_t[3] LISTED = [HINT_COLOUR, HINT_MATERIAL, HINT_OFTEN]  # from ANSWER_COLOUR on
cdef uint8_t[128] UNIT_MEASURES  # of each base unit, by its place in UNIT_BASES
for _place, _unit in enumerate(UNIT_BASES):
    UNIT_MEASURES[_place] = unit_kind(_unit).value
assert len(UNIT_BASES) <= 128

cdef double COVERED = 0.5   # coverage from which a word counts as having a partner
cdef double NEAR = 6.0      # distance, in tokens, at which a partner counts half
cdef double HALF_TOLD = 1.5      # sum of fits at which half of a reason is told
cdef double EARLY_PLACE = 4.0   # place, from 0, at which one counts half


cdef Wanted _wanted_of(expected) except *:
    """Return the kernel's form of an Expected."""
    cdef Wanted wanted
    wanted.answer = list(AnswerType).index(expected.answer)
    wanted.kinds = 0
    for kind in expected.kinds:
        wanted.kinds |= <uint32_t>1 << <int>kind
    wanted.measures = int(expected.measures)
    return wanted


cdef size_t _evidence_bytes(
    Py_ssize_t n_source, Py_ssize_t n_target, const VectorTable *vectors
) noexcept nogil:
    """Return the bytes of scratch that a pair's evidence needs."""
    cdef size_t n_dimensions = 0 if vectors == NULL else vectors.n_dimensions
    return (
        (n_target + 2 * n_source + 2 * n_dimensions) * sizeof(double)
        + 2 * n_target * sizeof(int32_t)
    )


cdef void _carve_evidence(
    EvidenceRoom *room, char *memory, Py_ssize_t n_source, Py_ssize_t n_target,
    const VectorTable *vectors,
) noexcept nogil:
    """Lay out the scratch in a block of _evidence_bytes."""
    cdef size_t n_dimensions = 0 if vectors == NULL else vectors.n_dimensions
    room.covered = <double *>memory
    room.taken = room.covered + n_target
    room.fit = room.taken + n_source
    room.topic = room.fit + n_source
    room.asked = <int32_t *>(room.topic + 2 * n_dimensions)
    room.best = room.asked + n_target


cdef void _find_asked(const Side *question, EvidenceRoom *room) noexcept nogil:
    """Find the words that a candidate should cover; all words if no word qualifies."""
    cdef int32_t j
    room.n_asked = 0
    for j in range(<int32_t>question.n):
        if question.kind[j] == KIND_CONTENT and not question.word[j].hints & HINT_ASKS:
            room.asked[room.n_asked] = j
            room.n_asked += 1
    if room.n_asked == 0:
        for j in range(<int32_t>question.n):
            room.asked[j] = j
        room.n_asked = <int>question.n
    room.idf = 0.0
    for j in range(room.n_asked):
        room.idf += question.word[room.asked[j]].idf


cdef void _cover(const PairState *pair, const double *mean, EvidenceRoom *room) noexcept nogil:
    """Fill the coverage of the asked words, and their likeliest partners."""
    cdef Py_ssize_t n_target = pair.target.n, i
    cdef double total, largest, link
    cdef int a
    memset(room.taken, 0, pair.source.n * sizeof(double))
    for a in range(room.n_asked):
        total = 0.0
        largest = -1.0
        for i in range(pair.source.n):
            link = mean[i * n_target + room.asked[a]]
            total += link
            room.taken[i] = max(room.taken[i], link)
            if link > largest:
                largest = link
                room.best[a] = <int32_t>i
        room.covered[a] = min(total, 1.0)


cdef double _names(const PairState *pair, const EvidenceRoom *room) noexcept nogil:
    cdef double total = 0.0, covered = 0.0
    cdef const Lexeme *word
    cdef int a
    for a in range(room.n_asked):
        word = pair.target.word[room.asked[a]]
        if word.coarse == COARSE_NAME or word.coarse == COARSE_NUMBER:
            total += word.idf
            covered += word.idf * room.covered[a]
    return covered / total if total > 0 else 1.0


cdef double _early(const PairState *pair, const EvidenceRoom *room, bint anywhere) noexcept nogil:
    cdef double covered = 0.0, place
    cdef int a
    if room.idf <= 0:
        return 1.0
    for a in range(room.n_asked):
        place = 1.0 if anywhere else EARLY_PLACE / (EARLY_PLACE + room.best[a])
        covered += pair.target.word[room.asked[a]].idf * room.covered[a] * place
    return covered / room.idf


cdef double _neighbours(const PairState *pair, const EvidenceRoom *room) noexcept nogil:
    cdef double total = 0.0, kept = 0.0, weight
    cdef int32_t step
    cdef int a
    for a in range(room.n_asked - 1):
        if room.asked[a + 1] - room.asked[a] > 2:
            continue
        weight = min(pair.target.word[room.asked[a]].idf, pair.target.word[room.asked[a + 1]].idf)
        total += weight
        if room.covered[a] <= COVERED or room.covered[a + 1] <= COVERED:
            continue
        step = room.best[a + 1] - room.best[a]
        if 1 <= step <= 2:
            kept += weight
        elif -3 <= step <= 3:
            kept += weight / 2
    return kept / total if total > 0 else _early(pair, room, True)


cdef bint _add_vector(const VectorTable *vectors, const Lexeme *word, double *total) noexcept nogil:
    """Add a word's vector of length 1, times its idf; return whether it has one."""
    cdef const int8_t *row
    cdef double weight
    cdef int k
    if word.vector < 0:
        return False
    row = vectors.row + <Py_ssize_t>word.vector * vectors.n_dimensions
    weight = word.idf * vectors.scale[word.vector]
    for k in range(vectors.n_dimensions):
        total[k] += weight * row[k]
    return True


cdef double _topic(
    const PairState *pair, const VectorTable *vectors, const EvidenceRoom *room
) noexcept nogil:
    cdef double *question = room.topic
    cdef double *candidate
    cdef double product = 0.0, of_question = 0.0, of_candidate = 0.0
    cdef Py_ssize_t i
    cdef int a, k
    if vectors == NULL:
        return 0.0
    candidate = question + vectors.n_dimensions
    memset(question, 0, 2 * vectors.n_dimensions * sizeof(double))
    for a in range(room.n_asked):
        _add_vector(vectors, pair.target.word[room.asked[a]], question)
    for i in range(pair.source.n):
        _add_vector(vectors, pair.source.word[i], candidate)
    for k in range(vectors.n_dimensions):
        product += question[k] * candidate[k]
        of_question += question[k] * question[k]
        of_candidate += candidate[k] * candidate[k]
    if of_question <= 0 or of_candidate <= 0:
        return 0.0
    return product / sqrt(of_question * of_candidate)


cdef bint _is_class(const Side *side, Py_ssize_t i) noexcept nogil:
    """Whether a noun may say what something is: it begins a sentence or follows "is" or the like,
    with neither a number nor a preposition between."""
    cdef uint16_t parting = HINT_NUMBER | HINT_BEFORE_PLACE | HINT_BEFORE_DATE | HINT_WITHIN
    cdef Py_ssize_t at
    for at in range(i - 1, -1, -1):
        if side.word[at].coarse == COARSE_VERB:
            return side.kind[at] != KIND_CONTENT
        if side.word[at].hints & parting:
            return False
    return True


cdef double _fit(const Side *side, Py_ssize_t i, int answer) noexcept nogil:
    """Return how well a token fits by its form, tag and neighbours: 0, 0.5 or 1."""
    cdef const Lexeme *word = side.word[i]
    cdef uint16_t before = side.word[i - 1].hints if i > 0 else 0
    cdef uint16_t after = side.word[i + 1].hints if i + 1 < side.n else 0
    cdef bint beside_name
    cdef Py_ssize_t at
    if answer == ANSWER_DATE:
        if word.hints & HINT_CALENDAR:
            return 1.0
        if not word.hints & HINT_NUMBER:
            return 0.0
        if before & (HINT_BEFORE_DATE | HINT_CALENDAR) and not after & HINT_UNIT:
            return 1.0
        return 0.5
    if answer == ANSWER_NUMBER:
        if not word.hints & HINT_NUMBER:
            return 0.0
        return 0.5 if before & (HINT_CALENDAR | HINT_IN) else 1.0
    if answer == ANSWER_PERSON:
        beside_name = (i > 0 and side.word[i - 1].coarse == COARSE_NAME) or (
            i + 1 < side.n and side.word[i + 1].coarse == COARSE_NAME
        )
        return 0.0 if not word.hints & HINT_NAME else 1.0 if beside_name else 0.5
    if answer == ANSWER_PLACE and word.hints & HINT_NAME:
        return 1.0 if before & HINT_BEFORE_PLACE else 0.5
    if answer == ANSWER_NAME:
        return 1.0 if word.hints & HINT_NAME else 0.0
    if answer >= ANSWER_COLOUR and word.hints & LISTED[answer - ANSWER_COLOUR]:
        return 1.0
    if answer in (ANSWER_COLOUR, ANSWER_OFTEN) or side.kind[i] != KIND_CONTENT:
        return 0.0
    if answer == ANSWER_ANY:
        return 0.5
    if word.hints & HINT_CALENDAR:
        return 0.0
    if answer == ANSWER_PLACE:
        if word.coarse != COARSE_NOUN:
            return 0.0
        for at in range(max(0, i - WITHIN_REACH), i):
            if side.word[at].hints & HINT_WITHIN:
                return 0.5
        return 0.0
    if answer == ANSWER_MATERIAL:
        return 0.5 if word.coarse == COARSE_NOUN else 0.0
    if answer == ANSWER_THING:
        return 1.0 if word.coarse == COARSE_NOUN or word.coarse == COARSE_NAME else 0.0
    if word.hints & HINT_NUMBER:
        return 0.0
    if answer == ANSWER_MEANING:
        return 1.0 if word.coarse == COARSE_NOUN and _is_class(side, i) else 0.0
    return 1.0 if answer == ANSWER_WAY and i == 0 and word.coarse == COARSE_VERB else 0.5


cdef double _value_fit(const Found *value, const Wanted *wanted) noexcept nogil:
    """Return how well a value fits the expected type, a date or a number: 0.25, 0.5 or 1."""
    cdef bint is_wanted = wanted.kinds >> value.kind & 1
    if wanted.answer == ANSWER_DATE:
        if is_wanted:
            return 1.0
        return 0.5 if value.kind == KIND_NUMBER or value.kind == KIND_RANGE else 0.25
    if is_wanted and (value.kind != KIND_QUANTITY or UNIT_MEASURES[value.code] & wanted.measures):
        return 1.0
    if not is_wanted and (value.kind == KIND_DATE or wanted.kinds >> <int>KIND_MONEY & 1):
        return 0.25
    return 0.5


cdef void _fit_all(const Side *side, const Wanted *wanted, double *fit) noexcept nogil:
    """Fill how well each token fits the expected type; a value's tokens fit as it does."""
    cdef Py_ssize_t i
    cdef int k, at
    cdef bint is_value = wanted.answer == ANSWER_DATE or wanted.answer == ANSWER_NUMBER
    for i in range(side.n):
        fit[i] = _fit(side, i, wanted.answer)
    if not is_value and wanted.answer not in (ANSWER_PLACE, ANSWER_OTHER, ANSWER_WAY):
        return
    for k in range(side.n_values):
        if side.values[k].rank == 0:
            for at in range(side.values[k].start, side.values[k].end):
                fit[at] = _value_fit(&side.values[k], wanted) if is_value else 0.0


cdef bint _holds(const Side *side, int32_t lemma) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(side.n):
        if side.lemma[k] == lemma:
            return True
    return False


cdef void _weigh_free(
    const PairState *pair, const Wanted *wanted, const EvidenceRoom *room, double *out
) noexcept nogil:
    """Fill the evidence of the free tokens."""
    cdef double fitting = 0.0, typed = 0.0, by_verb = 0.0
    cdef double near, dense, told = 0.0
    cdef const Lexeme *word
    cdef Py_ssize_t i
    cdef int a
    for i in range(pair.source.n):
        if room.fit[i] <= 0 or room.taken[i] >= COVERED:
            continue
        if _holds(&pair.target, pair.source.lemma[i]):
            continue
        dense = 0.0
        for a in range(room.n_asked):
            word = pair.target.word[room.asked[a]]
            near = room.covered[a] * NEAR / (NEAR + fabs(<double>(room.best[a] - i)))
            dense += near * word.idf
            if word.coarse == COARSE_VERB:
                by_verb = max(by_verb, near)
        dense = dense / room.idf if room.idf > 0 else 1.0
        typed = max(typed, room.fit[i])
        told += room.fit[i]
        fitting = max(fitting, dense * room.fit[i])
    if wanted.answer in (ANSWER_OTHER, ANSWER_WAY):
        typed = told / (told + HALF_TOLD)
    out[<int>EvidencePiece.TYPED] = typed
    out[<int>EvidencePiece.BARE] = (1.0 - typed) * out[<int>EvidencePiece.EARLY]
    out[<int>EvidencePiece.BY_VERB] = by_verb
    if wanted.answer in (ANSWER_DATE, ANSWER_NUMBER) or wanted.answer >= ANSWER_COLOUR:
        out[<int>EvidencePiece.VALUE] = fitting
    elif wanted.answer in (ANSWER_PERSON, ANSWER_PLACE, ANSWER_NAME):
        out[<int>EvidencePiece.NAME] = fitting


cdef void _find_evidence(
    const PairState *pair, const VectorTable *vectors, const double *mean, const Wanted *wanted,
    EvidenceRoom *room, double score, double agreement, double *out,
) noexcept nogil:
    """Write the evidence of a prepared pair."""
    memset(out, 0, <int>EvidencePiece.N_EVIDENCE * sizeof(double))
    _find_asked(&pair.target, room)
    _cover(pair, mean, room)
    _fit_all(&pair.source, wanted, room.fit)
    out[<int>EvidencePiece.SCORE] = score
    out[<int>EvidencePiece.AGREEMENT] = agreement
    out[<int>EvidencePiece.NAMES] = _names(pair, room)
    out[<int>EvidencePiece.EARLY] = _early(pair, room, False)
    out[<int>EvidencePiece.NEIGHBOURS] = _neighbours(pair, room)
    out[<int>EvidencePiece.TOPIC] = _topic(pair, vectors, room)
    out[<int>EvidencePiece.LENGTH] = min(log1p(<double>pair.source.n) / log1p(100.0), 1.0)
    out[<int>EvidencePiece.YES_NO] = pair.source.word[0].hints & HINT_YES_NO != 0
    out[<int>EvidencePiece.CLAUSE] = pair.source.word[0].hints & HINT_CLAUSE != 0
    out[<int>EvidencePiece.POLAR] = wanted.answer == ANSWER_ANY
    _weigh_free(pair, wanted, room, out)


def pair_evidence(
    Extractor extractor not None, candidate: Sentence, question: Sentence,
    const double[:, ::1] mean, expected: Expected, double score, double agreement
) -> NDArray[np.float64]:
    """Return the evidence of a pair.

    `extractor`: must not be shared by threads. `candidate`, `question`: with tags and lemmas.
    `mean` (float64 array, shape (n_candidate, n_question)): probability of every link, the mean of
    both directions, in [0, 1]. `score`, `agreement`: of their alignment, in [0, 1].

    The result is a float64 array, shape (n_evidence,), in the order of EVIDENCE. InputError is
    raised if a sentence is empty, or lacks tags or lemmas; ShapeError, if `mean` does not fit the
    sentences.
    """
    cdef Wanted wanted = _wanted_of(expected)
    cdef EvidenceRoom room
    cdef const VectorTable *vectors = extractor.lexemes.tables.vectors
    found = np.empty(<int>EvidencePiece.N_EVIDENCE)
    cdef double[::1] out = found
    extractor.load(candidate, question)
    cdef const PairState *pair = &extractor.pair
    if mean.shape[0] != pair.source.n or mean.shape[1] != pair.target.n:
        raise ShapeError(
            f"links have shape {mean.shape[0], mean.shape[1]}; wanted "
            f"{pair.source.n, pair.target.n}"
        )
    cdef char *memory = <char *>malloc(_evidence_bytes(pair.source.n, pair.target.n, vectors))
    if memory == NULL:
        raise MemoryError("evidence of a pair")
    _carve_evidence(&room, memory, pair.source.n, pair.target.n, vectors)
    _find_evidence(pair, vectors, &mean[0, 0], &wanted, &room, score, agreement, &out[0])
    free(memory)
    return found


cdef class EvidenceRows:
    """Evidence that each pair's source answers its target.

    `expected`: the answer that each pair's target expects. `values` (float64 array, shape (n_pairs,
    n_evidence)): columns are named by EVIDENCE; zeros until the batch is decided, and for a pair
    that failed.
    """

    def __cinit__(self, expected: Sequence[Expected]):
        cdef Py_ssize_t k
        self.values = np.zeros((len(expected), <int>EvidencePiece.N_EVIDENCE))
        self._values = self.values
        self._wanted = <Wanted *>malloc(len(expected) * sizeof(Wanted) + 1)
        if self._wanted == NULL:
            raise MemoryError("what the pairs of a batch ask for")
        for k in range(len(expected)):
            self._wanted[k] = _wanted_of(expected[k])

    def __dealloc__(self):
        free(self._wanted)
        free(self._room)

    cdef int reserve(
        self, Py_ssize_t n_source, Py_ssize_t n_target, const VectorTable *vectors
    ) except -1:
        """Make room for pairs of at most so many tokens."""
        free(self._room)
        self._room = <char *>malloc(_evidence_bytes(n_source, n_target, vectors))
        if self._room == NULL:
            raise MemoryError("evidence of a pair")
        return 0

    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const VectorTable *vectors,
        const double *mean, double score, double agreement,
    ) noexcept nogil:
        """Fill the row of the pair that is decoded."""
        cdef EvidenceRoom room
        _carve_evidence(&room, self._room, pair.source.n, pair.target.n, vectors)
        _find_evidence(
            pair, vectors, mean, &self._wanted[number], &room, score, agreement,
            &self._values[number, 0],
        )


cdef void _sum_column(
    const PairState *pair, const double *s2t, const double *t2s, bint is_turned, Py_ssize_t at,
    int32_t *partner, float *out,
) noexcept nogil:
    """Write the columns that come from a word's posteriors, and its likeliest partner."""
    cdef Py_ssize_t n_source = pair.source.n, n_target = pair.target.n
    cdef Py_ssize_t n_others = n_target if is_turned else n_source
    cdef double mass = 0.0, best = 0.0, same = 0.0, alike = 0.0
    cdef float strength = 0.0
    cdef double forth, back, mean
    cdef Py_ssize_t other, i, j, cell
    partner[at] = 0
    for other in range(n_others):
        i, j = (at, other) if is_turned else (other, at)
        cell = i * n_target + j
        forth = s2t[i * (n_target + 1) + j + 1]
        back = t2s[j * (n_source + 1) + i + 1]
        mean = (forth + back) / 2.0
        mass += min(forth, back)
        alike += mean * pair.strength[cell]
        strength = max(strength, pair.strength[cell])
        if mean > best:
            best = mean
            partner[at] = <int32_t>other
        if mean > 0.0 and are_same(pair, cell):
            same += mean
    out[<int>SupportColumn.MASS] = <float>min(mass, 1.0)
    out[<int>SupportColumn.BEST] = <float>best
    out[<int>SupportColumn.SAME] = <float>min(same, 1.0)
    out[<int>SupportColumn.STRENGTH] = min(strength, <float>1.0)
    out[<int>SupportColumn.ALIKE] = <float>min(alike, 1.0)


cdef inline float _mass(const float *out, Py_ssize_t j) noexcept nogil:
    return out[j * <int>SupportColumn.N_COLUMNS + <int>SupportColumn.MASS]


cdef float _window(const Side *side, const float *out, Py_ssize_t j) noexcept nogil:
    cdef float total = 0.0, weight = 0.0
    cdef int32_t k
    cdef int step, distance
    for step in range(2):
        k = side.previous_content[j] if step == 0 else side.next_content[j]
        distance = 1
        while k >= 0 and distance <= REACH:
            total += _mass(out, k) / distance
            weight += <float>1.0 / distance
            k = side.previous_content[k] if step == 0 else side.next_content[k]
            distance += 1
    return total / weight if weight > 0.0 else <float>0.0


cdef float _tree(const Side *side, const float *out, Py_ssize_t j) noexcept nogil:
    cdef float total = 0.0
    cdef int n = 0
    cdef int32_t k = side.head[j]
    if k >= 0 and side.kind[k] == KIND_CONTENT:
        total += _mass(out, k)
        n += 1
    k = side.first_child[j]
    while k >= 0:
        if side.kind[k] == KIND_CONTENT:
            total += _mass(out, k)
            n += 1
        k = side.next_sibling[k]
    return total / n if n else <float>0.0


cdef float _order(
    const Side *side, const int32_t *partner, const float *out, Py_ssize_t j
) noexcept nogil:
    cdef float total = 0.0
    cdef int n = 0, step, apart
    cdef int32_t k
    for step in range(2):
        k = side.previous_content[j] if step == 0 else side.next_content[j]
        if k >= 0:
            apart = (partner[k] - partner[j]) - (k - <int32_t>j)
            total += min(_mass(out, j), _mass(out, k)) / (1 + (apart if apart > 0 else -apart))
            n += 1
    return total / n if n else <float>0.0


cdef void _find_columns(
    const PairState *pair, const double *s2t_posterior, const double *t2s_posterior,
    bint is_turned, char *room, float *out,
) noexcept nogil:
    """Write the row of each word of the answer's sentence."""
    cdef int32_t *partner = <int32_t *>room
    cdef const Side *side = &pair.source if is_turned else &pair.target
    cdef float *row
    cdef double weight, whole = 0.0, covered = 0.0
    cdef Py_ssize_t j
    for j in range(side.n):
        row = out + j * <int>SupportColumn.N_COLUMNS
        _sum_column(pair, s2t_posterior, t2s_posterior, is_turned, j, partner, row)
        if side.kind[j] == KIND_CONTENT:
            weight = side.word[j].weight
            whole += weight
            covered += weight * row[<int>SupportColumn.MASS]
    for j in range(side.n):
        row = out + j * <int>SupportColumn.N_COLUMNS
        row[<int>SupportColumn.WINDOW] = _window(side, out, j)
        row[<int>SupportColumn.TREE] = (
            _tree(side, out, j) if side.has_tree else row[<int>SupportColumn.WINDOW]
        )
        row[<int>SupportColumn.ORDER] = _order(side, partner, out, j)
        row[<int>SupportColumn.COVER] = <float>(covered / whole) if whole > 0.0 else <float>0.0


cdef class SupportRows:
    """Support of the words of each pair's target by its source.

    `n_tokens`: of each pair's target. `values` (float32 array, shape (n_tokens of all targets,
    n_columns)): columns are named by COLUMNS; zeros until the batch is decided, and for a pair that
    failed. `offsets`: pair k has the rows from ``offsets[k]`` to before ``offsets[k + 1]``.
    """

    def __cinit__(self, n_tokens: Sequence[int]):
        self.offsets = np.concatenate([[0], np.cumsum(n_tokens)]).astype(np.int64)
        self.values = np.zeros((sum(n_tokens), <int>SupportColumn.N_COLUMNS), np.float32)
        self._values = self.values
        self._offsets = self.offsets

    def __dealloc__(self):
        free(self._room)

    cdef int reserve(self, Py_ssize_t n_answer) except -1:
        """Make room for pairs whose answers have at most so many tokens."""
        free(self._room)
        self._room = <char *>malloc(n_answer * sizeof(int32_t) + 1)
        if self._room == NULL:
            raise MemoryError("support of a pair")
        return 0

    cdef void find(
        self, Py_ssize_t number, const PairState *pair, const double *s2t_posterior,
        const double *t2s_posterior, bint is_turned,
    ) noexcept nogil:
        """Fill the rows of the pair that is decoded; the answer is the source of one turned."""
        _find_columns(
            pair, s2t_posterior, t2s_posterior, is_turned, self._room,
            &self._values[self._offsets[number], 0],
        )
