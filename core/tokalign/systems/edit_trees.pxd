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


cdef inline void fill_forest(
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


cdef inline void read_script(
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


cdef inline int64_t keyroot_sizes(const Tree *tree) noexcept:
    """Return the sum of the sizes of the subtrees of keyroots."""
    cdef int64_t total = 0
    cdef int32_t k
    for k in range(tree.n_keyroots):
        total += tree.keyroots[k] - tree.leftmost[tree.keyroots[k]] + 1
    return total


cdef inline int32_t *carve(Tree *tree, Py_ssize_t n_tokens, int32_t *memory) noexcept:
    """Place a tree's arrays in memory; return their end."""
    tree.token = memory
    tree.leftmost = tree.token + n_tokens + 1
    tree.keyroots = tree.leftmost + n_tokens + 1
    return tree.keyroots + n_tokens + 1
