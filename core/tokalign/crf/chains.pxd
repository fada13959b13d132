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
from libc.stdint cimport int32_t

cdef extern from "crf/_chain.h" nogil:
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

cdef enum:
    N_TRANSITIONS = 34   # see TRANSITION_NAMES

cdef struct Transitions:
    # Scores of one pair's transitions, expanded from the weights. Owned by Workspace.
    double *start        # [n_states]
    double *end          # [n_states]
    double *jump         # [2 * n_states - 1]; jump[b - a] + offset n_states - 1
    double token_null
    double null_token
    double null_null

cdef struct Buffers:
    # Scratch of one chain, grown by Workspace.reserve. All row-major.
    Transitions score    # in nats
    Transitions factor   # exp(score - score maximum of its kind), for the sum-product kernels
    int32_t *back        # [n_steps, n_states] best previous state
    double *forward      # [n_steps, n_states]
    double *backward     # [n_states]
    double *incoming     # [n_states]
    double *jump_back    # [2 * n_states - 1] factor.jump from last to first
    double *windows      # scratch of add_long_steps (_chain.h)
    double *potential    # [n_steps, n_states] exp(emission - row maximum)
    double *scale        # [n_steps]

cdef class Workspace:
    cdef Buffers buffers
    cdef Py_ssize_t n_steps_max
    cdef Py_ssize_t n_states_max
    cdef void _release(self) noexcept
    cdef int reserve(self, Py_ssize_t n_steps, Py_ssize_t n_states) except -1

# emission and posterior are [n_steps, n_states]; emissions may hold -inf. The caller expands
# buffers.score. Runs are half-open, and no run of states has NULL.


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


cdef inline void expand(
    const double *weights, Py_ssize_t n_states, Transitions *out
) noexcept nogil:
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


cdef inline double viterbi(
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


cdef inline double _largest(const double *values, Py_ssize_t n) noexcept nogil:
    cdef double largest = values[0]
    cdef Py_ssize_t k
    for k in range(1, n):
        largest = max(largest, values[k])
    return largest


cdef inline double _exponentiate(
    Buffers *buffers, Py_ssize_t n_states, double shift
) noexcept nogil:
    """Fill factor, exp(score - shift), and jump_back; return the sum of both ends' shifts."""
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


cdef inline double _largest_transition(Transitions *score, Py_ssize_t n_states) noexcept nogil:
    cdef double shift = max(score.null_null, max(score.null_token, score.token_null))
    cdef Py_ssize_t s
    for s in range(2 * n_states - 1):
        shift = max(shift, score.jump[s])
    return shift


cdef inline double _potentials(
    const double *emission, Py_ssize_t n_states, double *potential
) noexcept nogil:
    """Write exp(emission - maximum) of one step and return the maximum."""
    cdef double shift = _largest(emission, n_states)
    if shift > -INFINITY:
        exponentials(emission, n_states, shift, potential)
    return shift


cdef inline double _scale(double *row, Py_ssize_t n_states) noexcept nogil:
    """Divide a row by its sum, and return that."""
    cdef double total = 0.0
    cdef Py_ssize_t s
    for s in range(n_states):
        total += row[s]
    if total > 0.0:
        for s in range(n_states):
            row[s] /= total
    return total


cdef inline void _add_steps(
    double *row, const double *weight, const double *jump, Py_ssize_t n_states, Buffers *buffers
) noexcept nogil:
    """Add to row[b] the sum over a of weight[a] * jump[b - a + n_states - 1], NULL left out."""
    if n_states < CHAIN_LONG:
        add_short_steps(row, weight, jump, n_states)
    else:
        add_long_steps(row, weight, jump, n_states, buffers.windows)


cdef inline void _count_step(
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


cdef inline void _count_ends(
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


# Long, because the backward pass reads the buffers of the forward pass at every step.
cdef inline double marginals(
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


cdef inline double span_probability(
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
