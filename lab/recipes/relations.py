"""The model of relations: trained on related links of the project's own corpus, on chunks that its
links and those of Edinburgh++ join, and on made contrasts.

``python -m lab.recipes.relations --data DATA --output FILE`` writes it; `related` judges it. With
``--research`` it is the one of the chunks of `en-research`: trained on the task of interpretable
similarity and SSD's spans alone, whose terms are for research use.
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
from tokalign.relations.related_units import UNIT_INPUTS
from tokalign.types import Sentence
from tokalign.types.relations import RELATION_KINDS, TokenChunk

from lab.recipes.corpora import OwnPair, own_marks
from lab.recipes.forests import Arrays, forest_arrays
from lab.recipes.settings import LICENSES
from lab.recipes.task_examples import (
    ChunkedText,
    add_spans,
    add_task,
    chunked_sides,
    read_task,
)
from lab.recipes.tree_chunks import chunks_of, with_trees
from lab.recipes.unit_examples import (
    UNKNOWN,
    Examples,
    add_chunks,
    add_links,
    add_made,
    add_paraphrases,
    paraphrases,
)

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "kinds": {
        "max_iter": 60,
        "learning_rate": 0.14,
        "max_leaf_nodes": 12,
        "min_samples_leaf": 20,
        "max_features": 0.3,
    },
    "linked": {
        "max_iter": 150,
        "learning_rate": 0.08,
        "max_leaf_nodes": 16,
        "min_samples_leaf": 50,
        "l2_regularization": 10.0,
    },
    "boundary": {"max_iter": 200, "learning_rate": 0.1, "max_leaf_nodes": 31},
    "score": {
        "max_iter": 150,
        "learning_rate": 0.06,
        "max_leaf_nodes": 12,
        "min_samples_leaf": 20,
        "max_features": 0.3,
    },
}
"""Chosen by cross-validation on the training pairs; lab/experiments.md has what was tried."""
RESEARCH_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    **SETTINGS,
    "score": {**SETTINGS["score"], "max_iter": 300, "learning_rate": 0.04},
}
"""Chosen by five folds of the task; its figures are of five others."""
SEED = 1


def collect(aligner: Aligner, data: Path, pairs: Sequence[OwnPair]) -> Examples:
    """Return all training examples; the pairs are of the project's own corpus."""
    examples = Examples()
    same = paraphrases(data)
    gold = [pair.gold for pair in pairs]
    add_links(examples, aligner, pairs)
    relations, topics = [pair.relations for pair in pairs], [pair.topic for pair in pairs]
    add_chunks(examples, aligner, gold, relations, topics)
    add_chunks(examples, aligner, same)
    add_made(examples, aligner, pairs)
    add_paraphrases(examples, aligner, same)
    return examples


def collect_research(aligner: Aligner, data: Path, texts: Sequence[ChunkedText]) -> Examples:
    """Return the training examples for research use."""
    examples = Examples()
    add_task(examples, aligner, texts)
    add_spans(examples, aligner, data)
    return examples


def chunked_sentences(
    data: Path, pairs: Sequence[OwnPair]
) -> list[tuple[Sentence, list[TokenChunk]]]:
    """Return the sentences of the corpora with their chunks."""
    gold = [*(pair.gold for pair in pairs), *paraphrases(data)]
    trees = with_trees([side for pair in gold for side in (pair.source, pair.target)])
    return [(tree, chunks_of(tree)) for tree in trees]


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
    return forest_arrays("boundary", classifier.fit(rows, begins))


def fit(
    examples: Examples,
    chosen: NDArray[np.bool_],
    settings: Mapping[str, Mapping[str, Any]] = SETTINGS,
) -> Arrays:
    """Return the trees of relations, links and scores, fitted on the chosen examples."""
    rows = np.array(examples.rows, dtype=np.float32)
    kinds, linked = np.array(examples.kinds), np.array(examples.linked)
    scores, weights = np.array(examples.scores), np.array(examples.weights)
    arrays: Arrays = {}
    has_kind = chosen & (kinds != UNKNOWN)
    classifier = HistGradientBoostingClassifier(
        **settings["kinds"], early_stopping=False, random_state=SEED
    )
    classifier.fit(rows[has_kind], kinds[has_kind], sample_weight=weights[has_kind])
    arrays |= forest_arrays("kinds", classifier)
    is_pair = chosen & (linked != UNKNOWN)
    classifier = HistGradientBoostingClassifier(
        **settings["linked"], early_stopping=False, random_state=SEED
    )
    classifier.fit(rows[is_pair], linked[is_pair])
    arrays |= forest_arrays("linked", classifier)
    has_score = chosen & ~np.isnan(scores)
    regressor = HistGradientBoostingRegressor(
        **settings["score"], early_stopping=False, random_state=SEED
    )
    regressor.fit(rows[has_score], scores[has_score], sample_weight=weights[has_score])
    arrays |= forest_arrays("score", regressor)
    alike = has_kind & (rows[:, UNIT_INPUTS.index("is-identical")] > 0) & (linked == 1)
    counts = np.bincount(kinds[alike], minlength=len(RELATION_KINDS)) + 0.5
    arrays["identical"] = (counts / counts.sum()).astype(np.float32)
    return arrays


def write(arrays: Arrays, output: Path, name: str = "relations") -> None:
    """Write a model as the table of this name."""
    source = (
        "tokalign corpus (training part), Edinburgh++, and contrasts made with WordNet 3.0"
        if name == "relations"
        else "SemEval 2016 task 2 (training part), SSD's spans"
    )
    write_table(
        output,
        {"inputs": list(UNIT_INPUTS), **arrays},
        name=name,
        version="1.0.0",
        license=LICENSES[name],
        source=f"{source}; lab/recipes/relations.py",
        meta={"kinds": list(RELATION_KINDS)},
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--output", type=Path, required=True, help="table file to write")
    parser.add_argument("--research", action="store_true", help="train that of en-research")
    given = parser.parse_args(arguments)
    if given.research:
        aligner, texts = Aligner.load("en-research"), read_task(given.data)
        examples = collect_research(aligner, given.data, texts)
        boundary = fit_boundary(chunked_sides(aligner, texts))
        settings, name = RESEARCH_SETTINGS, "relations-research"
    else:
        pairs = own_marks()
        examples = collect(Aligner.load("en"), given.data, pairs)
        boundary = fit_boundary(chunked_sentences(given.data, pairs))
        settings, name = SETTINGS, "relations"
    every = np.ones(len(examples.rows), dtype=bool)
    write(fit(examples, every, settings) | boundary, given.output, name)
    print(f"{given.output}: trained on {len(examples.rows)} examples")


if __name__ == "__main__":
    main()
