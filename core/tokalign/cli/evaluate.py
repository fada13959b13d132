"""``tokalign evaluate``: score a model or predictions against gold."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click
from tqdm import tqdm

from tokalign.annotate import load_annotator
from tokalign.evaluate import (
    Evaluation,
    LinkChoice,
    Links,
    by_kind,
    by_length,
    by_tag,
    calibrate,
    compare,
    count_pairs,
    evaluate,
    list_errors,
    read_predictions,
)
from tokalign.evaluate import summary as text
from tokalign.formats import FORMATS, Options, read_gold
from tokalign.types import GoldPair, Symmetrization

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FORMAT = click.Choice(list(FORMATS))


@click.command("evaluate")
@click.option("--gold", "gold_path", type=_FILE, required=True, help="Pairs aligned by hand.")
@click.option("--format", "format_name", type=_FORMAT, help="Of the gold; seen from its content.")
@click.option(
    "--text",
    "text_paths",
    type=_FILE,
    multiple=True,
    help="Parallel text of links-only gold: one file, or source then target.",
)
@click.option("--one-based", is_flag=True, help="Pharaoh indices of the gold start at 1.")
@click.option("--reversed", "is_reversed", is_flag=True, help="Gold links are target first.")
@click.option("--model", help="Name of a shipped model or path of a model file.")
@click.option("--predictions", "predictions_path", type=_FILE, help="Links to score.")
@click.option("--predictions-format", type=_FORMAT, help="Seen from the content by default.")
@click.option("--predictions-one-based", is_flag=True, help="As --one-based, for predictions.")
@click.option("--predictions-reversed", is_flag=True, help="As --reversed, for predictions.")
@click.option(
    "--direction",
    type=click.Choice([each.value for each in Symmetrization]),
    help="How the model decodes (default: as 'tokalign align'); predictions are taken as they are.",
)
@click.option(
    "--links",
    "choice",
    type=click.Choice([each.value for each in LinkChoice]),
    default=LinkChoice.SURE.value,
    show_default=True,
    help="Which gold links count.",
)
@click.option("--against", type=_FILE, help="Predictions of another system to test against.")
@click.option("--samples", default=1000, show_default=True, help="Bootstrap samples and shuffles.")
@click.option("--seed", default=0, show_default=True, help="Of the samples.")
@click.option("--errors", "n_errors", default=0, show_default=True, help="Worst errors to list.")
@click.option(
    "--html",
    "html_path",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page with every pair, worst first.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object of fractions.")
def command(
    gold_path: Path,
    format_name: str | None,
    text_paths: tuple[Path, ...],
    one_based: bool,
    is_reversed: bool,
    model: str | None,
    predictions_path: Path | None,
    predictions_format: str | None,
    predictions_one_based: bool,
    predictions_reversed: bool,
    direction: str | None,
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
    """
    if (model is None) == (predictions_path is None):
        raise click.UsageError("give either --model or --predictions")
    if len(text_paths) > 2:
        raise click.UsageError("--text takes one file with both sides, or two files")
    links = LinkChoice(choice)
    reading = Options(text=text_paths, one_based=one_based, reverse=is_reversed)
    gold: Sequence[GoldPair] = read_gold(gold_path, format_name, options=reading)
    confidences: Sequence[Mapping[tuple[int, int], float]] | None = None
    predicted: Sequence[Links]
    if predictions_path is not None:
        predicted = read_predictions(
            predictions_path,
            gold,
            format=predictions_format,
            choice=links,
            options=Options(one_based=predictions_one_based, reverse=predictions_reversed),
        )
        gold = _tag(gold)
    else:
        gold, confidences, direction = _align(str(model), gold, direction)
        predicted = [frozenset(each) for each in confidences]
    result = evaluate(gold, predicted, choice=links, n_samples=samples, seed=seed)
    others, other = None, None
    if against is not None:
        others = read_predictions(against, gold, choice=links)
        counts = count_pairs(gold, others, links)
        other = compare(result.counts, counts, n_samples=samples, seed=seed)
    lengths = by_length(gold, predicted, links)
    kinds, tags = by_kind(gold, predicted, links), by_tag(gold, predicted, links)
    errors = list_errors(gold, predicted, links)
    calibration = calibrate(gold, confidences, links) if confidences is not None else None
    if html_path is not None:
        from tokalign import view

        tables = view.evaluation_tables(
            result,
            lengths=lengths,
            kinds=kinds,
            tags=tags,
            errors=errors,
            comparison=other,
            calibration=calibration,
        )
        system = f"model {model}, {direction}"
        if predictions_path is not None:
            system = predictions_path.name
        page = view.render_page(
            f"{system} against {gold_path.name}",
            f"{len(gold)} pairs; links that count: {choice}"
            + (f"; second system: {against.name}" if against is not None else ""),
            view.page_pairs(gold, confidences or predicted, choice=links, other=others),
            tables=tables,
            calibration=calibration,
            choice=links,
        )
        html_path.write_text(page, encoding="utf-8")
    if as_json:
        report = _head(result, links, model, direction, predictions_path)
        report["by_length"] = {name: each.to_json() for name, each in lengths.items()}
        report["by_kind"] = {name: each.to_json() for name, each in kinds.items()}
        report["by_tag"] = {name: each.to_json() for name, each in tags.items()}
        if calibration is not None:
            report["calibration"] = calibration.to_json()
        if other is not None:
            report["against"] = {name: asdict(each) for name, each in other.items()}
        if n_errors:
            report["errors"] = [asdict(error) for error in errors[:n_errors]]
        click.echo(json.dumps(report))
        return
    lines = [*text.score_lines(result.scores, result.intervals, choice)]
    if other is not None:
        lines += text.comparison_lines(other, str(against))
    lines += text.breakdown_lines(lengths, kinds, tags)
    if calibration is not None:
        lines += text.calibration_lines(calibration)
    if n_errors:
        lines += text.error_lines(errors, n_errors)
    for line in lines:
        click.echo(line)


def _align(
    model: str, gold: Sequence[GoldPair], direction: str | None
) -> tuple[list[GoldPair], list[dict[tuple[int, int], float]], str]:
    """Return the gold with the annotator's columns, link confidences, and the direction."""
    from tokalign.aligner import Aligner
    from tokalign.types import DEFAULT_SYMMETRIZATION

    chosen = Symmetrization(direction) if direction else DEFAULT_SYMMETRIZATION
    pairs = ((pair.source, pair.target) for pair in gold)
    answers = tqdm(
        Aligner.load(model).pipe(pairs, symmetrization=chosen),
        total=len(gold),
        unit=" pairs",
        disable=None,
    )
    annotated: list[GoldPair] = []
    predicted: list[dict[tuple[int, int], float]] = []
    for pair, answer in zip(gold, answers, strict=True):
        annotated.append(replace(pair, source=answer.source, target=answer.target))
        predicted.append({(each.source, each.target): each.confidence for each in answer.links})
    return annotated, predicted, chosen.value


def _tag(gold: Sequence[GoldPair]) -> list[GoldPair]:
    """Return the gold with tags, by the native annotator where it has none."""
    annotator = load_annotator("native")
    sources = annotator.annotate([pair.source for pair in gold], trees=False)
    targets = annotator.annotate([pair.target for pair in gold], trees=False)
    return [
        replace(pair, source=source, target=target)
        for pair, source, target in zip(gold, sources, targets, strict=True)
    ]


def _head(
    result: Evaluation,
    links: LinkChoice,
    model: str | None,
    direction: str | None,
    predictions_path: Path | None,
) -> dict[str, object]:
    report = {**result.to_json(), "links": links.value}
    if model is not None:
        return {**report, "model": model, "direction": direction}
    return {**report, "predictions": str(predictions_path)}
