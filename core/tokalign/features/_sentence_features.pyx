"""Rules, acronyms and trees: features of cells that take more of both sentences than two words.

By rules words say the same, or other values. A cell has at most one rule: of several the first on
the axis. Words that are the same by their canonical form, lemma or stem need no rule, but may still
say other values. Rules of two words are found where these are compared (`PairMemory`).

Features of trees are two words' places in them, and their distributional similarity.
Positions have features only if both sentences have trees. Similarity is counted in the two
sentences alone. A word's features are its arcs: (relation, up, lemma of the head) and (relation,
down, lemma of a dependent). With c(w, f) the count of word w with feature f in both sentences, W
words, F features and k = 2 added to every count,

    p(w, f) = (c(w, f) + k) / (N + k W F),  p(w) and p(f) its margins
    PPMI    = max(0, log2 p(w, f) / (p(w) p(f)))
    t-test  = max(0, (p(w, f) - p(w) p(f)) / sqrt(p(w) p(f)))

where c(w, f) > 0, and 0 elsewhere, so that the vectors stay sparse. The similarity of two words is
the largest of cosine, Dice and Jaccard under either weight, in [0, 1]. The slow twin is
tests/reference/distributional.py.

References
----------
Sharma et al. (2018), Algorithm 2. Curran (2003) and Jurafsky and Martin (2023), chapter 6, for
the weights and measures.
"""

from libc.math cimport fmax, fmin, log2, sqrt
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memset

from tokalign.english.spelling.same_spelling cimport Borrowed, Letters, initials, joined
from tokalign.english.values.value_agreement cimport agree
from tokalign.features._emit cimport *
from tokalign.features._lexemes cimport MAX_CHARS
from tokalign.features._word_pairs cimport NO_RULE, spell
from tokalign.features.pair cimport *

cdef double ADDED = 2.0
cdef double NEGLIGIBLE = 1e-9    # relative excess that rounding may cause

cdef enum:
    PPMI_SUM = 0
    PPMI_SQUARES = 1
    T_SUM = 2
    T_SQUARES = 3
    N_SUMS = 4


cdef enum:
    LONGEST_JOINED = 3       # words of a run that are joined
    LEAST_INITIALS = 2
    LEAST_LOWER_INITIALS = 3     # of an acronym that is not in capitals
    MOST_INITIALS = 6

# Strength of each rule in the order of the axis.
cdef float[<int>N_RULE] RULE_STRENGTH = [
    0.9, 0.9, 0.9, 0.8, 0.8, 0.8, 0.7, 0.7, 0.45, 0.45, 0.45, 0.0,
]
# The rule of each relation of two values; the first means no relation, and has -1.
cdef int[6] RULE_OF = [
    -1, RULE_DIFFERENT_VALUE, RULE_SAME_UNIT, RULE_SAME_NUMBER, RULE_SAME_PART, RULE_SAME_VALUE,
]

cdef float ACRONYM_STRENGTH = 0.7


cdef inline void _mark(PairState *pair, Py_ssize_t cell, int rule) noexcept nogil:
    """Give a cell a rule, unless an earlier rule holds or the words are the same anyway."""
    if pair.lexical_class[cell] <= CLASS_STEM and rule != RULE_DIFFERENT_VALUE:
        return
    if pair.rule[cell] == NO_RULE or rule + 1 < pair.rule[cell]:
        pair.rule[cell] = <uint8_t>(rule + 1)


cdef struct SingleToken:
    # A token of a pair, to be compared with runs of the other side.
    PairState *pair
    const Lexeme *word
    const Side *other
    Py_ssize_t first         # cell of the other side's first token
    Py_ssize_t step          # from its cell to the next


cdef inline SingleToken _token_of(PairState *pair, bint of_source, Py_ssize_t at) noexcept nogil:
    if of_source:
        return SingleToken(pair, pair.source.word[at], &pair.target, at * pair.target.n, 1)
    return SingleToken(pair, pair.target.word[at], &pair.source, at, pair.target.n)


cdef void _mark_run(
    const SingleToken *token, Py_ssize_t first, Py_ssize_t n_run, int rule, bint only_content
) noexcept nogil:
    """Give the cells of a token and a run a rule."""
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
        spell(token.other.word[first + k], letters + k)
        run[k] = letters + k


cdef void _mark_expansions(const SingleToken *token) noexcept nogil:
    """Mark the runs that the token is a short form of."""
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
    """Mark a run of two or three words that the token joins into one.

    A run has no word that begins with a sign: "we" and "'ll" are not "well".
    """
    cdef Letters word
    cdef Letters[LONGEST_JOINED] letters
    cdef Borrowed[LONGEST_JOINED] run
    cdef const Lexeme *last
    cdef int n_letters = 0, n_run
    for n_run in range(1, min(LONGEST_JOINED, token.other.n - first) + 1):
        last = token.other.word[first + n_run - 1]
        n_letters += last.facts.n_letters
        if n_letters > token.word.facts.n_letters or last.lower.n == 0:
            return
        if last.lower.code[0] != last.first_letter:
            return
        if n_run == 1 or n_letters < token.word.facts.n_letters:
            continue
        spell(token.word, &word)
        _spell_run(token, first, n_run, letters, run)
        if joined(&word, run, n_run):
            _mark_run(token, first, n_run, RULE_JOINED, False)


cdef int _count_initials(const Lexeme *word) noexcept nogil:
    """Return the number of initials of a word; 0 if it is not an acronym."""
    cdef bint is_noun = word.coarse == COARSE_NOUN or word.coarse == COARSE_NAME
    cdef int least = LEAST_INITIALS if word.initials >= 0 else LEAST_LOWER_INITIALS
    cdef int n = 0, k
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
    spell(token.word, &word)
    for n_run in range(n, min(2 * n, token.other.n - first) + 1):
        if token.other.word[first + n_run - 1].kind != KIND_CONTENT:
            continue
        _spell_run(token, first, n_run, letters, run)
        if initials(&word, run, n_run):
            _mark_run(token, first, n_run, RULE_INITIALS, True)


cdef void _mark_runs(PairState *pair, bint of_source) noexcept nogil:
    """Compare the tokens of one side, except those with a twin, with runs of the other."""
    cdef SingleToken token
    cdef Py_ssize_t at, first
    cdef int n_initials
    for at in range(pair.source.n if of_source else pair.target.n):
        token = _token_of(pair, of_source, at)
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
    """Fill the agreement of both sentences' values."""
    memset(pair.agreement, 0, pair.source.n * pair.target.n)
    if pair.source.n_values and pair.target.n_values:
        agree(
            pair.source.values, pair.source.n_values, pair.target.values, pair.target.n_values,
            pair.target.n, pair.agreement,
        )


cdef void _mark_values(PairState *pair) noexcept nogil:
    """Give the tokens of equal or different values their rule."""
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


cdef void _mark_spelt_out(const SingleToken *token) noexcept nogil:
    """Mark the words of the other side whose initials, in a run, spell the token."""
    cdef const Side *other = token.other
    cdef uint32_t[<int>MAX_CHARS] letters
    cdef Py_ssize_t first, k, cell
    cdef int letter, n_letters = 0
    for k in range(token.word.lower.n):
        if token.word.lower.code[k] != c'.':
            letters[n_letters] = token.word.lower.code[k]
            n_letters += 1
    for first in range(other.n):
        letter = 0
        k = first
        while k < other.n and letter < n_letters and k - first <= 2 * n_letters:
            if (
                other.word[k].case_ == CASE_CAPITALISED
                and other.word[k].lower.code[0] == letters[letter]
            ):
                letter += 1
            elif other.word[k].kind != KIND_FUNCTION or k == first:
                break
            k += 1
        if letter < n_letters:
            continue
        for k in range(first, k):
            if other.word[k].kind == KIND_CONTENT:
                cell = token.first + k * token.step
                token.pair.acronym[cell] = 1
                token.pair.strength[cell] = max(token.pair.strength[cell], ACRONYM_STRENGTH)


cdef void mark_acronyms(PairState *pair) noexcept nogil:
    """Find acronyms whose expansion stands in the other sentence."""
    cdef SingleToken token
    cdef Py_ssize_t at
    cdef int side
    for side in range(2):
        for at in range(pair.target.n if side else pair.source.n):
            token = _token_of(pair, side == 0, at)
            if token.word.initials >= 0:
                _mark_spelt_out(&token)


cdef int _heads(const PairState *pair, Py_ssize_t head_a, Py_ssize_t head_b) noexcept nogil:
    """Return the bin of the heads' strength, or which of the words are roots."""
    if head_a < 0 and head_b < 0:
        return HEADS_BOTH_ROOTS
    if head_a < 0 or head_b < 0:
        return HEADS_ONE_ROOT
    return bin_strength_level(strength_at(pair, head_a, head_b))


cdef int _agreement(const PairState *pair, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Return how well the relations of two words to their heads match."""
    if pair.source.relation[i] == pair.target.relation[j]:
        return AGREEMENT_SAME_RELATION
    if pair.source.group[i] == pair.target.group[j]:
        return AGREEMENT_SAME_GROUP
    return AGREEMENT_OTHER_RELATION


cdef void _children(const PairState *pair, Py_ssize_t i, Py_ssize_t j, int *counts) noexcept nogil:
    """Count the children of i that match a child of j, by CHILD: how their relations agree."""
    cdef int32_t a = pair.source.first_child[i]
    cdef int32_t b
    cdef int best
    while a >= 0:
        b = pair.target.first_child[j]
        best = N_AGREEMENT
        while b >= 0:
            if strength_at(pair, a, b) >= MATCHED_STRENGTH:
                best = min(best, _agreement(pair, a, b))
            b = pair.target.next_sibling[b]
        if best < N_AGREEMENT:
            # content children are numbered as agreements are
            counts[best if pair.source.word[a].kind == KIND_CONTENT else CHILD_FUNCTION] += 1
        a = pair.source.next_sibling[a]


cdef void dependency_features(
    const PairState *pair, Py_ssize_t i, Py_ssize_t j, AnySink *sink
) noexcept nogil:
    """Emit the dependency features of one cell; both sentences have trees."""
    cdef Py_ssize_t head_a = pair.source.head[i]
    cdef Py_ssize_t head_b = pair.target.head[j]
    cdef const Lexeme *a = pair.source.word[i]
    cdef const Lexeme *b = pair.target.word[j]
    cdef int kinds = kinds_of(a, b)
    cdef int strength = strength_class(pair.strength[i * pair.target.n + j])
    cdef int heads = _heads(pair, head_a, head_b)
    cdef int agreement = _agreement(pair, i, j)
    cdef int[<int>N_CHILD] counts = [0, 0, 0, 0]
    cdef int child, matched = 0
    emit_head(sink, heads, agreement, kinds, strength)
    if head_a >= 0 and head_b >= 0 and strength_at(pair, head_a, head_b) >= MATCHED_STRENGTH:
        emit_head_relation(
            sink, pair_relation_groups(pair.source.group[i], pair.target.group[j]), strength
        )
    _children(pair, i, j, counts)
    for child in range(N_CHILD):
        matched += counts[child]
        emit_children(sink, child, count_children(counts[child]), strength)
    # a head on one side matches this word on the other: phrases turned inside out
    if head_a >= 0 and strength_at(pair, head_a, j) >= MATCHED_STRENGTH:
        emit_crossed_head(sink, CROSSED_SOURCE_HEAD, kinds, strength)
    if head_b >= 0 and strength_at(pair, i, head_b) >= MATCHED_STRENGTH:
        emit_crossed_head(sink, CROSSED_TARGET_HEAD, kinds, strength)
    if (is_free(&pair.source, i) and is_free(&pair.target, j)
            and a.kind == KIND_CONTENT and b.kind == KIND_CONTENT):
        emit_residual_head(
            sink, heads, agreement, count_matched_children(matched),
            COARSE_MATCH_SAME_CLASS if a.coarse == b.coarse else COARSE_MATCH_OTHER_CLASS,
        )


cdef void release(ArcScratch *scratch) noexcept nogil:
    """Free the memory; the scratch can be reserved again."""
    free(scratch.lemmas)
    free(scratch.sums)
    free(scratch.entries)
    scratch.lemmas = NULL
    scratch.sums = NULL
    scratch.entries = NULL
    scratch.n_max = 0


cdef int _reserve(ArcScratch *scratch, Py_ssize_t n_tokens) noexcept nogil:
    """Make room for the tokens of both sentences. Return 0, or -1 without memory."""
    if n_tokens <= scratch.n_max:
        return 0
    release(scratch)
    scratch.lemmas = <int32_t *>malloc((4 * n_tokens + 1) * sizeof(int32_t))
    scratch.sums = <double *>malloc(N_SUMS * n_tokens * sizeof(double))
    scratch.entries = <Observation *>malloc(2 * n_tokens * sizeof(Observation))
    if scratch.lemmas == NULL or scratch.sums == NULL or scratch.entries == NULL:
        release(scratch)
        return -1
    scratch.row = scratch.lemmas + n_tokens
    scratch.word_count = scratch.row + n_tokens
    scratch.row_start = scratch.word_count + n_tokens
    scratch.n_max = n_tokens
    return 0


cdef int _by_id(const void *a, const void *b) noexcept nogil:
    cdef int32_t left = (<const int32_t *>a)[0]
    cdef int32_t right = (<const int32_t *>b)[0]
    return (left > right) - (left < right)


cdef int _by_feature(const void *a, const void *b) noexcept nogil:
    cdef const Observation *left = <const Observation *>a
    cdef const Observation *right = <const Observation *>b
    if left.feature != right.feature:
        return 1 if left.feature > right.feature else -1
    return (left.word > right.word) - (left.word < right.word)


cdef int _by_word(const void *a, const void *b) noexcept nogil:
    cdef const Observation *left = <const Observation *>a
    cdef const Observation *right = <const Observation *>b
    if left.word != right.word:
        return 1 if left.word > right.word else -1
    return (left.feature > right.feature) - (left.feature < right.feature)


cdef Py_ssize_t _number_words(
    const Side *source, const Side *target, ArcScratch *scratch
) noexcept nogil:
    """Fill `lemmas` and `row`; return the number of distinct lemmas."""
    cdef Py_ssize_t n_tokens = source.n + target.n
    cdef Py_ssize_t n_words = 0, k, low, high, middle
    cdef int32_t lemma
    for k in range(n_tokens):
        scratch.lemmas[k] = source.lemma[k] if k < source.n else target.lemma[k - source.n]
    qsort(scratch.lemmas, n_tokens, sizeof(int32_t), _by_id)
    for k in range(n_tokens):
        if k == 0 or scratch.lemmas[k] != scratch.lemmas[n_words - 1]:
            scratch.lemmas[n_words] = scratch.lemmas[k]
            n_words += 1
    for k in range(n_tokens):
        lemma = source.lemma[k] if k < source.n else target.lemma[k - source.n]
        low, high = 0, n_words - 1
        while low < high:
            middle = (low + high) // 2
            if scratch.lemmas[middle] < lemma:
                low = middle + 1
            else:
                high = middle
        scratch.row[k] = <int32_t>low
    return n_words


cdef Py_ssize_t _observe(const Side *side, const int32_t *row, Observation *entry) noexcept nogil:
    """Add the two observations of every arc; return their number."""
    cdef Py_ssize_t n = 0, k
    cdef uint64_t relation
    for k in range(side.n):
        if side.head[k] < 0:
            continue
        relation = <uint64_t>side.relation[k] << 33
        entry[n].word = row[k]
        entry[n].feature = relation | <uint64_t>row[side.head[k]]
        entry[n + 1].word = row[side.head[k]]
        entry[n + 1].feature = relation | (<uint64_t>1 << 32) | <uint64_t>row[k]
        n += 2
    return n


cdef Py_ssize_t _count(Observation *entry, Py_ssize_t n, Py_ssize_t *n_features) noexcept nogil:
    """Merge equal observations and number the features; return the number of entries."""
    cdef Py_ssize_t n_entries = 0, k
    cdef uint64_t last = 0
    n_features[0] = 0
    qsort(entry, n, sizeof(Observation), _by_feature)
    for k in range(n):
        if k == 0 or entry[k].feature != last:
            n_features[0] += 1
        elif entry[k].word == entry[n_entries - 1].word:
            entry[n_entries - 1].count += 1
            continue
        last = entry[k].feature
        entry[n_entries].word = entry[k].word
        entry[n_entries].feature = <uint64_t>(n_features[0] - 1)
        entry[n_entries].count = 1
        n_entries += 1
    return n_entries


cdef void _weigh(
    ArcScratch *scratch, Py_ssize_t n_words, Py_ssize_t n_entries, Py_ssize_t n_features,
    double total
) noexcept nogil:
    """Give every entry its weights, and every word its sums and its row of entries."""
    cdef Observation *entry = scratch.entries
    cdef double whole = total + ADDED * n_words * n_features
    cdef double joint, expected, feature_count
    cdef double *sums
    cdef Py_ssize_t k, first, last
    for k in range(n_words):
        scratch.word_count[k] = 0
    for k in range(N_SUMS * n_words):
        scratch.sums[k] = 0.0
    for k in range(n_entries):
        scratch.word_count[entry[k].word] += entry[k].count
    first = 0
    while first < n_entries:  # entries of one feature are adjacent
        last = first
        feature_count = 0.0
        while last < n_entries and entry[last].feature == entry[first].feature:
            feature_count += entry[last].count
            last += 1
        for k in range(first, last):
            joint = (entry[k].count + ADDED) / whole
            expected = (
                (scratch.word_count[entry[k].word] + ADDED * n_features) / whole
                * (feature_count + ADDED * n_words) / whole
            )
            entry[k].ppmi = entry[k].t_test = 0.0
            if joint > expected * (1.0 + NEGLIGIBLE):
                entry[k].ppmi = log2(joint / expected)
                entry[k].t_test = (joint - expected) / sqrt(expected)
            sums = scratch.sums + N_SUMS * entry[k].word
            sums[PPMI_SUM] += entry[k].ppmi
            sums[PPMI_SQUARES] += entry[k].ppmi * entry[k].ppmi
            sums[T_SUM] += entry[k].t_test
            sums[T_SQUARES] += entry[k].t_test * entry[k].t_test
        first = last
    qsort(entry, n_entries, sizeof(Observation), _by_word)
    last = 0
    for k in range(n_words):
        scratch.row_start[k] = <int32_t>last
        while last < n_entries and entry[last].word == k:
            last += 1
    scratch.row_start[n_words] = <int32_t>last


cdef inline double _measure(
    double dot, double shared, double sum_a, double sum_b, double squares_a, double squares_b
) noexcept nogil:
    """Return the largest of cosine, Dice and Jaccard; 0 for vectors without weight."""
    if shared <= 0.0:
        return 0.0
    # Jaccard is never above Dice, so it is not computed.
    return fmin(1.0, fmax(dot / sqrt(squares_a * squares_b), 2.0 * shared / (sum_a + sum_b)))


cdef double _similarity(const ArcScratch *scratch, int32_t a, int32_t b) noexcept nogil:
    """Return the similarity of two words."""
    cdef const Observation *left = scratch.entries + scratch.row_start[a]
    cdef const Observation *left_end = scratch.entries + scratch.row_start[a + 1]
    cdef const Observation *right = scratch.entries + scratch.row_start[b]
    cdef const Observation *right_end = scratch.entries + scratch.row_start[b + 1]
    cdef const double *of_a = scratch.sums + N_SUMS * a
    cdef const double *of_b = scratch.sums + N_SUMS * b
    cdef double ppmi_dot = 0.0, ppmi_shared = 0.0, t_dot = 0.0, t_shared = 0.0
    while left < left_end and right < right_end:
        if left.feature == right.feature:
            ppmi_dot += left.ppmi * right.ppmi
            ppmi_shared += fmin(left.ppmi, right.ppmi)
            t_dot += left.t_test * right.t_test
            t_shared += fmin(left.t_test, right.t_test)
            left += 1
            right += 1
        elif left.feature < right.feature:
            left += 1
        else:
            right += 1
    return fmax(
        _measure(ppmi_dot, ppmi_shared, of_a[PPMI_SUM], of_b[PPMI_SUM],
                 of_a[PPMI_SQUARES], of_b[PPMI_SQUARES]),
        _measure(t_dot, t_shared, of_a[T_SUM], of_b[T_SUM], of_a[T_SQUARES], of_b[T_SQUARES]),
    )


cdef int distributional_similarity(
    const Side *source, const Side *target, ArcScratch *scratch, float *out
) noexcept nogil:
    """Fill `out`, [source.n, target.n], row-major. Return 0, or -1 without memory."""
    cdef Py_ssize_t n_words, n, n_entries, i, j, n_features = 0
    if _reserve(scratch, source.n + target.n):
        return -1
    n_words = _number_words(source, target, scratch)
    n = _observe(source, scratch.row, scratch.entries)
    n += _observe(target, scratch.row + source.n, scratch.entries + n)
    n_entries = _count(scratch.entries, n, &n_features)
    _weigh(scratch, n_words, n_entries, n_features, <double>n)
    for i in range(source.n):
        for j in range(target.n):
            out[i * target.n + j] = <float>_similarity(
                scratch, scratch.row[i], scratch.row[source.n + j]
            )
    return 0
