"""Greedy dependency parsing: kernel and door. 2 * n_tokens steps per sentence.

score(action | state) = sum over the features f of the state of W[f, action]; the best valid
action wins, ties going to the lower number, and the label of a new arc likewise. See
_transitions.pyx for the states and features.
"""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint32_t

from tokalign.english.annotate.forms cimport Forms, shift_of
from tokalign.english.annotate._transitions cimport (
    ACTION_WIDTH,
    LABEL_WIDTH,
    LEFT,
    N_ACTION_FEATURES,
    N_LABEL_FEATURES,
    NO_LABEL,
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
    label_features,
    longest,
    release,
    start,
)

import numpy as np

from tokalign.errors import ShapeError

cdef extern from "_rows.h" nogil:
    void sum_narrow_rows(
        const int16_t* weights, const uint32_t* rows, int n_rows, int32_t* scores
    ) noexcept
    void sum_wide_rows(
        const int16_t* weights, const uint32_t* rows, int n_rows, int32_t* scores
    ) noexcept


cdef void parse_sentence(
    State* state, const int16_t* action_weights, int action_shift,
    const int16_t* label_weights, int n_labels, int label_shift,
) noexcept nogil:
    cdef uint32_t[N_ACTION_FEATURES] rows
    cdef int32_t[LABEL_WIDTH] scores
    cdef int action, head, child
    while not is_final(state):
        if state.depth == 0:
            action = SHIFT
        elif state.next == state.n:
            action = RIGHT if state.depth > 1 else LEFT
        else:
            action_features(state, action_shift, rows)
            sum_narrow_rows(action_weights, rows, N_ACTION_FEATURES, scores)
            action = best_action(state, scores)
        if action == SHIFT:
            state.stack[state.depth] = state.next
            state.depth += 1
            state.next += 1
            continue
        child = state.stack[state.depth - 1]
        head = head_after(state, action)
        label_features(state, head, child, label_shift, rows)
        sum_wide_rows(label_weights, rows, N_LABEL_FEATURES, scores)
        attach(state, head, child, best_label(scores, n_labels))
        state.depth -= 1


cdef int check(Forms forms, tags, actions, labels, int n_labels) except -1:
    if tags.shape[0] != forms.n_tokens:
        raise ShapeError(f"{tags.shape[0]} tags for {forms.n_tokens} tokens")
    if actions.shape[1] != ACTION_WIDTH:
        raise ShapeError(f"{actions.shape[1]} weights an action row; wanted {ACTION_WIDTH}")
    if labels.shape[1] != LABEL_WIDTH or not 0 < n_labels <= NO_LABEL:
        raise ShapeError(
            f"{n_labels} labels with rows of {labels.shape[1]} weights; "
            f"wanted at most {NO_LABEL} and {LABEL_WIDTH}"
        )
    return 0


def parse_forms(
    Forms forms,
    const uint8_t[::1] tags,
    const int16_t[:, ::1] action_weights,
    const int16_t[:, ::1] label_weights,
    int n_labels,
):
    """Return the head and the label of every token.

    Parameters
    ----------
    forms : Forms
    tags : uint8 array, shape (n_tokens,)
        Tag ids, below 62.
    action_weights : int16 array, shape (2**k, 4), C-contiguous
        Columns SHIFT, LEFT, RIGHT and padding.
    label_weights : int16 array, shape (2**m, 64), C-contiguous
    n_labels : int
        At most 63.

    Returns
    -------
    heads : int32 array, shape (n_tokens,)
        0-based within the sentence, -1 for its only root.
    labels : uint8 array, shape (n_tokens,)
    """
    check(forms, tags, action_weights, label_weights, n_labels)
    cdef int action_shift = shift_of(action_weights.shape[0])
    cdef int label_shift = shift_of(label_weights.shape[0])
    heads, labels = np.empty(forms.n_tokens, np.int32), np.empty(forms.n_tokens, np.uint8)
    if forms.n_tokens == 0:
        return heads, labels
    cdef int32_t[::1] out_heads = heads
    cdef uint8_t[::1] out_labels = labels
    cdef State state
    cdef Py_ssize_t s, first
    cdef int i
    if not allocate(&state, longest(forms)):
        release(&state)
        raise MemoryError("cannot hold a sentence")
    with nogil:
        for s in range(forms.n_sentences):
            first = forms.offsets[s]
            start(&state, forms.items + first, &tags[0] + first, forms.offsets[s + 1] - <int>first)
            parse_sentence(
                &state, &action_weights[0, 0], action_shift,
                &label_weights[0, 0], n_labels, label_shift,
            )
            for i in range(state.n):
                out_heads[first + i] = state.nodes[i].head if state.nodes[i].head < state.n else -1
                out_labels[first + i] = <uint8_t>state.nodes[i].label
    release(&state)
    return heads, labels
