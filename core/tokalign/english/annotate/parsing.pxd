"""Greedy dependency parsing: its states and their features, for parsing and its training.

The transition system is arc-hybrid. A state is a stack s, a buffer position b and the arcs so far;
the root is the last buffer item. SHIFT moves b to the stack; LEFT makes b the head of s0 and pops
it; RIGHT makes s1 the head of s0 and pops it. Each new arc is labelled at once, so that labels are
features of later steps. A tree has one root: the root takes a child only when the stack holds
nothing else. A sentence takes 2 * n_tokens steps.

score(action | state) = sum over the features f of the state of W[f, action]; the best valid
action wins, ties going to the lower number, and the label of a new arc likewise.

Kuhlmann, Gomez-Rodriguez and Satta (2011), Dynamic programming algorithms for transition-based
dependency parsers, ACL; features after Zhang and Nivre (2011), Transition-based dependency
parsing with rich non-local features, ACL. `lab.recipes.annotators` trains the weights.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from tokalign.english.annotate.forms cimport Form, both, slot

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


cdef inline void start(State* state, const Form* forms, const uint8_t* tags, int n) noexcept nogil:
    """Begin a sentence; `state` must be allocated for at least n tokens."""
    cdef int i
    cdef Node* node
    state.n = n
    state.depth = 0
    state.next = 0
    for i in range(n + 2):
        node = &state.nodes[i]
        node.word = forms[i].lower if i < n else n + 1 - i
        node.suffix = forms[i].suffix3 if i < n else 0
        node.tag = tags[i] if i < n else (ROOT_TAG if i == n else NO_TAG)
        node.label = NO_LABEL
        node.head = -1
        node.left1 = node.left2 = node.right1 = node.right2 = n + 1
        node.n_left = node.n_right = 0
        node.labels = 0


cdef inline uint32_t distance(int a, int b) noexcept nogil:
    cdef int d = b - a if b > a else a - b
    if d <= 4:
        return d
    if d <= 6:
        return 5
    if d <= 10:
        return 6
    return 7


cdef inline uint32_t least(uint32_t a, uint32_t b) noexcept nogil:
    return a if a < b else b


cdef inline uint64_t tags2(const Node* a, const Node* b) noexcept nogil:
    return a.tag * 64 + b.tag


cdef inline uint64_t tags3(const Node* a, const Node* b, const Node* c) noexcept nogil:
    return (a.tag * 64 + b.tag) * 64 + c.tag


cdef inline uint64_t word_tag(const Node* a) noexcept nogil:
    return both(a.word, a.tag)


# One line per feature.
cdef inline void action_features(const State* state, int shift, uint32_t* rows) noexcept nogil:
    """Write the rows of the features of a state (N_ACTION_FEATURES)."""
    cdef const Node* nodes = state.nodes
    cdef int none = state.n + 1
    cdef int i0 = state.stack[state.depth - 1] if state.depth > 0 else none
    cdef int i1 = state.stack[state.depth - 2] if state.depth > 1 else none
    cdef int j0 = state.next
    cdef const Node* s0 = &nodes[i0]
    cdef const Node* s1 = &nodes[i1]
    cdef const Node* s2 = &nodes[state.stack[state.depth - 3] if state.depth > 2 else none]
    cdef const Node* b0 = &nodes[j0]
    cdef const Node* b1 = &nodes[j0 + 1 if j0 + 1 <= state.n else none]
    cdef const Node* b2 = &nodes[j0 + 2 if j0 + 2 <= state.n else none]
    cdef const Node* s0l = &nodes[s0.left1]
    cdef const Node* s0r = &nodes[s0.right1]
    cdef const Node* s1l = &nodes[s1.left1]
    cdef const Node* s1r = &nodes[s1.right1]
    cdef const Node* b0l = &nodes[b0.left1]
    cdef uint32_t gap = distance(i0, j0) if i0 != none else 8
    cdef uint32_t gap1 = distance(i1, i0) if i1 != none else 8
    cdef uint32_t s0n = least(s0.n_left, 3) * 4 + least(s0.n_right, 3)
    cdef uint32_t s1n = least(s1.n_left, 3) * 4 + least(s1.n_right, 3)
    cdef uint32_t b0n = least(b0.n_left, 3)
    cdef uint64_t pair = tags2(s0, b0)
    cdef uint64_t pair1 = tags2(s1, s0)
    cdef uint64_t core = tags3(s1, s0, b0)
    rows[0] = slot(0, s0.word, 0, shift)
    rows[1] = slot(1, s0.tag, 0, shift)
    rows[2] = slot(2, word_tag(s0), 0, shift)
    rows[3] = slot(3, s1.word, 0, shift)
    rows[4] = slot(4, s1.tag, 0, shift)
    rows[5] = slot(5, word_tag(s1), 0, shift)
    rows[6] = slot(6, b0.word, 0, shift)
    rows[7] = slot(7, b0.tag, 0, shift)
    rows[8] = slot(8, word_tag(b0), 0, shift)
    rows[9] = slot(9, b1.word, b1.tag, shift)
    rows[10] = slot(10, b2.word, b2.tag, shift)
    rows[11] = slot(11, s2.word, s2.tag, shift)
    rows[12] = slot(12, b1.tag, b2.tag, shift)
    rows[13] = slot(13, s0.word, b0.word, shift)
    rows[14] = slot(14, word_tag(s0), b0.tag, shift)
    rows[15] = slot(15, word_tag(b0), s0.tag, shift)
    rows[16] = slot(16, pair, 0, shift)
    rows[17] = slot(17, s1.word, s0.word, shift)
    rows[18] = slot(18, word_tag(s1), s0.tag, shift)
    rows[19] = slot(19, word_tag(s0), s1.tag, shift)
    rows[20] = slot(20, pair1, 0, shift)
    rows[21] = slot(21, s1.word, b0.word, shift)
    rows[22] = slot(22, tags2(s1, b0), 0, shift)
    rows[23] = slot(23, tags2(b0, b1), b0.word, shift)
    rows[24] = slot(24, tags2(b0, b1), b1.word, shift)
    rows[25] = slot(25, tags3(b0, b1, b2), 0, shift)
    rows[26] = slot(26, tags3(s0, b0, b1), 0, shift)
    rows[27] = slot(27, tags3(s0, b0, b1), b2.tag, shift)
    rows[28] = slot(28, core, 0, shift)
    rows[29] = slot(29, core, b1.tag, shift)
    rows[30] = slot(30, tags3(s2, s1, s0), 0, shift)
    rows[31] = slot(31, core, s2.tag, shift)
    rows[32] = slot(32, tags3(s0, s0l, b0), 0, shift)
    rows[33] = slot(33, tags3(s0, s0r, b0), 0, shift)
    rows[34] = slot(34, tags3(s0, b0, b0l), 0, shift)
    rows[35] = slot(35, tags3(s1, s0, s0l), 0, shift)
    rows[36] = slot(36, tags3(s1, s1r, s0), 0, shift)
    rows[37] = slot(37, tags3(s1, s1l, s0), 0, shift)
    rows[38] = slot(38, tags3(s1, s0, s0r), 0, shift)
    rows[39] = slot(39, tags3(s1, s1r, b0), s0.tag, shift)
    rows[40] = slot(40, gap, s0.word, shift)
    rows[41] = slot(41, gap, b0.word, shift)
    rows[42] = slot(42, gap, pair, shift)
    rows[43] = slot(43, gap1, pair1, shift)
    rows[44] = slot(44, gap1, core, shift)
    rows[45] = slot(45, s0n, word_tag(s0), shift)
    rows[46] = slot(46, s0n, pair, shift)
    rows[47] = slot(47, s1n, pair1, shift)
    rows[48] = slot(48, b0n, pair, shift)
    rows[49] = slot(49, b0n, word_tag(b0), shift)
    rows[50] = slot(50, s1n, word_tag(s1), shift)
    rows[51] = slot(51, s0.labels, pair, shift)
    rows[52] = slot(52, s1.labels, pair1, shift)
    rows[53] = slot(53, b0.labels, pair, shift)
    rows[54] = slot(54, s0.labels, s0.word, shift)
    rows[55] = slot(55, s1.labels, s1.word, shift)
    rows[56] = slot(56, b0.labels, b0.word, shift)
    rows[57] = slot(57, s0l.word, pair, shift)
    rows[58] = slot(58, s0r.word, pair, shift)
    rows[59] = slot(59, b0l.word, pair, shift)
    rows[60] = slot(60, s1r.word, pair1, shift)
    rows[61] = slot(61, s0l.word, both(b0.word, s0.tag), shift)
    rows[62] = slot(62, s0l.word, both(s1.word, s0.tag), shift)
    rows[63] = slot(63, s0.labels, core, shift)
    rows[64] = slot(64, both(s0.suffix, b0.suffix), 0, shift)
    rows[65] = slot(65, both(s1.suffix, s0.suffix), 0, shift)
    rows[66] = slot(66, both(b0.word, s0.word), s1.word, shift)
    rows[67] = slot(67, both(s1.word, s0.tag), b0.tag, shift)
    rows[68] = slot(68, both(s1.tag, s0.word), b0.tag, shift)
    rows[69] = slot(69, both(s1.tag, s0.tag), b0.word, shift)
    rows[70] = slot(70, tags3(s0, &nodes[s0.left2], s0l), pair, shift)
    rows[71] = slot(71, tags3(s1, &nodes[s1.right2], s1r), s0.tag, shift)


cdef inline void label_features(
    const State* state, int head, int child, int shift, uint32_t* rows
) noexcept nogil:
    """Write the rows of the features of a new arc (N_LABEL_FEATURES)."""
    cdef const Node* nodes = state.nodes
    cdef int none = state.n + 1
    cdef const Node* h = &nodes[head]
    cdef const Node* d = &nodes[child]
    cdef const Node* dp = &nodes[child - 1 if child > 0 else none]
    cdef const Node* dn = &nodes[child + 1]
    cdef const Node* hp = &nodes[head - 1 if head > 0 else none]
    cdef const Node* hn = &nodes[head + 1]
    cdef const Node* dl = &nodes[d.left1]
    cdef const Node* dr = &nodes[d.right1]
    cdef uint32_t side = (head < child) * 8 + distance(head, child)
    cdef uint64_t pair = tags2(h, d) * 2 + (head < child)
    rows[0] = slot(100, d.word, 0, shift)
    rows[1] = slot(101, d.tag, side, shift)
    rows[2] = slot(102, d.suffix, d.tag, shift)
    rows[3] = slot(103, h.word, 0, shift)
    rows[4] = slot(104, h.tag, side, shift)
    rows[5] = slot(105, pair, 0, shift)
    rows[6] = slot(106, pair, distance(head, child), shift)
    rows[7] = slot(107, both(h.word, d.word), head < child, shift)
    rows[8] = slot(108, pair, d.word, shift)
    rows[9] = slot(109, pair, h.word, shift)
    rows[10] = slot(110, dp.tag, pair, shift)
    rows[11] = slot(111, dn.tag, pair, shift)
    rows[12] = slot(112, dp.word, d.tag, shift)
    rows[13] = slot(113, dn.word, d.tag, shift)
    rows[14] = slot(114, hp.tag, pair, shift)
    rows[15] = slot(115, hn.tag, pair, shift)
    rows[16] = slot(116, dl.word, pair, shift)
    rows[17] = slot(117, tags2(dl, dr), pair, shift)
    rows[18] = slot(118, d.labels, 0, shift)
    rows[19] = slot(119, d.labels, d.tag, shift)
    rows[20] = slot(120, d.labels, pair, shift)
    rows[21] = slot(121, h.labels, 0, shift)
    rows[22] = slot(122, h.labels, d.tag, shift)
    rows[23] = slot(123, h.labels, pair, shift)
    rows[24] = slot(124, h.labels, both(d.tag, h.word), shift)
    rows[25] = slot(125, dl.word, h.word, shift)
    rows[26] = slot(126, nodes[h.left1].label, pair, shift)
    rows[27] = slot(127, nodes[h.right1].label, pair, shift)
    rows[28] = slot(128, d.word, d.tag, shift)
    rows[29] = slot(129, dl.word, d.word, shift)
    rows[30] = slot(130, dp.tag * 64 + dn.tag, d.word, shift)
    rows[31] = slot(131, h.suffix, pair, shift)
    rows[32] = slot(132, dp.tag * 64 + dn.tag, pair, shift)
    rows[33] = slot(133, dn.word, d.word, shift)
    rows[34] = slot(134, h.n_right * 8 + h.n_left, pair, shift)
    rows[35] = slot(135, d.labels, both(d.word, h.tag), shift)


cdef inline void attach(State* state, int head, int child, uint32_t label) noexcept nogil:
    cdef Node* h = &state.nodes[head]
    state.nodes[child].head = head
    state.nodes[child].label = label
    h.labels |= <uint64_t>1 << label
    if child < head:
        h.n_left += 1
        h.left2, h.left1 = h.left1, child
    else:
        h.n_right += 1
        h.right2, h.right1 = h.right1, child


cdef inline int best_action(const State* state, const int32_t* scores) noexcept nogil:
    """Return the valid action of the highest score, ties going to the lower number."""
    cdef int action, winner = -1
    for action in range(3):
        if is_valid(state, action) and (winner < 0 or scores[action] > scores[winner]):
            winner = action
    return winner


cdef inline int best_label(const int32_t* scores, int n_labels) noexcept nogil:
    """Return the label of the highest score, ties going to the lower number."""
    cdef int label, winner = 0
    for label in range(1, n_labels):
        if scores[label] > scores[winner]:
            winner = label
    return winner


cdef inline bint allocate(State* state, Py_ssize_t n) noexcept:
    """Make room for n tokens; return whether there was memory. Release it either way."""
    state.nodes = <Node*>malloc((n + 2) * sizeof(Node))
    state.stack = <int32_t*>malloc((n + 1) * sizeof(int32_t))
    return state.nodes is not NULL and state.stack is not NULL


cdef inline void release(State* state) noexcept:
    free(state.nodes)
    free(state.stack)
