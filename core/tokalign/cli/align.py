"""``tokalign align``: word alignments of the pairs on standard input."""

from __future__ import annotations

import click

from tokalign.cli.batches import Job
from tokalign.cli.files import Destination, Source
from tokalign.cli.lines import run
from tokalign.cli.options import (
    Endpoint,
    align_options,
    columns_option,
    connect_options,
    file_options,
    line_options,
    read_options,
    resume_option,
)
from tokalign.cli.output import FORMATS, Layout
from tokalign.cli.table import Columns
from tokalign.options import AlignOptions, OffsetUnit, Symmetrization


@click.command("align", short_help="Align sentence pairs, one per line.")
@file_options
@resume_option
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMATS),
    default="pharaoh",
    show_default=True,
    help="pharaoh: links; tsv: score, links, source tokens, target tokens; jsonl: everything; "
    "parquet: columns.",
)
@read_options
@columns_option
@align_options
@click.option("--probs", is_flag=True, help="Write each link's confidence, as 0-0:0.9731.")
@click.option("--posteriors", is_flag=True, help="Write the posterior matrix (jsonl).")
@click.option("--phrases", is_flag=True, help="Write blocks of links and their confidence (jsonl).")
@click.option("--edits", is_flag=True, help="Write the phrase edits: EQ, SUB, DEL, INS (jsonl).")
@click.option("--explain", is_flag=True, help="Write why each link was chosen (jsonl).")
@click.option(
    "--offsets",
    type=click.Choice([str(unit) for unit in OffsetUnit]),
    default=str(OffsetUnit.CODE_POINTS),
    show_default=True,
    help="What the tokens' offsets count: utf-8 bytes or utf-16 units instead (jsonl).",
)
@line_options
@connect_options
@click.pass_context
def command(
    ctx: click.Context,
    rows: Source,
    output: Destination,
    format_name: str,
    tokenized: bool,
    columns: Columns | None,
    model: str | None,
    annotator: str | None,
    device: str | None,
    style: str,
    direction: str,
    min_confidence: float,
    truncate: bool,
    probs: bool,
    posteriors: bool,
    phrases: bool,
    edits: bool,
    explain: bool,
    offsets: str,
    batch_size: int,
    jobs: int,
    batch_timeout: float,
    strict: bool,
    server: Endpoint | None,
) -> None:
    """Align sentence pairs: one line out for one line in, in the same order.

    A line is SOURCE<TAB>TARGET or SOURCE ||| TARGET, or a JSON object with "source" and "target":
    each a string, a list of tokens, or an object with tokens and any of text, tags, lemmas, heads
    and relations. It may say what must and may not be linked: "anchors" and "forbidden", lists of
    [source, target], and "linked_source", "linked_target", "unlinked_source" and
    "unlinked_target", lists of token indices. CSV, TSV and Parquet have columns named "source" and
    "target", or --columns. A bad line becomes an empty line (in jsonl and parquet, a row with
    "error") and is reported on stderr; the exit code is then 3.
    """
    is_other_unit = offsets != OffsetUnit.CODE_POINTS
    needs_jsonl = posteriors or phrases or edits or explain or is_other_unit
    if needs_jsonl and format_name != "jsonl":
        raise click.UsageError(
            "--posteriors, --phrases, --edits, --explain and --offsets are written by "
            "--format jsonl only"
        )
    job = Job(
        model=model or "",
        annotator=annotator or "",
        device=device or "",
        layout=Layout(format_name, probs, phrases, edits),
        options=AlignOptions(
            symmetrization=Symmetrization(direction),
            style=style,
            min_confidence=min_confidence,
            posteriors=posteriors,
            explain=explain,
            phrases=phrases,
            offsets=OffsetUnit(offsets),
            truncate=truncate,
        ),
    )
    run(ctx, rows, output, job, server, tokenized, columns, batch_size, jobs, batch_timeout, strict)
