"""``tokalign similarity``: how much the sentences of each pair say the same."""

from __future__ import annotations

from typing import IO

import click

from tokalign.cli.batches import Job
from tokalign.cli.lines import run
from tokalign.cli.options import (
    Endpoint,
    connect_options,
    file_options,
    line_options,
    model_options,
    read_options,
)
from tokalign.cli.output import SIMILARITY_FORMATS, SimilarityLayout
from tokalign.types import AlignOptions


@click.command("similarity")
@file_options
@click.option(
    "--format",
    "format_name",
    type=click.Choice(SIMILARITY_FORMATS),
    default="text",
    show_default=True,
    help="text: a number; jsonl: objects with id, similarity and score.",
)
@read_options
@model_options
@line_options
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
    batch_size: int,
    jobs: int,
    strict: bool,
    server: Endpoint | None,
) -> None:
    """Write how much two sentences say the same, 0 to 1: one line out for one line in.

    Input and bad lines are as of `tokalign align`.
    """
    job = Job(
        model=model or "",
        annotator=annotator or "",
        layout=SimilarityLayout(format_name),
        options=AlignOptions(),
    )
    run(ctx, rows, output, job, server, tokenized, batch_size, jobs, strict)
