"""Files and sentences that are given without the name of an option."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tokalign.cli.sources import STDIO, LineSource, SourceParam, is_url

_GIVEN = "tokalign.input"
"""Key of what stands in --input's place, in what click keeps of a call."""


def input_of(ctx: click.Context, param: click.Parameter, value: LineSource) -> LineSource:
    """Return what --input is: the file or the sentences given as arguments, if there are any."""
    found: LineSource = ctx.meta.get(_GIVEN, value)
    return found


def file_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command take the file to read as an argument."""
    return click.argument(
        "file", required=False, type=SourceParam(), expose_value=False, callback=_keep
    )(command)


def _keep(ctx: click.Context, param: click.Parameter, value: LineSource | None) -> None:
    if value is None:
        return
    if ctx.get_parameter_source("input") is ParameterSource.COMMANDLINE:
        ctx.close()  # both files
        raise click.UsageError(
            f"{value.name} and --input are both what is to be read; give one of them", ctx
        )
    ctx.meta[_GIVEN] = value


def pair_arguments(n_most: int | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a command take a file, or sentences: the first and what it is paired with.

    Parameters
    ----------
    n_most : int or None
        Sentences, first one included; None for any number.
    """
    more = "TARGET" if n_most == 2 else "TARGET..."

    def take(ctx: click.Context, param: click.Parameter, value: Sequence[str]) -> None:
        if len(value) == 1:
            if value[0] != STDIO and not (_is_file(value[0]) or is_url(value[0])):
                raise click.UsageError(
                    f"there is no file {value[0]!r}; give a file, or two sentences", ctx
                )
            _keep(ctx, param, SourceParam().convert(value[0], param, ctx))
        elif value:
            _keep(ctx, param, _source_of(value, n_most, ctx))

    return click.argument(
        "texts", nargs=-1, metavar=f"[FILE | SOURCE {more}]", expose_value=False, callback=take
    )


def _is_file(text: str) -> bool:
    try:
        return Path(text).exists() and not Path(text).is_dir()
    except (OSError, ValueError):  # a sentence is too long for a name, or holds a null character
        return False


def _source_of(texts: Sequence[str], n_most: int | None, ctx: click.Context) -> LineSource:
    """Return a line for each pair of the first sentence with another."""
    if n_most is not None and len(texts) > n_most:
        raise click.UsageError(
            f"{len(texts)} arguments; wanted a file, or a source and a target, each in quotes", ctx
        )
    if all(map(_is_file, texts)):
        raise click.UsageError(
            f"{' and '.join(texts)} are files; put their lines side by side first, as `paste "
            f"{' '.join(texts[:2])}` does",
            ctx,
        )
    first, *others = texts
    return LineSource.of_lines(json.dumps({"source": first, "target": other}) for other in others)
