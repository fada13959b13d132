# States of the parser, and what parsing and its training do with them.

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from tokalign.english.annotate.tagging cimport Form, Forms

cdef enum:
    SHIFT = 0
    LEFT = 1
    RIGHT = 2
    ACTION_WIDTH = 4    # weights per row, as in _rows.h
    LABEL_WIDTH = 64    # likewise
    N_ACTION_FEATURES = 72
    N_LABEL_FEATURES = 36
    ROOT_TAG = 62
    NO_TAG = 63
    NO_LABEL = 63


cdef struct Node:
    uint32_t word           # hash, lower-cased; 1 for the root, 0 for no token
    uint32_t suffix
    uint32_t tag
    uint32_t label          # of the arc to the head, once made
    int32_t head            # token index, n_tokens for the root, -1 while unknown
    int32_t left1           # first and second left-most dependants, outermost first
    int32_t left2
    int32_t right1          # right-most dependants, outermost first
    int32_t right2
    uint32_t n_left
    uint32_t n_right
    uint64_t labels         # set of the dependants' labels


cdef struct State:
    Node* nodes             # [n + 2]: tokens, the root, and a stand-in for no token
    int32_t* stack          # [n]
    int32_t depth
    int32_t next            # first buffer item
    int32_t n


cdef inline bint is_final(const State* state) noexcept nogil:
    return state.depth == 0 and state.next == state.n


cdef inline bint is_valid(const State* state, int action) noexcept nogil:
    if action == SHIFT:
        return state.next < state.n
    if action == LEFT:
        return state.depth == 1 or (state.depth > 1 and state.next < state.n)
    return state.depth > 1


cdef inline int head_after(const State* state, int action) noexcept nogil:
    """Return the head that LEFT or RIGHT gives to s0."""
    return state.next if action == LEFT else state.stack[state.depth - 2]


cdef bint allocate(State* state, Py_ssize_t n) noexcept
cdef void release(State* state) noexcept
cdef int longest(Forms forms) noexcept
cdef void start(State* state, const Form* forms, const uint8_t* tags, int n) noexcept nogil
cdef void attach(State* state, int head, int child, uint32_t label) noexcept nogil
cdef void action_features(const State* state, int shift, uint32_t* rows) noexcept nogil
cdef void label_features(
    const State* state, int head, int child, int shift, uint32_t* rows
) noexcept nogil
cdef int best_action(const State* state, const int32_t* scores) noexcept nogil
cdef int best_label(const int32_t* scores, int n_labels) noexcept nogil
cdef int check(Forms forms, tags, actions, labels, int n_labels) except -1
