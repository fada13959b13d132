# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Doors to kernels of the library that only recipes and tests open one by one."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free

import numpy as np

from tokalign.crf.chains cimport (
    N_TRANSITIONS, Workspace, expand, marginals, span_probability, viterbi,
)
from tokalign.decoding.decoder cimport DecodedPair
from tokalign.decoding.link_decision cimport (
    N_CHOICE_INPUTS, check_posteriors, choice_inputs, choose_style, fill_means, take_cells,
    write_links,
)
from tokalign.decoding.second_pass cimport *
from tokalign.english.annotate.forms cimport slot
from tokalign.english.lexicon.lexical_tables cimport (
    ANYWHERE, Paraphrases, Vectors, WordNet, cosine, paraphrases, relation,
)
from tokalign.english.spelling.same_spelling cimport (
    Borrowed, SpelledWord, initials, joined, lengthened,
)
from tokalign.english.values.value_agreement cimport agree
from tokalign.english.values.value_finding cimport found_in
from tokalign.english.values.value_structs cimport Found
from tokalign.features._lexemes cimport MAX_CHARS, fill_characters, similarities
from tokalign.features._sentence_features cimport ArcScratch, distributional_similarity, release
from tokalign.features.extract cimport Extractor
from tokalign.features.pair cimport Characters, N_SIMILARITY, PairState, Side

from tokalign.english.lexicon.lexical_tables import POS_LETTERS
from tokalign.english.lexicon.word_lists import RELATION_NAMES
from tokalign.english.values import Strength
from tokalign.errors import InputError, ShapeError
from tokalign.features.templates import SIMILARITIES
from tokalign.model.styles import N_INPUTS

cdef enum:
    MOST_WORDS = 12     # of a run
    MAX_RELATION = 1 << 30


cdef class Lattice:
    """One chain with its scores.

    Parameters
    ----------
    emission_ts : float64 array, shape (n_steps, n_states)
        Score of state s at token t, in nats. State 0 is NULL. May hold -inf (forbidden).
    transition_weights : float64 array, shape (34,)
        In the order of TRANSITION_NAMES. Finite.

    Raises
    ------
    ShapeError
        If a shape or a range is wrong, n_steps or n_states is 0, a value is NaN or +inf, or
        posteriors are asked for and float64 can hold no path's weight.

    Examples
    --------
    >>> Lattice(np.array([[0.0, 2.0], [1.0, 0.0]]), np.zeros(34)).best_labels()
    (array([1, 0], dtype=int32), 3.0)
    """

    cdef const double[:, ::1] _emission
    cdef Workspace _workspace

    def __init__(self, emission_ts, transition_weights):
        emission_ts = np.ascontiguousarray(emission_ts, dtype=np.float64)
        transition_weights = np.ascontiguousarray(transition_weights, dtype=np.float64)
        if emission_ts.ndim != 2 or 0 in emission_ts.shape:
            raise ShapeError(
                f"emissions have shape {emission_ts.shape}; wanted (n_steps, n_states), both above 0"
            )
        if transition_weights.shape != (N_TRANSITIONS,):
            raise ShapeError(
                f"transition weights have shape {transition_weights.shape}; "
                f"wanted ({N_TRANSITIONS},)"
            )
        if np.isnan(emission_ts).any() or (emission_ts == np.inf).any():
            raise ShapeError("emissions hold NaN or +inf; wanted finite numbers or -inf")
        if not np.isfinite(transition_weights).all():
            raise ShapeError("transition weights must be finite")
        cdef const double[::1] weights = transition_weights
        self._emission = emission_ts
        self._workspace = Workspace()
        self._workspace.reserve(emission_ts.shape[0], emission_ts.shape[1])
        expand(&weights[0], emission_ts.shape[1], &self._workspace.buffers.score)

    def best_labels(self):
        """Return the highest-scoring state sequence, and its score.

        Returns
        -------
        states : int32 array, shape (n_steps,)
            Ties go to the lower state index.
        score : float
            Sum of the chosen potentials, in nats.
        """
        states = np.empty(self._emission.shape[0], dtype=np.int32)
        cdef int32_t[::1] out = states
        return states, viterbi(
            &self._emission[0, 0], self._emission.shape[0], self._emission.shape[1],
            &self._workspace.buffers, &out[0],
        )

    def posteriors(self):
        """Return state posteriors, expected transition counts and the log-partition.

        Returns
        -------
        posterior_ts : float64 array, shape (n_steps, n_states)
            Probability of state s at token t, in [0, 1]; each row sums to one.
        counts : float64 array, shape (34,)
            Expected number of times each transition feature fires.
        log_partition : float
            Logarithm of the summed weight of all paths, in nats.
        """
        posterior_ts = np.empty((self._emission.shape[0], self._emission.shape[1]))
        counts = np.zeros(N_TRANSITIONS)
        cdef double[:, ::1] posterior = posterior_ts
        cdef double[::1] counted = counts
        cdef double log_partition = marginals(
            &self._emission[0, 0], self._emission.shape[0], self._emission.shape[1],
            &self._workspace.buffers, &posterior[0, 0], &counted[0], 1.0,
        )
        if not -INFINITY < log_partition < INFINITY:
            raise ShapeError("no path has any weight: every state of some step is forbidden")
        return posterior_ts, counts, log_partition

    def probability_within(self, steps, states):
        """Return the probability that a run of steps only has states from one run, in [0, 1].

        Parameters
        ----------
        steps : (int, int)
            Half-open range of steps, not empty.
        states : (int, int)
            Half-open range of states, not empty, without NULL.

        Examples
        --------
        >>> lattice = Lattice(np.zeros((2, 3)), np.zeros(34))
        >>> round(lattice.probability_within((0, 2), (1, 3)), 6)  # (2 / 3)**2
        0.444444
        """
        cdef Py_ssize_t first_step, end_step, first_state, end_state
        cdef Py_ssize_t n_states = self._emission.shape[1]
        first_step, end_step = steps
        first_state, end_state = states
        if not (
            0 <= first_step < end_step <= self._emission.shape[0]
            and 1 <= first_state < end_state <= n_states
        ):
            raise ShapeError(
                f"steps {tuple(steps)} and states {tuple(states)} of a lattice of shape "
                f"{(self._emission.shape[0], n_states)}; wanted ranges within it that are not "
                "empty, from state 1 on"
            )
        cdef const double[:, ::1] posterior = self.posteriors()[0]
        return span_probability(
            &self._workspace.buffers, &posterior[0, 0], n_states, first_step, end_step,
            first_state, end_state,
        )


def joint_links(
    const double[:, ::1] s2t_posterior, const double[:, ::1] t2s_posterior, double threshold,
    double beside=1.0,
):
    """Return the links whose mean posterior is at least the threshold, or enough beside another.

    Parameters
    ----------
    s2t_posterior : float64 array, shape (n_source, n_target + 1)
        Probability of each source token's labels; column 0 is NULL. In [0, 1].
    t2s_posterior : float64 array, shape (n_target, n_source + 1)
    threshold : float
        In (0, 1].
    beside : float
        Threshold for a link that shares one token with a taken link and is next to its other one.
        In (0, 1]; without effect unless below `threshold`.

    Returns
    -------
    links : list of (source, target, confidence)
        Sorted by source, then target.

    Raises
    ------
    ShapeError
        If the shapes do not fit one pair.

    Examples
    --------
    >>> joint_links(np.array([[0.0, 1.0]]), np.array([[0.5, 0.5]]), 0.35)
    [(0, 0, 0.75)]
    """
    check_posteriors(s2t_posterior, t2s_posterior)
    cdef Py_ssize_t n_source = s2t_posterior.shape[0]
    cdef Py_ssize_t n_target = t2s_posterior.shape[0]
    if not n_source or not n_target:
        return []
    cdef uint8_t[::1] taken = np.empty(n_source * n_target, dtype=np.uint8)
    cdef int32_t[::1] source = np.empty(n_source * n_target, dtype=np.int32)
    cdef int32_t[::1] target = np.empty(n_source * n_target, dtype=np.int32)
    cdef double[::1] confidence = np.empty(n_source * n_target)
    cdef double[::1] mean = np.empty(n_source * n_target)
    fill_means(&s2t_posterior[0, 0], &t2s_posterior[0, 0], n_source, n_target, &mean[0])
    take_cells(&mean[0], n_source, n_target, threshold, beside, &taken[0])
    cdef Py_ssize_t n_links = write_links(
        &mean[0], &taken[0], n_source, n_target, &source[0], &target[0], &confidence[0]
    )
    return [(source[k], target[k], confidence[k]) for k in range(n_links)]


def choice_inputs_of(Extractor extractor not None, source, target):
    """Return the inputs of a pair of annotated sentences.

    Parameters
    ----------
    extractor : Extractor
        Of a model without an encoder.
    source, target : Sentence
        With tags and lemmas.

    Returns
    -------
    float64 array, shape (N_INPUTS,)
        In the order of CHOICE_INPUTS.

    Raises
    ------
    InputError
        If a sentence is empty, or lacks tags or lemmas.
    """
    extractor.load(source, target)
    cdef int32_t[::1] scratch = np.empty(extractor.pair.target.n + 1, dtype=np.int32)
    found = np.empty(<int>N_CHOICE_INPUTS)
    cdef double[::1] inputs = found
    choice_inputs(&extractor.pair, &scratch[0], &inputs[0])
    return found


def style_number(weights, inputs):
    """Return the number of the style that a model with these weights chooses.

    Parameters
    ----------
    weights : sequence of sequence of float, shape (n_styles, N_INPUTS + 1)
        The constant last.
    inputs : sequence of float, shape (N_INPUTS,)

    Raises
    ------
    ShapeError
        If the shapes differ from these.
    """
    cdef const double[:, ::1] of_styles = np.array(weights, dtype=np.float64, ndmin=2)
    cdef const double[::1] of_pair = np.array(inputs, dtype=np.float64)
    if of_styles.shape[1] != N_INPUTS + 1 or of_pair.shape[0] != N_INPUTS or not len(weights):
        raise ShapeError(
            f"weights of shape {(of_styles.shape[0], of_styles.shape[1])} and {len(inputs)} "
            f"inputs; wanted (n_styles, {N_INPUTS + 1}) and {N_INPUTS}"
        )
    return choose_style(&of_styles[0, 0], <int>of_styles.shape[0], &of_pair[0])


def group_candidates(const double[:, ::1] posterior, linked):
    """Return the candidate decisions on each group of open cells.

    Parameters
    ----------
    posterior : float64 array, shape (n_source, n_target)
        Of links, in [0, 1].
    linked : bool array, shape (n_source, n_target)
        The cell-by-cell decision.

    Returns
    -------
    list of (cells, decisions, inputs), one for each group
        cells : int32 array, shape (n_cells, 2)
            Source and target token, sorted.
        decisions : bool array, shape (n_decisions, n_cells)
            Whether each cell is a link; the cell-by-cell decision is first. At most 93 decisions.
        inputs : float32 array, shape (n_decisions, n_inputs)
            Columns are named by GROUP_INPUTS.

    Raises
    ------
    ShapeError
        If the shapes differ, or there are no cells.
    """
    given = np.array(linked, dtype=np.uint8, order="C")
    if given.shape != (posterior.shape[0], posterior.shape[1]) or not given.size:
        raise ShapeError(
            f"links have shape {given.shape} and posteriors "
            f"{(posterior.shape[0], posterior.shape[1])}; wanted one shape, with cells"
        )
    cdef uint8_t[:, ::1] taken = given
    cdef Py_ssize_t n_source = taken.shape[0]
    cdef Py_ssize_t n_target = taken.shape[1]
    cdef int32_t[::1] memory = np.empty(
        group_bytes(n_source, n_target) // sizeof(int32_t), dtype=np.int32
    )
    cdef GroupRoom room
    carve_groups(&room, &memory[0], n_source, n_target)
    cdef DecidedCells cells = DecidedCells(
        &posterior[0, 0], &taken[0, 0], n_source, n_target, 0, &room, 0, 0
    )
    cdef CellGroup group
    cdef int32_t number
    cdef int changed
    cdef float[:, ::1] row
    found = []
    find_open(&cells)
    for number in range(1, number_groups(&cells) + 1):
        fill_group(&cells, number, &group)
        if group.n > <int>MOST_CELLS:
            continue
        places = np.array([divmod(group.cell[k], n_target) for k in range(group.n)], dtype=np.int32)
        changes = sorted(
            [each for each in range(1 << group.n_free) if each.bit_count() <= <int>MOST_AT_ONCE],
            key=int.bit_count,
        )
        decisions = np.empty((len(changes), group.n), dtype=bool)
        inputs = np.empty((len(changes), <int>N_GROUP_INPUTS), dtype=np.float32)
        row = inputs
        for k, changed in enumerate(changes):
            change(&cells, &group, changed)
            decisions[k] = given[tuple(places.T)]
            group_inputs(&cells, &group, &row[k, 0])
            change(&cells, &group, changed)
        found.append((places, decisions, inputs))
    return found


cdef int _arcs(object columns, str field, Side *out) except -1:
    """Point `out` into checked columns, which the caller keeps alive."""
    cdef const int32_t[::1] lemma, head, relation
    lemma, head, relation = columns
    cdef Py_ssize_t k
    out.n = lemma.shape[0]
    if head.shape[0] != out.n or relation.shape[0] != out.n:
        raise ShapeError(
            f"{field}: {out.n} lemmas, {head.shape[0]} heads, {relation.shape[0]} relations; "
            "wanted as many of each",
            field=field,
        )
    if out.n == 0:
        raise InputError(f"{field} has no tokens", field=field)
    for k in range(out.n):
        if not -1 <= head[k] < out.n or not 0 <= relation[k] < MAX_RELATION:
            raise InputError(
                f"{field}: token {k} has head {head[k]} and relation {relation[k]}; wanted "
                f"-1..{out.n - 1} and 0..{MAX_RELATION - 1}",
                field=field,
            )
    out.lemma = <int32_t *>&lemma[0]
    out.head = <int32_t *>&head[0]
    out.relation = <int32_t *>&relation[0]
    return 0


def arc_similarity(source, target):
    """Return the distributional similarity of every word of one sentence to every one of another.

    Parameters
    ----------
    source, target : tuple of three int32 arrays of shape (n,), C-contiguous
        Ids of lemmas, heads (-1 for a root), ids of relations, of each token.

    Returns
    -------
    float32 array, shape (n_source, n_target)
        In [0, 1]; 0 where two words share no feature.

    Raises
    ------
    InputError
        If a sentence is empty, or a head or relation out of range.
    ShapeError
        If columns disagree.
    """
    cdef Side left, right
    cdef ArcScratch scratch
    cdef int failed
    scratch.n_max = 0
    scratch.lemmas = NULL
    scratch.sums = NULL
    scratch.entries = NULL
    _arcs(source, "source", &left)
    _arcs(target, "target", &right)
    result = np.empty((left.n, right.n), dtype=np.float32)
    cdef float[:, ::1] view = result
    with nogil:
        failed = distributional_similarity(&left, &right, &scratch, &view[0, 0])
        release(&scratch)
    if failed:
        raise MemoryError(f"cannot hold the arcs of {left.n + right.n} tokens")
    return result


def same_values(source_tokens, target_tokens):
    """Return the tokens of two sentences whose values agree, or differ in the same place.

    Each cell has the source token, the target token and their Strength, in rising order.

    Examples
    --------
    >>> for source, target, strength in same_values(["16GB"], ["16", "gigabytes"]):
    ...     print(source, target, strength.name)
    0 0 SAME_VALUE
    0 1 SAME_VALUE
    """
    cdef list sources = list(source_tokens), targets = list(target_tokens)
    cdef Found *of_source = NULL
    cdef Found *of_target = NULL
    cdef int n_sources, n_targets
    cdef uint8_t[:, ::1] cells = np.zeros((len(sources) + 1, len(targets) + 1), dtype=np.uint8)
    try:
        n_sources = found_in(sources, &of_source)
        n_targets = found_in(targets, &of_target)
        agree(of_source, n_sources, of_target, n_targets, cells.shape[1], &cells[0, 0])
    finally:
        free(of_source)
        free(of_target)
    return [
        (i, j, Strength(cells[i, j]))
        for i in range(len(sources)) for j in range(len(targets)) if cells[i, j]
    ]


def is_lengthened(a, b):
    """Return whether words differ only in letters repeated three times or more.

    Examples
    --------
    >>> is_lengthened("sooo", "so"), is_lengthened("Yesss", "yes"), is_lengthened("too", "to")
    (True, True, False)
    """
    cdef SpelledWord one = SpelledWord(a)
    cdef SpelledWord other = SpelledWord(b)
    return lengthened(&one.letters, &other.letters)


cdef object _compare(word, run, function_words, bint is_acronym):
    cdef SpelledWord one = SpelledWord(word)
    cdef list others = [SpelledWord(each) for each in run]
    cdef Borrowed[MOST_WORDS] letters
    cdef int k, n = <int>len(others)
    if n > MOST_WORDS:
        raise InputError(f"a run has {n} tokens, at most {MOST_WORDS} are compared")
    for k in range(n):
        letters[k] = &(<SpelledWord>others[k]).letters
        (<SpelledWord>others[k]).letters.is_function = run[k].lower() in function_words
    return (initials if is_acronym else joined)(&one.letters, letters, n)


def is_joined(word, run):
    """Return whether a token is a run of at most 12 tokens written as one.

    Both have the same letters and digits in the same order, ignoring case and other signs. So
    identifiers of code match in any style of case. A run of one token may be the same word with
    other hyphens. Raises InputError if the run is longer.

    Examples
    --------
    >>> is_joined("database", ["data", "base"]), is_joined("16GB", ["16", "GB"])
    (True, True)
    >>> is_joined("getUserName", ["get_user_name"]), is_joined("e-mail", ["email"])
    (True, True)
    """
    return _compare(word, run, (), False)


def is_initials(word, run, function_words=()):
    """Return whether a token is the initials of a run of 2 to 12 tokens.

    Initials are 2 to 6 letters, in any case, with or without dots. `function_words`, in lower case,
    may be left out, except the first and the last of the run. Raises InputError if the run is
    longer.

    Examples
    --------
    >>> is_initials("imf", ["International", "Monetary", "Fund"])
    True
    >>> is_initials("FBI", ["Federal", "Bureau", "of", "Investigation"], {"of"})
    True
    """
    return _compare(word, run, function_words, True)


def wordnet_relations(
    WordNet wordnet not None, str a, str b, str pos_a=POS_LETTERS, str pos_b=POS_LETTERS
):
    """Return the names, of RELATION_NAMES, of all relations from one lower-case lemma to another.

    `pos_a` and `pos_b` are the parts of speech to look up, letters out of n, v, a, r. A lemma that
    is unknown has no relations.

    Examples
    --------
    >>> sorted(wordnet_relations(WordNet.open_shipped(), "dog", "canine", "n", "n"))
    ['hypernym']
    """
    cdef uint32_t mask = 0
    cdef int32_t left, right
    for letter in pos_a:
        left = wordnet.entry(a, POS_LETTERS.index(letter))
        for other in pos_b:
            right = wordnet.entry(b, POS_LETTERS.index(other))
            if left >= 0 and right >= 0:
                mask |= relation(&wordnet.table, left, right, ANYWHERE)
    return frozenset(name for k, name in enumerate(RELATION_NAMES) if mask >> k & 1)


def vector_cosine(Vectors vectors not None, str a, str b):
    """Return the cosine of two lower-case words' vectors, in [-1, 1]; 0 if one has none."""
    return cosine(&vectors.table, vectors.find(a), vectors.find(b))


def are_paraphrases(Paraphrases listed not None, str a, str b):
    """Whether two lower-case words are listed as paraphrases."""
    return paraphrases(&listed.table, listed.find(a), listed.find(b))


def cell_inputs_of(DecodedPair decoded not None):
    """Return the inputs of the second pass for each likely cell.

    Returns
    -------
    cells : int32 array, shape (n_cells, 2)
        Source and target token, sorted.
    inputs : float32 array, shape (n_cells, n_inputs)
        Columns are named by CELL_INPUTS of tokalign.decoding.link_decision.

    Raises
    ------
    InputError
        If no encoder read the pair.
    """
    cdef const PairState *pair = &decoded._held().extractor.pair
    cdef const double[:, ::1] s2t = decoded.s2t_posterior
    cdef const double[:, ::1] t2s = decoded.t2s_posterior
    cdef FirstPass first
    cdef Py_ssize_t i, j, k
    if pair.source.encoded == NULL:
        raise InputError("no encoder read the pair; ask a model with one")
    means = np.ascontiguousarray(
        (decoded.s2t_posterior[:, 1:] + decoded.t2s_posterior[:, 1:].T) / 2.0
    )
    cdef const double[:, ::1] mean = means
    first = FirstPass(pair, &s2t[0, 0], &t2s[0, 0], &mean[0, 0])
    cells = np.array(
        [(i, j) for i in range(pair.source.n) for j in range(pair.target.n)
         if is_likely(&first, i, j)],
        dtype=np.int32,
    ).reshape(-1, 2)
    found = np.empty((len(cells), <int>N_CELL_INPUTS), dtype=np.float32)
    cdef float[:, ::1] inputs = found
    cdef const int32_t[:, ::1] cell = cells
    for k in range(cell.shape[0]):
        cell_inputs(&first, cell[k, 0], cell[k, 1], &inputs[k, 0])
    return cells, found


def string_similarities(str a, str b):
    """Return all similarities of two words, by name.

    Parameters
    ----------
    a, b : str
        Non-empty; the first 64 characters are compared, including case.

    Returns
    -------
    dict of str to float
        Each in [0, 1]:

        jaro_winkler
            Jaro's similarity with Winkler's prefix bonus (scale 0.1, above 0.7).
        dice_sorensen
            Twice the shared character bigrams over all bigrams, as multisets.
        hamming
            Positions with equal characters over the longer length.
        jaccard
            Shared over all distinct characters (code points modulo 64).
        levenshtein
            1 - edit distance over the longer length.
        ngram
            Shared trigrams of the words with one boundary mark on each side, over the longer
            length.
        prefix, suffix
            Length of the common prefix or suffix over the longer length.

    Raises
    ------
    ValueError
        If a word is empty.
    """
    if not a or not b:
        raise ValueError("both words must have at least one character")
    cdef Characters left, right
    cdef float out[N_SIMILARITY]
    cdef uint64_t[3 * <int>MAX_CHARS] left_memory, right_memory
    fill_characters(a, &left, left_memory)
    fill_characters(b, &right, right_memory)
    similarities(&left, &right, out)
    return {name: out[k] for k, name in enumerate(SIMILARITIES)}


def feature_slot(template, a, b, bits):
    """Return the row of a feature in a table of ``2**bits`` rows, for tests."""
    return slot(template, a, b, 64 - bits)
