"""The form that a command writes: what --format says, else the name of the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import PurePath
from typing import Any

import click

from tokalign.files.packed import SUFFIXES

_FORMS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".wa": "ists",
    ".conllu": "conllu",
}
"""Endings of names, and the formats that they stand for."""


def form_of(output: str) -> str:
    """Return the format that the name of an output stands for; empty if it stands for none.

    Examples
    --------
    >>> form_of("pairs.jsonl.gz"), form_of("pairs.txt"), form_of("-")
    ('jsonl', '', '')
    """
    suffixes = PurePath(output).suffixes
    if suffixes and suffixes[-1] in SUFFIXES:
        suffixes.pop()
    return _FORMS.get(suffixes[-1].lower(), "") if suffixes else ""


def format_flag(help: str, choices: Sequence[str], default: str) -> Any:
    """Return the field of --format; without it, --output's name decides, then the default."""

    def chosen(ctx: click.Context, param: click.Parameter, value: str | None) -> str:
        if value is not None:
            return value
        output = str(ctx.params.get("output", ""))
        form = form_of(output)
        if form in choices:
            return form
        # Text that a command writes is fields between tabs, or one field.
        if not form or (form == "tsv" and default == "text") or ctx.params.get("json"):
            return default
        raise click.UsageError(
            f"{output} has the name of {form}, which this command does not write; give another "
            f"name, or --format with one of {', '.join(choices)}",
            ctx,
        )

    shown: dict[str, Any] = {
        "help": help,
        "type": click.Choice(list(choices)),
        "default": None,
        "callback": chosen,
        "show_default": "by the name of --output" + (f", else {default}" if default else ""),
    }
    return field(default=default, metadata={"flag": ((), shown)})
