"""Edit distance of ordered trees, and the cheapest script.

A script deletes nodes of one tree, inserts nodes of the other and substitutes nodes, keeping order
and descent. Nodes are numbered in postorder; l(i) is the leftmost leaf below node i, and a keyroot
the last node of each l. For subtrees rooted at keyroots x, y, over the forests of the nodes l(x)..i
and l(y)..j:

    forest(i, j) = min of  forest(i - 1, j) + deletion
                           forest(i, j - 1) + insertion
                           forest(i - 1, j - 1) + substitution(i, j)      if both are trees, else
                           forest(l(i) - 1, l(j) - 1) + tree(i, j)

and tree(i, j) = forest(i, j) where both are trees. A sentence's tree has an artificial root above
all its roots, which is substituted by the other sentence's at no cost.

Cells: the product, over both trees, of the sum over keyroots of the size of their subtrees; at most
n**2 / 2 each, and for dependency trees a small multiple of n.

Zhang and Shasha (1989), "Simple fast algorithms for the editing distance between trees and related
problems", SIAM Journal on Computing 18(6).
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

import numpy as np

from tokalign.errors import InputError, LimitError, ShapeError

MAX_STEPS = 1024
"""Most cells for each pair of tokens; parsed sentences take 10 to 200. Two sentences of 512 tokens
then take at most half a second instead of minutes."""

cdef struct Tree:
    int32_t n          # nodes, including the artificial root
    int32_t n_keyroots
    int32_t *token     # [n] token of the node in postorder; the root's is n - 1
    int32_t *leftmost  # [n] l(i)
    int32_t *keyroots  # [n_keyroots] ascending

cdef struct Costs:
    const int32_t *substitution  # [n_source, n_target] row-major, by token
    Py_ssize_t n_target
    int32_t deletion
    int32_t insertion


cdef inline int32_t substituted(
    const Tree *source, const Tree *target, const Costs *costs, int32_t i, int32_t j
) noexcept nogil:
    """Return the cost of substituting node j for node i; a root only for a root."""
    cdef bint is_root = i == source.n - 1
    if is_root or j == target.n - 1:
        return 0 if is_root and j == target.n - 1 else costs.deletion + costs.insertion
    return costs.substitution[source.token[i] * costs.n_target + target.token[j]]


cdef void fill_forest(
    const Tree *source, const Tree *target, const Costs *costs, int32_t x, int32_t y,
    int32_t *tree, int32_t *forest,
) noexcept nogil:
    """Fill the forests of two subtrees, and the trees among them.

    `tree` is [source.n, target.n]; `forest` is [source.n + 1, target.n + 1], shifted by one place,
    so that l(x) - 1 has a place.
    """
    cdef int32_t first_i = source.leftmost[x], first_j = target.leftmost[y]
    cdef Py_ssize_t width = target.n + 1
    cdef int32_t *row
    cdef int32_t *above
    cdef int32_t i, j, best, other
    cdef bint is_tree
    forest[first_i * width + first_j] = 0
    for j in range(first_j, y + 1):
        forest[first_i * width + j + 1] = forest[first_i * width + j] + costs.insertion
    for i in range(first_i, x + 1):
        above = forest + i * width
        row = above + width
        row[first_j] = above[first_j] + costs.deletion
        is_tree = source.leftmost[i] == first_i
        for j in range(first_j, y + 1):
            best = above[j + 1] + costs.deletion
            other = row[j] + costs.insertion
            if other < best:
                best = other
            if is_tree and target.leftmost[j] == first_j:
                other = above[j] + substituted(source, target, costs, i, j)
                if other < best:
                    best = other
                tree[i * <Py_ssize_t>target.n + j] = best
            else:
                other = (
                    forest[source.leftmost[i] * width + target.leftmost[j]]
                    + tree[i * <Py_ssize_t>target.n + j]
                )
                if other < best:
                    best = other
            row[j + 1] = best


cdef void read_script(
    const Tree *source, const Tree *target, const Costs *costs,
    int32_t *tree, int32_t *forest, int32_t *pending, int32_t *partner,
) noexcept nogil:
    """Fill each source token's partner in the cheapest script, -1 if it is deleted.

    Ties, from the right, go to substitution (or subtree by subtree), then deletion, then insertion.
    `pending` is [2 * source.n]: pairs of subtrees still to be read.
    """
    cdef Py_ssize_t width = target.n + 1, n_pending = 1
    cdef int32_t x, y, i, j, here, first_i, first_j
    for i in range(source.n - 1):
        partner[i] = -1
    pending[0] = source.n - 1
    pending[1] = target.n - 1
    while n_pending:
        n_pending -= 1
        x = pending[2 * n_pending]
        y = pending[2 * n_pending + 1]
        fill_forest(source, target, costs, x, y, tree, forest)
        first_i = source.leftmost[x]
        first_j = target.leftmost[y]
        i = x
        j = y
        while i >= first_i and j >= first_j:
            here = forest[(i + 1) * width + j + 1]
            if source.leftmost[i] == first_i and target.leftmost[j] == first_j:
                if here == forest[i * width + j] + substituted(source, target, costs, i, j):
                    if i < source.n - 1:
                        partner[source.token[i]] = target.token[j]
                    i -= 1
                    j -= 1
                    continue
            elif here == (
                forest[source.leftmost[i] * width + target.leftmost[j]]
                + tree[i * <Py_ssize_t>target.n + j]
            ):
                pending[2 * n_pending] = i
                pending[2 * n_pending + 1] = j
                n_pending += 1
                i = source.leftmost[i] - 1
                j = target.leftmost[j] - 1
                continue
            if here == forest[i * width + j + 1] + costs.deletion:
                i -= 1
            else:
                j -= 1


cdef int plant(const int32_t[::1] heads, Tree *tree) except -1:
    """Fill a tree, whose arrays have room for one node more than tokens."""
    cdef int32_t n_tokens = <int32_t>heads.shape[0]
    cdef int32_t token, node = 0, place
    # children[starts[h] : starts[h + 1]] hang from token h, those of the root last.
    cdef int32_t[::1] starts = np.zeros(n_tokens + 2, dtype=np.int32)
    cdef int32_t[::1] children = np.empty(max(n_tokens, 1), dtype=np.int32)
    cdef int32_t[::1] path = np.empty(n_tokens + 1, dtype=np.int32)
    cdef int32_t[::1] following = np.empty(n_tokens + 1, dtype=np.int32)
    cdef int32_t[::1] leftmost_of = np.empty(n_tokens + 1, dtype=np.int32)
    cdef int32_t depth = 1
    for token in range(n_tokens):
        if not -1 <= heads[token] < n_tokens:
            raise InputError(f"token {token} has head {heads[token]}; wanted -1 or another token")
        starts[_parent(heads, token) + 1] += 1
    for place in range(n_tokens + 1):
        starts[place + 1] += starts[place]
    for place in range(n_tokens + 1):
        following[place] = starts[place]
    for token in range(n_tokens):
        place = _parent(heads, token)
        children[following[place]] = token
        following[place] += 1
    for place in range(n_tokens + 1):
        following[place] = starts[place]
    path[0] = n_tokens
    while depth:
        token = path[depth - 1]
        if following[token] < starts[token + 1]:
            path[depth] = children[following[token]]
            following[token] += 1
            depth += 1
            continue
        depth -= 1
        tree.token[node] = token
        tree.leftmost[node] = (
            node if starts[token] == starts[token + 1] else leftmost_of[children[starts[token]]]
        )
        leftmost_of[token] = tree.leftmost[node]
        node += 1
    if node != n_tokens + 1:
        raise InputError(f"{n_tokens + 1 - node} of {n_tokens} tokens hang from no root")
    tree.n = node
    # A node is a keyroot if no later one has the same leftmost leaf; leaves are marked as seen.
    tree.n_keyroots = 0
    for place in range(node):
        leftmost_of[place] = -1
    for place in range(node):
        leftmost_of[tree.leftmost[place]] = place
    for place in range(node):
        if leftmost_of[tree.leftmost[place]] == place:
            tree.keyroots[tree.n_keyroots] = place
            tree.n_keyroots += 1
    return 0


cdef inline int32_t _parent(const int32_t[::1] heads, int32_t token) noexcept:
    """Return a token's head, the artificial root's number for a root."""
    return <int32_t>heads.shape[0] if heads[token] < 0 else heads[token]


cdef int64_t keyroot_sizes(const Tree *tree) noexcept:
    """Return the sum of the sizes of the subtrees of keyroots."""
    cdef int64_t total = 0
    cdef int32_t k
    for k in range(tree.n_keyroots):
        total += tree.keyroots[k] - tree.leftmost[tree.keyroots[k]] + 1
    return total


cdef Costs check_costs(
    const int32_t[:, ::1] substitution, int32_t deletion, int32_t insertion,
    Py_ssize_t n_source, Py_ssize_t n_target,
) except *:
    """Return checked costs of two sentences, or raise as cheapest_script does."""
    if (substitution.shape[0], substitution.shape[1]) != (n_source, n_target):
        raise ShapeError(
            f"substitution costs of shape {(substitution.shape[0], substitution.shape[1])}; "
            f"wanted {(n_source, n_target)}"
        )
    least = min(deletion, insertion, np.min(substitution, initial=0))
    most = max(deletion, insertion, np.max(substitution, initial=0))
    if least < 0 or most > 1_000_000:
        raise InputError(f"costs of {least} to {most}; wanted 0 to 1000000")
    cdef Costs costs = Costs(NULL, n_target, deletion, insertion)
    if n_source and n_target:
        costs.substitution = &substitution[0, 0]
    return costs


cdef int32_t *carve(Tree *tree, Py_ssize_t n_tokens, int32_t *memory) noexcept:
    """Place a tree's arrays in memory; return their end."""
    tree.token = memory
    tree.leftmost = tree.token + n_tokens + 1
    tree.keyroots = tree.leftmost + n_tokens + 1
    return tree.keyroots + n_tokens + 1


cdef int check_steps(const Tree *source, const Tree *target) except -1:
    """Raise LimitError if the edit distance of two trees takes too long."""
    if keyroot_sizes(source) * keyroot_sizes(target) > MAX_STEPS * (
        <int64_t>source.n * target.n
    ):
        raise LimitError(
            f"the edit distance of these trees of {source.n - 1} and {target.n - 1} tokens takes "
            f"more than {MAX_STEPS} steps for each pair of tokens; they are far deeper and more "
            "forked than those of sentences: give other trees"
        )
    return 0


# Long, because it checks and documents all arguments, and owns the memory.
def cheapest_script(
    source_heads, target_heads, const int32_t[:, ::1] substitution,
    int32_t deletion=1, int32_t insertion=1,
):
    """Return the edit distance of two dependency trees and the substitutions of the cheapest
    script.

    Parameters
    ----------
    source_heads, target_heads : sequence of int, length n_source and n_target
        0-based, -1 for a root; there may be several. Children are in the order of tokens.
    substitution : int32 array, shape (n_source, n_target), C-contiguous
        Cost of substituting each target token for each source token; 0 to 1,000,000.
    deletion, insertion : int
        Cost of any token, in the same range.

    Returns
    -------
    distance : int
    partner : int32 array, shape (n_source,)
        The target token that each source token is substituted by, -1 if it is deleted. Ties go to
        the script that, read from the right, first substitutes, else deletes.

    ShapeError is raised if the shapes disagree; InputError, if heads are not trees, or a cost is
    out of range; LimitError, if the trees are so deep and branched that a pair of tokens needs more
    than MAX_STEPS.

    Examples
    --------
    >>> same = np.array([[0, 1], [1, 0]], dtype=np.int32)
    >>> cheapest_script([-1, 0], [-1], same[:, 1:].copy())  # a head is deleted, the other kept
    (1, array([-1,  0], dtype=int32))
    """
    cdef int32_t[::1] heads_of_source = np.array(source_heads, dtype=np.int32)
    cdef int32_t[::1] heads_of_target = np.array(target_heads, dtype=np.int32)
    cdef Py_ssize_t n_source = heads_of_source.shape[0], n_target = heads_of_target.shape[0]
    cdef Costs costs = check_costs(substitution, deletion, insertion, n_source, n_target)
    partner = np.empty(n_source, dtype=np.int32)
    cdef int32_t[::1] partners = partner
    cdef Py_ssize_t n_trees = (n_source + 1) * (n_target + 1)
    cdef Py_ssize_t n_forests = (n_source + 2) * (n_target + 2)
    cdef Py_ssize_t n_nodes = 5 * (n_source + 1) + 3 * (n_target + 1)
    cdef int32_t *memory = <int32_t *>malloc((n_nodes + n_trees + n_forests) * sizeof(int32_t))
    if memory == NULL:
        raise MemoryError("the tables of two trees")
    cdef Tree source, target
    cdef int32_t *pending = carve(&source, n_source, memory)
    cdef int32_t *trees = carve(&target, n_target, pending + 2 * (n_source + 1))
    cdef int32_t *forests = trees + n_trees
    cdef int32_t a, b
    cdef int32_t distance
    try:
        plant(heads_of_source, &source)
        plant(heads_of_target, &target)
        check_steps(&source, &target)
        with nogil:
            for a in range(source.n_keyroots):
                for b in range(target.n_keyroots):
                    fill_forest(
                        &source, &target, &costs, source.keyroots[a], target.keyroots[b],
                        trees, forests,
                    )
            distance = trees[n_trees - 1]
            read_script(
                &source, &target, &costs, trees, forests, pending,
                &partners[0] if n_source else NULL,
            )
    finally:
        free(memory)
    return distance, partner
