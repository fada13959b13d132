"""Boosted trees of scikit-learn as arrays of a table, for tokalign.relations.related_units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def forest_arrays(name: str, model: Any) -> Arrays:
    """Return the trees of a fitted model as tokalign.relations.related_units reads them."""
    trees = [tree for stage in model._predictors for tree in stage]
    columns: dict[str, list[float]] = {key: [] for key in ("input", "threshold", "left", "value")}
    roots = []
    for tree in trees:
        roots.append(len(columns["input"]))
        _add_tree(tree.nodes, columns)
    types = {"input": np.int16, "threshold": np.float32, "left": np.int32, "value": np.float32}
    arrays = {f"{name}_{key}": np.array(columns[key], dtype=types[key]) for key in columns}
    arrays[f"{name}_root"] = np.array(roots, dtype=np.int32)
    arrays[f"{name}_base"] = np.ravel(model._baseline_prediction).astype(np.float32)
    return arrays


def _add_tree(nodes: NDArray[Any], columns: dict[str, list[float]]) -> None:
    """Add a tree, its branches behind their nodes and the right behind the left one."""
    means = _means(nodes)
    first = len(columns["input"])
    order = [0]
    for at in order:
        node = nodes[at]
        columns["input"].append(-1 if node["is_leaf"] else int(node["feature_idx"]))
        columns["threshold"].append(0.0 if node["is_leaf"] else float(node["num_threshold"]))
        columns["left"].append(0 if node["is_leaf"] else first + len(order))
        columns["value"].append(means[at])
        if not node["is_leaf"]:
            order += [int(node["left"]), int(node["right"])]


def _means(nodes: NDArray[Any]) -> list[float]:
    """Return of each node the mean of the leaves below, by how many examples they hold."""
    found = [0.0] * len(nodes)

    def mean(at: int) -> float:
        node = nodes[at]
        if node["is_leaf"]:
            found[at] = float(node["value"])
        else:
            left, right = int(node["left"]), int(node["right"])
            n_left, n_right = float(nodes[left]["count"]), float(nodes[right]["count"])
            found[at] = (mean(left) * n_left + mean(right) * n_right) / (n_left + n_right)
        return found[at]

    mean(0)
    return found
