"""``tokalign align``: word alignments of the pairs on standard input."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from typing import IO

import click

from tokalign.cli.batches import Job, Line, align_at_server, align_here, align_in_processes
from tokalign.cli.options import Endpoint, align_options, connect_options, read_options
from tokalign.cli.output import FORMATS, Layout
from tokalign.cli.pairs import read_items
from tokalign.types import AlignOptions, Symmetrization

BAD_INPUT = 3
MAX_REPORTED = 10


@click.command("align")
@click.option("--input", "-i", "rows", type=click.File("rb"), default="-", help="Default: stdin.")
@click.option(
    "--output",
    "-o",
    type=click.File("w", encoding="utf-8"),
    default="-",
    help="Default: stdout.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    default="pharaoh",
    show_default=True,
    help="pharaoh: links; tsv: score, links, source tokens, target tokens; jsonl: everything.",
)
@read_options
@align_options
@click.option("--probs", is_flag=True, help="Write each link's confidence, as 0-0:0.9731.")
@click.option("--posteriors", is_flag=True, help="Write the posterior matrix (jsonl).")
@click.option("--phrases", is_flag=True, help="Write the maximal blocks of links (jsonl).")
@click.option("--explain", is_flag=True, help="Write why each link was chosen (jsonl).")
@click.option(
    "--batch-size",
    type=click.IntRange(1),
    default=64,
    show_default=True,
    help="Lines read, aligned and written at a time.",
)
@click.option(
    "--jobs", "-j", type=click.IntRange(1), default=1, show_default=True, help="Processes."
)
@click.option("--strict", is_flag=True, help="Stop at the first bad line.")
@connect_options
@click.pass_context
def command(
    ctx: click.Context,
    rows: IO[bytes],
    output: IO[str],
    format_name: str,
    tokenized: bool,
    model: str | None,
    annotator: str | None,
    direction: str,
    min_confidence: float,
    probs: bool,
    posteriors: bool,
    phrases: bool,
    explain: bool,
    batch_size: int,
    jobs: int,
    strict: bool,
    server: Endpoint | None,
) -> None:
    """Align sentence pairs: one line out for one line in, in the same order.

    A line is SOURCE<TAB>TARGET or SOURCE ||| TARGET, or a JSON object with "source" and "target":
    each a string, a list of tokens, or an object with tokens and any of text, tags, lemmas, heads
    and relations. A bad line becomes an empty line (in jsonl, an object with "error") and is
    reported on stderr; the exit code is then 3.
    """
    if (posteriors or phrases or explain) and format_name != "jsonl":
        raise click.UsageError(
            "--posteriors, --phrases and --explain are written by --format jsonl only"
        )
    if server and jobs > 1:
        raise click.UsageError("--jobs has no meaning with --server, which has its own workers")
    job = Job(
        model=model or ("" if server else "en"),
        annotator=annotator or ("" if server else "native"),
        layout=Layout(format_name, probs, phrases),
        options=AlignOptions(
            symmetrization=Symmetrization(direction),
            min_confidence=min_confidence,
            posteriors=posteriors,
            explain=explain,
            phrases=phrases,
        ),
    )
    items = read_items(rows, is_tokenized=tokenized)
    with ExitStack() as stack:
        lines: Generator[Line]
        if server:
            client = stack.enter_context(server.client())
            lines = align_at_server(items, job, batch_size, client)
        elif jobs > 1:
            lines = align_in_processes(items, job, batch_size, jobs)
        else:
            lines = align_here(items, job, batch_size)
        stack.enter_context(closing(lines))
        n_bad = _write(lines, output, strict, is_quiet=bool(ctx.obj and ctx.obj["quiet"]))
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
