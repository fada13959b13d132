"""Runs a command that writes one line for each pair it reads."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace

import click

from tokalign.cli.batches import Job, Line, align_at_server, align_here, align_in_processes
from tokalign.cli.files import Destination, Sink, Source
from tokalign.cli.options import Endpoint, check_no_device, is_quiet
from tokalign.cli.pairs import read_items
from tokalign.cli.parquet import open_parquet, read_parquet
from tokalign.cli.table import Columns
from tokalign.devices import DEFAULT_DEVICE
from tokalign.errors import InputError

BAD_INPUT = 3
MAX_REPORTED = 10


def run(
    ctx: click.Context,
    rows: Source,
    output: Destination,
    job: Job,
    server: Endpoint | None,
    is_tokenized: bool,
    columns: Columns | None,
    batch_size: int,
    n_processes: int,
    timeout_s: float,
    is_strict: bool,
) -> None:
    """Align the pairs of `rows` and write their lines; exit with BAD_INPUT if some are bad.

    Parameters
    ----------
    job : Job
        An empty model, annotator or device is the default one.
    server : Endpoint or None
        Where to align; None aligns here.

    Other parameters are the options of the same help.

    Raises
    ------
    InputError
        If the output is the input, or what is to be resumed was not written by this command.
    """
    if server and n_processes > 1:
        raise click.UsageError("--jobs has no meaning with --server, which has its own workers")
    with ExitStack() as stack:
        sink = stack.enter_context(output.open(rows, job.layout.columns))
        # The last line of those kept is written anew, in thought, to see that it is the same.
        read = read_parquet if rows.is_parquet else read_items
        items = read(rows, is_tokenized=is_tokenized, columns=columns)
        items = itertools.islice(items, max(sink.n_kept - 1, 0), None)
        lines: Generator[Line]
        if server:
            check_no_device(job.device)
            client = stack.enter_context(server.client())
            lines = align_at_server(items, job, batch_size, client)
        else:
            job = replace(
                job,
                model=job.model or "en",
                annotator=job.annotator or "native",
                device=job.device or DEFAULT_DEVICE,
            )
            if n_processes > 1:
                lines = align_in_processes(items, job, batch_size, n_processes, timeout_s)
            else:
                lines = align_here(items, job, batch_size)
        stack.enter_context(closing(lines))
        _check_kept(lines, sink)
        n_bad = _write(lines, rows, sink, is_strict)
        if n_bad and is_strict:
            ctx.exit(BAD_INPUT)
    if n_bad:
        ctx.exit(BAD_INPUT)


def _check_kept(lines: Iterator[Line], sink: Sink) -> None:
    """Take the last line that an earlier run has left, and compare it."""
    if not sink.n_kept:
        return
    line = next(lines, None)
    if line is None or line.text + "\n" != sink.last_kept:
        raise InputError(
            f"line {sink.n_kept} of what {sink.name} has so far is not what this command writes; "
            "resume with the same input, model and options, or start without --resume"
        )
    click.echo(f"{sink.n_kept} lines kept", err=True)


def _write(lines: Iterator[Line], rows: Source, sink: Sink, is_strict: bool) -> int:
    """Write all lines and return how many were bad.

    Progress is in rows of Parquet or in bytes of the input, if their number is known.
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
        click.echo(f"{n_cut} of {n_lines} lines of sentences that were cut", err=True)
    if n_bad:
        stopped = "; stopped there" if is_strict else ""
        click.echo(f"{n_bad} of {n_lines} lines bad{stopped}", err=True)
    return n_bad
