"""Rules, acronyms and names: marks of cells besides the comparison of their words.

By rules two words say the same, or other values. A cell has at most one rule: of several the first
on the axis. Words that are the same by their canonical form, lemma or stem need no rule, but may
still say other values. A rule of two words is found where they are compared (`PairMemory`), and the
others here.

Names are completed: "Abraham" belongs to "Lincoln" where both sentences say "Lincoln". Annotators
link a name with every word of its longer form, although one of them alone is repeated. Such a word
stands in the run of names around the repeated one, nowhere in the other sentence, and is no title.
"""

from libc.string cimport memset

from tokalign.english.spelling.same_spelling cimport (
    Borrowed,
    Letters,
    initials,
    joined,
    lengthened,
    typo,
    variant,
)
from tokalign.english.values.value_agreement cimport agree
from tokalign.features.pair cimport *


cdef enum:
    NO_RULE = 0              # rules are stored as 1 and their place on the axis
    LONGEST_JOINED = 3       # words of a run that are joined
    LEAST_INITIALS = 2
    LEAST_LOWER_INITIALS = 3     # of an acronym that is not in capitals
    MOST_INITIALS = 6
    # Words with a typo and variants differ in no more letters. So most pairs need no comparison.
    MOST_UNLIKE = 4

# Strength of each rule in the order of the axis.
cdef float[<int>N_RULE] RULE_STRENGTH = [
    0.9, 0.9, 0.9, 0.8, 0.8, 0.8, 0.7, 0.7, 0.45, 0.45, 0.45, 0.0,
]
# The rule of each relation of two values, -1 for the first, which is no relation.
cdef int[6] RULE_OF = [
    -1, RULE_DIFFERENT_VALUE, RULE_SAME_UNIT, RULE_SAME_NUMBER, RULE_SAME_PART, RULE_SAME_VALUE,
]

cdef float ACRONYM_STRENGTH = 0.7

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
            pair.strength[cell] = max(pair.strength[cell], RULE_STRENGTH[pair.rule[cell] - 1])


cdef void _mark_spelt_out(PairState *pair, bint source_is_acronym, Py_ssize_t at) noexcept nogil:
    """Mark the words of the other side whose initials, in a run, spell the acronym."""
    cdef Side *own = &pair.source if source_is_acronym else &pair.target
    cdef Side *other = &pair.target if source_is_acronym else &pair.source
    cdef const Lexeme *acronym = own.word[at]
    cdef Py_ssize_t first, k, cell
    cdef int letter, n_letters
    cdef uint32_t wanted
    n_letters = 0
    for first in range(acronym.lower.n):
        n_letters += acronym.lower.code[first] != c'.'
    for first in range(other.n):
        letter = 0
        k = first
        while k < other.n and letter < n_letters and k - first <= 2 * n_letters:
            wanted = _acronym_letter(acronym, letter)
            if other.word[k].case_ == CASE_CAPITALISED and other.word[k].lower.code[0] == wanted:
                letter += 1
            elif other.word[k].kind != KIND_FUNCTION or k == first:
                break
            k += 1
        if letter < n_letters:
            continue
        for k in range(first, k):
            if other.word[k].kind == KIND_CONTENT:
                cell = at * pair.target.n + k if source_is_acronym else k * pair.target.n + at
                pair.acronym[cell] = 1
                pair.strength[cell] = max(pair.strength[cell], ACRONYM_STRENGTH)


cdef uint32_t _acronym_letter(const Lexeme *acronym, int index) noexcept nogil:
    """Return the acronym's letter, not counting dots."""
    cdef int k
    for k in range(acronym.lower.n):
        if acronym.lower.code[k] != c'.':
            if index == 0:
                return acronym.lower.code[k]
            index -= 1
    return 0


cdef void mark_acronyms(PairState *pair) noexcept nogil:
    """Find acronyms whose expansion stands in the other sentence."""
    cdef Py_ssize_t k
    for k in range(pair.source.n):
        if pair.source.word[k].initials >= 0:
            _mark_spelt_out(pair, True, k)
    for k in range(pair.target.n):
        if pair.target.word[k].initials >= 0:
            _mark_spelt_out(pair, False, k)


cdef inline bint _is_name(const Side *side, Py_ssize_t k) noexcept nogil:
    return 0 <= k < side.n and side.word[k].coarse == COARSE_NAME and (
        side.word[k].case_ == CASE_CAPITALISED or side.word[k].case_ == CASE_UPPER
    )


cdef inline Py_ssize_t _only_place(const Side *side, int32_t lower_form) noexcept nogil:
    """Return where a word stands, case ignored; -1 if nowhere, -2 if more than once."""
    cdef Py_ssize_t k
    cdef Py_ssize_t place = -1
    for k in range(side.n):
        if side.word[k].lower_form == lower_form:
            if place >= 0:
                return -2
            place = k
    return place


cdef void _complete_names(PairState *pair, bint source_is_longer) noexcept nogil:
    """Mark the words of one side that complete a name of the other."""
    cdef Side *longer = &pair.source if source_is_longer else &pair.target
    cdef Side *shorter = &pair.target if source_is_longer else &pair.source
    cdef Py_ssize_t at, anchor, k, cell, step
    cdef int form
    cdef int32_t offset
    for at in range(shorter.n):
        if not _is_name(shorter, at):
            continue
        anchor = _only_place(longer, shorter.word[at].lower_form)
        if not _is_name(longer, anchor):
            continue
        if _only_place(shorter, shorter.word[at].lower_form) != at:
            continue
        form = SHORT_NAME_SHORT_FORM_ALONE
        if _is_name(shorter, at - 1) or _is_name(shorter, at + 1):
            form = SHORT_NAME_SHORT_FORM_IN_NAME
        for step in range(-1, 2, 2):
            offset = offset_name_part(
                NAME_SOURCE_LONGER if source_is_longer else NAME_TARGET_LONGER,
                SIDE_LEFT if step < 0 else SIDE_RIGHT,
                form,
            )
            k = anchor + step
            while (
                _is_name(longer, k)
                and not longer.word[k].is_title
                and _only_place(shorter, longer.word[k].lower_form) == -1
            ):
                cell = k * pair.target.n + at if source_is_longer else at * pair.target.n + k
                pair.name_part[cell] = <uint8_t>(1 + offset)
                k += step


cdef void mark_names(PairState *pair) noexcept nogil:
    """Fill `name_part` of every cell."""
    cdef Py_ssize_t cell
    for cell in range(pair.source.n * pair.target.n):
        pair.name_part[cell] = 0
    _complete_names(pair, True)
    _complete_names(pair, False)
