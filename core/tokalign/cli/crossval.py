"""``tokalign crossval``: scores of models on pairs that they were not trained on."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn

import click

from tokalign.cli.corpora import N_ERRORS_OF_PAGE, GoldFlags, ScoreFlags, annotated, confidences_of
from tokalign.cli.flags import (
    INPUT,
    LINKS,
    OUTPUT,
    OutputPath,
    SectionedCommand,
    flag,
    flagged,
    takes,
)
from tokalign.cli.shared_flags import EXISTING_FILE, SYMMETRIZATION, is_quiet
from tokalign.cli.train import SettingFlags, TrainingRun
from tokalign.english.annotate import Annotator, load_annotator
from tokalign.errors import InputError, quoted
from tokalign.formats import read_gold, shared_pairs
from tokalign.types import GoldPair
from tokalign.types.options import LinkChoice, Symmetrization

if TYPE_CHECKING:
    from tqdm import tqdm

    from tokalign.evaluate import Evaluation
    from tokalign.evaluate.report import ReportTable
    from tokalign.model.training import TrainingSettings

CURVE = (0.125, 0.25, 0.5)
"""Shares of the training pairs for the learning curve, beside all of them."""

logger = logging.getLogger(__name__)

HeldOut = list[Mapping[tuple[int, int], float]]


@flagged
class CrossvalFlags:
    """How the pairs are dealt out to folds, and the output."""

    section: ClassVar[str] = "Folds"
    also: tuple[Path, ...] = flag(
        "Aligned corpus that every model learns from as well.",
        type=EXISTING_FILE,
        default=(),
        under=INPUT,
    )
    folds: int = flag("Parts of the corpus.", type=click.IntRange(2), default=5)
    fold_seed: int = flag("Seed by which pairs are dealt out.", type=click.IntRange(0), default=1)
    learning_curve: bool = flag(
        "Also train on an eighth, a quarter and a half of the pairs.", default=False
    )
    symmetrization: str = flag(under=LINKS, **SYMMETRIZATION)
    worst: int = flag("Worst errors to list.", type=click.IntRange(0), default=0, under=OUTPUT)
    output: Path | None = flag(
        "File for the links of each pair by the model that has not seen it, in Pharaoh form.",
        "-o",
        type=OutputPath(),
        under=OUTPUT,
    )


@dataclass(frozen=True, slots=True)
class Trial:
    """The training data of a cross-validation, and how to train.

    The gold has the annotator's columns. Every model is trained on the others as well, except for
    the pairs that are held out from it.
    """

    name: str
    gold: Sequence[GoldPair]
    folds: Sequence[int]
    others: Mapping[str, Sequence[GoldPair]]
    settings: TrainingSettings
    annotator: Annotator
    n_threads: int | None

    def held_out(
        self, symmetrization: Symmetrization, share: float = 1.0
    ) -> Iterator[tuple[list[int], int, HeldOut]]:
        """Yield for each fold the indices of its pairs, the number of training pairs, and the links
        predicted for its pairs.

        `share` is that of the other folds' pairs to train on; a smaller one is a subset of a larger
        one.
        """
        import numpy as np

        from tokalign.aligner import Aligner
        from tokalign.model.training import TrainingData, train

        style = dict(self.settings.styles).get(self.name, "")
        order = np.random.default_rng(0).permutation(len(self.gold)).tolist()
        for fold in sorted(set(self.folds)):
            places = [k for k, number in enumerate(self.folds) if number == fold]
            held_out = [self.gold[k] for k in places]
            others = [k for k in order if self.folds[k] != fold]
            seen = sorted(others[: max(round(share * len(others)), 1)])
            data = TrainingData(
                {self.name: [self.gold[k] for k in seen], **self._others_without(held_out)}
            )
            model = train(
                data, self.annotator, self.settings, n_threads=self.n_threads, name=f"fold-{fold}"
            )
            pairs = [(pair.source, pair.target) for pair in held_out]
            answers = Aligner(model, self.annotator).pipe(
                pairs, symmetrization=symmetrization, style=style
            )
            yield places, len(seen), list(map(confidences_of, answers))

    def _others_without(self, left_out: Sequence[GoldPair]) -> dict[str, list[GoldPair]]:
        held_out = {(pair.source.tokens, pair.target.tokens) for pair in left_out}
        return {
            name: [
                pair for pair in pairs if (pair.source.tokens, pair.target.tokens) not in held_out
            ]
            for name, pairs in self.others.items()
        }


def folds_of(pairs: Sequence[GoldPair], n_folds: int, seed: int) -> list[int]:
    """Return the fold of every pair, from 0; pairs that share a target are in one. InputError if
    a fold would have no pairs."""
    from tokalign.model.training import fold_numbers

    folds = fold_numbers(pairs, n_folds, seed)
    if len(set(folds)) < n_folds:
        raise InputError(
            f"{len(pairs)} pairs make {len(set(folds))} groups that share no target, too few for "
            f"{n_folds} folds; lower --folds"
        )
    return folds


@click.command("crossval", cls=SectionedCommand)
@takes(
    gold=GoldFlags, how=CrossvalFlags, settings=SettingFlags, run=TrainingRun, scoring=ScoreFlags
)
def command(
    gold: GoldFlags,
    how: CrossvalFlags,
    settings: SettingFlags,
    run: TrainingRun,
    scoring: ScoreFlags,
) -> None:
    """Score training on the pairs of --gold: each is aligned by a model that has not seen it.

    \b
    Example:
      tokalign crossval --gold gold.jsonl --folds 5 --learning-curve

    The corpus is dealt out into --folds parts; for each a model learns from the others, with the
    settings of `tokalign train`. The report is that of `tokalign evaluate`, with a row for each
    fold and, with --learning-curve, for smaller training sets.
    """
    from tokalign.evaluate import evaluate
    from tokalign.evaluate.report import report, tables
    from tokalign.view import page_pairs, render_page

    trial = _trial(gold, how, settings, run)
    choice = LinkChoice(scoring.links)
    symmetrization = Symmetrization(how.symmetrization)
    rounds = how.folds * (len(CURVE) + 1 if how.learning_curve else 1)
    with _bar(rounds) as bar:
        links, by_fold, n_seen = _run(trial, symmetrization, 1.0, choice, bar)
        curve = []
        for share in CURVE if how.learning_curve else ():
            fewer, _, n_fewer = _run(trial, symmetrization, share, choice, bar)
            curve.append((n_fewer, evaluate(trial.gold, _plain(fewer), choice=choice)))
    found = report(trial.gold, links, choice=choice, n_samples=scoring.samples, seed=scoring.seed)
    shown = [_fold_table(by_fold)]
    if curve:
        curve.append((n_seen, found.result))
        shown.append(_curve_table(curve))
    if how.output is not None:
        lines = (" ".join(f"{i}-{j}" for i, j in sorted(each)) for each in links)
        how.output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    scoring.write_pairs(trial.gold, {"crossval": found.result})
    quote = scoring.signature(
        gold.path,
        trial.gold,
        folds=how.folds,
        fold_seed=how.fold_seed,
        feature_groups=",".join(trial.settings.feature_groups),
        l2=trial.settings.l2,
        symmetrization=how.symmetrization,
    )
    names = {"folds": [_scores(each) for each in by_fold], "signature": quote}
    value = found.to_json(names, how.worst)
    if curve:
        value["learning_curve"] = [{"trained_on": n, **_scores(each)} for n, each in curve]
    shown += tables(found, n_errors=how.worst)
    if scoring.html is not None:
        page = render_page(
            f"cross-validation of {trial.name}",
            quote,
            page_pairs(trial.gold, links, choice=choice),
            tables=[*shown[: 2 if curve else 1], *tables(found, n_errors=N_ERRORS_OF_PAGE)],
            calibration=found.calibration,
            choice=choice,
        )
        scoring.html.write_text(page, encoding="utf-8")
    scoring.print(value, shown, quote)


def _trial(gold: GoldFlags, how: CrossvalFlags, flags: SettingFlags, run: TrainingRun) -> Trial:
    from tokalign.features.feature_groups import needs_trees

    settings = flags.settings()
    annotator = load_annotator(run.annotator)
    filled = partial(annotated, annotator=annotator, trees=needs_trees(settings.feature_groups))
    pairs = gold.read()
    name = gold.path.name
    folds = folds_of(pairs, how.folds, how.fold_seed)
    others = {path.name: filled(read_gold(path)) for path in how.also}
    if name in others or len(others) < len(how.also):
        raise click.UsageError("two corpora have one file name")
    for other, read in others.items():
        if shared := shared_pairs(read, pairs):
            logger.warning(
                "%s: %d pairs are in --gold, too, such as %s; no model learns from those that it "
                "is scored on", other, len(shared), quoted(shared[0].id),
            )  # fmt: skip
    return Trial(name, filled(pairs), folds, others, settings, annotator, run.jobs)


def _bar(total: int) -> tqdm[NoReturn]:
    from tqdm import tqdm

    is_hidden = is_quiet() or not sys.stderr.isatty()
    return tqdm(total=total, unit="model", disable=is_hidden, leave=False)


def _run(
    trial: Trial,
    symmetrization: Symmetrization,
    share: float,
    choice: LinkChoice,
    bar: tqdm[NoReturn],
) -> tuple[HeldOut, list[Evaluation], int]:
    """Return all links, the scores of each fold, and the number of training pairs."""
    from tokalign.evaluate import evaluate

    links: HeldOut = [{} for _ in trial.gold]
    by_fold, sizes = [], []
    for places, n_seen, found in trial.held_out(symmetrization, share):
        for k, each in zip(places, found, strict=True):
            links[k] = each
        part = [trial.gold[k] for k in places]
        by_fold.append(evaluate(part, _plain(found), choice=choice, n_samples=1))
        sizes.append(n_seen)
        bar.update()
    return links, by_fold, round(sum(sizes) / len(sizes))


def _plain(links: HeldOut) -> list[frozenset[tuple[int, int]]]:
    return [frozenset(each) for each in links]


_METRICS = {"P": "precision", "R": "recall", "F1": "f1", "E": "exact_match"}


def _scores(result: Evaluation) -> dict[str, float]:
    return {
        "pairs": result.scores.pairs,
        **{name: getattr(result.scores, name) for name in _METRICS.values()},
    }


def _cells(result: Evaluation) -> list[float]:
    return [100 * getattr(result.scores, name) for name in _METRICS.values()]


def _fold_table(by_fold: Sequence[Evaluation]) -> ReportTable:
    import numpy as np

    from tokalign.evaluate.report import percent_table

    rows = [(str(k), each.scores.pairs, *_cells(each)) for k, each in enumerate(by_fold, 1)]
    spread = np.std([_cells(each) for each in by_fold], axis=0, ddof=1).tolist()
    rows.append(("sd", "", *spread))
    names = ("fold", "pairs", *_METRICS)
    return percent_table("Folds", names, rows, "sd: of the folds' scores", is_open=True)


def _curve_table(curve: Sequence[tuple[int, Evaluation]]) -> ReportTable:
    from tokalign.evaluate.report import percent_table

    rows = [(str(n), each.scores.pairs, *_cells(each)) for n, each in curve]
    return percent_table("Learning curve", ("trained on", "pairs", *_METRICS), rows, is_open=True)
