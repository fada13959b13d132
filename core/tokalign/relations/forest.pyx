"""Boosted trees, as Friedman (2001), Annals of Statistics 29(5), has them: sums of small trees.

What an input contributed to a score is what the mean of the leaves below changed by where it was
compared (Saabas 2014, "Interpreting random forests"); with the base these sum to the score.
"""

from libc.stdint cimport int16_t, int32_t
from libc.stdlib cimport free, malloc

import numpy as np

from tokalign.errors import ResourceError, ShapeError


cdef class Forest:
    """Trees that score a row of inputs, read from a table.

    Parameters
    ----------
    table : Table
        With the arrays NAME_root, NAME_input, NAME_threshold, NAME_left, NAME_value, NAME_base.
    name : str
    n_inputs, n_outputs : int
        Tree k adds to output k modulo n_outputs.

    Raises
    ------
    ResourceError
        If the table lacks an array, or a tree leads out of it or in a circle.
    """

    def __init__(self, table, str name, int n_inputs, int n_outputs):
        self.n_inputs = n_inputs
        self.n_outputs = n_outputs
        inputs = table.array(f"{name}_input", np.int16, (None,))
        n_nodes = len(inputs)
        root = table.array(f"{name}_root", np.int32, (None,))
        left = table.array(f"{name}_left", np.int32, (n_nodes,))
        threshold = table.array(f"{name}_threshold", np.float32, (n_nodes,))
        value = table.array(f"{name}_value", np.float32, (n_nodes,))
        base = table.array(f"{name}_base", np.float32, (n_outputs,))
        inner = inputs >= 0
        # A branch stands behind its node, so that no path comes back.
        behind = left[inner] > np.flatnonzero(inner)
        if (
            not n_nodes or not len(root) or len(root) % n_outputs
            or root.min() < 0 or root.max() >= n_nodes
            or inputs.min() < -1 or inputs.max() >= n_inputs
            or not behind.all() or (inner.any() and left[inner].max() + 1 >= n_nodes)
            or not (np.isfinite(threshold).all() and np.isfinite(value).all())
            or not np.isfinite(base).all()
        ):
            raise ResourceError(f"{table.path}: the trees of {name!r} lead nowhere or in a circle")
        self._root, self._base = root, base
        self._fill(inputs, left, threshold, value)

    def __dealloc__(self):
        free(self._node)

    def _fill(
        self, const int16_t[::1] inputs, const int32_t[::1] left, const float[::1] threshold,
        const float[::1] value,
    ):
        cdef Py_ssize_t k
        free(self._node)
        self._node = <TreeNode *>malloc(inputs.shape[0] * sizeof(TreeNode))
        if self._node == NULL:
            raise MemoryError("trees")
        for k in range(inputs.shape[0]):
            self._node[k] = TreeNode(left[k], inputs[k], threshold[k], value[k])

    cdef void score(self, const float *inputs, double *out) noexcept nogil:
        """Write the scores of a row, [n_outputs]."""
        cdef Py_ssize_t k
        cdef int output = 0
        cdef const TreeNode *node
        for k in range(self.n_outputs):
            out[k] = self._base[k]
        for k in range(self._root.shape[0]):
            node = self._node + self._root[k]
            while node.input >= 0:
                node = self._node + node.left + (inputs[node.input] > node.threshold)
            out[output] += node.value
            output += 1
            if output == self.n_outputs:
                output = 0

    def _check(self, Py_ssize_t n_columns):
        if n_columns != self.n_inputs:
            raise ShapeError(f"rows have {n_columns} inputs; wanted {self.n_inputs}")

    def scores(self, const float[:, ::1] rows):
        """Return the scores of rows.

        Parameters
        ----------
        rows : float32 array, shape (n_rows, n_inputs)

        Returns
        -------
        float64 array, shape (n_rows, n_outputs)

        Raises
        ------
        ShapeError
            If rows have another number of inputs.
        """
        self._check(rows.shape[1])
        found = np.empty((rows.shape[0], self.n_outputs))
        cdef double[:, ::1] scores = found
        cdef Py_ssize_t k
        for k in range(rows.shape[0]):
            self.score(&rows[k, 0], &scores[k, 0])
        return found

    def contributions(self, const float[::1] row, int output):
        """Return what each input contributed to a score of a row.

        Parameters
        ----------
        row : float32 array, shape (n_inputs,)
        output : int

        Returns
        -------
        float64 array, shape (n_inputs + 1,)
            They sum to the score; the last one is what no input changed.

        Raises
        ------
        ShapeError
            If the row has another number of inputs.
        """
        self._check(row.shape[0])
        found = np.zeros(self.n_inputs + 1)
        cdef double[::1] each = found
        cdef Py_ssize_t k
        cdef const TreeNode *node
        cdef const TreeNode *branch
        each[self.n_inputs] = self._base[output]
        for k in range(output, self._root.shape[0], self.n_outputs):
            node = self._node + self._root[k]
            each[self.n_inputs] += node.value
            while node.input >= 0:
                branch = self._node + node.left + (row[node.input] > node.threshold)
                each[node.input] += <double>branch.value - node.value
                node = branch
        return found
