"""Runs of commands that write one line for each pair they read."""

from __future__ import annotations

import importlib.metadata
import json
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from typing import Any

import click

from tokalign.batches.processes import HUNG_S
from tokalign.cli.batches import (
    LineJob,
    OutputLine,
    align_at_server,
    align_here,
    align_in_processes,
)
from tokalign.cli.flags import flag, group
from tokalign.cli.options import (
    ABOVE_0,
    AT_LEAST_1,
    BAD_INPUT,
    DEFAULT_ANNOTATOR,
    STRICT,
    TOKENIZED,
    Endpoint,
    FileFlags,
    ModelFlags,
    is_quiet,
)
from tokalign.cli.output import Lines
from tokalign.cli.pairs import InputLine, read_lines
from tokalign.cli.parquet import open_parquet, read_parquet
from tokalign.cli.resuming import RunRecord
from tokalign.cli.sinks import LineSink
from tokalign.cli.sources import LineSource
from tokalign.cli.table import ColumnNames, columns_from
from tokalign.errors import FormatError, InputError
from tokalign.model.shipped import DEFAULT_MODEL
from tokalign.types.options import AlignOptions

MAX_REPORTED = 10


def _columns(ctx: click.Context, param: click.Parameter, value: str | None) -> ColumnNames | None:
    try:
        return None if value is None else columns_from(value)
    except FormatError as error:
        raise click.BadParameter(str(error), ctx, param) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFiles(FileFlags):
    """Pairs to read, and where to write a line for each."""

    resume: bool = flag("Continue an interrupted run of the same command.", default=False)
    tokenized: bool = flag(**TOKENIZED)
    columns: ColumnNames | None = flag(
        "Columns of a CSV, TSV or Parquet table: names, or numbers from 1 if it has no header.",
        metavar="SOURCE,TARGET",
        callback=_columns,
        show_default="source,target",
    )

    def __post_init__(self) -> None:
        if self.resume and self.restart:
            raise click.UsageError("--resume keeps what --restart discards; give one of them")

    def read(self) -> Iterator[InputLine]:
        """Yield the pair of every line, or of every row of a table."""
        read = read_parquet if self.input.is_parquet else read_lines
        return read(self.input, is_tokenized=self.tokenized, columns=self.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRun:
    """What aligns pairs, and how many at a time."""

    model: ModelFlags = group(ModelFlags)
    server: Endpoint = group(Endpoint)
    batch_size: int = flag("Lines to read, align and write at a time.", type=AT_LEAST_1, default=64)
    jobs: int = flag("Processes that align; not with --server.", "-j", type=AT_LEAST_1, default=1)
    batch_timeout: float = flag(
        "Seconds after which a process of --jobs that gives no answer is replaced.",
        type=ABOVE_0,
        default=HUNG_S,
    )
    strict: bool = flag(**STRICT)

    def __post_init__(self) -> None:
        if not self.server.address:
            return
        if self.jobs > 1:
            raise click.UsageError("--jobs has no meaning with --server, which has its own workers")
        self.model.at_server()  # refuses --device before anything is written

    def write(self, files: PairFiles, layout: Lines, options: AlignOptions) -> None:
        """Align the pairs of a file and write their lines; exit with BAD_INPUT if some are bad.

        Raises
        ------
        InputError
            If the output is the input, or what is to be resumed was not written by this command.
        """
        job = LineJob(self.model, layout, options)
        with ExitStack() as stack:
            sink = stack.enter_context(files.open(layout.columns, is_resumed=files.resume))
            items = files.read()
            progress = None
            if sink.partial is not None and not layout.columns:
                progress = RunRecord(self._settings(files, job))
                # The last line of those kept is aligned again, to see that it is the same.
                items = progress.resumed(items, sink)
                sink.record = progress.record
                if not sink.n_kept:
                    sink.partial.write_record(progress.record())
            lines = stack.enter_context(closing(self._align(items, job, stack)))
            _check_kept(lines, sink, progress)
            n_bad = _write(lines, files.input, sink, self.strict, progress)
            if n_bad and self.strict:
                raise click.exceptions.Exit(BAD_INPUT)
        if n_bad:
            raise click.exceptions.Exit(BAD_INPUT)

    def _settings(self, files: PairFiles, job: LineJob) -> dict[str, Any]:
        """Return what the output depends on besides the input, as plain values of JSON."""
        settings = {
            "tokalign": importlib.metadata.version("tokalign"),
            "command": click.get_current_context().info_name,
            "model": self.model.model or DEFAULT_MODEL,
            "annotator": self.model.annotator or DEFAULT_ANNOTATOR,
            "digest": "" if self.server.address else self.model.digest(),
            "server": self.server.address,
            "tokenized": files.tokenized,
            "columns": files.columns,
            "format": job.layout.format,
            "layout": asdict(job.layout),  # type: ignore[call-overload]  # both are dataclasses
            "options": asdict(job.options),
        }
        plain: dict[str, Any] = json.loads(json.dumps(settings))
        return plain

    def _align(
        self, items: Iterator[InputLine], job: LineJob, stack: ExitStack
    ) -> Generator[OutputLine]:
        """Return the line of each item; the stack closes what aligns."""
        if self.server.address:
            client = stack.enter_context(self.server.client())
            return align_at_server(items, job, self.batch_size, client)
        if self.jobs > 1:
            return align_in_processes(items, job, self.batch_size, self.jobs, self.batch_timeout)
        return align_here(items, job, self.batch_size)


def _check_kept(lines: Iterator[OutputLine], sink: LineSink, progress: RunRecord | None) -> None:
    """Take the last line that an earlier run has left, and compare it."""
    if not sink.n_kept:
        return
    line = next(lines, None)
    if line is None or line.text + "\n" != sink.last_kept:
        raise InputError(
            f"line {sink.n_kept} of what {sink.name} has so far is not what this command writes; "
            "resume with the same input, model and options, or discard it with --restart"
        )
    if progress is not None:
        progress.written()
    click.echo(f"{sink.n_kept} lines kept", err=True)


def _write(
    lines: Iterator[OutputLine],
    rows: LineSource,
    sink: LineSink,
    is_strict: bool,
    progress: RunRecord | None,
) -> int:
    """Write all lines and return how many were bad.

    RunRecord is in rows of Parquet or in bytes of the input, if their number is known.
    """
    from tqdm import tqdm

    n_bad = n_cut = n_lines = 0
    hidden = is_quiet() or not sys.stderr.isatty() or sink.is_terminal
    has_size = rows.size is not None and not rows.is_parquet
    unit = "B" if has_size else "pair"
    total = open_parquet(rows).metadata.num_rows if rows.is_parquet else rows.size
    n_before = 0 if has_size else sink.n_kept
    with tqdm(total=total, initial=n_before, unit=unit, unit_scale=has_size, disable=hidden) as bar:
        for line in lines:
            n_lines += 1
            n_cut += line.is_cut
            if line.error:
                n_bad += 1
                if n_bad <= MAX_REPORTED:
                    tqdm.write(f"line {line.number}: {line.error}", file=sys.stderr)
                if is_strict:
                    break
            if progress is not None:
                progress.written()
            sink.write(line.text + "\n")
            if hidden:
                continue
            if has_size:
                rate = n_lines / max(bar.format_dict["elapsed"], 1e-3)
                bar.set_postfix_str(f"{n_lines} pairs, {rate:.0f}/s", refresh=False)
                bar.update(rows.position() - bar.n)
            else:
                bar.update()
    if n_cut:
        click.echo(f"{n_cut} of {n_lines} lines have sentences that were cut", err=True)
    if n_bad:
        stopped = "; stopped there" if is_strict else ""
        click.echo(f"{n_bad} of {n_lines} lines bad{stopped}", err=True)
    return n_bad
