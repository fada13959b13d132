"""The chain of an alignment: best labels, posteriors and the training loss.

Each labelled token is one step t. State 0 is NULL, state j + 1 is token j of the other sentence, so
n_states = n_tokens_of_other_sentence + 1.

Viterbi decoding (Rabiner 1989, Proc. IEEE 77(2), section III-B), O(n_steps * n_states**2) time:

    best[0, b] = start[b] + emission[0, b]
    best[t, b] = max over a of best[t-1, a] + transition[a, b], plus emission[t, b]

Forward-backward (Rabiner 1989, section V-A) runs in the probability domain, each step scaled to sum
to one, so that the inner loops are multiply-adds over the contiguous axis:

    forward[t, b]  = potential[t, b] * sum over a of forward[t-1, a] * transition[a, b] / scale[t]
    backward[t, a] = sum over b of transition[a, b] * potential[t+1, b] * backward[t+1, b] / scale[t+1]

Emissions are shifted by their row's maximum, jumps, starts and ends by theirs before exp, and the
shifts are added back to the log-partition. O(n_steps * n_states) time for long sentences, whose jumps
are summed up by windows; counts take O(n_steps * n_states**2).

Transition features are those of Yao et al. (2013), section 3.3, "Distortion": the signed distance
between the target positions of two adjacent source tokens, with separate cases for NULL and for the
two ends of the sentence. Here the distance is binned and every bin has a weight, so that the model
can learn that a jump of +1 is likely and one of -1 is not. All values are indicators.
"""

from libc.math cimport INFINITY, exp, log
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

import numpy as np


cdef extern from "_chain.h" nogil:
    enum:
        CHAIN_ARRAYS
        CHAIN_LONG
        CHAIN_REACH
    void exponentials(const double *scores, Py_ssize_t n, double shift, double *out) noexcept
    void add_short_steps(
        double *row, const double *weight, const double *jump, Py_ssize_t n_states
    ) noexcept
    void add_long_steps(
        double *row, const double *weight, const double *jump, Py_ssize_t n_states, double *room
    ) noexcept

cdef enum:
    # Layout of the transition weights.
    START_NULL = 0
    START = 1            # 4 slots: first label at position 0, 1, 2-4, 5+
    END_NULL = 5
    END = 6              # 4 slots: last label at distance 0, 1, 2-4, 5+ from the end
    JUMP = 10            # 21 slots: signed jump -25+ .. -1, 0, 1 .. 25+; 0 is slot JUMP + 10
    TOKEN_NULL = 31
    NULL_TOKEN = 32
    NULL_NULL = 33

_EDGES = ("0", "1", "2-4", "5+")
_SIZES = ("1", "2", "3", "4", "5", "6", "7-9", "10-14", "15-24", "25+")

TRANSITION_NAMES: tuple[str, ...] = (
    "start:null",
    *[f"start:{edge}" for edge in _EDGES],
    "end:null",
    *[f"end:{edge}" for edge in _EDGES],
    *[f"jump:-{size}" for size in reversed(_SIZES)],
    "jump:0",
    *[f"jump:+{size}" for size in _SIZES],
    "token-null",
    "null-token",
    "null-null",
)
"""Name of each transition weight, in the order of their layout."""

assert len(TRANSITION_NAMES) == N_TRANSITIONS


cdef class Workspace:
    """Scratch memory of one thread; grows to the largest lattice seen and never shrinks."""

    def __dealloc__(self):
        self._release()

    cdef void _release(self) noexcept:
        free(self.buffers.score.start)
        free(self.buffers.back)
        self.buffers.score.start = NULL
        self.buffers.back = NULL

    cdef int reserve(self, Py_ssize_t n_steps, Py_ssize_t n_states) except -1:
        """Make room for n_steps * n_states, or raise MemoryError."""
        if n_steps <= self.n_steps_max and n_states <= self.n_states_max:
            return 0
        n_steps = max(n_steps, self.n_steps_max, 64)
        n_states = max(n_states, self.n_states_max, 64)
        self._release()
        self.n_steps_max = self.n_states_max = 0
        cdef Py_ssize_t n_cells = n_steps * n_states
        cdef Py_ssize_t n_windows = CHAIN_ARRAYS * (n_states + 2 * CHAIN_REACH)
        cdef double *block = <double *>malloc(
            (2 * n_cells + n_steps + 12 * n_states + n_windows) * sizeof(double)
        )
        self.buffers.back = <int32_t *>malloc(n_cells * sizeof(int32_t))
        self.buffers.score.start = block
        if block == NULL or self.buffers.back == NULL:
            self._release()
            raise MemoryError(f"lattice of {n_steps} x {n_states}")
        self.buffers.score.end = block + n_states
        self.buffers.score.jump = block + 2 * n_states
        block += 4 * n_states
        self.buffers.factor.start = block
        self.buffers.factor.end = block + n_states
        self.buffers.factor.jump = block + 2 * n_states
        block += 4 * n_states
        self.buffers.backward = block
        self.buffers.incoming = block + n_states
        self.buffers.jump_back = block + 2 * n_states
        block += 4 * n_states
        self.buffers.forward = block
        self.buffers.potential = block + n_cells
        self.buffers.scale = block + 2 * n_cells
        self.buffers.windows = block + 2 * n_cells + n_steps
        self.n_steps_max = n_steps
        self.n_states_max = n_states
        return 0


cdef inline int _position_bin(Py_ssize_t distance) noexcept nogil:
    """Return the bin 0..3 of a distance from a sentence's edge: 0, 1, 2-4, 5 or more."""
    if distance <= 1:
        return <int>distance
    return 2 if distance <= 4 else 3


cdef inline int _jump_bin(Py_ssize_t jump) noexcept nogil:
    """Return the bin 0..20 of a signed jump; sizes 1..6, 7-9, 10-14, 15-24, 25+ on both sides."""
    cdef Py_ssize_t size = jump if jump >= 0 else -jump
    if size > 6:
        size = 7 if size <= 9 else 8 if size <= 14 else 9 if size <= 24 else 10
    return <int>(10 + size if jump >= 0 else 10 - size)


cdef void expand(const double *weights, Py_ssize_t n_states, Transitions *out) noexcept nogil:
    """Fill `out` with the scores that `weights` [N_TRANSITIONS] give to n_states states."""
    cdef Py_ssize_t state, jump
    out.start[0] = weights[START_NULL]
    out.end[0] = weights[END_NULL]
    for state in range(1, n_states):
        out.start[state] = weights[START + _position_bin(state - 1)]
        out.end[state] = weights[END + _position_bin(n_states - 1 - state)]
    for jump in range(-(n_states - 1), n_states):
        out.jump[jump + n_states - 1] = weights[JUMP + _jump_bin(jump)]
    out.token_null = weights[TOKEN_NULL]
    out.null_token = weights[NULL_TOKEN]
    out.null_null = weights[NULL_NULL]


cdef double viterbi(
    const double *emission, Py_ssize_t n_steps, Py_ssize_t n_states, Buffers *buffers,
    int32_t *states,
) noexcept nogil:
    """Write the best states and return their score. Ties go to the lower state index."""
    cdef Transitions *score = &buffers.score
    cdef double *best = buffers.forward
    cdef double *previous
    cdef double *jump
    cdef int32_t *back
    cdef double candidate, from_null
    cdef Py_ssize_t t, a, b
    for b in range(n_states):
        best[b] = score.start[b] + emission[b]
    for t in range(1, n_steps):
        previous = best
        best = previous + n_states
        back = buffers.back + t * n_states
        best[0] = previous[0] + score.null_null
        back[0] = 0
        from_null = previous[0] + score.null_token
        for b in range(1, n_states):
            best[b] = from_null
            back[b] = 0
        for a in range(1, n_states):
            candidate = previous[a] + score.token_null
            if candidate > best[0]:
                best[0] = candidate
                back[0] = <int32_t>a
            jump = score.jump + n_states - 1 - a
            for b in range(1, n_states):
                candidate = previous[a] + jump[b]
                if candidate > best[b]:
                    best[b] = candidate
                    back[b] = <int32_t>a
        for b in range(n_states):
            best[b] += emission[t * n_states + b]
    cdef double best_score = -INFINITY
    states[n_steps - 1] = 0
    for b in range(n_states):
        candidate = best[b] + score.end[b]
        if candidate > best_score:
            best_score = candidate
            states[n_steps - 1] = <int32_t>b
    for t in range(n_steps - 1, 0, -1):
        states[t - 1] = buffers.back[t * n_states + states[t]]
    return best_score


cdef double _exponentiate(Buffers *buffers, Py_ssize_t n_states, double shift) noexcept nogil:
    """Fill factor, exp(score - shift), and jump_back; return the sum of starts' and ends' shifts."""
    cdef Transitions *score = &buffers.score
    cdef Transitions *factor = &buffers.factor
    cdef double first = _largest(score.start, n_states)
    cdef double last = _largest(score.end, n_states)
    cdef Py_ssize_t s
    exponentials(score.start, n_states, first, factor.start)
    exponentials(score.end, n_states, last, factor.end)
    exponentials(score.jump, 2 * n_states - 1, shift, factor.jump)
    for s in range(2 * n_states - 1):
        buffers.jump_back[s] = factor.jump[2 * n_states - 2 - s]
    factor.token_null = exp(score.token_null - shift)
    factor.null_token = exp(score.null_token - shift)
    factor.null_null = exp(score.null_null - shift)
    return first + last


cdef double _largest(const double *values, Py_ssize_t n) noexcept nogil:
    cdef double largest = values[0]
    cdef Py_ssize_t k
    for k in range(1, n):
        largest = max(largest, values[k])
    return largest


cdef double _largest_transition(Transitions *score, Py_ssize_t n_states) noexcept nogil:
    cdef double shift = max(score.null_null, max(score.null_token, score.token_null))
    cdef Py_ssize_t s
    for s in range(2 * n_states - 1):
        shift = max(shift, score.jump[s])
    return shift


cdef double _potentials(
    const double *emission, Py_ssize_t n_states, double *potential
) noexcept nogil:
    """Write exp(emission - maximum) of one step and return the maximum."""
    cdef double shift = _largest(emission, n_states)
    if shift > -INFINITY:
        exponentials(emission, n_states, shift, potential)
    return shift


cdef double _scale(double *row, Py_ssize_t n_states) noexcept nogil:
    """Divide a row by its sum, and return that."""
    cdef double total = 0.0
    cdef Py_ssize_t s
    for s in range(n_states):
        total += row[s]
    if total > 0.0:
        for s in range(n_states):
            row[s] /= total
    return total


cdef void _add_steps(
    double *row, const double *weight, const double *jump, Py_ssize_t n_states, Buffers *buffers
) noexcept nogil:
    """Add to row[b] the sum over a of weight[a] * jump[b - a + n_states - 1], NULL left out."""
    if n_states < CHAIN_LONG:
        add_short_steps(row, weight, jump, n_states)
    else:
        add_long_steps(row, weight, jump, n_states, buffers.windows)


# Long, because the backward pass reads the buffers of the forward pass at every step.
cdef double marginals(
    const double *emission, Py_ssize_t n_steps, Py_ssize_t n_states, Buffers *buffers,
    double *posterior, double *counts, double sign,
) noexcept nogil:
    """Write state posteriors and return the log-partition; -inf where no path has any mass."""
    cdef Transitions *factor = &buffers.factor
    cdef double shift = _largest_transition(&buffers.score, n_states)
    cdef double log_partition = shift * (n_steps - 1) + _exponentiate(buffers, n_states, shift)
    cdef double *row
    cdef double *previous
    cdef double *potential
    cdef double *backward = buffers.backward
    cdef double *incoming = buffers.incoming
    cdef double weight, total
    cdef Py_ssize_t t, a, b

    for t in range(n_steps):
        potential = buffers.potential + t * n_states
        log_partition += _potentials(emission + t * n_states, n_states, potential)
        if log_partition == -INFINITY:
            return log_partition
        row = buffers.forward + t * n_states
        if t == 0:
            for b in range(n_states):
                row[b] = factor.start[b] * potential[b]
        else:
            previous = row - n_states
            weight = previous[0] * factor.null_token
            for b in range(1, n_states):
                row[b] = weight
            total = 0.0
            for a in range(1, n_states):
                total += previous[a]
            _add_steps(row, previous, factor.jump, n_states, buffers)
            row[0] = previous[0] * factor.null_null + total * factor.token_null
            for b in range(n_states):
                row[b] *= potential[b]
        buffers.scale[t] = _scale(row, n_states)
        log_partition += log(buffers.scale[t])
        if log_partition == -INFINITY:
            return log_partition

    total = 0.0
    row = buffers.forward + (n_steps - 1) * n_states
    for b in range(n_states):
        total += row[b] * factor.end[b]
    log_partition += log(total)
    if log_partition == -INFINITY:
        return log_partition
    for b in range(n_states):
        backward[b] = factor.end[b] / total

    for t in range(n_steps - 1, -1, -1):
        row = buffers.forward + t * n_states
        for b in range(n_states):
            posterior[t * n_states + b] = row[b] * backward[b]
        if t == 0:
            break
        potential = buffers.potential + t * n_states
        previous = row - n_states
        for b in range(n_states):
            incoming[b] = potential[b] * backward[b] / buffers.scale[t]
        if counts != NULL:
            _count_step(previous, incoming, factor, n_states, counts, sign)
        total = 0.0
        for b in range(1, n_states):
            total += incoming[b]
        weight = incoming[0] * factor.token_null
        for a in range(1, n_states):
            backward[a] = weight
        _add_steps(backward, incoming, buffers.jump_back, n_states, buffers)
        backward[0] = incoming[0] * factor.null_null + total * factor.null_token
    if counts != NULL:
        _count_ends(posterior, n_steps, n_states, counts, sign)
    return log_partition


cdef void _count_step(
    const double *previous, const double *incoming, Transitions *factor, Py_ssize_t n_states,
    double *counts, double sign,
) noexcept nogil:
    """Add the expected transitions of one step to counts."""
    cdef double tokens_before = 0.0, tokens_after = 0.0, mass
    cdef Py_ssize_t a, jump
    for a in range(1, n_states):
        tokens_before += previous[a]
        tokens_after += incoming[a]
    counts[NULL_NULL] += sign * previous[0] * factor.null_null * incoming[0]
    counts[NULL_TOKEN] += sign * previous[0] * factor.null_token * tokens_after
    counts[TOKEN_NULL] += sign * tokens_before * factor.token_null * incoming[0]
    for jump in range(2 - n_states, n_states - 1):
        mass = 0.0
        for a in range(max(1, 1 - jump), min(n_states, n_states - jump)):
            mass += previous[a] * incoming[a + jump]
        counts[JUMP + _jump_bin(jump)] += sign * mass * factor.jump[jump + n_states - 1]


cdef void _count_ends(
    const double *posterior, Py_ssize_t n_steps, Py_ssize_t n_states, double *counts, double sign
) noexcept nogil:
    """Add the expected start and end features to counts."""
    cdef const double *last = posterior + (n_steps - 1) * n_states
    cdef Py_ssize_t s
    counts[START_NULL] += sign * posterior[0]
    counts[END_NULL] += sign * last[0]
    for s in range(1, n_states):
        counts[START + _position_bin(s - 1)] += sign * posterior[s]
        counts[END + _position_bin(n_states - 1 - s)] += sign * last[s]


cdef double span_probability(
    Buffers *buffers, const double *posterior, Py_ssize_t n_states, Py_ssize_t first_step,
    Py_ssize_t end_step, Py_ssize_t first_state, Py_ssize_t end_state,
) noexcept nogil:
    """Return the probability that a run of tokens only has labels from one run of states.

    Over the paths of the chain, with S the states of that run:

        P(label[t] in S for first <= t < end)
            = sum over b in S of posterior[end-1, b] * share[end-1, b]

    where share[t, b] = inside[t, b] / forward[t, b] is the share of the paths to state b at step t
    that have been within S since the run began. It is the restricted forward sum divided by the
    full one, so that it lies in [0, 1] for every lattice:

        inside[first, b] = forward[first, b]
        inside[t, b]     = forward[t, b] with the sum over a in S of inside[t-1, a] only

    O((end - first) * |S|**2) time. Overwrites the scratch of marginals.
    """
    cdef double *inside = buffers.incoming
    cdef double *previous = buffers.backward
    cdef const double *jump = buffers.factor.jump + n_states - 1
    cdef const double *forward
    cdef double total
    cdef Py_ssize_t t, a, b
    for b in range(first_state, end_state):
        inside[b] = buffers.forward[first_step * n_states + b]
    for t in range(first_step + 1, end_step):
        inside, previous = previous, inside
        for b in range(first_state, end_state):
            total = 0.0
            for a in range(first_state, end_state):
                total += previous[a] * jump[b - a]
            inside[b] = total * buffers.potential[t * n_states + b] / buffers.scale[t]
    posterior += (end_step - 1) * n_states
    forward = buffers.forward + (end_step - 1) * n_states
    total = 0.0
    for b in range(first_state, end_state):
        if forward[b] > 0.0:
            total += posterior[b] * min(1.0, inside[b] / forward[b])
    return min(1.0, total)


cdef struct FeatureRows:
    # CSR of all feature rows, owned by the caller. The rows of a pair are its cells (source-major),
    # then one NULL row per source token, then one per target token.
    const int64_t *start     # [n_rows + 1]
    const int32_t *slot      # [n_values]
    const float *value       # [n_values]


cdef inline int64_t _row(
    int64_t first, Py_ssize_t n_source, Py_ssize_t n_target, bint source_labelled,
    Py_ssize_t t, Py_ssize_t s,
) noexcept nogil:
    """Return the feature row of state s at step t."""
    if s == 0:
        return first + n_source * n_target + (t if source_labelled else n_source + t)
    if source_labelled:
        return first + t * n_target + s - 1
    return first + (s - 1) * n_target + t


cdef inline double _share(uint8_t state) noexcept nogil:
    """Return a label's cost, as a share of the cost of a wrong one, in [0, 1]."""
    return 0.0 if state & 3 else 0.5 if state & 4 else 1.0


cdef double _pair_loss(
    const FeatureRows *rows, int64_t first, Py_ssize_t n_source, Py_ssize_t n_target,
    bint source_labelled,
    const uint8_t *allowed, const double *weight, const double *transition_weight, double cost,
    double importance, Workspace workspace, double *emission, double *posterior, double *gradient,
    double *transition_gradient,
) noexcept nogil:
    """Return the softmax-margin loss of one pair, times its importance, and add its gradient.

        loss = log sum over y of exp(score(y) + cost(y))
               - log sum over y in gold of exp(score(y) - cost(y))

    cost(y) counts the tokens whose label gold does not hold (Hamming cost). A token with several
    gold links has several allowed labels; the second sum runs over all their combinations, at cost
    0. Possible links may cost nothing although gold does not hold them, or be gold at half the
    cost. For a partly annotated pair, every labelling without the known wrong links is right, and
    the second sum runs over all of those. The loss is +inf where a sum underflowed. Gimpel and
    Smith (2010), "Softmax-margin CRFs", equation 3.
    """
    cdef Py_ssize_t n_steps = n_source if source_labelled else n_target
    cdef Py_ssize_t n_states = (n_target if source_labelled else n_source) + 1
    cdef Py_ssize_t n_cells = n_steps * n_states
    cdef Py_ssize_t t, s, cell
    cdef int64_t row, k
    cdef double total, loss, difference
    expand(transition_weight, n_states, &workspace.buffers.score)
    for t in range(n_steps):
        for s in range(n_states):
            row = _row(first, n_source, n_target, source_labelled, t, s)
            total = 0.0
            for k in range(rows.start[row], rows.start[row + 1]):
                total += weight[rows.slot[k]] * rows.value[k]
            cell = t * n_states + s
            emission[cell] = total + _share(allowed[cell]) * cost
            if allowed[cell] & 5:
                emission[n_cells + cell] = total - _share(allowed[cell]) * cost
            else:
                emission[n_cells + cell] = -INFINITY
    loss = marginals(
        emission, n_steps, n_states, &workspace.buffers, posterior, transition_gradient, importance
    )
    loss -= marginals(
        emission + n_cells, n_steps, n_states, &workspace.buffers, posterior + n_cells,
        transition_gradient, -importance,
    )
    if not -INFINITY < loss < INFINITY:
        return INFINITY
    for t in range(n_steps):
        for s in range(n_states):
            cell = t * n_states + s
            difference = posterior[cell] - posterior[n_cells + cell]
            if -1e-12 < difference < 1e-12:
                continue
            row = _row(first, n_source, n_target, source_labelled, t, s)
            for k in range(rows.start[row], rows.start[row + 1]):
                gradient[rows.slot[k]] += importance * difference * rows.value[k]
    return importance * loss


def accumulate(
    matrix: FeatureMatrix, const int64_t[::1] first_allowed, const uint8_t[::1] allowed,
    const int64_t[::1] pairs, const double[::1] importance, bint source_labelled,
    const double[::1] weight, double cost, double[::1] gradient
) -> float:
    """Return the summed loss of some pairs, in nats, and add its gradient to the last argument.

    The loss is +inf where float64 could not hold a sum. Releases the GIL.

    Parameters
    ----------
    matrix : FeatureMatrix
        Its columns must be below ``len(weight) - 34`` (not checked).
    first_allowed : int64 array, shape (n_all_pairs,)
        Start of each pair's lattice in `allowed`.
    allowed : uint8 array
        The states of all pairs; see tokalign.crf.objective.allowed_states.
    pairs : int64 array
        The pairs to sum over, in this order.
    importance : float64 array, shape (n_all_pairs,)
    weight : float64 array, shape (n_columns + 34,)
        Weights of the matrix's columns, then of transitions.
    cost : float
        Hamming cost of one wrong label, in nats; 0 gives the plain log-loss.
    gradient : float64 array, shape (n_columns + 34,)
    """
    cdef const int64_t[::1] row_start = matrix.row_start
    cdef const int32_t[::1] column = matrix.column
    cdef const float[::1] value = matrix.value
    cdef const int64_t[::1] first_row = matrix.first_row
    cdef const int32_t[::1] n_source = matrix.n_source
    cdef const int32_t[::1] n_target = matrix.n_target
    cdef FeatureRows rows = FeatureRows(&row_start[0], &column[0], &value[0])
    cdef Workspace workspace = Workspace()
    cdef Py_ssize_t n_columns = weight.shape[0] - N_TRANSITIONS
    cdef Py_ssize_t k, n_cells_max
    cdef int64_t pair
    for k in range(pairs.shape[0]):
        pair = pairs[k]
        if source_labelled:
            workspace.reserve(n_source[pair], n_target[pair] + 1)
        else:
            workspace.reserve(n_target[pair], n_source[pair] + 1)
    n_cells_max = workspace.n_steps_max * workspace.n_states_max
    cdef double *scratch = <double *>malloc(4 * n_cells_max * sizeof(double))
    if scratch == NULL:
        raise MemoryError("lattices of a pair")
    cdef double loss = 0.0
    with nogil:
        for k in range(pairs.shape[0]):
            pair = pairs[k]
            loss += _pair_loss(
                &rows, first_row[pair], n_source[pair], n_target[pair], source_labelled,
                &allowed[first_allowed[pair]], &weight[0], &weight[n_columns], cost,
                importance[pair], workspace, scratch, scratch + 2 * n_cells_max,
                &gradient[0], &gradient[n_columns],
            )
    free(scratch)
    return loss
