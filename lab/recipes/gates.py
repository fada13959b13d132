"""Write the gates of the neural models: which pairs their encoders read at less effort.

    python -m lab.recipes.gates --data DATA --first build/en-first.tokalign \
        --output core/tokalign/data gates gates-open

writes the named tables. `gates` is of the encoders of `en-neural`, before which `en-research`
aligns, and of `en-neural-large`, before which both do; `gates-open` of that of `en-neural-open`,
before which `en` does.

What is to be gained on a pair follows from the doubts of the model before
(tokalign.decoding.batch), so thresholds need no gold. A gate has the weights of gains in each style
and thresholds by encoder: from which weighed gain for
its work it reads a pair, so that as large a share of all its work is done on an even mix of
development parts: MTRef, Wiki and the fifth of RTE2 that the neural models have not seen; for
`gates-open` parts of the project's own corpus. Work includes that of an encoder that reads before.
Prints which shares of each part and of wrong candidates in rankings an effort reads.
`python -m lab.accuracy effort` tells what that gives. `en-research` has seen all of RTE2's
development half, so another `en-research` is trained without the fifth; it is kept under --first,
and not trained again.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokalign.aligner import Aligner
from tokalign.decoding.by_model import ModelBackend
from tokalign.decoding.cascade import FIRST_WORK, Cascade, Gate, ReadPart
from tokalign.english.annotate import load_annotator
from tokalign.files.tables import Table, write_table
from tokalign.formats import read_gold
from tokalign.model import Model, load_model, save_model
from tokalign.model.shipped import DEFAULT_MODEL, model_path
from tokalign.model.training import TrainingData, fold_numbers, train
from tokalign.types import GoldPair, SentenceLike
from tokalign.types.options import AlignOptions

from lab.recipes.corpora import OWN_TASKS, RTE2, UNRELATED, own_pairs, read_corpus
from lab.recipes.neural.encoders import KEPT_BACK, N_FOLDS
from lab.recipes.rankings import SETS
from lab.recipes.refit import DEVELOPMENT
from lab.recipes.rewritten import with_rewritten
from lab.recipes.settings import EN_RESEARCH_SETTINGS, LICENSE, RESEARCH_STYLES, STYLES

PARTS = {"strict": RTE2, **DEVELOPMENT}
"""Style -> the corpus that shows it, of which a part is judged."""
OWN_PARTS = {
    style: {
        task
        for corpus in STYLES[style].corpora
        if corpus in OWN_TASKS
        for task in OWN_TASKS[corpus][1]
    }
    for style in ("free", "edits", "questions")
}
"""Style -> the tasks of the project's own corpus that show it."""
WEIGHTS = {"strict": 1.4, "paraphrase": 1.2, "free": 1.0, "edits": 1.2}
"""Of gains in the styles of `gates`. Of a grid, those with the largest mean of the shares of PARTS'
gains in F1 that an effort of .4 keeps, where it keeps at least 85% of each."""
N_CANDIDATES = 500
"""Wrong candidates of each set of RANKINGS."""
RANKINGS = ("wikiqa", "wice")
N_EFFORTS = 41
WORKS = (FIRST_WORK, 1.0)
"""Of the last encoders of a table."""
EFFORTS = (0.05, 0.1, 0.25, 0.4, 0.6)

Floating = NDArray[np.floating[Any]]
Bare = tuple[SentenceLike, SentenceLike]


def wrong_candidates(data: Path, name: str) -> list[Bare]:
    """Return wrong candidates of a set of rankings, each with what it is a candidate for."""
    pairs: list[Bare] = [
        (candidate, query.text)
        for query in SETS[name](data)
        for candidate, is_right in zip(query.candidates, query.is_right, strict=True)
        if not is_right
    ]
    return _some(pairs, N_CANDIDATES)


def _some(pairs: list[Bare], count: int) -> list[Bare]:
    random.Random(1).shuffle(pairs)
    return pairs[:count]


def part(data: Path, style: str) -> list[GoldPair]:
    """Return the pairs of a development part that the neural models have not seen."""
    pairs = read_gold(data / PARTS[style])
    if PARTS[style] != RTE2:
        return pairs
    return [
        pair
        for pair, fold in zip(pairs, fold_numbers(pairs, N_FOLDS, seed=1), strict=True)
        if fold == KEPT_BACK
    ]


def first_model(path: Path, data: Path, unrelated: Path) -> Model:
    """Return `en-research` trained without RTE2's part, with the styles that ship."""
    if path.exists():
        return load_model(path)
    research = "en-research"
    corpora = {
        Path(corpus).name: read_corpus(data, corpus)
        for style in RESEARCH_STYLES.values()
        for corpus in style.corpora
    }
    unseen = {pair.id for pair in part(data, "strict")}
    name = Path(RTE2).name
    corpora[name] = [pair for pair in corpora[name] if pair.id not in unseen]
    sides = {s.tokens for pair in part(data, "strict") for s in (pair.source, pair.target)}
    others = [
        pair
        for pair in read_gold(unrelated / UNRELATED)
        if sides.isdisjoint((pair.source.tokens, pair.target.tokens))
    ]
    examples = with_rewritten(TrainingData(corpora, unrelated=others))
    model = train(
        examples, load_annotator("native"), EN_RESEARCH_SETTINGS, name=research, license=LICENSE,
        description="en-research without a fifth of RTE2, for judging",
    )  # fmt: skip
    styles = load_model(model_path(research)).header.styles
    model = replace(model, header=replace(model.header, styles=styles))
    save_model(model, path)
    return load_model(path)


@dataclass(frozen=True, slots=True)
class Doubted:
    """What models' doubts tell of pairs.

    Attributes
    ----------
    gains : float64 array, shape (n_models, n_pairs)
        For each token that is read, by each model that aligns before; see tokalign.decoding.batch.
    styles : list of int
        Numbers of the pairs' styles.
    tokens, whole : float64 array, shape (n_pairs,)
        Tokens of both sides that are read, and all of them: how much work they are for an encoder
        at less effort than 1, and at 1.
    """

    gains: NDArray[np.float64]
    styles: list[int]
    tokens: NDArray[np.float64]
    whole: NDArray[np.float64]


def doubted(aligners: Sequence[Aligner], pairs: Sequence[Bare], style: str) -> Doubted:
    """Return what models doubt of pairs in a style."""
    options = AlignOptions(style=style)
    annotated = [
        (source, target)
        for source, target in zip(
            *(aligners[0].annotate([pair[k] for pair in pairs], truncate=True) for k in (0, 1)),
            strict=True,
        )
    ]
    gains = []
    for aligner in aligners:
        backend = aligner._engine.backend
        encoded = backend.encode(annotated, options)
        own = backend.backend_of(encoded[0]) if isinstance(backend, Cascade) else backend
        assert isinstance(own, ModelBackend)
        found, styles = own.gains(encoded, options, compares=False)
        gains.append(found)
    whole = np.array([len(source) + len(target) for source, target in annotated], dtype=float)
    shares = [ReadPart.of(pair[0].tokens, pair[1].tokens).share(pair) for pair in annotated]
    return Doubted(np.array(gains) / shares, styles, whole * shares, whole)


def weights_of(parts: Mapping[str, Doubted], styles: Sequence[str]) -> list[float]:
    """Return what a gain in each style counts; in one that no part shows, the mean of the others.

    Gains that count alike would leave Wiki nearly unread, gains as shares of what there is to gain
    for each token of a part MTRef; the square root lies between.
    """
    found = {
        style: 1 / math.sqrt(float(np.average(part.gains[0], weights=part.tokens)))
        for style, part in parts.items()
    }
    others = sum(found.values()) / len(found)
    return [found.get(style, others) for style in styles]


def thresholds_of(
    gains: Sequence[Floating],
    tokens: Sequence[Floating],
    works: Sequence[float] = (1.0,),
    whole: Sequence[Floating] = (),
) -> NDArray[np.float32]:
    """Return, for efforts from 0 to 1, the gain for its work from which on an encoder reads a pair,
    so that so large a share of the last one's work on all tokens of an even mix is done.

    `gains`, `tokens`, `whole`: by part; see Doubted; all tokens are read unless `whole` is given.
    `works`: of each encoder for a token.
    """
    every = np.concatenate([gain_for_work(each, works) for each in gains], axis=1)
    own = np.concatenate([each / len(each) for each in tokens])
    order = np.argsort(-every.ravel(), kind="stable")
    share = np.cumsum(np.outer(works, own).ravel()[order]) / sum(
        float(each.mean()) for each in whole or tokens
    )
    found: NDArray[np.float64] = np.interp(
        np.linspace(0, 1, N_EFFORTS), share, every.ravel()[order]
    )
    return found.astype(np.float32)


def gain_for_work(gains: Floating, works: Sequence[float]) -> Floating:
    """Return the gain for its work from which on each encoder reads each pair; a later one reads
    what those before have read."""
    least: Floating = np.minimum.accumulate(gains / np.array(works)[:, None], axis=0)
    return least


def shares_read(
    name: str, gains: Floating, gate: Gate, works: Sequence[float] = (1.0,)
) -> dict[str, object]:
    """Return which share of pairs with such weighed gains each effort has the last encoder read."""
    level = gain_for_work(gains, works)[-1]
    shares = {
        str(effort): round(float((level >= gate.threshold(effort)).mean()), 3) for effort in EFFORTS
    }
    return {"pairs of": name, "pairs": len(level), **shares}


@dataclass(frozen=True, slots=True)
class GateTable:
    """A table of a gate.

    Attributes
    ----------
    encoders : dict of str to list of str
        Encoder -> the models that align before it.
    parts : function of the folder of corpora
        Returns development pairs by style.
    license, source : str
        Of the table.
    weights : dict of str to float, optional
        Style -> what a gain in it counts; without them `weights_of` says it.
    """

    encoders: dict[str, list[str]]
    parts: Callable[[Path], dict[str, list[GoldPair]]]
    license: str
    source: str
    weights: Mapping[str, float] | None = None


def own_parts(_: Path) -> dict[str, list[GoldPair]]:
    """Return the development pairs of the project's own corpus by style."""
    return {
        style: [pair for pair, _ in own_pairs("dev", tasks=tasks)]
        for style, tasks in OWN_PARTS.items()
    }


TABLES = {
    "gates": GateTable(
        {"encoder-en": ["en-research"], "encoder-en-large": ["en-research", "en-neural"]},
        lambda data: {style: part(data, style) for style in PARTS},
        LICENSE,
        "doubts of en-research on development parts of RTE2, MTRef and Wiki",
        WEIGHTS,
    ),
    "gates-open": GateTable(
        {"encoder-en-open": [DEFAULT_MODEL]},
        own_parts,
        "Apache-2.0 (Edinburgh++), CC0-1.0 (tokalign corpus)",
        "doubts of en on the development part of the tokalign corpus",
    ),
}


def write(name: str, arguments: argparse.Namespace) -> Iterator[dict[str, object]]:
    """Write a table, and yield which shares of pairs its gates have the encoders read."""
    data, recipe = arguments.data, TABLES[name]
    names = max(recipe.encoders.values(), key=len)
    aligners = [Aligner.load(each) for each in names]
    unseen = aligners
    if recipe.parts is not own_parts:  # `en-research` has seen RTE2's
        first_model(arguments.first, data, arguments.unrelated)
        unseen = [Aligner.load(str(arguments.first)), *aligners[1:]]
    parts = {
        style: doubted(
            unseen if style == "strict" else aligners,
            [(pair.source.tokens, pair.target.tokens) for pair in pairs],
            style,
        )
        for style, pairs in recipe.parts(data).items()
    }
    styles = [style["name"] for style in aligners[0].header.styles]
    chosen = recipe.weights
    weights = np.array([chosen[each] for each in styles] if chosen else weights_of(parts, styles))
    weights = weights.astype(np.float32)
    gains = {style: part.gains * weights[part.styles] for style, part in parts.items()}
    works = {encoder: WORKS[-len(before) :] for encoder, before in recipe.encoders.items()}
    tokens, whole = zip(*((part.tokens, part.whole) for part in parts.values()), strict=True)
    arrays: dict[str, NDArray[Any] | list[str]] = {"styles": styles, "weights": weights}
    for encoder, own in works.items():
        some = [each[: len(own)] for each in gains.values()]
        arrays[encoder] = thresholds_of(some, tokens, own, whole)
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, f"{name}.table")
        for path in (plain, arguments.output / f"{name}.table.xz"):
            write_table(
                path, arrays, name=name, version="3.0.0", license=recipe.license,
                source=recipe.source,
            )  # fmt: skip
        gates = {encoder: Gate(Table.open(plain), encoder, styles) for encoder in works}
    for ranking in RANKINGS:
        found = doubted(aligners, wrong_candidates(data, ranking), styles[0])
        gains[ranking] = found.gains * weights[found.styles]
    for encoder, own in works.items():
        for each, some in gains.items():
            row = shares_read(each, some[: len(own)], gates[encoder], own)
            yield {"encoder": encoder, **row}


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--unrelated", type=Path, default=Path("build/unrelated"))
    parser.add_argument("--first", type=Path, required=True, help="without a fifth of RTE2")
    parser.add_argument("--output", type=Path, required=True, help="folder of the tables")
    parser.add_argument("tables", nargs="+", choices=sorted(TABLES), metavar="TABLE")
    arguments = parser.parse_args()
    for name in arguments.tables:
        for row in write(name, arguments):
            print(json.dumps({"table": name, **row}), flush=True)


if __name__ == "__main__":
    main()
