"""``tokalign evaluate``: scores of a model or of predictions against gold."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click

from tokalign.cli.corpora import (
    GoldFlags,
    ScoreFlags,
    annotated,
    confidences_of,
    quoted_model,
    read_jsonl,
    relations_of,
    signature,
)
from tokalign.cli.flags import (
    INPUT,
    MODEL,
    OUTPUT,
    SCORES,
    SectionedCommand,
    flag,
    flagged,
    group,
    takes,
)
from tokalign.cli.shared_flags import EXISTING_FILE, LinkFlags, is_quiet
from tokalign.english.annotate import load_annotator
from tokalign.formats.jsonl import read_relations
from tokalign.types import Alignment, GoldPair, Links
from tokalign.types.options import LinkChoice

if TYPE_CHECKING:
    from tokalign.evaluate.report import Confidences, Report

N_ERRORS_OF_PAGE = 40


@dataclass(frozen=True, slots=True)
class ScoredSystem:
    """A system to score: its names in JSON and in a title, and its links."""

    names: Mapping[str, object]
    title: str
    predicted: Sequence[Links] | Confidences
    relations: Sequence[Mapping[tuple[int, int], str]] = ()


@flagged
class EvaluateFlags:
    """The system to score, and the lists in the report."""

    section: ClassVar[str] = SCORES
    model: str | None = flag("Model or system to score: a name or a path.", under=MODEL)
    options: LinkFlags = group(LinkFlags)
    predictions: Path | None = flag(
        "Links to score, in any format.", type=EXISTING_FILE, under=INPUT
    )
    worst: int = flag("Worst errors to list.", type=click.IntRange(0), default=0, under=OUTPUT)

    def __post_init__(self) -> None:
        if (self.model is None) == (self.predictions is None):
            raise click.UsageError("give either --model or --predictions")
        if (self.options.style or self.options.related) and self.model is None:
            raise click.UsageError(
                "--style and --related are for --model; predictions are taken as they are"
            )


@click.command("evaluate", cls=SectionedCommand)
@takes(gold=GoldFlags, asked=EvaluateFlags, scoring=ScoreFlags)
def command(gold: GoldFlags, asked: EvaluateFlags, scoring: ScoreFlags) -> None:
    """Score a model, or predictions in any format, against pairs aligned by hand.

    Precision and recall are macro averages over pairs, and F1 is their harmonic mean. An empty
    prediction has precision 0, or 1 if the gold is empty too.

    The report has every score with its interval, F-alpha for several alphas, and tables by length,
    kind of link and word class. With --model it says how well confidences are calibrated, and with
    --worst the errors that cost most. `tokalign compare` tests two systems on the same pairs.

    --symmetrization and --style are for --model; predictions are taken as they are.
    """
    from tokalign.evaluate.report import report
    from tokalign.evaluate.tables import tables

    choice = LinkChoice(scoring.links)
    has_page = scoring.html is not None
    pairs, system = _system(asked, gold.read(), choice, gold.path.name, has_page=has_page)
    found = report(
        pairs, system.predicted, choice=choice, n_samples=scoring.samples, seed=scoring.seed
    )
    if scoring.html is not None:
        page = _page(found, pairs, system, gold.path.name)
        scoring.html.write_text(page, encoding="utf-8")
    scoring.write_pairs(pairs, {system.title: found.result})
    quote = signature(
        gold=gold.path,
        n_pairs=len(pairs),
        system=quoted_model(asked.model or str(asked.predictions)),
        symmetrization=asked.options.symmetrization if asked.model else "",
        style=system.names.get("style"),
        **scoring.quoted(),
    )
    value = found.to_json({**system.names, "signature": quote}, asked.worst)
    scoring.print(value, tables(found, n_errors=asked.worst), quote)


def _page(found: Report, pairs: Sequence[GoldPair], system: ScoredSystem, gold_name: str) -> str:
    from tokalign.evaluate.tables import tables
    from tokalign.view import page_pairs, render_page

    return render_page(
        f"{system.title} against {gold_name}",
        f"{len(pairs)} pairs; links that count: {found.choice.value}",
        page_pairs(pairs, system.predicted, choice=found.choice, relations=system.relations),
        tables=tables(found, n_errors=N_ERRORS_OF_PAGE),
        calibration=found.calibration,
        choice=found.choice,
    )


def _system(
    asked: EvaluateFlags, gold: Sequence[GoldPair], choice: LinkChoice, name: str, *, has_page: bool
) -> tuple[list[GoldPair], ScoredSystem]:
    """Return the gold with tags, and the system to score."""
    from tokalign.evaluate import read_predictions

    if asked.model is None:
        path = asked.predictions or Path()
        links = read_predictions(path, gold, choice=choice)
        relations = read_jsonl(path, None, read_relations)
        tagged = annotated(gold, load_annotator("native"), trees=False)
        return tagged, ScoredSystem({"predictions": str(path)}, path.name, links, relations)
    options = asked.options
    named = [*filter(None, [options.style, "related" * options.related])]
    style = {"style": ", ".join(named)} if named else {}
    names: dict[str, object] = {
        "model": asked.model,
        "symmetrization": options.symmetrization,
        **style,
    }
    title = ", ".join((f"model {asked.model}", options.symmetrization, *style.values()))
    filled, answers = _align(asked.model, gold, options, has_relations=has_page)
    if seen := _trained_on(asked.model, gold, name):
        names["trained_on"] = seen
    confidences = list(map(confidences_of, answers))
    return filled, ScoredSystem(names, title, confidences, list(map(relations_of, answers)))


def _trained_on(model: str, gold: Sequence[GoldPair], name: str) -> list[str]:
    """Return the corpora of a model that hold some of the gold, and warn if there are any."""
    from tokalign.model import load_model
    from tokalign.model.seen_pairs import trained_on
    from tokalign.model.shipped import model_path
    from tokalign.systems import SYSTEMS

    seen = [] if model in SYSTEMS else trained_on(load_model(model_path(model)).header, gold, name)
    if seen:
        click.echo(
            f"{model} was trained on {' and '.join(seen)}, which has pairs of this gold: the "
            "scores flatter it. Its figures on pairs that it has not seen: tokalign info "
            f"{model}; those of your own training: tokalign crossval",
            err=True,
        )
    return seen


def _align(
    model: str, gold: Sequence[GoldPair], flags: LinkFlags, *, has_relations: bool = False
) -> tuple[list[GoldPair], list[Alignment]]:
    """Return the gold with the annotator's columns, and its alignments by a model."""
    from tokalign.aligner import Aligner

    aligner = Aligner.load(model)
    options = replace(flags.options(), relations=has_relations and not aligner.is_system)
    pairs = [(pair.source, pair.target) for pair in gold]
    is_shown = not is_quiet() and sys.stderr.isatty()
    found = list(aligner.pipe(pairs, options, progress=is_shown))
    filled = [
        replace(pair, source=answer.source, target=answer.target)
        for pair, answer in zip(gold, found, strict=True)
    ]
    return filled, found
