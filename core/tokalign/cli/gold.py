"""What commands that score links share: gold, predictions, and how they are scored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from tokalign.cli.files import OutputPath
from tokalign.evaluate import LinkChoice
from tokalign.formats import FORMATS, Options

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FORMAT = click.Choice(list(FORMATS))
Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class File:
    """A file of links and how to read it."""

    path: Path
    format: str | None
    options: Options


def gold_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --gold and how to read it; the command gets one argument `gold`."""

    @wraps(command)
    def with_gold(
        *args: Any,
        gold_path: Path | None,
        format_name: str | None,
        text_paths: tuple[Path, ...],
        one_based: bool,
        is_reversed: bool,
        **options: Any,
    ) -> Any:
        if len(text_paths) > 2:
            raise click.UsageError("--text takes one file with both sides, or two files")
        reading = Options(text=text_paths, one_based=one_based, reverse=is_reversed)
        file = gold_path and File(gold_path, format_name, reading)
        return command(*args, gold=file, **options)

    decorated: Callable[..., Any] = with_gold
    for option in (
        click.option(
            "--reversed", "is_reversed", is_flag=True, help="Gold links are target first."
        ),
        click.option("--one-based", is_flag=True, help="Pharaoh indices of the gold start at 1."),
        click.option(
            "--text",
            "text_paths",
            type=FILE,
            multiple=True,
            help="Parallel text of links-only gold: one file, or source then target.",
        ),
        click.option(
            "--format", "format_name", type=_FORMAT, help="Of the gold; seen from its content."
        ),
        click.option("--gold", "gold_path", type=FILE, help="Pairs aligned by hand."),
    ):
        decorated = option(decorated)
    return decorated


def predictions_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --predictions and how to read it; the command gets one argument `predictions`."""

    @wraps(command)
    def with_predictions(
        *args: Any,
        predictions_path: Path | None,
        predictions_format: str | None,
        predictions_one_based: bool,
        predictions_reversed: bool,
        **options: Any,
    ) -> Any:
        reading = Options(one_based=predictions_one_based, reverse=predictions_reversed)
        file = predictions_path and File(predictions_path, predictions_format, reading)
        return command(*args, predictions=file, **options)

    decorated: Callable[..., Any] = with_predictions
    for option in (
        click.option(
            "--predictions-reversed", is_flag=True, help="As --reversed, for predictions."
        ),
        click.option(
            "--predictions-one-based", is_flag=True, help="As --one-based, for predictions."
        ),
        click.option(
            "--predictions-format", type=_FORMAT, help="Seen from the content by default."
        ),
        click.option("--predictions", "predictions_path", type=FILE, help="Links to score."),
    ):
        decorated = option(decorated)
    return decorated


def scoring_options(page: str) -> Callable[[Command], Command]:
    """Add --links, --samples, --seed, --html and --json; `page` says what --html writes."""

    def decorate(command: Command) -> Command:
        for option in (
            click.option(
                "--json", "as_json", is_flag=True, help="Print one JSON object of fractions."
            ),
            click.option(
                "--html",
                "html_path",
                type=OutputPath(),
                help=f"Write a page with {page}.",
            ),
            click.option(
                "--seed",
                type=click.IntRange(0),
                default=0,
                show_default=True,
                help="Of the samples.",
            ),
            click.option(
                "--samples",
                type=click.IntRange(1),
                default=1000,
                show_default=True,
                help="Bootstrap samples and shuffles.",
            ),
            click.option(
                "--links",
                "choice",
                type=click.Choice([each.value for each in LinkChoice]),
                default=LinkChoice.SURE.value,
                show_default=True,
                help="Which gold links count.",
            ),
        ):
            command = option(command)
        return command

    return decorate
