# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Training of the tagger's and the parser's weights, as both are used: kernels and their doors.

Collins (2002), Discriminative Training Methods for Hidden Markov Models, EMNLP; the weights are
the average over all training steps (his section 2.3). The parser is trained by a dynamic oracle
after Goldberg and Nivre (2013), Training deterministic parsers with non-deterministic oracles, TACL 1.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from tokalign.english.annotate.forms cimport *
from tokalign.english.annotate.parsing cimport *
from tokalign.english.annotate.tagging cimport *

import numpy as np

from tokalign.errors import ShapeError

cdef extern from "_rows.h" nogil:
    int largest(const int32_t* scores, int n) noexcept

cdef enum:
    N_FEATURES = N_OF_FORM + N_OF_CONTEXT + N_OF_TAGS
    IMPOSSIBLE = 1 << 30


cdef int check_range(str name, values, Py_ssize_t n) except -1:
    if values.shape[0] and not 0 <= np.min(values) <= np.max(values) < n:
        raise ShapeError(
            f"{name} holds {np.min(values)} to {np.max(values)}; wanted 0 to {n - 1}"
        )
    return 0


cdef inline void find_features(
    const Form* forms, const uint32_t* classes, Py_ssize_t n, Py_ssize_t i,
    uint32_t tag1, uint32_t tag2, uint32_t case, int shift, uint32_t* rows,
) noexcept nogil:
    """Write the rows of all of token i's features."""
    form_features(&forms[i], shift, rows)
    context_features(forms, classes, n, i, case, shift, rows + N_OF_FORM)
    tag_features(forms, classes, n, i, tag1, tag2, shift, rows + N_OF_FORM + N_OF_CONTEXT)


# As many parameters as there are arrays in the state of a training, which its caller keeps. Half of
# the lines say and check what they hold; the rest is one loop over the tokens.
def train_tags(
    Forms forms,
    const uint8_t[::1] gold,
    const int32_t[::1] order,
    int32_t[:, ::1] weights,
    int64_t[:, ::1] totals,
    const uint32_t[::1] lexicon_keys,
    const uint32_t[::1] lexicon_values,
    int n_tags,
    int64_t step,
    int margin,
):
    """Update `weights` in place over the sentences in `order` and return (step, n_wrong).

    `totals` gathers step * change, so that the average of the weights over all steps is
    ``weights - totals / step``.

    Parameters
    ----------
    forms : Forms
    gold : uint8 array, shape (n_tokens,)
    order : int32 array
        Indices of sentences.
    weights : int32 array, shape (2**k, 64)
    totals : int64 array, shape (2**k, 64)
    lexicon_keys, lexicon_values : uint32 arrays
    n_tags : int
    step : int
        Tokens seen so far, plus one.
    margin : int
        The gold tag is promoted unless it beats every other tag by more than this.

    Raises
    ------
    ShapeError
        If an array is of another shape, or a tag or the number of a sentence is out of range.
    """
    cdef Lexicon lexicon = open_lexicon(lexicon_keys, lexicon_values)
    cdef int shift = shift_of(weights.shape[0])
    check_width(weights.shape[1], n_tags)
    if gold.shape[0] != forms.n_tokens or totals.shape[0] != weights.shape[0]:
        raise ShapeError("one gold tag per token and one total per weight are wanted")
    check_range("gold", gold, n_tags)
    check_range("order", order, forms.n_sentences)
    cdef uint32_t[N_FEATURES] rows
    cdef int32_t[WIDTH] scores
    cdef uint32_t* classes = <uint32_t*>malloc((forms.n_tokens + 1) * sizeof(uint32_t))
    cdef Py_ssize_t o, i, n, start
    cdef const Form* items
    cdef uint32_t tag1, tag2, case
    cdef int k, tag, right, wrong, n_wrong = 0
    cdef int32_t* row
    if classes is NULL:
        raise MemoryError
    with nogil:
        for o in range(order.shape[0]):
            start = forms.offsets[order[o]]
            n = forms.offsets[order[o] + 1] - start
            items = forms.items + start
            tag1 = tag2 = START
            case = case_of(items, n)
            look_up(items, n, lexicon, classes)
            for i in range(n):
                right = gold[start + i]
                tag = right
                if not items[i].fixed:
                    find_features(items, classes, n, i, tag1, tag2, case, shift, rows)
                    memset(scores, 0, sizeof(scores))
                    for k in range(N_FEATURES):
                        row = &weights[rows[k], 0]
                        for tag in range(WIDTH):
                            scores[tag] += row[tag]
                    tag = largest(scores, n_tags)
                    n_wrong += tag != right
                    scores[right] -= margin + 1
                    wrong = largest(scores, n_tags)
                    if wrong != right:
                        for k in range(N_FEATURES):
                            weights[rows[k], wrong] -= 1
                            weights[rows[k], right] += 1
                            totals[rows[k], wrong] -= step
                            totals[rows[k], right] += step
                    step += 1
                tag2, tag1 = tag1, tag
    free(classes)
    return step, n_wrong


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
def train_arcs(
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
        If an array is of another shape, or a label or the number of a sentence is out of range.
    """
    check_shapes(forms, tags, action_weights, label_weights, n_labels)
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
