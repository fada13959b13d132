"""Runs of commands that write one line for each pair they read."""

from __future__ import annotations

import importlib.metadata
import itertools
import json
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from tokalign.batches.processes import HUNG_S
from tokalign.cli.bad import ERRORS, bad_lines, limit_flag
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
)
from tokalign.cli.output import CSV, Lines
from tokalign.cli.pairs import InputLine, read_lines
from tokalign.cli.parquet import read_parquet
from tokalign.cli.reports import RunReport
from tokalign.cli.resuming import RunRecord
from tokalign.cli.rows import Heading
from tokalign.cli.sinks import LineSink
from tokalign.cli.table import ColumnNames, columns_from
from tokalign.errors import FormatError, InputError
from tokalign.model.shipped import DEFAULT_MODEL
from tokalign.types.options import AlignOptions


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

    limit: int | None = limit_flag("pairs")
    errors: Path | None = flag(**ERRORS)

    def __post_init__(self) -> None:
        self.input.wanted = "SOURCE<TAB>TARGET or SOURCE ||| TARGET"
        if self.resume and self.restart:
            raise click.UsageError("--resume keeps what --restart discards; give one of them")

    def read(self, *, is_kept: bool) -> Iterator[InputLine]:
        """Yield the pair of every line or row; `is_kept`: with the other columns of Parquet."""
        read = partial(read_parquet, is_kept=is_kept) if self.input.is_parquet else read_lines
        return self.limited(read(self.input, is_tokenized=self.tokenized, columns=self.columns))

    def limited(self, items: Iterator[InputLine]) -> Iterator[InputLine]:
        """Return as many of the items as are asked for."""
        return items if self.limit is None else itertools.islice(items, self.limit)


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
        is_csv = layout.format == CSV
        if is_csv and files.resume:
            raise click.UsageError("a CSV file has records of several lines; resume jsonl instead")
        if layout.keep and layout.format != "jsonl":
            raise click.UsageError("--keep is for --format jsonl; csv keeps the input's columns")
        with ExitStack() as stack:
            bad = stack.enter_context(bad_lines(files.errors, files))
            sink = stack.enter_context(files.open(layout.columns, is_resumed=files.resume))
            items = files.read(is_kept=layout.keep)
            heading = Heading(layout.cell_names) if is_csv else None
            if heading is not None:
                items = heading.over(items)
            record = None
            if sink.partial is not None and not layout.columns and not is_csv:
                record = RunRecord(self._settings(files, job))
                # The last line of those kept is aligned again, to see that it is the same.
                items = record.resumed(items, sink)
                sink.record = record.record
                if not sink.n_kept:
                    sink.partial.write_record(record.record())
            # Whoever types a line is answered before the next one.
            batch_size = 1 if files.input.is_terminal else self.batch_size
            lines = stack.enter_context(closing(self._align(items, job, stack, batch_size)))
            _check_kept(lines, sink, record)
            report = RunReport(sink, files.input, bad)
            _write(lines, report, self.strict, record, heading)
            if report.bad.n and self.strict:
                report.show(is_stopped=True)
                raise click.exceptions.Exit(BAD_INPUT)
        report.show()
        if report.bad.n:
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
        self, items: Iterator[InputLine], job: LineJob, stack: ExitStack, batch_size: int
    ) -> Generator[OutputLine]:
        """Return the line of each item; the stack closes what aligns."""
        if self.server.address:
            client = stack.enter_context(self.server.client())
            return align_at_server(items, job, batch_size, client)
        if self.jobs > 1:
            return align_in_processes(items, job, batch_size, self.jobs, self.batch_timeout)
        return align_here(items, job, batch_size)


def _check_kept(lines: Iterator[OutputLine], sink: LineSink, record: RunRecord | None) -> None:
    """Take the last line that an earlier run has left, and compare it."""
    if not sink.n_kept:
        return
    line = next(lines, None)
    if line is None or line.text + "\n" != sink.last_kept:
        raise InputError(
            f"line {sink.n_kept} of what {sink.name} has so far is not what this command writes; "
            "resume with the same input, model and options, or discard it with --restart"
        )
    if record is not None:
        record.written()
    click.echo(f"{sink.n_kept} lines kept", err=True)


def _write(
    lines: Iterator[OutputLine],
    report: RunReport,
    is_strict: bool,
    record: RunRecord | None,
    heading: Heading | None,
) -> None:
    """Write all lines, up to the first bad one if that ends the run."""
    sink = report.sink
    with report.shown():
        for line in lines:
            report.note(line)
            if line.error and is_strict:
                break
            if record is not None:
                record.written()
            if heading is not None and report.n_lines == 1:
                sink.write(heading.line() + "\n")
            sink.write(line.text + "\n")
            if report.rows.is_terminal:
                sink.flush()
        if heading is not None and not report.n_lines:
            sink.write(heading.line() + "\n")
