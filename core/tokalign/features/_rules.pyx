"""Rules by which two words say the same, or other values.

A cell has at most one rule: of several the first on the axis. Words that are the same by their
canonical form, lemma or stem need no rule, but may still say other values. A rule of two words is
found where they are compared (`_memory`), and the others here.
"""

from libc.string cimport memset

from tokalign.features._emit cimport *
from tokalign.features.pair cimport *
from tokalign.english.spelling.letters cimport Borrowed, Letters
from tokalign.english.spelling.runs cimport initials, joined
from tokalign.english.spelling.words cimport lengthened, typo, variant
from tokalign.english.values.agreement cimport agree

cdef enum:
    NO_RULE = 0              # rules are stored as 1 and their place on the axis
    LONGEST_JOINED = 3       # words of a run that are joined
    LEAST_INITIALS = 2
    LEAST_LOWER_INITIALS = 3     # of an acronym that is not in capitals
    MOST_INITIALS = 6
    # Words with a typo and variants differ in no more letters. So most pairs need no comparison.
    MOST_UNLIKE = 4

# Strength of each rule in the order of the axis.
cdef float[<int>N_RULE] STRENGTH = [
    0.9, 0.9, 0.9, 0.8, 0.8, 0.8, 0.7, 0.7, 0.45, 0.45, 0.45, 0.0,
]
# The rule of each relation of two values; there is none of the first.
cdef int[6] RULE_OF = [
    -1, RULE_DIFFERENT_VALUE, RULE_SAME_UNIT, RULE_SAME_NUMBER, RULE_SAME_PART, RULE_SAME_VALUE,
]

cdef extern from "_compiler.h" nogil:
    int _bits "tokalign_ones"(unsigned long long mask)


cdef inline void _spell(const Lexeme *word, Letters *out) noexcept nogil:
    out.code = word.lower.code
    out.n = word.lower.n
    out.is_function = word.kind != KIND_CONTENT


cdef bint _is_known(const Lexeme *word) noexcept nogil:
    """Whether a word is in a table or list, or a number, and so hardly misspelt."""
    cdef int k
    if word.vector >= 0 or word.function_word >= 0 or word.number >= 0:
        return True
    for k in range(N_ENTRIES):
        if word.entries[k] >= 0:
            return True
    return False


cdef bint _abbreviates(const Lexeme *a, const Lexeme *b) noexcept nogil:
    """Whether `a` is short for the single word `b`."""
    cdef const int32_t *ids = a.facts.expansions
    while ids[0]:
        if ids[0] == 1 and (
            ids[1] == b.lower_form or (ids[1] == b.lemma and b.kind == KIND_CONTENT)
        ):
            return True
        ids += 1 + ids[0]
    return False


cdef uint8_t word_rule(const Lexeme *a, const Lexeme *b, int lexical_class) noexcept nogil:
    """Return the rule of two words, whatever their sentences: 0, or 1 and its place."""
    cdef Letters one, other
    cdef bint are_alike = _bits(a.lower.letters ^ b.lower.letters) <= MOST_UNLIKE
    cdef bint may_err = are_alike and not (_is_known(a) and _is_known(b))
    if lexical_class <= CLASS_STEM:
        return NO_RULE
    _spell(a, &one)
    _spell(b, &other)
    if are_alike and variant(&one, &other):
        return 1 + RULE_VARIANT
    if (
        a.stands_for_more and b.stands_for_more and a.facts.code_name >= 0
        and a.facts.code_name == b.facts.code_name
    ):
        return 1 + RULE_CODE_NAME
    if may_err and lengthened(&one, &other):
        return 1 + RULE_LENGTHENED
    if (a.stands_for_more and _abbreviates(a, b)) or (b.stands_for_more and _abbreviates(b, a)):
        return 1 + RULE_SHORT_FORM
    if may_err and typo(&one, &other):
        return 1 + RULE_TYPO
    return NO_RULE


cdef inline void _mark(PairState *pair, Py_ssize_t cell, int rule) noexcept nogil:
    """Give a cell a rule, unless a rule before it holds or the words are the same anyway."""
    if pair.lexical_class[cell] <= CLASS_STEM and rule != RULE_DIFFERENT_VALUE:
        return
    if pair.rule[cell] == NO_RULE or rule + 1 < pair.rule[cell]:
        pair.rule[cell] = <uint8_t>(rule + 1)


cdef struct SingleToken:
    # One token of a pair, to be compared with runs of the other side.
    PairState *pair
    const Lexeme *word
    const Side *other
    Py_ssize_t first         # cell of the other side's first token
    Py_ssize_t step          # from its cell to the next


cdef void _mark_run(
    const SingleToken *token, Py_ssize_t first, Py_ssize_t n_run, int rule, bint only_content
) noexcept nogil:
    """Give a token's cells with a run a rule."""
    cdef Py_ssize_t k
    for k in range(first, first + n_run):
        if not only_content or token.other.word[k].kind == KIND_CONTENT:
            _mark(token.pair, token.first + k * token.step, rule)


cdef inline bint _has_twin(const SingleToken *token) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(token.other.n):
        if token.pair.lexical_class[token.first + k * token.step] == CLASS_IDENTICAL:
            return True
    return False


cdef inline void _spell_run(
    const SingleToken *token, Py_ssize_t first, int n_run, Letters *letters, Borrowed *run
) noexcept nogil:
    cdef int k
    for k in range(n_run):
        _spell(token.other.word[first + k], letters + k)
        run[k] = letters + k


cdef void _mark_expansions(const SingleToken *token) noexcept nogil:
    """Mark the runs that the token is short for."""
    cdef const int32_t *ids = token.word.facts.expansions
    cdef Py_ssize_t first
    cdef int k
    while ids[0]:
        for first in range(token.other.n - ids[0] + 1 if ids[0] > 1 else 0):
            for k in range(ids[0]):
                if token.other.word[first + k].lower_form != ids[1 + k]:
                    break
            else:
                _mark_run(token, first, ids[0], RULE_SHORT_FORM, False)
        ids += 1 + ids[0]


cdef void _mark_joined(const SingleToken *token, Py_ssize_t first) noexcept nogil:
    """Mark a run of two or three words that the token is, written as one.

    Words with a sign before their letters are in no run: "we" and "'ll" are not "well".
    """
    cdef Letters word
    cdef Letters[LONGEST_JOINED] letters
    cdef Borrowed[LONGEST_JOINED] run
    cdef const Lexeme *last
    cdef int n_letters = 0
    cdef int n_run
    for n_run in range(1, min(LONGEST_JOINED, token.other.n - first) + 1):
        last = token.other.word[first + n_run - 1]
        n_letters += last.facts.n_letters
        if n_letters > token.word.facts.n_letters or last.lower.n == 0:
            return
        if last.lower.code[0] != last.first_letter:
            return
        if n_run == 1 or n_letters < token.word.facts.n_letters:
            continue
        _spell(token.word, &word)
        _spell_run(token, first, n_run, letters, run)
        if joined(&word, run, n_run):
            _mark_run(token, first, n_run, RULE_JOINED, False)


cdef int _count_initials(const Lexeme *word) noexcept nogil:
    """Return how many initials a word may be; 0 where it is no acronym."""
    cdef bint is_noun = word.coarse == COARSE_NOUN or word.coarse == COARSE_NAME
    cdef int least = LEAST_INITIALS if word.initials >= 0 else LEAST_LOWER_INITIALS
    cdef int n = 0
    cdef int k
    if word.kind != KIND_CONTENT or word.lower.n > 2 * MOST_INITIALS:
        return 0
    if not is_noun and word.initials < 0:
        return 0
    for k in range(word.lower.n):
        n += word.lower.code[k] != c'.'
    return n if least <= n <= MOST_INITIALS else 0


cdef void _mark_initials(const SingleToken *token, Py_ssize_t first, int n) noexcept nogil:
    """Mark the content words of runs whose n initials the token is."""
    cdef Letters word
    cdef Letters[2 * MOST_INITIALS] letters
    cdef Borrowed[2 * MOST_INITIALS] run
    cdef int n_run
    if token.other.word[first].kind != KIND_CONTENT:
        return
    _spell(token.word, &word)
    for n_run in range(n, min(2 * n, token.other.n - first) + 1):
        if token.other.word[first + n_run - 1].kind != KIND_CONTENT:
            continue
        _spell_run(token, first, n_run, letters, run)
        if initials(&word, run, n_run):
            _mark_run(token, first, n_run, RULE_INITIALS, True)


cdef void _mark_runs(PairState *pair, bint of_source) noexcept nogil:
    """Compare the tokens of one side, but for those with a twin, with runs of the other."""
    cdef const Side *own = &pair.source if of_source else &pair.target
    cdef SingleToken token
    cdef Py_ssize_t at, first
    cdef int n_initials
    token.pair = pair
    token.other = &pair.target if of_source else &pair.source
    token.step = 1 if of_source else pair.target.n
    for at in range(own.n):
        token.word = own.word[at]
        token.first = at * pair.target.n if of_source else at
        if _has_twin(&token):
            continue
        if token.word.stands_for_more:
            _mark_expansions(&token)
        n_initials = _count_initials(token.word)
        for first in range(token.other.n - 1):
            if token.other.word[first].first_letter == token.word.first_letter:
                _mark_joined(&token, first)
                if n_initials:
                    _mark_initials(&token, first, n_initials)


cdef void compare_values(PairState *pair) noexcept nogil:
    """Fill how the values of both sentences agree."""
    memset(pair.agreement, 0, pair.source.n * pair.target.n)
    if pair.source.n_values and pair.target.n_values:
        agree(
            pair.source.values, pair.source.n_values, pair.target.values, pair.target.n_values,
            pair.target.n, pair.agreement,
        )


cdef void _mark_values(PairState *pair) noexcept nogil:
    """Give the tokens of values that agree, or differ, the rule of that."""
    cdef Py_ssize_t cell
    if not pair.source.n_values or not pair.target.n_values:
        return
    for cell in range(pair.source.n * pair.target.n):
        if pair.agreement[cell]:
            _mark(pair, cell, RULE_OF[pair.agreement[cell]])


cdef void mark_rules(PairState *pair) noexcept nogil:
    """Add the rules of values and runs to those of words, and raise the strengths."""
    cdef Py_ssize_t cell
    _mark_values(pair)
    _mark_runs(pair, True)
    _mark_runs(pair, False)
    for cell in range(pair.source.n * pair.target.n):
        if pair.rule[cell]:
            pair.strength[cell] = max(pair.strength[cell], STRENGTH[pair.rule[cell] - 1])


cdef void rule_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the feature of a cell that has a rule."""
    cdef int rule = pair.rule[i * pair.target.n + j] - 1
    emit_rule(sink, rule, kinds_of(pair.source.word[i], pair.target.word[j]))
