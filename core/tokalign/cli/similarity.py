"""``tokalign similarity``: how much the sentences of each pair say the same."""

from __future__ import annotations

import click

from tokalign.cli.batches import Job
from tokalign.cli.files import Destination, Source
from tokalign.cli.lines import run
from tokalign.cli.options import (
    Endpoint,
    columns_option,
    connect_options,
    file_options,
    line_options,
    model_options,
    read_options,
    resume_option,
)
from tokalign.cli.output import SIMILARITY_FORMATS, SimilarityLayout
from tokalign.cli.table import Columns
from tokalign.options import AlignOptions


@click.command("similarity", short_help="Say how alike the sentences of pairs are.")
@file_options
@resume_option
@click.option(
    "--format",
    "format_name",
    type=click.Choice(SIMILARITY_FORMATS),
    default="text",
    show_default=True,
    help="text: a number; jsonl, parquet: id, similarity and score.",
)
@read_options
@columns_option
@model_options
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
    batch_size: int,
    jobs: int,
    batch_timeout: float,
    strict: bool,
    server: Endpoint | None,
) -> None:
    """Write how much two sentences say the same, 0 to 1: one line out for one line in.

    Input and bad lines are as of `tokalign align`.
    """
    job = Job(
        model=model or "",
        annotator=annotator or "",
        device=device or "",
        layout=SimilarityLayout(format_name),
        options=AlignOptions(),
    )
    run(ctx, rows, output, job, server, tokenized, columns, batch_size, jobs, batch_timeout, strict)
