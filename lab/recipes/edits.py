"""The model of edits: trained on the edits that people marked in revised papers (arXivEdits).

``python -m lab.recipes.edits --data DATA --output FILE`` writes it; ``--seeds 1 2 3``
prints, instead, how exactly it finds edits in held-out pairs, for each division into folds.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from tokalign import Aligner, Sentence
from tokalign.edits import edits_between
from tokalign.edits.cuts_and_moves import MOVE_INPUTS, chosen_moves
from tokalign.edits.pair_edits import EditModel, EditPair
from tokalign.edits.segments import SEGMENT_INPUTS
from tokalign.edits.side_words import word_facts
from tokalign.english.lexicon.word_weights import Frequencies
from tokalign.files.tables import Table, write_table
from tokalign.types.edits import Edit, EditKind

from lab.recipes.forests import Arrays, forest_arrays
from lab.recipes.marked_edits import Marked, MarkedPair, read_marked, score_edits
from lab.recipes.settings import LICENSES

STYLE = "edits"
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "segment": {
        "max_iter": 80,
        "learning_rate": 0.1,
        "max_leaf_nodes": 16,
        "min_samples_leaf": 15,
        "l2_regularization": 1.0,
        "max_features": 0.4,
    },
    "move": {
        "max_iter": 60,
        "learning_rate": 0.1,
        "max_leaf_nodes": 6,
        "min_samples_leaf": 10,
    },
}
"""Chosen by cross-validation on the pairs of training; lab/experiments.md has what was tried."""
N_FOLDS = 5
SEED = 1


@dataclass(slots=True)
class MarkedRows:
    """Rows of inputs, what people decided, and the pair that each row is of."""

    rows: list[NDArray[np.float32]] = field(default_factory=list)
    labels: list[bool] = field(default_factory=list)
    pairs: list[int] = field(default_factory=list)

    def add(self, rows: NDArray[np.float32], labels: Sequence[bool], pair: int) -> None:
        """Add the rows of a pair."""
        self.rows.append(rows)
        self.labels += labels
        self.pairs += [pair] * len(labels)


@dataclass(frozen=True, slots=True)
class AlignedEdits:
    """A marked pair as it was aligned."""

    marked: MarkedPair
    source: Sentence
    target: Sentence
    links: dict[tuple[int, int], float]
    pair: EditPair


def prepare(pairs: Sequence[MarkedPair]) -> list[AlignedEdits]:
    """Return the pairs aligned."""
    aligner = Aligner.load("en")
    facts = word_facts(Frequencies.open_shipped().idf)
    found = []
    texts = [(pair.source, pair.target) for pair in pairs]
    for marked, alignment in zip(pairs, aligner.pipe(texts, style=STYLE), strict=True):
        source, target = alignment.source, alignment.target
        links = {(link.source, link.target): link.confidence for link in alignment.links}
        pair = EditPair(source, target, links, facts)
        found.append(AlignedEdits(marked, source, target, links, pair))
    return found


def fit(name: str, examples: MarkedRows, chosen: NDArray[np.bool_]) -> Any:
    """Return the trees of that name, fitted on the chosen pairs."""
    of_row = chosen[np.array(examples.pairs)]
    classifier = HistGradientBoostingClassifier(
        **SETTINGS[name], early_stopping=False, random_state=SEED
    )
    return classifier.fit(np.concatenate(examples.rows)[of_row], np.array(examples.labels)[of_row])


def move_examples(prepared: Sequence[AlignedEdits]) -> MarkedRows:
    """Return runs of the same words, and whether people left them unmarked on both sides."""
    examples = MarkedRows()
    for number, each in enumerate(prepared):
        candidates = each.pair.move_candidates()
        if candidates:
            marked = each.marked.tokens()
            labels = [
                marked[0].isdisjoint(range(i0, i1)) and marked[1].isdisjoint(range(j0, j1))
                for i0, i1, j0, j1 in candidates
            ]
            examples.add(each.pair.move_inputs(candidates), labels, number)
    return examples


def segment_examples(
    prepared: Sequence[AlignedEdits], moves: MarkedRows, folds: NDArray[np.int64]
) -> MarkedRows:
    """Return segments, and whether people marked them; moves are those that trees of other folds
    find, as they are where the model is used."""
    probabilities = held_out_probabilities(moves, folds)
    by_pair: dict[int, list[float]] = {}
    for number, probability in zip(moves.pairs, probabilities.tolist(), strict=True):
        by_pair.setdefault(number, []).append(probability)
    examples = MarkedRows()
    for number, each in enumerate(prepared):
        candidates = each.pair.move_candidates()
        moved = chosen_moves(candidates, by_pair.get(number, []))
        segments = each.pair.cuts(moved).segments
        if segments:
            labels = [_marked(segment[:4]) in each.marked.edits for segment in segments]
            examples.add(each.pair.segment_inputs(segments), labels, number)
    return examples


def held_out_probabilities(examples: MarkedRows, folds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the probability of each row by trees that are fitted on the other folds."""
    rows, of_row = np.concatenate(examples.rows), folds[np.array(examples.pairs)]
    found = np.zeros(len(rows))
    for fold in range(N_FOLDS):
        trees = fit("move", examples, folds != fold)
        here = of_row == fold
        found[here] = trees.predict_proba(rows[here])[:, 1]
    return found


def _marked(run: Iterable[int]) -> Marked:
    i0, i1, j0, j1 = run
    return (i0, i1) if i0 < i1 else None, (j0, j1) if j0 < j1 else None


def folds_of(pairs: Sequence[MarkedPair], seed: int) -> NDArray[np.int64]:
    """Return the fold of each pair; those of one paper are in one."""
    papers = sorted({pair.paper for pair in pairs})
    random.Random(seed).shuffle(papers)
    fold = {paper: number % N_FOLDS for number, paper in enumerate(papers)}
    return np.array([fold[pair.paper] for pair in pairs])


def arrays_of(moves: MarkedRows, segments: MarkedRows, chosen: NDArray[np.bool_]) -> Arrays:
    """Return the trees of a model, fitted on the chosen pairs."""
    return forest_arrays("move", fit("move", moves, chosen)) | forest_arrays(
        "segment", fit("segment", segments, chosen)
    )


def held_out(prepared: Sequence[AlignedEdits], seed: int) -> list[set[Marked]]:
    """Return the edits of each pair by a model that is fitted on the other folds.

    Parameters
    ----------
    prepared : sequence of AlignedEdits
    seed : int
        Of the division into folds.
    """
    folds = folds_of([each.marked for each in prepared], seed)
    moves = move_examples(prepared)
    segments = segment_examples(prepared, moves, folds)
    found: list[set[Marked]] = [set() for _ in prepared]
    for fold in range(N_FOLDS):
        model = _opened(arrays_of(moves, segments, folds != fold))
        for number in np.flatnonzero(folds == fold).tolist():
            each = prepared[number]
            edits = edits_between(each.source, each.target, each.links, model=model)
            found[number] = marked_of(edits)
    return found


def judge(prepared: Sequence[AlignedEdits], seeds: Sequence[int]) -> None:
    """Print how exactly edits are found in held-out pairs, for each division into folds."""
    pairs = [each.marked for each in prepared]
    for seed in seeds:
        predicted = held_out(prepared, seed)
        for part in ("train", "dev", ""):
            chosen = [k for k, pair in enumerate(pairs) if pair.part.startswith(part)]
            scores = score_edits([pairs[k] for k in chosen], [predicted[k] for k in chosen])
            print(json.dumps({"seed": seed, "part": part or "both", **scores}), flush=True)


def marked_of(edits: Iterable[Edit]) -> set[Marked]:
    """Return edits as people mark them, who leave unmarked what is kept or moved."""
    kinds = (EditKind.EQUAL, EditKind.MOVE)
    return {
        (
            (edit.source[0], edit.source[-1] + 1) if edit.source else None,
            (edit.target[0], edit.target[-1] + 1) if edit.target else None,
        )
        for edit in edits
        if edit.kind not in kinds
    }


def _opened(arrays: Arrays) -> EditModel:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "edits.table"
        write(arrays, path)
        return EditModel(Table.open(path), Frequencies.open_shipped())


def write(arrays: Arrays, output: Path) -> None:
    """Write a model as a table."""
    write_table(
        output,
        {"inputs": list(SEGMENT_INPUTS), "move_inputs": list(MOVE_INPUTS), **arrays},
        name="edits",
        version="1.0.0",
        license=LICENSES["edits"],
        source="arXivEdits (training and development parts); lab/recipes/edits.py",
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the model, or judge it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--output", type=Path, help="table file to write")
    chosen.add_argument("--seeds", type=int, nargs="+", help="judge it with folds of these seeds")
    given = parser.parse_args(arguments)
    pairs = [pair for part in ("train", "dev") for pair in read_marked(given.data, part)]
    prepared = prepare(pairs)
    if given.seeds:
        judge(prepared, given.seeds)
        return
    moves = move_examples(prepared)
    segments = segment_examples(prepared, moves, folds_of(pairs, SEED))
    every = np.ones(len(pairs), dtype=bool)
    write(arrays_of(moves, segments, every), given.output)
    print(f"{given.output}: trained on {len(segments.labels)} segments of {len(pairs)} pairs")


if __name__ == "__main__":
    main()
