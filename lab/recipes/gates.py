"""Write the gates of the neural models: which pairs their encoders read at less effort.

    python -m lab.recipes.gates --data DATA --first build/en-first.tokalign \
        --output core/tokalign/data gates gates-open

writes the named tables. `gates` is of the encoders of `en-neural` and `en-neural-large`, before
which `en-research` aligns; `gates-open` of that of `en-neural-open`, before which `en` does.

What is to be gained on a pair follows from the first model's doubts (tokalign.decoding.batch), so
neither gold nor an encoder is needed. A gate has the weights of gains in each style, as Wiki has a
quarter of what MTRef has to gain, and thresholds: from which weighed gain on a pair is read, so
that as large a share of the encoder's work is done on an even mix of development parts: MTRef, Wiki
and the fifth of RTE2 that the neural models have not seen; for `gates-open` parts of the project's
own corpus. Prints which shares of each part and of wrong candidates in rankings an effort reads.
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
from tokalign.decoding.cascade import Gate
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
N_CANDIDATES = 500
"""Wrong candidates of each set of RANKINGS."""
RANKINGS = ("wikiqa", "wice")
N_EFFORTS = 41
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
    """What the first model's doubts tell of pairs.

    Attributes
    ----------
    gains : float64 array, shape (n_pairs,)
        For each token; see tokalign.decoding.batch.
    styles : list of int
        Numbers of the pairs' styles.
    tokens : int array, shape (n_pairs,)
        Tokens of both sides: how much work they are for an encoder.
    """

    gains: NDArray[np.float64]
    styles: list[int]
    tokens: NDArray[np.int64]


def doubted(aligner: Aligner, pairs: Sequence[Bare], style: str) -> Doubted:
    """Return what a model without an encoder doubts of pairs in a style."""
    backend = aligner._engine.backend
    assert isinstance(backend, ModelBackend)
    annotated = [
        (source, target)
        for source, target in zip(
            *(aligner.annotate([pair[k] for pair in pairs], truncate=True) for k in (0, 1)),
            strict=True,
        )
    ]
    gains, styles = backend.gains(annotated, AlignOptions(style=style), compares=False)
    tokens = np.array([len(source) + len(target) for source, target in annotated])
    return Doubted(gains, styles, tokens)


def weights_of(parts: Mapping[str, Doubted], styles: Sequence[str]) -> list[float]:
    """Return what a gain in each style counts; in one that no part shows, the mean of the others.

    Gains that count alike would leave Wiki nearly unread, gains as shares of what there is to gain
    for each token of a part MTRef; the square root lies between.
    """
    found = {
        style: 1 / math.sqrt(float(np.average(part.gains, weights=part.tokens)))
        for style, part in parts.items()
    }
    others = sum(found.values()) / len(found)
    return [found.get(style, others) for style in styles]


def thresholds_of(
    gains: Sequence[Floating], tokens: Sequence[NDArray[np.int64]]
) -> NDArray[np.float32]:
    """Return, for efforts from 0 to 1, the gain from which on so large a share of the tokens of an
    even mix is read; parameters by part."""
    every = np.concatenate(gains)
    work = np.concatenate([each / len(each) for each in tokens])
    order = np.argsort(-every, kind="stable")
    share = np.cumsum(work[order]) / work.sum()
    found: NDArray[np.float64] = np.interp(np.linspace(0, 1, N_EFFORTS), share, every[order])
    return found.astype(np.float32)


def shares_read(name: str, gains: Floating, gate: Gate) -> dict[str, object]:
    """Return which share of pairs with such weighed gains each effort reads."""
    shares = {
        str(effort): round(float((gains >= gate.threshold(effort)).mean()), 3) for effort in EFFORTS
    }
    return {"pairs of": name, "pairs": len(gains), **shares}


@dataclass(frozen=True, slots=True)
class GateTable:
    """A table of a gate.

    Attributes
    ----------
    first : str
        The model that aligns first.
    parts : function of the folder of corpora
        Returns development pairs by style.
    license, source : str
        Of the table.
    """

    first: str
    parts: Callable[[Path], dict[str, list[GoldPair]]]
    license: str
    source: str


def own_parts(_: Path) -> dict[str, list[GoldPair]]:
    """Return the development pairs of the project's own corpus by style."""
    return {
        style: [pair for pair, _ in own_pairs("dev", tasks=tasks)]
        for style, tasks in OWN_PARTS.items()
    }


TABLES = {
    "gates": GateTable(
        "en-research",
        lambda data: {style: part(data, style) for style in PARTS},
        LICENSE,
        "doubts of en-research on development parts of RTE2, MTRef and Wiki",
    ),
    "gates-open": GateTable(
        DEFAULT_MODEL,
        own_parts,
        "Apache-2.0 (Edinburgh++), CC0-1.0 (tokalign corpus)",
        "doubts of en on the development part of the tokalign corpus",
    ),
}


def write(name: str, arguments: argparse.Namespace) -> Iterator[dict[str, object]]:
    """Write a table, and yield which shares of pairs its gate reads."""
    data, recipe = arguments.data, TABLES[name]
    first = Aligner.load(recipe.first)
    unseen = first
    if recipe.parts is not own_parts:  # `en-research` has seen RTE2's
        first_model(arguments.first, data, arguments.unrelated)
        unseen = Aligner.load(str(arguments.first))
    parts = {
        style: doubted(
            unseen if style == "strict" else first,
            [(pair.source.tokens, pair.target.tokens) for pair in pairs],
            style,
        )
        for style, pairs in recipe.parts(data).items()
    }
    styles = [style["name"] for style in first.header.styles]
    weights = np.array(weights_of(parts, styles), np.float32)
    gains = [part.gains * weights[part.styles] for part in parts.values()]
    least = thresholds_of(gains, [part.tokens for part in parts.values()])
    arrays: dict[str, NDArray[Any] | list[str]] = {
        "styles": styles, "weights": weights, "least": least,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, f"{name}.table")
        for path in (plain, arguments.output / f"{name}.table.xz"):
            write_table(
                path, arrays, name=name, version="2.0.0", license=recipe.license,
                source=recipe.source,
            )  # fmt: skip
        gate = Gate(Table.open(plain), styles)
    for style, each in zip(parts, gains, strict=True):
        yield shares_read(style, each, gate)
    for ranking in RANKINGS:
        found = doubted(first, wrong_candidates(data, ranking), styles[0])
        yield shares_read(ranking, gate.weighed(found.gains, found.styles), gate)


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
