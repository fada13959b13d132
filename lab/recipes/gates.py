"""Learn the gates of the neural models: from which decisions of the first model encoders gain.

    python -m lab.recipes.gates --data DATA --first build/en-first.tokalign \
        --output core/tokalign/data gates gates-open

writes the named tables. `gates` has the encoders of `en-neural` and `en-neural-large`, before which
`en-research` aligns; `gates-open` that of `en-neural-open`, before which `en` does, and is learned
on pairs of WiCE, which anybody may use, for any style on all of them.

No gold is needed. On pairs that no encoder was trained on, what the neural model says of each cell
stands for the truth: the gain of a pair is the F1 that its posteriors expect of its own links, less
what they expect of the links of the first model, and EXACT times the same of exact match. It counts
less where less than LINKED of the shorter side is expected to have links: with one link instead of
none an unrelated pair would else gain more than any other. Boosted trees over the first model's
doubts (tokalign.decoding.batch) learn it, of each pair in every style, and of unrelated pairs; it
counts the more the less there is to gain in the style.

Thresholds are quantiles of what is predicted for an even mix of development parts: MTRef, Wiki and
the fifth of RTE2 that the neural models have not seen; for `gates-open` parts of the project's own
corpus. Prints what reading a share of each part gives, the pairs of the highest gain first, beside
reading by doubt, the sum of p (1 - p) over cells, and which shares an effort reads of wrong
candidates in rankings. `en-research` has seen all of RTE2's development half, so another
`en-research` is trained without the fifth; it is kept under --first, and not trained again.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokalign.aligner import Aligner
from tokalign.batches.outcomes import unwrap
from tokalign.decoding.backend import EncodedPair
from tokalign.decoding.batch import GATE_INPUTS
from tokalign.decoding.by_model import ModelBackend
from tokalign.decoding.cascade import FIRST, Cascade, Gate
from tokalign.english.annotate import load_annotator
from tokalign.evaluate import evaluate
from tokalign.features.feature_groups import Lexicons
from tokalign.files.tables import Table, write_table
from tokalign.formats import read_gold
from tokalign.model import Model, load_model, save_model
from tokalign.model.shipped import DEFAULT_MODEL, model_path
from tokalign.model.training import TrainingData, fold_numbers, train
from tokalign.types import GoldPair, Links, Sentence, SentenceLike
from tokalign.types.options import AlignOptions

from lab.recipes.corpora import (
    OWN_TASKS,
    RTE2,
    UNRELATED,
    own_pairs,
    read_corpus,
    read_msrp,
    read_sts,
    read_unrelated,
)
from lab.recipes.forests import forest_arrays
from lab.recipes.made_edits import EditMaker
from lab.recipes.made_questions import made
from lab.recipes.neural.encoders import KEPT_BACK, N_FOLDS
from lab.recipes.rankings import SETS, wice
from lab.recipes.refit import DEVELOPMENT
from lab.recipes.rewritten import with_rewritten
from lab.recipes.settings import EN_RESEARCH_SETTINGS, LICENSE, RESEARCH_STYLES, STYLES, Style
from lab.recipes.tree_chunks import with_trees

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
SEED = 7
N_FRESH = 500
"""Pairs of each kind of WiCE's."""
STS = {"SMTeuroparl.train": 300, "MSRpar.train": 300, "OnWN.test": 200}
N_MSRP, N_ARXIV = 1200, 500
UNRELATED_KINDS = {"unrelated": 400, "mined": 400, "question": 400}
N_CANDIDATES = 500
"""Wrong candidates of each set of RANKINGS."""
RANKINGS = ("wikiqa", "wice")
EXACT = 0.3
"""What an exact match counts beside F1."""
LEAST_GAIN = 1e-3
"""Taken for the mean gain of a part where it is less."""
LINKED = 0.5
"""Share of the shorter side's tokens from which on a pair counts whole."""
N_EFFORTS = 41
SHARES = (0.1, 0.25, 0.4, 0.6)
DOUBT = GATE_INPUTS.index("doubt")

Floating = NDArray[np.floating[Any]]
Bare = tuple[SentenceLike, SentenceLike]


def fresh_pairs(data: Path, unrelated: Path) -> list[Bare]:
    """Return pairs of sentences that no model was trained to align, many of them unrelated."""
    found = _some([(p.source, p.target) for p in read_msrp(data / "msrp/par_train.dat")], N_MSRP)
    edits = json.loads((data / "arxivedits/train.json").read_text("utf-8")).values()
    found += _some([(e["sentence-1"].split(), e["sentence-2"].split()) for e in edits], N_ARXIV)
    for name, count in STS.items():
        judged = read_sts(data / f"similarity/sts2012.{name}.tsv")
        found += _some([(p.source, p.target) for p in judged], count)
    for kind, count in UNRELATED_KINDS.items():
        pairs = read_unrelated(unrelated, {kind})
        found += _some([(p.source.tokens, p.target.tokens) for p in pairs], count)
    return found


def open_pairs(data: Path) -> list[Bare]:
    """Return the same of WiCE: claims and what supports them or not, questions made of claims with
    their answers and other sentences, sentences and made versions of them."""
    aligner = Aligner.load(DEFAULT_MODEL)
    found: list[Bare] = []
    for queries in (wice(data), made(data, aligner)):
        by_right: dict[bool, list[Bare]] = {True: [], False: []}
        for query in queries:
            for text, is_right in zip(query.candidates, query.is_right.tolist(), strict=True):
                by_right[is_right].append((text, query.text))
        for some in by_right.values():
            found += _some(some, N_FRESH)
    texts = dict.fromkeys(text for text, _ in found if isinstance(text, str))
    tokens = [sentence.tokens for sentence in aligner.annotate([*texts], truncate=True)]
    sentences = with_trees([Sentence.from_tokens(each) for each in tokens])
    return found + [each[:2] for each in EditMaker(sentences, SEED).make(N_FRESH)]


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
class Read:
    """What the first model and a neural one decide of a pair in a style.

    Attributes
    ----------
    row : float32 array, shape (n_inputs,)
        Of the first model's decision; see tokalign.decoding.batch.
    first, full : set of (int, int)
        Their links.
    gain : float
        That the neural model expects.
    """

    row: NDArray[np.float32]
    first: Links
    full: Links
    gain: float


def read(
    pairs: Sequence[EncodedPair], first: ModelBackend, full: Cascade, style: str
) -> list[Read]:
    """Return what both decide of pairs that the encoder has read."""
    options = AlignOptions(style=style)
    rows = first.gate_rows([pair for pair, _ in pairs], options, compares=False)
    bare: list[EncodedPair | Exception] = [(pair, None) for pair, _ in pairs]
    found = []
    for row, pair, outcomes in zip(
        rows,
        pairs,
        zip(first.align(bare, options), full.align(pairs, options), strict=True),
        strict=True,
    ):
        mean = full.backend_of(pair).ask(pair, options, lambda each: each.link_posterior)
        by_first, by_full = (
            frozenset((link.source, link.target) for link in unwrap(each).links)
            for each in outcomes
        )
        gain = _importance(mean) * (_expected(by_full, mean) - _expected(by_first, mean))
        found.append(Read(row, by_first, by_full, gain))
    return found


def _expected(links: Links, mean: NDArray[np.float64]) -> float:
    """Return what links are worth by these posteriors: F1, and EXACT times exact match."""
    linked = np.zeros(mean.shape, dtype=bool)
    for link in links:
        linked[link] = True
    size = len(links) + mean.sum()
    f1 = 2 * mean[linked].sum() / size if size else 1.0
    right = np.where(linked, mean, 1 - mean)
    return float(f1 + EXACT * np.exp(np.log(np.maximum(right, 1e-6)).sum()))


def _importance(mean: NDArray[np.float64]) -> float:
    """Return what a pair of so many expected links counts, at most 1."""
    return float(min(1.0, mean.sum() / (LINKED * min(mean.shape))))


def weights_of(
    parts: Mapping[str, Sequence[Read]], styles: Iterable[str] = RESEARCH_STYLES
) -> dict[str, float]:
    """Return what a gain in each style counts; in one that no part shows, the mean of the others.

    Wiki has a tenth of MTRef's to gain. Gains that count alike would leave Wiki nearly unread,
    gains as shares of what there is MTRef; the square root lies between.
    """
    found = {
        style: 1 / math.sqrt(max(float(np.mean([each.gain for each in reads])), LEAST_GAIN))
        for style, reads in parts.items()
    }
    others = sum(found.values()) / len(found)
    return {style: found.get(style, others) for style in styles}


def fit(reads: Mapping[str, Sequence[Read]], weights: Mapping[str, float]) -> Any:
    """Return the boosted trees of the gains in each style, as they count."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(
        max_depth=4, learning_rate=0.03, max_iter=200, min_samples_leaf=40, l2_regularization=5.0,
        max_features=0.3, early_stopping=False, random_state=0,
    )  # fmt: skip
    return model.fit(
        np.array([each.row for some in reads.values() for each in some]),
        [weights[style] * each.gain for style, some in reads.items() for each in some],
    )


def thresholds_of(gains: Sequence[Floating]) -> NDArray[np.float32]:
    """Return, for efforts from 0 to 1, the gain from which on so large a share is read."""
    every = np.concatenate(gains)
    weights = np.concatenate([np.full(len(each), 1 / len(each)) for each in gains])
    order = np.argsort(-every, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    found: NDArray[np.float64] = np.interp(np.linspace(0, 1, N_EFFORTS), share, every[order])
    return found.astype(np.float32)


def figures(
    gold: Sequence[GoldPair], reads: Sequence[Read], is_read: NDArray[np.bool_], style: str
) -> str:
    """Return F1 and exact match, in percent, where some pairs are read."""
    links = [
        each.full if by_full else each.first for each, by_full in zip(reads, is_read, strict=True)
    ]
    scores = evaluate(gold, links, choice=STYLES[style].choice, n_samples=1).scores
    return f"{100 * scores.f1:.1f} / {100 * scores.exact_match:.1f}"


def judged(
    parts: Mapping[str, tuple[Sequence[GoldPair], Sequence[Read]]],
    gains: Callable[[NDArray[np.float32]], Floating],
    threshold: Callable[[float], float],
) -> Iterator[dict[str, object]]:
    """Yield the figures of each part at shares of its own pairs, and at efforts."""
    for style, (gold, reads) in parts.items():
        rows = np.array([each.row for each in reads])
        predicted = gains(rows)
        for by, values in (("gain", predicted), ("doubt", rows[:, DOUBT])):
            places = np.argsort(np.argsort(-values, kind="stable"))
            found = {
                str(share): figures(gold, reads, places < share * len(reads), style)
                for share in (0.0, *SHARES, 1.0)
            }
            yield {"style": style, "pairs": len(gold), "by": by, **found}
        for share in SHARES:
            is_read = predicted >= threshold(share)
            yield {
                "style": style,
                "effort": share,
                "read": round(float(is_read.mean()), 3),
                "figures": figures(gold, reads, is_read, style),
            }


def shares_read(
    candidates: Mapping[str, Sequence[Read]],
    gains: Callable[[NDArray[np.float32]], Floating],
    threshold: Callable[[float], float],
) -> Iterator[dict[str, object]]:
    """Yield which shares of sets of pairs each effort reads, in the style `strict`."""
    for name, reads in candidates.items():
        predicted = gains(np.array([each.row for each in reads]))
        shares = {
            str(effort): round(float((predicted >= threshold(effort)).mean()), 3)
            for effort in (0.05, *SHARES)
        }
        changed = float(np.mean([each.first != each.full for each in reads]))
        yield {"candidates": name, "pairs": len(reads), "changed": round(changed, 3), **shares}


@dataclass(frozen=True, slots=True)
class GateTable:
    """A table of gates.

    Attributes
    ----------
    models : dict from str to str
        Encoder -> the model that has it.
    styles : dict from str to Style
        Those of the models.
    fresh : function of the folders of corpora and of unrelated pairs
        Returns the pairs to learn from.
    parts : function of the folder of corpora
        Returns development pairs by style.
    license, source : str
        Of the table.
    """

    models: Mapping[str, str]
    styles: Mapping[str, Style]
    fresh: Callable[[Path, Path], list[Bare]]
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
        {"encoder-en": "en-neural", "encoder-en-large": "en-neural-large"},
        RESEARCH_STYLES,
        fresh_pairs,
        lambda data: {style: part(data, style) for style in PARTS},
        LICENSE,
        "en-neural and en-neural-large on MSRP, arXivEdits, STS 2012, and unrelated pairs "
        "of SICK, TrecQA and MTRef; thresholds from development parts of RTE2, MTRef and Wiki",
    ),
    "gates-open": GateTable(
        {"encoder-en-open": "en-neural-open"},
        STYLES,
        lambda data, _: open_pairs(data),
        own_parts,
        "Apache-2.0 (Edinburgh++), CC0-1.0 (tokalign corpus), ODC-By-1.0 (WiCE)",
        "en-neural-open on claims, sentences and made questions of WiCE; thresholds from the "
        "development part of the tokalign corpus",
    ),
}


def learn(name: str, arguments: argparse.Namespace) -> None:
    """Write a table, and print what its gates give."""
    data, recipe = arguments.data, TABLES[name]
    gold = recipe.parts(data)
    arrays: dict[str, NDArray[Any] | list[str]] = {"inputs": list(GATE_INPUTS)}
    found = {}
    candidates = {}
    for encoder, model in recipe.models.items():
        aligner = Aligner.load(model)

        def encoded(pairs: Sequence[Bare], by: Aligner = aligner) -> list[EncodedPair]:
            annotated = [unwrap(each) for each in by._engine.annotate_pairs(pairs, truncate=True)]
            return by._engine.backend.encode(annotated, AlignOptions())

        full = aligner._engine.backend
        assert isinstance(full, Cascade)
        first = backend_of(load_model(model_path(FIRST[encoder])))
        unseen = first
        if recipe.parts is not own_parts:  # `en-research` has seen RTE2's
            unseen = backend_of(first_model(arguments.first, data, arguments.unrelated))
        fresh = encoded(recipe.fresh(data, arguments.unrelated))
        known = {style: read(fresh, first, full, style) for style in recipe.styles}
        found[encoder] = {
            style: read(encoded([(p.source.tokens, p.target.tokens) for p in pairs]),
                        unseen if style == "strict" else first, full, style)
            for style, pairs in gold.items()
        }  # fmt: skip
        candidates[encoder] = {
            each: read(encoded(wrong_candidates(data, each)), first, full, "strict")
            for each in RANKINGS
        }
        trees = fit(known, weights_of(found[encoder], recipe.styles))
        predicted = [trees.predict([each.row for each in some]) for some in found[encoder].values()]
        arrays |= forest_arrays(encoder, trees)
        arrays[f"{encoder}_least"] = thresholds_of(predicted)
    output = arguments.output / f"{name}.table.xz"
    write_table(
        output, arrays, name=name, version="1.0.0", license=recipe.license, source=recipe.source
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "gates.table")
        path.write_bytes(lzma.decompress(output.read_bytes()))
        table = Table.open(path)
    for encoder, model in recipe.models.items():
        gate = Gate(table, encoder)
        parts = {style: (pairs, found[encoder][style]) for style, pairs in gold.items()}
        for row in (
            *judged(parts, gate.gains, gate.threshold),
            *shares_read(candidates[encoder], gate.gains, gate.threshold),
        ):
            print(json.dumps({"model": model, **row}), flush=True)


def backend_of(model: Model) -> ModelBackend:
    """Return the backend of a model without an encoder."""
    return ModelBackend(model, Lexicons.for_groups(model.table.groups))


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--unrelated", type=Path, default=Path("build/unrelated"))
    parser.add_argument("--first", type=Path, required=True, help="without a fifth of RTE2")
    parser.add_argument("--output", type=Path, required=True, help="folder of the tables")
    parser.add_argument("tables", nargs="+", choices=sorted(TABLES), metavar="TABLE")
    arguments = parser.parse_args()
    for name in arguments.tables:
        learn(name, arguments)


if __name__ == "__main__":
    main()
