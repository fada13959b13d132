"""``tokalign evaluate`` and ``tokalign compare``: scores of systems against gold."""

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click

from tokalign.cli.corpora import (
    N_ERRORS_OF_PAGE,
    GoldFlags,
    ScoreFlags,
    annotated,
    confidences_of,
    quoted_model,
    read_jsonl,
    relations_of,
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
from tokalign.cli.shared_flags import EXISTING_FILE, LinkFlags, echo, is_quiet
from tokalign.english.annotate import load_annotator
from tokalign.errors import InputError, quoted
from tokalign.formats import Options
from tokalign.formats.jsonl import read_relations
from tokalign.types import Alignment, GoldPair, Links
from tokalign.types.options import DEFAULT_SYMMETRIZATION, LinkChoice, Symmetrization, member

if TYPE_CHECKING:
    from tokalign.evaluate.report import Confidences, SystemLinks


@dataclass(frozen=True, slots=True)
class ScoredSystem:
    """A system to score: its names in JSON and in a title, and its links."""

    names: Mapping[str, object]
    title: str
    predicted: "Sequence[Links] | Confidences"
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
def evaluate(gold: GoldFlags, asked: EvaluateFlags, scoring: ScoreFlags) -> None:
    """Score a model, or predictions in any format, against pairs aligned by hand.

    Precision and recall are macro averages over pairs, and F1 is their harmonic mean. An empty
    prediction has precision 0, or 1 if the gold is empty too.

    The report has every score with its interval, F-alpha for several alphas, and tables by length,
    kind of link and word class. With --model it says how well confidences are calibrated, and with
    --worst the errors that cost most. `tokalign compare` tests two systems on the same pairs.

    --symmetrization and --style are for --model; predictions are taken as they are.
    """
    from tokalign.evaluate.report import report, tables

    choice = LinkChoice(scoring.links)
    has_page = scoring.html is not None
    pairs, system = _system(asked, gold.read(), choice, gold.path.name, has_page=has_page)
    found = report(
        pairs, system.predicted, choice=choice, n_samples=scoring.samples, seed=scoring.seed
    )
    if scoring.html is not None:
        from tokalign.view import page_pairs, render_page

        page = render_page(
            f"{system.title} against {gold.path.name}",
            f"{len(pairs)} pairs; links that count: {choice.value}",
            page_pairs(pairs, system.predicted, choice=choice, relations=system.relations),
            tables=tables(found, n_errors=N_ERRORS_OF_PAGE),
            calibration=found.calibration,
            choice=choice,
        )
        scoring.html.write_text(page, encoding="utf-8")
    scoring.write_pairs(pairs, {system.title: found.result})
    quote = scoring.signature(
        gold.path,
        pairs,
        system=quoted_model(asked.model or str(asked.predictions)),
        symmetrization=asked.options.symmetrization if asked.model else "",
        style=system.names.get("style"),
    )
    value = found.to_json({**system.names, "signature": quote}, asked.worst)
    scoring.print(value, tables(found, n_errors=asked.worst), quote)


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
    from tokalign.model.file import trained_on
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


_OF_MODELS = {"symmetrization", "style"}
_OF_FILES = {"from"}
_SWITCHES = {"one-based", "reversed"}
_MARKUP = ("latex", "markdown", "csv")


@dataclass(frozen=True, slots=True)
class Spec:
    """A system as given on the command line: ``[LABEL=]WHAT[,SETTING...]``.

    WHAT is a model's name or path, or the path of links; An empty style or format is the
    default.
    """

    label: str
    what: str
    symmetrization: Symmetrization | None = None
    style: str = ""
    format: str = ""
    options: Options = Options()  # noqa: RUF009 (frozen)

    @property
    def is_model(self) -> bool:
        """Whether it is a model; else it is a file of links."""
        from tokalign.model.shipped import MODEL_SUFFIX, shipped_models
        from tokalign.systems import SYSTEMS

        names = (*shipped_models(), *SYSTEMS)
        return self.what in names or self.what.endswith(MODEL_SUFFIX)


def read_spec(text: str) -> Spec:
    """Return the system that an argument describes; InputError if a setting is unknown, empty,
    repeated, or for another kind of system."""

    def wrong(said: str) -> InputError:
        return InputError(f"system {quoted(text)}: {said}")

    what, *settings = text.split(",")
    label, separator, path = what.rpartition("=")
    spec = Spec(label if separator else text, path)
    known, kind = (_OF_MODELS, "models") if spec.is_model else (_OF_FILES | _SWITCHES, "files")
    values: dict[str, str] = {}
    for setting in settings:
        name, separator, value = setting.partition("=")
        if name not in (_OF_MODELS | _OF_FILES if separator else _SWITCHES):
            wanted = [f"{each}=..." for each in sorted(_OF_MODELS | _OF_FILES)]
            raise wrong(
                f"no setting {quoted(setting)}; wanted {', '.join([*wanted, *sorted(_SWITCHES)])}"
            )
        if separator and not value:
            raise wrong(f"nothing follows {quoted(setting)}")
        if name in values:
            raise wrong(f"{name} is there twice")
        if name not in known:
            other = "files" if spec.is_model else "models"
            raise wrong(f"{name} is a setting of {other}, not of {kind}")
        values[name] = value
    chosen = values.get("symmetrization")
    return replace(
        spec,
        symmetrization=None if chosen is None else member(Symmetrization, "symmetrization", chosen),
        style=values.get("style", ""),
        format=values.get("from", ""),
        options=Options(one_based="one-based" in values, reverse="reversed" in values),
    )


def links_of(spec: Spec, gold: Sequence[GoldPair], choice: LinkChoice) -> "SystemLinks":
    """Return a system's links of the gold sentences; InputError if a file has other pairs, or
    WHAT is neither a file nor a model's name."""
    from tokalign.aligner import Aligner
    from tokalign.evaluate import read_predictions
    from tokalign.evaluate.report import SystemLinks

    if not spec.is_model:
        if not Path(spec.what).is_file():
            from tokalign.model.shipped import model_path

            model_path(spec.what)  # says that there is neither a file nor a model of the name
        links = read_predictions(
            spec.what, gold, format=spec.format or None, choice=choice, options=spec.options
        )
        return SystemLinks(spec.label, links)
    aligner = Aligner.load(spec.what)
    pairs = [(pair.source, pair.target) for pair in gold]
    chosen = spec.symmetrization or DEFAULT_SYMMETRIZATION
    for pair in pairs[:1]:
        aligner.align(*pair, symmetrization=chosen, style=spec.style)  # tables are opened
    began = time.perf_counter()
    answers = list(aligner.pipe(pairs, symmetrization=chosen, style=spec.style))
    seconds = time.perf_counter() - began
    return SystemLinks(spec.label, list(map(confidences_of, answers)), len(pairs) / seconds)


def _relations(spec: Spec, gold: Sequence[GoldPair]) -> Sequence[Mapping[tuple[int, int], str]]:
    """Return the relations of each pair's links, where the system gives them."""
    if not spec.is_model:
        return read_jsonl(Path(spec.what), spec.format or None, read_relations)
    from tokalign.aligner import Aligner

    aligner = Aligner.load(spec.what)
    if aligner.is_system:
        return ()
    chosen = spec.symmetrization or DEFAULT_SYMMETRIZATION
    answers = aligner.pipe(
        [(pair.source, pair.target) for pair in gold],
        symmetrization=chosen,
        style=spec.style,
        relations=True,
    )
    return [relations_of(answer) for answer in answers]


def _quoted(spec: Spec) -> str:
    """Return a system's settings, as a signature quotes them."""
    parts = [f"{spec.label}={quoted_model(spec.what)}", spec.symmetrization, spec.style]
    return " ".join(each for each in parts if each)


@click.command("compare", cls=SectionedCommand)
@click.argument("systems", nargs=-1, required=True, metavar="[LABEL=]SYSTEM[,SETTING]...")
@takes(gold=GoldFlags, scoring=ScoreFlags)
@click.option(
    "--alpha",
    type=click.Choice([f"0.{tenth}" for tenth in range(1, 10)]),
    default="0.4",
    show_default=True,
    help="Alpha of the column F-alpha.",
)
@click.option(
    "--format",
    "markup",
    type=click.Choice(["text", *_MARKUP]),
    default="text",
    show_default=True,
    help="How to write the table.",
)
def compare(
    systems: tuple[str, ...], gold: GoldFlags, scoring: ScoreFlags, alpha: str, markup: str
) -> None:
    """Compare systems on pairs aligned by hand, each with the first one.

    A SYSTEM is one of three things: the name of a model or of a system of the literature; the path
    of a model (.tokalign); a file of links in any format, as GIZA++, fast_align, eflomal, SimAlign
    and awesome-align write them.

    Settings of models: symmetrization=..., style=... Settings of files: from=FORMAT, one-based,
    reversed.

    Pairs per second are measured on one thread and include annotating the sentences.
    """
    from tokalign.evaluate.report import MARKUP, compare_systems, comparison_table
    from tokalign.view import compared_pairs, render_page

    choice = LinkChoice(scoring.links)
    pairs = gold.read()
    specs = [read_spec(each) for each in systems]
    labels = [spec.label for spec in specs]
    if len(set(labels)) < len(labels):
        raise click.UsageError(f"two systems have one label among {', '.join(labels)}; add LABEL=")
    found = [links_of(spec, pairs, choice) for spec in specs]
    rows = compare_systems(
        pairs, found, choice=choice, n_samples=scoring.samples, seed=scoring.seed
    )
    table = comparison_table(rows, choice, alpha)
    systems_quoted = ", ".join(map(_quoted, specs))
    quote = scoring.signature(gold.path, pairs, systems=systems_quoted, alpha=alpha)
    if scoring.html is not None:
        page = render_page(
            f"{len(rows)} systems on {gold.path.name}",
            f"{len(pairs)} pairs; links that count: {choice.value}",
            compared_pairs(
                pairs,
                [each.predicted for each in found],
                choice=choice,
                relations=[_relations(spec, pairs) for spec in specs],
            ),
            tables=[table],
            choice=choice,
            systems=rows,
        )
        scoring.html.write_text(page, encoding="utf-8")
    value = {
        "gold": str(gold.path),
        "links": choice.value,
        "systems": [row.to_json() for row in rows],
        "signature": quote,
    }
    scoring.write_pairs(pairs, {row.name: row.result for row in rows})
    if markup in _MARKUP and not scoring.json:
        echo(MARKUP[markup](table))
        click.echo(f"signature: {quote}", err=True)
        return
    scoring.print(value, [table], quote)
