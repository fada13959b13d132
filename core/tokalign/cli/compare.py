"""``tokalign compare``: systems, and files of links, on one gold corpus."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from tokalign.cli.gold import File, gold_options, scoring_options
from tokalign.errors import InputError, quoted
from tokalign.evaluate import ALPHAS, LinkChoice, read_predictions
from tokalign.evaluate.compared import SystemLinks, compare_systems, comparison_table
from tokalign.formats import Options, read_gold
from tokalign.options import DEFAULT_SYMMETRIZATION, Symmetrization
from tokalign.types import GoldPair
from tokalign.view import compared_pairs, render_page, table_lines

_SETTINGS = ("direction", "style", "format", "with")
_FLAGS = ("one-based", "reversed")


@dataclass(frozen=True, slots=True)
class Spec:
    """A system as it is written: ``[LABEL=]WHAT[,SETTING...]``.

    Attributes
    ----------
    label : str
    what : str
        A model's name or path, or the path of links.
    direction : Symmetrization or None
    style, format : str
        Of a model, and of a file; empty for what is the default.
    other : str
        A second file, of the other direction.
    options : Options
        How files are read.
    """

    label: str
    what: str
    direction: Symmetrization | None = None
    style: str = ""
    format: str = ""
    other: str = ""
    options: Options = Options()  # noqa: RUF009 (frozen)

    @property
    def is_model(self) -> bool:
        """Whether it aligns; else it is a file of what was aligned."""
        from tokalign.shipped import MODEL_SUFFIX, shipped_models
        from tokalign.systems import SYSTEMS

        names = (*shipped_models(), *SYSTEMS)
        return self.what in names or self.what.endswith(MODEL_SUFFIX)


def read_spec(text: str) -> Spec:
    """Return a system of the command line.

    Raises
    ------
    InputError
        If a setting is unknown, empty, there twice, or of another kind of system.
    """
    what, *settings = text.split(",")
    label, separator, path = what.rpartition("=")
    spec = Spec(label if separator else text, path)
    values: dict[str, str] = {}
    for setting in settings:
        name, separator, value = setting.partition("=")
        if name not in (_SETTINGS if separator else _FLAGS):
            known = ", ".join([f"{each}=..." for each in _SETTINGS] + list(_FLAGS))
            raise InputError(f"system {quoted(text)}: no setting {quoted(setting)}; wanted {known}")
        if separator and not value:
            raise InputError(f"system {quoted(text)}: nothing follows {quoted(setting)}")
        if name in values:
            raise InputError(f"system {quoted(text)}: {name} is there twice")
        values[name] = value
    if "direction" in values and values["direction"] not in list(Symmetrization):
        raise InputError(
            f"system {quoted(text)}: no direction {quoted(values['direction'])}; wanted one of "
            f"{', '.join(Symmetrization)}"
        )
    of_files = {"format", "with", *_FLAGS} & values.keys()
    if spec.is_model and of_files:
        raise InputError(f"system {quoted(text)}: {min(of_files)} is a setting of files")
    if not spec.is_model and "style" in values:
        raise InputError(f"system {quoted(text)}: style is a setting of models")
    if not spec.is_model and ("direction" in values) != ("with" in values):
        raise InputError(
            f"system {quoted(text)}: direction combines the links of two files; give both "
            "with=FILE and direction=..."
        )
    return replace(
        spec,
        direction=Symmetrization(values["direction"]) if "direction" in values else None,
        style=values.get("style", ""),
        format=values.get("format", ""),
        other=values.get("with", ""),
        options=Options(one_based="one-based" in values, reverse="reversed" in values),
    )


def links_of(spec: Spec, gold: Sequence[GoldPair], choice: LinkChoice) -> SystemLinks:
    """Return what a system links in the gold's sentences.

    Raises
    ------
    InputError
        If a file's pairs are others, or a file is neither there nor a model's name.
    ModelError
        If a model cannot be loaded.
    """
    return _aligned(spec, gold) if spec.is_model else _read(spec, gold, choice)


def _aligned(spec: Spec, gold: Sequence[GoldPair]) -> SystemLinks:
    from tokalign.aligner import Aligner

    aligner = Aligner.load(spec.what)
    pairs = [(pair.source, pair.target) for pair in gold]
    chosen = spec.direction or DEFAULT_SYMMETRIZATION
    for pair in pairs[:1]:
        aligner.align(*pair, symmetrization=chosen, style=spec.style)  # tables are opened
    began = time.perf_counter()
    answers = list(aligner.pipe(pairs, symmetrization=chosen, style=spec.style))
    seconds = time.perf_counter() - began
    links = [{(each.source, each.target): each.confidence for each in a.links} for a in answers]
    return SystemLinks(spec.label, links, len(pairs) / seconds)


def _read(spec: Spec, gold: Sequence[GoldPair], choice: LinkChoice) -> SystemLinks:
    def read(path: str) -> list[frozenset[tuple[int, int]]]:
        if not Path(path).is_file():
            from tokalign.shipped import model_path

            model_path(path)  # says that there is neither a file nor a model of the name
        return read_predictions(
            path, gold, format=spec.format or None, choice=choice, options=spec.options
        )

    links = read(spec.what)
    if spec.other and spec.direction is not None:
        from tokalign.decoding.symmetrize import HEURISTICS

        if spec.direction not in HEURISTICS:
            raise InputError(
                f"direction {spec.direction} is decided from probabilities; of files wanted one "
                f"of {', '.join(HEURISTICS)}"
            )
        combine = HEURISTICS[spec.direction]
        links = [combine(*each) for each in zip(links, read(spec.other), strict=True)]
    return SystemLinks(spec.label, links)


@click.command("compare", short_help="Compare systems on one gold corpus.")
@click.argument("systems", nargs=-1, required=True, metavar="[LABEL=]SYSTEM[,SETTING]...")
@gold_options
@click.option(
    "--alpha", type=click.Choice(ALPHAS), default="0.4", show_default=True, help="Of F-alpha."
)
@scoring_options(page="the table, a plot, and every pair of any two systems")
def command(
    systems: tuple[str, ...],
    gold: File | None,
    choice: str,
    alpha: str,
    samples: int,
    seed: int,
    html_path: Path | None,
    as_json: bool,
) -> None:
    """Compare systems on pairs aligned by hand, each with the first one.

    A system is the name of a model or of a system of the literature, the path of a model
    (.tokalign), or a file of links in any format: what GIZA++, fast_align, eflomal, SimAlign and
    awesome-align write is read as it comes. Settings of models: direction=..., style=...; of files:
    format=..., one-based, reversed, and with=FILE,direction=... to combine the links of both
    directions.

    Pairs per second are of one thread, with the annotation of the sentences.
    """
    if gold is None:
        raise click.UsageError("give --gold")
    links = LinkChoice(choice)
    pairs = read_gold(gold.path, gold.format, options=gold.options)
    specs = [read_spec(each) for each in systems]
    labels = [spec.label for spec in specs]
    if len(set(labels)) < len(labels):
        raise click.UsageError(f"two systems have one label among {', '.join(labels)}; add LABEL=")
    found = [links_of(spec, pairs, links) for spec in specs]
    rows = compare_systems(pairs, found, choice=links, n_samples=samples, seed=seed)
    table = comparison_table(rows, links, alpha)
    if html_path is not None:
        page = render_page(
            f"{len(rows)} systems on {gold.path.name}",
            f"{len(pairs)} pairs; links that count: {links.value}",
            compared_pairs(pairs, [each.predicted for each in found], choice=links),
            tables=[table],
            choice=links,
            systems=rows,
        )
        html_path.write_text(page, encoding="utf-8")
    if as_json:
        value = {
            "gold": str(gold.path),
            "links": links.value,
            "systems": [row.to_json() for row in rows],
        }
        click.echo(json.dumps(value))
        return
    for line in table_lines([table]):
        click.echo(line)
