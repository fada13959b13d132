"""``tokalign matrix``: how much each line of a file says the same as each line of another."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from tokalign.cli.arguments import file_argument
from tokalign.cli.flags import flag, takes
from tokalign.cli.forms import format_flag
from tokalign.cli.options import AT_LEAST_1, BAD_INPUT, CutFlags, FileFlags, ModelFlags
from tokalign.cli.reports import MAX_REPORTED
from tokalign.cli.sources import LineSource, SourceParam
from tokalign.errors import InputError
from tokalign.formats import decode_lines
from tokalign.types.objects import DIGITS

if TYPE_CHECKING:
    from tokalign.aligner import Aligner


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixFlags(FileFlags):
    """Sentences to read, and how their similarities are written."""

    to: LineSource | None = flag(
        "File with the sentences of the columns.", type=SourceParam(), show_default="the input"
    )
    jobs: int = flag("Processes that align.", "-j", type=AT_LEAST_1, default=1)

    def sources(self) -> tuple[LineSource, ...]:
        """Return both files."""
        return (self.input,) if self.to is None else (self.input, self.to)

    format: str = format_flag(
        "How to write a row: numbers between tabs, or a JSON object.", ["tsv", "jsonl"], "tsv"
    )


@click.command("matrix", short_help="Compare each line of a file with each of another.")
@file_argument
@takes(flags=MatrixFlags, options=CutFlags, model=ModelFlags)
def command(flags: MatrixFlags, options: CutFlags, model: ModelFlags) -> None:
    """Write how much each line says the same as each line of --to, from 0 to 1.

    A row out for a line in; both files hold a sentence on each line. Without --to the lines are
    compared with one another. Every pair is aligned, so a thousand lines are a million pairs. The
    row or column of a line that cannot be aligned is nan, in jsonl null; it is reported, and the
    exit code is then 3.
    """
    aligner = model.load()
    rows = _texts(flags.input)
    columns = None if flags.to is None else _texts(flags.to)
    found = aligner.similarity_matrix(
        rows, columns, options.options(), errors="nan", n_process=flags.jobs
    ).tolist()
    with flags.open() as sink:
        for number, row in enumerate(found, 1):
            sink.write(_row(number, row, is_json=flags.format == "jsonl") + "\n")
    n_bad = _report(aligner, flags.input.name, rows)
    if flags.to is not None and columns is not None:
        n_bad += _report(aligner, flags.to.name, columns)
    if n_bad:
        raise click.exceptions.Exit(BAD_INPUT)


def _texts(source: LineSource) -> list[str]:
    return [text for _, text in decode_lines(source.name, source)]


def _row(number: int, values: Sequence[float], *, is_json: bool) -> str:
    if not is_json:
        return "\t".join(f"{value:.4f}" for value in values)
    rounded = [None if math.isnan(value) else round(value, DIGITS) for value in values]
    return json.dumps({"line": number, "similarities": rounded})


def _report(aligner: Aligner, name: str, texts: Iterable[str]) -> int:
    """Say which lines of a file cannot be aligned, and why; return how many."""
    n_bad = 0
    for number, text in enumerate(texts, 1):
        try:
            aligner.annotate([text])
        except InputError as error:
            n_bad += 1
            if n_bad <= MAX_REPORTED:
                click.echo(f"{name}, line {number}: {error}", err=True)
    return n_bad
