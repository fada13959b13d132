"""Judges the model of relations by the project's own corpus and by corpora that it has not seen.

``python -m lab.recipes.related --data DATA`` prints the figures of docs/relations.md for the
shipped table: on the links of the corpus' development part, on the training part of the task of
interpretable similarity, with its chunks, and on SSD's spans. ``--folds 5`` prints, instead, those
on the corpus' training part, divided by topic, by which settings are chosen. ``--research 5``
prints those of the table for research use on sentences that its folds have not seen.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokalign import Aligner
from tokalign.files.tables import Table
from tokalign.relations.chunks import find_chunks, link_chunks
from tokalign.relations.related_units import UNIT_INPUTS, RelationModel
from tokalign.types.options import AlignOptions
from tokalign.types.relations import RELATION_KINDS, ChunkedPair

from lab.recipes.chunk_task import score_chunks
from lab.recipes.corpora import OwnPair, own_marks, read_spans
from lab.recipes.forests import Arrays
from lab.recipes.relations import (
    RESEARCH_SETTINGS,
    chunked_sentences,
    collect,
    collect_research,
    fit,
    fit_boundary,
    write,
)
from lab.recipes.task_examples import TEXTS, ChunkedText, annotated, chunked_sides, read_task
from lab.recipes.unit_examples import Examples, SentencePair, linked_units, sides_of, unit_rows

SEED = 3
SIMILAR = 3.5
"""Least score of spans that people call similar."""
SAME = 0
"""Place among RELATION_KINDS."""


def judge_task(
    aligner: Aligner, model_of: Callable[[str], RelationModel], texts: Sequence[ChunkedText]
) -> None:
    """Print the task's four F1 of each kind of text with gold chunks, and the F1 of chunks, by the
    model of each group."""
    pairs = annotated(aligner, texts)
    for name in TEXTS:
        chosen = [k for k, text in enumerate(texts) if text.text == name]
        models = [model_of(texts[k].group) for k in chosen]
        predicted = [
            predict(aligner, model, texts[k], pairs[k])
            for k, model in zip(chosen, models, strict=True)
        ]
        scores = score_chunks([texts[k].pair for k in chosen], predicted)
        chunks = chunk_f1(models, [texts[k] for k in chosen], [pairs[k] for k in chosen])
        print(json.dumps({"text": name, **asdict(scores), "chunks": chunks}), flush=True)


def predict(
    aligner: Aligner, model: RelationModel, text: ChunkedText, pair: SentencePair
) -> ChunkedPair:
    """Return a pair of the task with the alignment of its gold chunks by a model."""
    links = link_chunks(
        model,
        text.source_chunks,
        text.target_chunks,
        lambda units: aligner._engine.unit_inputs(pair, units, AlignOptions()),
    )
    return ChunkedPair(text.pair.id, text.pair.source, text.pair.target, links)


def chunk_f1(
    models: Sequence[RelationModel], texts: Sequence[ChunkedText], pairs: Sequence[SentencePair]
) -> float:
    """Return the F1 of the chunks that each pair's model finds in its sentences."""
    n_right = n_both = 0
    for model, text, pair in zip(models, texts, pairs, strict=True):
        for side, gold in zip(pair, (text.source_chunks, text.target_chunks), strict=True):
            found = find_chunks(model.boundary, side.tags or ())
            n_right += len(set(found) & set(gold))
            n_both += len(found) + len(gold)
    return 2 * n_right / n_both


def judge_spans(aligner: Aligner, model_of: Callable[[str], RelationModel], data: Path) -> None:
    """Print the share of SSD's span pairs whose score is on the right side of SIMILAR, by the
    model of each group."""
    right = []
    for source, target, units, labels in read_spans(data / "ssd" / "spans.tsv"):
        if units:
            sides = aligner.annotate([source, target])
            options = AlignOptions()
            rows = aligner._engine.unit_inputs((sides[0], sides[1]), units, options)
            scores = model_of(" ".join(source.tokens)).scores(rows).tolist()
            right += [(s >= SIMILAR) == label for s, label in zip(scores, labels, strict=True)]
    print(json.dumps({"spans": "ssd", "accuracy": float(np.mean(right))}))


@dataclass(frozen=True, slots=True)
class JudgedLinks:
    """The links of the corpus as units: the model's inputs, the kinds, and the topics."""

    rows: NDArray[np.float32]
    kinds: NDArray[np.int64]
    topics: list[str]


def links_of(aligner: Aligner, pairs: Sequence[OwnPair]) -> JudgedLinks:
    """Return the links of some pairs but those of the same words."""
    rows, kinds, topics = [], [], []
    for own, pair in zip(pairs, sides_of(aligner, [each.gold for each in pairs]), strict=True):
        marked = linked_units(own)
        if marked:
            rows.append(unit_rows(aligner, pair, [each.unit for each in marked]))
            kinds += [RELATION_KINDS.index(each.kind) for each in marked]
            topics += [own.topic] * len(marked)
    every = np.concatenate(rows)
    chosen = every[:, UNIT_INPUTS.index("is-identical")] == 0
    kept = [topic for topic, is_kept in zip(topics, chosen.tolist(), strict=True) if is_kept]
    return JudgedLinks(every[chosen], np.array(kinds)[chosen], kept)


def print_links(name: str, gold: NDArray[np.int64], found: NDArray[np.int64]) -> None:
    """Print accuracy and the mean F1 of kinds, over links that do not say the same and over all."""
    unlike = gold != SAME
    f1 = kind_f1(gold, found)
    row = {
        "links": name,
        "unlike": float(np.mean((gold == found)[unlike])),
        "unlike_f1": float(np.mean(kind_f1(gold[unlike], found[unlike])[1:])),
        "all": float(np.mean(gold == found)),
        "all_f1": float(np.mean(f1)),
    }
    print(json.dumps(row | dict(zip(map(str, RELATION_KINDS), f1, strict=True))), flush=True)


def kind_f1(gold: NDArray[np.int64], found: NDArray[np.int64]) -> list[float]:
    """Return the F1 of each kind."""
    sizes = [int(np.sum(gold == k) + np.sum(found == k)) for k in range(len(RELATION_KINDS))]
    right = [int(np.sum((gold == k) & (found == k))) for k in range(len(RELATION_KINDS))]
    return [2 * n_right / max(size, 1) for n_right, size in zip(right, sizes, strict=True)]


def folds_of(groups: Sequence[str], n_folds: int) -> dict[str, int]:
    """Return the fold of each group."""
    names = sorted(set(groups))
    random.Random(SEED).shuffle(names)
    return {name: number % n_folds for number, name in enumerate(names)}


def judge_folds(
    aligner: Aligner, examples: Examples, links: JudgedLinks, boundary: Arrays, n_folds: int
) -> None:
    """Print the figures on held-out topics of the corpus' training part."""
    folds = folds_of([*examples.groups, *links.topics], n_folds)
    of_example = np.array([folds[group] for group in examples.groups])
    of_link = np.array([folds[topic] for topic in links.topics])
    found = np.zeros(len(links.kinds), dtype=np.int64)
    for fold in range(n_folds):
        model = opened(fit(examples, of_example != fold) | boundary)
        here = of_link == fold
        found[here] = model.probabilities(links.rows[here]).argmax(axis=1)
    print_links(f"{n_folds} folds", links.kinds, found)


def judge_research(aligner: Aligner, data: Path, n_folds: int) -> None:
    """Print the figures of the table for research use on held-out sentences of its corpora."""
    texts = read_task(data)
    examples = collect_research(aligner, data, texts)
    folds = folds_of(examples.groups, n_folds)
    of_example = np.array([folds[group] for group in examples.groups])
    models = []
    for fold in range(n_folds):
        others = [text for text in texts if folds[text.group] != fold]
        boundary = fit_boundary(chunked_sides(aligner, others))
        models.append(opened(fit(examples, of_example != fold, RESEARCH_SETTINGS) | boundary))
    judge_task(aligner, lambda group: models[folds[group]], texts)
    judge_spans(aligner, lambda group: models[folds[group]], data)


def opened(arrays: Arrays) -> RelationModel:
    """Return a model of these trees."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "relations.table"
        write(arrays, path)
        return RelationModel(Table.open(path))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--table", type=Path, help="an unpacked table; by default the shipped one")
    parser.add_argument("--folds", type=int, help="judge by folds of the training part instead")
    parser.add_argument(
        "--research", type=int, metavar="FOLDS", help="judge the table for research use by folds"
    )
    given = parser.parse_args(arguments)
    if given.research:
        judge_research(Aligner.load("en-research"), given.data, given.research)
        return
    aligner = Aligner.load("en")
    if given.folds:
        pairs = own_marks()
        boundary = fit_boundary(chunked_sentences(given.data, pairs))
        examples = collect(aligner, given.data, pairs)
        judge_folds(aligner, examples, links_of(aligner, pairs), boundary, given.folds)
        return
    model = RelationModel(Table.open(given.table)) if given.table else RelationModel.open_shipped()
    links = links_of(aligner, own_marks("dev"))
    print_links("dev", links.kinds, model.probabilities(links.rows).argmax(axis=1))
    judge_task(aligner, lambda group: model, read_task(given.data))
    judge_spans(aligner, lambda group: model, given.data)


if __name__ == "__main__":
    main()
