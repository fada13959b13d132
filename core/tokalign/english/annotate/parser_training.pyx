"""Training of the parser by a dynamic oracle: kernels and their doors.

Goldberg and Nivre (2013), Training deterministic parsers with non-deterministic oracles, TACL 1.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memset

from tokalign.english.annotate.forms cimport Forms, shift_of
from tokalign.english.annotate._parser cimport check
from tokalign.english.annotate._tagger cimport check_range
from tokalign.english.annotate._transitions cimport (
    LABEL_WIDTH,
    LEFT,
    N_ACTION_FEATURES,
    N_LABEL_FEATURES,
    RIGHT,
    SHIFT,
    State,
    action_features,
    allocate,
    attach,
    best_action,
    best_label,
    head_after,
    is_final,
    is_valid,
    label_features,
    longest,
    release,
    start,
)

import numpy as np

from tokalign.errors import ShapeError

cdef enum:
    IMPOSSIBLE = 1 << 30


cdef void costs(const State* state, const int32_t* gold, int32_t* out) noexcept nogil:
    """Write how many gold arcs each action makes unreachable (Goldberg and Nivre 2013, 4.2).

    Unlike theirs, the root takes only the bottom of the stack, so that a token that is shifted
    onto another can never become the root's.
    """
    cdef int i, s0, s1, b = state.next, n = state.n, lost = 0
    for i in range(3):
        out[i] = 0 if is_valid(state, i) else IMPOSSIBLE
    if out[SHIFT] == 0:
        for i in range(state.depth):
            out[SHIFT] += gold[state.stack[i]] == b
        for i in range(state.depth - 1):
            out[SHIFT] += gold[b] == state.stack[i]
        out[SHIFT] += state.depth > 0 and gold[b] == n
    if state.depth == 0:
        return
    s0 = state.stack[state.depth - 1]
    s1 = state.stack[state.depth - 2] if state.depth > 1 else -2
    for i in range(b, n):
        lost += gold[i] == s0
    if out[LEFT] == 0:
        out[LEFT] = lost + (
            gold[s0] == s1
            or b < gold[s0] < n
            or (b < n and gold[s0] == n and state.depth == 1)
        )
    if out[RIGHT] == 0:
        out[RIGHT] = lost + (b <= gold[s0] < n)


# As many parameters as there are arrays in the state of a training, which its caller keeps. The
# loop follows one sentence from state to state: choose, correct, move on.
def train_epoch(
    Forms forms,
    const uint8_t[::1] tags,
    const int32_t[::1] gold_heads,
    const uint8_t[::1] gold_labels,
    const int32_t[::1] order,
    int32_t[:, ::1] action_weights,
    int64_t[:, ::1] action_totals,
    int32_t[:, ::1] label_weights,
    int64_t[:, ::1] label_totals,
    int n_labels,
    int64_t step,
    int margin,
):
    """Update the weights in place over the sentences in `order`; return (step, n_wrong).

    The parser follows its own decisions, right or wrong, and is corrected wherever it loses
    gold arcs that were still reachable. Totals are as in the tagger.

    Parameters
    ----------
    forms : Forms
    tags, gold_labels : uint8 arrays, shape (n_tokens,)
    gold_heads : int32 array, shape (n_tokens,)
        0-based within the sentence; the sentence's length for the root.
    order : int32 array
    action_weights, label_weights : int32 arrays
    action_totals, label_totals : int64 arrays of the same shapes
    n_labels : int
    step : int
    margin : int
        The best action and the gold label are promoted unless they win by more than this.

    Raises
    ------
    ShapeError
        If an array is of another shape, or holds a label or a sentence that there is none of.
    """
    check(forms, tags, action_weights, label_weights, n_labels)
    if not gold_heads.shape[0] == gold_labels.shape[0] == forms.n_tokens:
        raise ShapeError("one gold head and one gold label per token are wanted")
    check_range("gold_labels", gold_labels, n_labels)
    check_range("order", order, forms.n_sentences)
    cdef int action_shift = shift_of(action_weights.shape[0])
    cdef int label_shift = shift_of(label_weights.shape[0])
    cdef State state
    cdef uint32_t[N_ACTION_FEATURES] rows
    cdef int32_t[LABEL_WIDTH] scores
    cdef int32_t[3] losses
    cdef Py_ssize_t o, first
    cdef int k, c, action, right, wrong, head, child, label, n_wrong = 0
    cdef int32_t* row
    if not allocate(&state, longest(forms)):
        release(&state)
        raise MemoryError("cannot hold a sentence")
    with nogil:
        for o in range(order.shape[0]):
            first = forms.offsets[order[o]]
            start(
                &state, forms.items + first, &tags[0] + first,
                forms.offsets[order[o] + 1] - <int>first,
            )
            while not is_final(&state):
                costs(&state, &gold_heads[first], losses)
                action_features(&state, action_shift, rows)
                memset(scores, 0, sizeof(scores))
                for k in range(N_ACTION_FEATURES):
                    row = &action_weights[rows[k], 0]
                    for c in range(3):
                        scores[c] += row[c]
                action = best_action(&state, scores)
                right = action
                for c in range(3):
                    if losses[c] < losses[right] or (
                        losses[c] == losses[right] and right != action and scores[c] > scores[right]
                    ):
                        right = c
                wrong = -1
                for c in range(3):
                    if losses[c] > losses[right] and losses[c] < IMPOSSIBLE and (
                        wrong < 0 or scores[c] > scores[wrong]
                    ):
                        wrong = c
                if wrong >= 0 and scores[wrong] + margin >= scores[right]:
                    n_wrong += right != action
                    for k in range(N_ACTION_FEATURES):
                        action_weights[rows[k], wrong] -= 1
                        action_weights[rows[k], right] += 1
                        action_totals[rows[k], wrong] -= step
                        action_totals[rows[k], right] += step
                step += 1
                if action == SHIFT:
                    state.stack[state.depth] = state.next
                    state.depth += 1
                    state.next += 1
                    continue
                child = state.stack[state.depth - 1]
                head = head_after(&state, action)
                label_features(&state, head, child, label_shift, rows)
                memset(scores, 0, sizeof(scores))
                for k in range(N_LABEL_FEATURES):
                    row = &label_weights[rows[k], 0]
                    for c in range(LABEL_WIDTH):
                        scores[c] += row[c]
                label = best_label(scores, n_labels)
                if head == gold_heads[first + child]:
                    right = gold_labels[first + child]
                    scores[right] -= margin + 1
                    wrong = best_label(scores, n_labels)
                    if wrong != right:
                        for k in range(N_LABEL_FEATURES):
                            label_weights[rows[k], wrong] -= 1
                            label_weights[rows[k], right] += 1
                            label_totals[rows[k], wrong] -= step
                            label_totals[rows[k], right] += step
                attach(&state, head, child, label)
                state.depth -= 1
    release(&state)
    return step, n_wrong


def action_costs(const int32_t[::1] heads, const int32_t[::1] actions):
    """Return the costs of SHIFT, LEFT and RIGHT before each of a sequence of actions, for tests.

    Parameters
    ----------
    heads : int32 array, shape (n_tokens,)
        Gold heads; n_tokens for the root.
    actions : int32 array
        Valid from the initial state on.

    Returns
    -------
    costs : list of (int, int, int)
        One entry an action, and one for the state after the last; 2**30 = impossible.
    """
    cdef State state
    cdef int32_t[3] losses
    cdef Forms forms = Forms([["x"] * heads.shape[0]])
    cdef uint8_t[::1] tags = np.zeros(heads.shape[0] + 1, dtype=np.uint8)
    cdef Py_ssize_t k
    cdef int child
    out = []
    if not allocate(&state, longest(forms)):
        release(&state)
        raise MemoryError("cannot hold a sentence")
    start(&state, forms.items, &tags[0], <int>heads.shape[0])
    for k in range(actions.shape[0] + 1):
        costs(&state, &heads[0], losses)
        out.append((losses[0], losses[1], losses[2]))
        if k == actions.shape[0]:
            break
        if actions[k] == SHIFT:
            state.stack[state.depth] = state.next
            state.depth += 1
            state.next += 1
        else:
            child = state.stack[state.depth - 1]
            attach(&state, head_after(&state, actions[k]), child, 0)
            state.depth -= 1
    release(&state)
    return out
