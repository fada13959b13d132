"""Judges the model of relations by cross-validation, divided by the first sentence.

``python -m lab.recipes.related --data DATA --folds 5`` prints the figures of docs/relations.md.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign import Aligner
from tokalign.evaluate.chunks import score_chunks
from tokalign.files.tables import Table
from tokalign.relations.chunks import link_chunks
from tokalign.relations.related_units import RelationModel
from tokalign.types import AnnotatedPair
from tokalign.types.chunks import ChunkedPair
from tokalign.types.options import AlignOptions

from lab.recipes.corpora import read_spans
from lab.recipes.forests import Arrays
from lab.recipes.relations import collect, fit, fit_boundary, write
from lab.recipes.unit_examples import (
    TEXTS,
    ChunkedText,
    Examples,
    annotated,
    chunked_sentences,
    read_task,
)

SEED = 3
SIMILAR = 3.5
"""Least score of spans that people call similar."""


def folds_of(groups: Sequence[str], n_folds: int) -> NDArray[np.int64]:
    """Return the fold of each example; those of one group are in one."""
    names = sorted(set(groups))
    random.Random(SEED).shuffle(names)
    fold = {name: number % n_folds for number, name in enumerate(names)}
    return np.array([fold[group] for group in groups])


def judge(aligner: Aligner, examples: Examples, data: Path, n_folds: int) -> None:
    """Print the task's four F1 of each kind of text, over held-out pairs."""
    texts = read_task(data)
    pairs = annotated(aligner, texts)
    of_example = folds_of(examples.groups, n_folds)
    of_text = dict(zip(examples.groups, of_example.tolist(), strict=True))
    boundary = fit_boundary(chunked_sentences(aligner, texts))
    models = [held_out(examples, of_example != fold, boundary) for fold in range(n_folds)]
    predicted = [
        predict(aligner, models[of_text[" ".join(text.pair.source.tokens)]], text, pair)
        for text, pair in zip(texts, pairs, strict=True)
    ]
    for name in TEXTS:
        chosen = [k for k, text in enumerate(texts) if text.text == name]
        gold = [texts[k].pair for k in chosen]
        scores = score_chunks(gold, [predicted[k] for k in chosen])
        print(
            f"{name}: alignment {scores.alignment:.3f}, type {scores.type:.3f}, "
            f"score {scores.score:.3f}, type and score {scores.type_and_score:.3f}"
        )
    print(f"SSD's spans: accuracy {span_accuracy(aligner, models, of_text, data):.3f}")


def held_out(examples: Examples, chosen: NDArray[np.bool_], boundary: Arrays) -> RelationModel:
    """Return a model that is trained on the chosen examples; chunks are given."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "relations.table"
        write(fit(examples, chosen) | boundary, path)
        return RelationModel(Table.open(path))


def predict(
    aligner: Aligner, model: RelationModel, text: ChunkedText, pair: AnnotatedPair
) -> ChunkedPair:
    """Return a pair of the task with the alignment of its gold chunks by a model."""
    links = link_chunks(
        model,
        text.source_chunks,
        text.target_chunks,
        lambda units: aligner._engine.unit_inputs(pair, units, AlignOptions(related=True)),
    )
    return ChunkedPair(text.pair.id, text.pair.source, text.pair.target, links)


def span_accuracy(
    aligner: Aligner, models: Sequence[RelationModel], of_text: Mapping[str, int], data: Path
) -> float:
    """Return the share of SSD's span pairs whose score is on the right side of SIMILAR."""
    right = []
    for source, target, units, labels in read_spans(data / "ssd" / "spans.tsv"):
        if not units:
            continue
        sides = aligner.annotate([source, target])
        rows = aligner._engine.unit_inputs((sides[0], sides[1]), units, AlignOptions(related=True))
        model = models[of_text[" ".join(source.tokens)]]
        right += [
            (s >= SIMILAR) == label for s, label in zip(model.scores(rows), labels, strict=True)
        ]
    return float(np.mean(right))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--folds", type=int, default=5)
    given = parser.parse_args(arguments)
    aligner = Aligner.load("en")
    judge(aligner, collect(aligner, given.data), given.data, given.folds)


if __name__ == "__main__":
    main()
