"""``tokalign train``: learn a model from aligned corpora."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from tokalign.annotate import load_annotator
from tokalign.cli.files import OutputPath
from tokalign.cli.options import is_quiet
from tokalign.errors import quoted
from tokalign.features.table import GROUP_NAMES
from tokalign.formats import FORMATS, read_gold
from tokalign.headers import is_name
from tokalign.lessons import POSSIBLE_CHOICES, PUBLISHED, TrainingSettings
from tokalign.model import save_model
from tokalign.training import Progress, train

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DEFAULTS = TrainingSettings()


class _Bars:
    """One progress bar a direction, on stderr when that is a terminal; else a line at the end."""

    def __init__(self, max_iterations: int, quiet: bool) -> None:
        self._total = max_iterations
        self._quiet = quiet
        self._bar: tqdm[Any] | None = None

    def __call__(self, progress: Progress) -> None:
        if self._bar is None:
            self._bar = tqdm(
                total=self._total, desc=progress.direction, unit="iteration", leave=False,
                disable=self._quiet or not sys.stderr.isatty(),
            )  # fmt: skip
        if not progress.stopped:
            self._bar.update()
            self._bar.set_postfix(loss=f"{progress.loss:.1f}")
            return
        self._bar.close()
        self._bar = None
        if not self._quiet:
            click.echo(
                f"{progress.direction}: {progress.stopped} after {progress.iteration} iterations, "
                f"loss {progress.loss:.2f} nats",
                err=True,
            )


@click.command("train", short_help="Train a model on aligned corpora.")
@click.option(
    "--train",
    "train_paths",
    type=_FILE,
    multiple=True,
    required=True,
    help="Aligned corpus; give the option once per corpus, of names that differ.",
)
@click.option("--dev", "dev_path", type=_FILE, help="Aligned corpus to stop early by.")
@click.option(
    "--unrelated",
    "unrelated_paths",
    type=_FILE,
    multiple=True,
    help="Pairs of unrelated sentences; what is learned is not to link their unlike words.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(FORMATS)),
    help="Of the corpora; seen from their content by default.",
)
@click.option(
    "--output",
    "-o",
    type=OutputPath(),
    required=True,
    help="Model file to write.",
)
@click.option("--name", help="Name of the model (default: the output's).")
@click.option(
    "--version", "version_", default="1.0.0", show_default=True, help="Version of the model."
)
@click.option("--description", default="", help="What the model is for, to note in its header.")
@click.option("--license", "license_", default="", help="Terms of the model, to note there, too.")
@click.option(
    "--figure",
    "figures",
    multiple=True,
    metavar="NAME=VALUE",
    help="Measured accuracy or speed to note in the header; give the option once per figure.",
)
@click.option(
    "--groups",
    help=f"Feature groups, comma-separated, out of {', '.join(GROUP_NAMES)}; GROUP/TEMPLATE is one "
    f"template of a group (default: {','.join(_DEFAULTS.feature_groups)}).",
)
@click.option(
    "--like",
    type=click.Choice(list(PUBLISHED)),
    help="Feature groups of a published system instead (docs/systems.md).",
)
@click.option(
    "--l2",
    type=float,
    default=_DEFAULTS.l2,
    show_default=True,
    help="Half of this times the sum of squared weights is added to the loss.",
)
@click.option(
    "--cost",
    type=float,
    default=_DEFAULTS.cost,
    show_default=True,
    help="Hamming cost of a wrong label.",
)
@click.option(
    "--max-iterations",
    type=int,
    default=_DEFAULTS.max_iterations,
    show_default=True,
    help="Most steps of each direction's training.",
)
@click.option(
    "--possible",
    "possible",
    multiple=True,
    metavar="[CORPUS=]CHOICE",
    default=(_DEFAULTS.possible,),
    show_default=True,
    help=f"What possible links are, in all corpora or in one: {', '.join(POSSIBLE_CHOICES)}.",
)
@click.option(
    "--follow",
    multiple=True,
    metavar="CORPUS",
    help="File name of a corpus whose conventions count where corpora differ (default: all).",
)
@click.option(
    "--style",
    "styles",
    multiple=True,
    metavar="CORPUS=STYLE",
    help="Keep the conventions of a corpus, by its file name, as a style of the model to choose "
    "when aligning; give it for every corpus, the default style first.",
)
@click.option(
    "--unrelated-importance",
    type=float,
    default=_DEFAULTS.unrelated_importance,
    show_default=True,
    help="What the loss of each unrelated pair is multiplied with.",
)
@click.option(
    "--annotator",
    default="native",
    show_default=True,
    help="native, stanza[:FOLDER] or spacy[:MODEL].",
)
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(1),
    help="Threads (default: all cores); the result is the same.",
)
@click.option("--quiet", is_flag=True, help="No report on stderr.")
def command(
    train_paths: tuple[Path, ...],
    dev_path: Path | None,
    unrelated_paths: tuple[Path, ...],
    format_name: str | None,
    output: Path,
    name: str | None,
    version_: str,
    description: str,
    license_: str,
    figures: tuple[str, ...],
    groups: str | None,
    like: str | None,
    l2: float,
    cost: float,
    max_iterations: int,
    possible: tuple[str, ...],
    follow: tuple[str, ...],
    styles: tuple[str, ...],
    unrelated_importance: float,
    annotator: str,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Train a model on aligned corpora and write it to a file.

    The same corpora and settings always give the same file.
    """
    if groups is not None and like is not None:
        raise click.UsageError("--like takes the groups of a published system; leave out --groups")
    names = [path.name for path in train_paths]
    if len(set(names)) < len(names):
        raise click.UsageError(f"two corpora have one file name among {', '.join(names)}")
    quiet = quiet or is_quiet()
    noted = dict(map(_figure, figures))
    settings = replace(
        PUBLISHED[like] if like else _DEFAULTS,
        l2=l2,
        cost=cost,
        max_iterations=max_iterations,
        possible=next((choice for choice in possible if "=" not in choice), _DEFAULTS.possible),
        possible_in=tuple(
            (corpus, choice)
            for corpus, mark, choice in (each.rpartition("=") for each in possible)
            if mark
        ),
        follow=follow,
        styles=tuple(map(_style, styles)),
        unrelated_importance=unrelated_importance,
    )
    if groups is not None:
        chosen = tuple(part.strip() for part in groups.split(",") if part.strip())
        settings = replace(settings, feature_groups=chosen)
    model = train(
        {path.name: read_gold(path, format_name) for path in train_paths},
        load_annotator(annotator),
        settings,
        name=name or output.stem,
        version=version_,
        description=description,
        license=license_,
        dev=read_gold(dev_path, format_name) if dev_path else (),
        unrelated=[pair for path in unrelated_paths for pair in read_gold(path, format_name)],
        n_threads=jobs,
        report=_Bars(max_iterations, quiet),
    )
    save_model(replace(model, header=replace(model.header, figures=noted)), output)
    if not quiet:
        click.echo(f"wrote {output}", err=True)


def _style(text: str) -> tuple[str, str]:
    """Return a corpus and its style."""
    corpus, _, style = (part.strip() for part in text.rpartition("="))
    if not (corpus and is_name(style)):
        raise click.UsageError(f"--style {text!r}: wanted CORPUS=STYLE")
    return corpus, style


def _figure(text: str) -> tuple[str, float | str]:
    """Return the name and the value of a figure; a number where it reads as one."""
    name, mark, value = (part.strip() for part in text.rpartition("="))
    if not (name and mark and value):
        raise click.UsageError(f"--figure {quoted(text)}: wanted NAME=VALUE")
    try:
        return name, float(value)
    except ValueError:
        return name, value
