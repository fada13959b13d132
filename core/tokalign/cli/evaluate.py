"""``tokalign evaluate``: score a model or predictions against gold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
from tqdm import tqdm

from tokalign.annotate import load_annotator
from tokalign.cli.gold import FILE, File, gold_options, predictions_options, scoring_options
from tokalign.cli.options import is_quiet
from tokalign.evaluate import LinkChoice, Links, read_predictions
from tokalign.evaluate.report import Report, report
from tokalign.evaluate.tables import tables, unrelated_table
from tokalign.evaluate.unrelated import Confidences, count_unrelated
from tokalign.formats import read_gold
from tokalign.options import DEFAULT_SYMMETRIZATION, Symmetrization
from tokalign.types import GoldPair
from tokalign.view import page_pairs, render_page, table_lines

N_ERRORS_OF_PAGE = 40


@dataclass(frozen=True, slots=True)
class System:
    """What is scored: its names in JSON and in a title, its links, and how sure it was of them."""

    names: dict[str, object]
    title: str
    predicted: Sequence[Links]
    confidences: Confidences | None = None


@click.command("evaluate", short_help="Score a model, or predictions, on gold.")
@gold_options
@click.option(
    "--unrelated",
    "unrelated_path",
    type=FILE,
    help="Pairs that have nothing to say to each other; their links are not read.",
)
@click.option("--model", help="Name of a shipped model or a system, or path of a model file.")
@predictions_options
@click.option(
    "--direction",
    type=click.Choice([each.value for each in Symmetrization]),
    help="How the model decodes (default: as 'tokalign align'); predictions are taken as they are.",
)
@click.option("--style", help="Of the model (default: its default style).")
@click.option("--against", type=FILE, help="Predictions of another system to test against.")
@click.option(
    "--errors",
    "n_errors",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Worst errors to list.",
)
@scoring_options(page="every pair, worst first")
def command(
    gold: File | None,
    unrelated_path: Path | None,
    model: str | None,
    predictions: File | None,
    direction: str | None,
    style: str | None,
    choice: str,
    against: Path | None,
    samples: int,
    seed: int,
    n_errors: int,
    html_path: Path | None,
    as_json: bool,
) -> None:
    """Score a model, or predictions in any format, against gold.

    Precision and recall are macro averages over pairs, F1 the harmonic mean of the two; an empty
    prediction has precision 0, or 1 if the gold is empty too.

    Printed are F1 with intervals, F-alpha over the range of alpha, exact match, AER and why it
    misleads, scores of identical, other and content words, tables by length, kind of link and word
    class, how well confidences are calibrated (with --model), a paired test (with --against) and
    the most harmful errors (with --errors).

    With --unrelated the links per 100 unrelated pairs are printed, by kind of words and confidence,
    and links between unlike words count as wrong in the calibration. It needs --model, and no gold.
    """
    if (model is None) == (predictions is None):
        raise click.UsageError("give either --model or --predictions")
    if style and model is None:
        raise click.UsageError("--style is for --model; predictions are taken as they are")
    if unrelated_path is not None and model is None:
        raise click.UsageError("--unrelated needs --model")
    unrelated = (
        None if unrelated_path is None else _unrelated(str(model), unrelated_path, direction, style)
    )
    if gold is None:
        if unrelated is None:
            raise click.UsageError("give --gold, --unrelated or both")
        counts = count_unrelated(*unrelated)
        if as_json:
            click.echo(json.dumps({"model": model, "unrelated": counts.to_json()}))
            return
        for line in table_lines([unrelated_table(counts)]):
            click.echo(line)
        return
    links = LinkChoice(choice)
    pairs: Sequence[GoldPair] = read_gold(gold.path, gold.format, options=gold.options)
    if predictions is not None:
        pairs, system = _read(predictions, pairs, links)
    else:
        pairs, system = _align(str(model), pairs, direction, style or "")
    others = None if against is None else read_predictions(against, pairs, choice=links)
    found = report(
        pairs,
        system.predicted,
        choice=links,
        confidences=system.confidences,
        others=others,
        unrelated=unrelated,
        n_samples=samples,
        seed=seed,
    )
    if html_path is not None:
        page = _page(found, pairs, system, others, gold.path.name, against)
        html_path.write_text(page, encoding="utf-8")
    if as_json:
        click.echo(json.dumps(found.to_json(system.names, n_errors)))
        return
    for line in table_lines(tables(found, n_errors=n_errors, other=str(against))):
        click.echo(line)


def _page(
    found: Report,
    pairs: Sequence[GoldPair],
    system: System,
    others: Sequence[Links] | None,
    gold_name: str,
    against: Path | None,
) -> str:
    note = f"{len(pairs)} pairs; links that count: {found.choice.value}"
    if against is not None:
        note += f"; second system: {against.name}"
    shown = system.confidences or system.predicted
    return render_page(
        f"{system.title} against {gold_name}",
        note,
        page_pairs(pairs, shown, choice=found.choice, other=others),
        tables=tables(found, n_errors=N_ERRORS_OF_PAGE, other=against.name if against else ""),
        calibration=found.calibration,
        choice=found.choice,
    )


def _read(
    file: File, gold: Sequence[GoldPair], choice: LinkChoice
) -> tuple[list[GoldPair], System]:
    """Return the gold with tags, and the system whose links are in a file."""
    predicted = read_predictions(
        file.path, gold, format=file.format, choice=choice, options=file.options
    )
    return _tag(gold), System({"predictions": str(file.path)}, file.path.name, predicted)


def _align(
    model: str, gold: Sequence[GoldPair], direction: str | None, style: str
) -> tuple[list[GoldPair], System]:
    """Return the gold with the annotator's columns, and the model's links."""
    from tokalign.aligner import Aligner

    chosen = Symmetrization(direction) if direction else DEFAULT_SYMMETRIZATION
    pairs = ((pair.source, pair.target) for pair in gold)
    answers = tqdm(
        Aligner.load(model).pipe(pairs, symmetrization=chosen, style=style),
        total=len(gold),
        unit=" pairs",
        disable=is_quiet() or None,  # None hides it where stderr is no terminal
    )
    annotated: list[GoldPair] = []
    confidences: list[dict[tuple[int, int], float]] = []
    for pair, answer in zip(gold, answers, strict=True):
        annotated.append(replace(pair, source=answer.source, target=answer.target))
        confidences.append({(each.source, each.target): each.confidence for each in answer.links})
    return annotated, System(
        names={"model": model, "direction": chosen.value, **({"style": style} if style else {})},
        title=", ".join((f"model {model}", chosen.value, *([style] if style else []))),
        predicted=[frozenset(each) for each in confidences],
        confidences=confidences,
    )


def _unrelated(
    model: str, path: Path, direction: str | None, style: str | None
) -> tuple[list[GoldPair], Confidences]:
    """Return unrelated pairs with the annotator's columns, and how sure the model is of links."""
    pairs, system = _align(model, read_gold(path), direction, style or "")
    return pairs, system.confidences or ()


def _tag(gold: Sequence[GoldPair]) -> list[GoldPair]:
    """Return the gold with tags, by the native annotator where it has none."""
    annotator = load_annotator("native")
    sources = annotator.annotate([pair.source for pair in gold], trees=False)
    targets = annotator.annotate([pair.target for pair in gold], trees=False)
    return [
        replace(pair, source=source, target=target)
        for pair, source, target in zip(gold, sources, targets, strict=True)
    ]
