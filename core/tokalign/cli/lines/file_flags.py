"""Flags for files: input, output, format and bad lines."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, ClassVar, TextIO, TypeVar

import click

from tokalign.cli.flags import INPUT, OUTPUT, OutputPath, flag, flagged
from tokalign.cli.lines.pair_lines import decode_row
from tokalign.cli.lines.parquet import KeptColumns
from tokalign.cli.lines.sinks import LineSink, open_sink
from tokalign.cli.lines.sources import STDIO, LineSource, SourceParam, input_of
from tokalign.cli.shared_flags import AT_LEAST_1, BAD_INPUT
from tokalign.errors import InputError
from tokalign.files.packed import SUFFIXES
from tokalign.showing.text import visible

T = TypeVar("T")

_FORMS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".conllu": "conllu",
}
"""Formats by file name suffix."""


def form_of(output: str) -> str:
    """Return the format that an output's suffix names; empty if it names none.

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
        # The text that a command writes is tab-separated fields, or one field.
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
    return field(default=default, metadata={"flag": ((), shown), "under": OUTPUT})


@flagged
class FileFlags:
    """Lines to read, and where to write lines."""

    section: ClassVar[str] = INPUT
    input: LineSource = flag(
        "File to read; compressed files are unpacked.",
        "-i",
        callback=input_of,
        type=SourceParam(),
        default=STDIO,
        show_default="stdin",
    )
    output: str = flag(
        "File to write; it appears when it is complete. Names in .gz, .bz2, .xz and .zst are "
        "compressed.",
        "-o",
        type=click.Path(dir_okay=False, allow_dash=True),
        default=STDIO,
        show_default="stdout",
        under=OUTPUT,
    )
    restart: bool = flag(
        "Discard what an interrupted run has left in OUTPUT.partial.", default=False, under=OUTPUT
    )

    def sources(self) -> tuple[LineSource, ...]:
        """Return all inputs, none of which may be the output."""
        return (self.input,)

    def open(
        self,
        columns: tuple[str, ...] = (),
        *,
        is_resumed: bool = False,
        kept: KeptColumns | None = None,
    ) -> LineSink:
        """Return the sink for lines; see open_sink."""
        return open_sink(
            self.output,
            self.sources(),
            columns,
            is_resumed=is_resumed,
            is_restarted=self.restart,
            beside=kept,
        )


def bad_object(name: str, line: int, error: str) -> str:
    """Return the line of JSON that stands for a bad line."""
    return json.dumps({"id": name, "line": line, "error": error}, ensure_ascii=False)


MAX_REPORTED = 10
"""Bad lines that are named on stderr; the others are counted."""


@dataclass(slots=True)
class BadLines:
    """Counts and names bad lines; each is written to the file, if there is one, as an object."""

    file: TextIO | None = None
    n: int = 0

    def note(self, where: str, name: str, line: int, error: str) -> None:
        """Note a bad line: its place in words, its id and its number."""
        from tqdm import tqdm

        self.n += 1
        if self.n <= MAX_REPORTED:
            tqdm.write(visible(f"{where}: {error}"), file=sys.stderr)
        if self.file is not None:
            self.file.write(bad_object(name, line, error) + "\n")

    def end(self, what: str) -> None:
        """Say how many there were and of what; exit with BAD_INPUT if there were any."""
        if self.n:
            click.echo(f"{self.n} {what}", err=True)
            raise click.exceptions.Exit(BAD_INPUT)


@flagged
class LineFlags(FileFlags):
    """Lines to read and to write, of which some may be bad."""

    limit: int | None = flag(
        "Read no more than so many lines, rows or candidates.", under=INPUT, type=AT_LEAST_1
    )
    errors: Path | None = flag(
        "File for bad lines: a JSON object with line, id and error for each.",
        type=OutputPath(),
        under=OUTPUT,
    )

    @contextmanager
    def bad_lines(self) -> Iterator[BadLines]:
        """Return a BadLines, which also writes to --errors: not an input, nor the output."""
        path = self.errors
        if path is None:
            yield BadLines()
            return
        if any(source.is_file(path) for source in self.sources()):
            raise click.UsageError(f"--errors {path} is the input; give another file")
        if path.absolute() == Path(self.output).absolute():
            raise click.UsageError(f"--errors {path} is the output; give another file")
        with path.open("w", encoding="utf-8") as file:
            yield BadLines(file)

    def limited(self, items: Iterable[T]) -> Iterator[T]:
        """Return the items, at most as many as --limit says."""
        return islice(items, self.limit)


def outcomes_of(
    rows: Iterable[bytes], read: Callable[[int, str], T]
) -> Iterator[tuple[int, T | InputError]]:
    """Yield what is read of each line that is not blank, or its error, with the line's number."""
    for number, row in enumerate(rows, 1):
        if row.strip():
            try:
                yield number, read(number, decode_row(row))
            except InputError as error:
                yield number, error
