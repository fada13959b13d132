"""Runs a command that writes one line for each pair it reads."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import IO

import click

from tokalign.cli.batches import Job, Line, align_at_server, align_here, align_in_processes
from tokalign.cli.options import Endpoint
from tokalign.cli.pairs import read_items

BAD_INPUT = 3
MAX_REPORTED = 10


def run(
    ctx: click.Context,
    rows: Iterable[bytes],
    output: IO[str],
    job: Job,
    server: Endpoint | None,
    is_tokenized: bool,
    batch_size: int,
    n_processes: int,
    is_strict: bool,
) -> None:
    """Align the pairs of `rows` and write their lines; exit with BAD_INPUT if some are bad.

    Parameters
    ----------
    job : Job
        An empty model or annotator is the default one.
    server : Endpoint or None
        Where to align; None aligns here.

    Other parameters are the options of the same help.
    """
    if server and n_processes > 1:
        raise click.UsageError("--jobs has no meaning with --server, which has its own workers")
    items = read_items(rows, is_tokenized=is_tokenized)
    with ExitStack() as stack:
        lines: Generator[Line]
        if server:
            client = stack.enter_context(server.client())
            lines = align_at_server(items, job, batch_size, client)
        else:
            job = replace(job, model=job.model or "en", annotator=job.annotator or "native")
            if n_processes > 1:
                lines = align_in_processes(items, job, batch_size, n_processes)
            else:
                lines = align_here(items, job, batch_size)
        stack.enter_context(closing(lines))
        n_bad = _write(lines, output, is_strict, is_quiet=bool(ctx.obj and ctx.obj["quiet"]))
    if n_bad:
        ctx.exit(BAD_INPUT)


def _write(lines: Iterator[Line], output: IO[str], is_strict: bool, is_quiet: bool) -> int:
    """Write all lines and return how many were bad."""
    from tqdm import tqdm

    n_bad = n_lines = 0
    hidden = is_quiet or not sys.stderr.isatty() or output.isatty()
    for line in tqdm(lines, unit="pair", disable=hidden):
        n_lines += 1
        if line.error:
            n_bad += 1
            if n_bad <= MAX_REPORTED:
                tqdm.write(f"line {line.number}: {line.error}", file=sys.stderr)
            if is_strict:
                break
        output.write(line.text + "\n")
    output.flush()
    if n_bad:
        stopped = "; stopped there" if is_strict else ""
        click.echo(f"{n_bad} of {n_lines} lines bad{stopped}", err=True)
    return n_bad
