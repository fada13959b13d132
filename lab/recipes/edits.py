"""The model of edits: trained on edits by the links of people, and on made ones.

The project's own corpus and Edinburgh++ say which words of two versions belong together, and so
which edits lie between them (`gold_edits`); sentences of the corpus are changed in known places
(`made_edits`).

``python -m lab.recipes.edits --data DATA --output FILE`` writes it. ``--judge`` prints, instead,
how exactly it finds the edits that people marked in revised papers (arXivEdits), which it has not
seen, and those of the corpus' development part. ``--folds own`` prints how exactly it finds edits
in held-out topics of its training pairs; ``--folds arxivedits`` does so for trees that learn from
other papers of arXivEdits alone.
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
from tokalign.edits.cuts import MOVE_INPUTS
from tokalign.edits.pair_edits import EditModel, EditPair, chosen_moves
from tokalign.edits.segments import SEGMENT_INPUTS, WordFacts
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.files.tables import Table, write_table
from tokalign.types import GoldPair
from tokalign.types.edits import Edit, EditKind

from lab.recipes.corpora import EDINBURGH, OwnPair, own_marks, read_corpus
from lab.recipes.forests import Arrays, forest_arrays
from lab.recipes.gold_edits import gold_edits
from lab.recipes.made_edits import EditMaker
from lab.recipes.marked_edits import Marked, MarkedPair, read_marked, score_edits
from lab.recipes.settings import LICENSES
from lab.recipes.tree_chunks import with_trees
from lab.recipes.unit_examples import sides_of

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
"""Chosen by cross-validation; lab/experiments.md has what was tried."""
TASKS = ("versions", "simplification", "paraphrase")
"""Of the corpus' pairs, those of which one side is a version of the other."""
N_MADE = 1500
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


def own_edits(part: str, tasks: Sequence[str] = TASKS) -> list[MarkedPair]:
    """Return the pairs of these tasks of a part of the project's own corpus, with their edits."""
    own = [pair for pair in own_marks(part) if pair.marks["task"] in tasks]
    return _by_links(part, [(pair.topic, pair.gold) for pair in own])


def training_pairs(data: Path) -> list[MarkedPair]:
    """Return the pairs of the corpora and the made ones, with their edits."""
    own = own_marks()
    edinburgh = [(gold.id, gold) for gold in read_corpus(data, EDINBURGH)]
    return [*own_edits("train"), *_by_links("edinburgh", edinburgh), *_made(own_topics(own))]


def own_topics(own: Sequence[OwnPair]) -> dict[tuple[str, ...], str]:
    """Return the topic of each sentence of the corpus, by its tokens."""
    return {
        side.tokens: pair.topic for pair in own for side in (pair.gold.source, pair.gold.target)
    }


def _made(topics: Mapping[tuple[str, ...], str]) -> list[MarkedPair]:
    sentences = with_trees([Sentence.from_tokens(tokens) for tokens in topics])
    return [
        MarkedPair("made", topics[tuple(source)], source, target, edits)
        for source, target, edits in EditMaker(sentences, SEED).make(N_MADE)
    ]


def _by_links(part: str, pairs: Sequence[tuple[str, GoldPair]]) -> list[MarkedPair]:
    """Return pairs with the edits that their links say; `part` and the name are kept."""
    sides = sides_of(Aligner.load("en"), [gold for _, gold in pairs])
    return [
        MarkedPair(
            part,
            name,
            list(source.tokens),
            list(target.tokens),
            gold_edits(source, target, gold.sure),
        )
        for (name, gold), (source, target) in zip(pairs, sides, strict=True)
    ]


def prepare(pairs: Sequence[MarkedPair]) -> list[AlignedEdits]:
    """Return the pairs aligned."""
    aligner = Aligner.load("en")
    facts = WordFacts(Frequencies.open_shipped().idf)
    found = []
    texts = [(pair.source, pair.target) for pair in pairs]
    for marked, alignment in zip(pairs, aligner.pipe(texts, style=STYLE), strict=True):
        source, target = alignment.source, alignment.target
        links = {(link.source, link.target): link.confidence for link in alignment.links}
        pair = EditPair(source, target, links, facts)
        found.append(AlignedEdits(marked, source, target, links, pair))
    return found


def fit(name: str, examples: MarkedRows, chosen: NDArray[np.bool_]) -> Any:
    """Return the trees of that name, fitted on the chosen pairs; of a pair with many rows each
    weighs less."""
    pairs = np.array(examples.pairs)
    of_row = chosen[pairs]
    weights = (np.bincount(pairs)[pairs] ** -0.5)[of_row]
    classifier = HistGradientBoostingClassifier(
        **SETTINGS[name], early_stopping=False, random_state=SEED
    )
    rows, labels = np.concatenate(examples.rows)[of_row], np.array(examples.labels)[of_row]
    return classifier.fit(rows, labels, sample_weight=weights / weights.mean())


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
        cuts = each.pair.cuts(moved)
        if len(cuts.segments):
            rows = cuts.segments[:, :4].tolist()
            labels = [_marked(segment) in each.marked.edits for segment in rows]
            examples.add(each.pair.segment_inputs(cuts), labels, number)
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
    """Return the fold of each pair; those of one paper or topic are in one."""
    papers = sorted({pair.paper for pair in pairs})
    random.Random(seed).shuffle(papers)
    fold = {paper: number % N_FOLDS for number, paper in enumerate(papers)}
    return np.array([fold[pair.paper] for pair in pairs])


def arrays_of(moves: MarkedRows, segments: MarkedRows, chosen: NDArray[np.bool_]) -> Arrays:
    """Return the trees of a model, fitted on the chosen pairs."""
    return forest_arrays("move", fit("move", moves, chosen)) | forest_arrays(
        "segment", fit("segment", segments, chosen)
    )


def train(prepared: Sequence[AlignedEdits]) -> Arrays:
    """Return the trees of a model, fitted on all pairs."""
    moves = move_examples(prepared)
    segments = segment_examples(prepared, moves, folds_of([each.marked for each in prepared], SEED))
    return arrays_of(moves, segments, np.ones(len(prepared), dtype=bool))


def edits_of(model: EditModel, prepared: Sequence[AlignedEdits]) -> list[set[Marked]]:
    """Return the edits of each pair by a model."""
    return [
        marked_of(edits_between(each.source, each.target, each.links, model=model))
        for each in prepared
    ]


def judge(model: EditModel, data: Path) -> None:
    """Print how exactly a model finds the edits of arXivEdits and of the corpus' development."""
    papers = {part: read_marked(data, part) for part in ("train", "dev")}
    sets = {f"arXivEdits, {part}": pairs for part, pairs in papers.items()}
    sets["arXivEdits"] = [pair for pairs in papers.values() for pair in pairs]
    sets["corpus, versions"] = own_edits("dev", ("versions",))
    for name, pairs in sets.items():
        scores = score_edits(pairs, edits_of(model, prepare(pairs)))
        print(json.dumps({"pairs": name, **scores}), flush=True)


def judge_folds(prepared: Sequence[AlignedEdits]) -> None:
    """Print how exactly edits are found in held-out topics or papers of each part."""
    pairs = [each.marked for each in prepared]
    folds = folds_of(pairs, SEED + 1)
    moves = move_examples(prepared)
    segments = segment_examples(prepared, moves, folds)
    found: list[set[Marked]] = [set() for _ in pairs]
    for fold in range(N_FOLDS):
        model = opened(arrays_of(moves, segments, folds != fold))
        here = np.flatnonzero(folds == fold).tolist()
        for k, edits in zip(here, edits_of(model, [prepared[k] for k in here]), strict=True):
            found[k] = edits
    for part in (*sorted({pair.part for pair in pairs}), "all"):
        chosen = [k for k, pair in enumerate(pairs) if part in (pair.part, "all")]
        scores = score_edits([pairs[k] for k in chosen], [found[k] for k in chosen])
        print(json.dumps({"part": part, **scores}), flush=True)


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


def opened(arrays: Arrays) -> EditModel:
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
        source="tokalign corpus (training part), Edinburgh++, and edits made with WordNet 3.0 in "
        "sentences of the former; lab/recipes/edits.py",
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the model, or judge it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--output", type=Path, help="table file to write")
    chosen.add_argument("--judge", action="store_true", help="judge the shipped table")
    chosen.add_argument(
        "--folds", choices=["own", "arxivedits"], help="judge by folds of the training pairs"
    )
    given = parser.parse_args(arguments)
    if given.judge:
        judge(EditModel.open_shipped(), given.data)
        return
    if given.folds == "arxivedits":
        judge_folds(prepare([*read_marked(given.data, "train"), *read_marked(given.data, "dev")]))
        return
    prepared = prepare(training_pairs(given.data))
    if given.folds:
        judge_folds(prepared)
        return
    write(train(prepared), given.output)
    print(f"{given.output}: trained on {len(prepared)} pairs")


if __name__ == "__main__":
    main()
