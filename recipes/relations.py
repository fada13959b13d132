"""The model of relations: trained on chunks that people related, and on made contrasts.

``python -m recipes.relations --data DATA --output FILE`` writes it; ``recipes.related`` judges it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from tokalign import Aligner
from tokalign.files.tables import write_table
from tokalign.relations.chunker import boundary_inputs
from tokalign.relations.inputs import INPUTS
from tokalign.types import Sentence
from tokalign.types.chunks import TokenChunk
from tokalign.types.relations import RELATION_KINDS

from recipes.unit_examples import (
    UNKNOWN,
    Examples,
    add_made,
    add_paraphrases,
    add_spans,
    add_task,
    chunked_sentences,
    read_task,
)

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "kinds": {
        "max_iter": 60,
        "learning_rate": 0.14,
        "max_leaf_nodes": 12,
        "min_samples_leaf": 20,
        "max_features": 0.3,
    },
    "linked": {"max_iter": 150, "learning_rate": 0.08, "max_leaf_nodes": 16},
    "boundary": {"max_iter": 100, "learning_rate": 0.1, "max_leaf_nodes": 16},
    "score": {
        "max_iter": 150,
        "learning_rate": 0.06,
        "max_leaf_nodes": 12,
        "min_samples_leaf": 20,
        "max_features": 0.3,
    },
}
"""Chosen by cross-validation on the training pairs; docs/experiments.md has what was tried."""
SEED = 1

Arrays = dict[str, NDArray[Any]]


def collect(aligner: Aligner, data: Path) -> Examples:
    """Return all training examples."""
    texts = read_task(data)
    examples = Examples()
    add_task(examples, aligner, texts)
    add_made(examples, aligner, texts)
    add_paraphrases(examples, aligner, data)
    add_spans(examples, aligner, data)
    return examples


def fit_boundary(sentences: Sequence[tuple[Sentence, Sequence[TokenChunk]]]) -> Arrays:
    """Return the trees that say where chunks begin."""
    rows = np.concatenate([boundary_inputs(sentence.tags or ()) for sentence, _ in sentences])
    begins = [
        k in {chunk[0] for chunk in chunks}
        for sentence, chunks in sentences
        for k in range(len(sentence))
    ]
    classifier = HistGradientBoostingClassifier(
        **SETTINGS["boundary"], early_stopping=False, random_state=SEED
    )
    return _forest("boundary", classifier.fit(rows, begins))


def fit(examples: Examples, chosen: NDArray[np.bool_]) -> Arrays:
    """Return the trees of relations, links and scores, fitted on the chosen examples."""
    rows = np.array(examples.rows, dtype=np.float32)
    kinds, linked = np.array(examples.kinds), np.array(examples.linked)
    scores, weights = np.array(examples.scores), np.array(examples.weights)
    arrays: Arrays = {}
    has_kind = chosen & (kinds != UNKNOWN)
    classifier = HistGradientBoostingClassifier(
        **SETTINGS["kinds"], early_stopping=False, random_state=SEED
    )
    classifier.fit(rows[has_kind], kinds[has_kind], sample_weight=weights[has_kind])
    arrays |= _forest("kinds", classifier)
    is_pair = chosen & (linked != UNKNOWN)
    classifier = HistGradientBoostingClassifier(
        **SETTINGS["linked"], early_stopping=False, random_state=SEED
    )
    classifier.fit(rows[is_pair], linked[is_pair])
    arrays |= _forest("linked", classifier)
    has_score = chosen & ~np.isnan(scores)
    regressor = HistGradientBoostingRegressor(
        **SETTINGS["score"], early_stopping=False, random_state=SEED
    )
    regressor.fit(rows[has_score], scores[has_score], sample_weight=weights[has_score])
    arrays |= _forest("score", regressor)
    alike = has_kind & (rows[:, INPUTS.index("is-identical")] > 0) & (linked == 1)
    counts = np.bincount(kinds[alike], minlength=len(RELATION_KINDS)) + 0.5
    arrays["identical"] = (counts / counts.sum()).astype(np.float32)
    return arrays


def _forest(name: str, model: Any) -> Arrays:
    """Return the trees of a fitted model as tokalign.relations.forest reads them."""
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


def write(arrays: Arrays, output: Path) -> None:
    """Write a model as a table."""
    write_table(
        output,
        {"inputs": list(INPUTS), **arrays},
        name="relations",
        version="1.0.0",
        license="Apache-2.0",
        source=(
            "SemEval 2016 task 2 (training part), SSD's spans, MultiMWA's MTRef training half, and "
            "contrasts made with WordNet 3.0; recipes/relations.py"
        ),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--output", type=Path, required=True, help="table file to write")
    given = parser.parse_args(arguments)
    aligner = Aligner.load("en")
    examples = collect(aligner, given.data)
    every = np.ones(len(examples.rows), dtype=bool)
    boundary = fit_boundary(chunked_sentences(aligner, read_task(given.data)))
    write(fit(examples, every) | boundary, given.output)
    print(f"{given.output}: trained on {len(examples.rows)} examples")


if __name__ == "__main__":
    main()
