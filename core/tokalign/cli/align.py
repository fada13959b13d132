"""``tokalign align``: word alignments of sentence pairs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from tokalign.cli.flags import SectionedCommand, takes
from tokalign.cli.lines.layouts import CHUNKS, Layout
from tokalign.cli.lines.line_runs import LineRun, PairFiles
from tokalign.cli.lines.pair_lines import decode_row, split_fields
from tokalign.cli.lines.sources import STDIO, LineSource, pair_arguments
from tokalign.cli.shared_flags import BAD_INPUT, AlignFlags, echo, task_of
from tokalign.errors import FormatError, InputError
from tokalign.formats.document import split_tokens
from tokalign.formats.ists import is_chunked, split_chunks, wa_block
from tokalign.types import SentenceLike
from tokalign.types.chunks import ChunkedPair, TokenChunk
from tokalign.types.options import AlignOptions, OffsetUnit

if TYPE_CHECKING:
    from tokalign.aligner import Aligner


@click.command("align", cls=SectionedCommand)
@pair_arguments(2)
@takes(files=PairFiles, layout=Layout, options=AlignFlags, run=LineRun)
def command(files: PairFiles, layout: Layout, options: AlignFlags, run: LineRun) -> None:
    """Align sentence pairs: one line out for one line in, in the same order.

    \b
    Examples:
      tokalign align "Dogs bark." "The dogs bark."
      tokalign align pairs.tsv --output links.jsonl --jobs 4
      tokalign align table.csv --columns question,answer --format csv

    A link 0-1 joins the first token of the source with the second of the target. Give a FILE, or
    two sentences in quotes; else standard input is read. A line is SOURCE<TAB>TARGET or
    SOURCE ||| TARGET. Tables (CSV, TSV, Parquet) need columns named "source" and "target", or
    --columns.

    A line may also be a JSON object with "source" and "target". Each is a string, a list of
    tokens, or an object with "tokens" and any of "text", "tags", "lemmas", "heads" and
    "relations". The object can say which links must be made ("anchors") and which must not
    ("forbidden"): lists of [source, target]. "linked_source", "linked_target", "unlinked_source"
    and "unlinked_target" are lists of tokens that must, or must not, have a link.

    With --chunks and --format ists, a side may be a sentence in brackets: [ Saudis ] [ to permit ]
    [ women ]. Out come the blocks of the task of interpretable similarity (.wa): chunks that belong
    together, each with a type and a score from 0 to 5.

    On a terminal, two sentences in quotes give a line for each link with its confidence, the
    similarity, and what conflicts; with --format, or elsewhere, they give what a file gives.

    A bad line is reported on stderr and gives an empty line (in jsonl and parquet, a row with
    "error"). The exit code is then 3.
    """
    if layout.chunks != (layout.format == CHUNKS):
        raise click.UsageError("--chunks and --format ists go together")
    parts = ("posteriors", "phrases", "relations", "edits", "explain")
    needs_jsonl = any(getattr(options, name) for name in parts)
    needs_jsonl = needs_jsonl or options.offsets != OffsetUnit.CODE_POINTS
    if needs_jsonl and layout.format != "jsonl":
        raise click.UsageError(
            "--posteriors, --phrases, --relations, --edits, --explain and --offsets are written "
            "by --format jsonl only"
        )
    if layout.chunks:
        write_chunks(files, options.options(), run)
        return
    written = ("phrases", "edits", "explain", "offsets", "markup")
    layout = replace(layout, **{name: getattr(options, name) for name in written})
    if files.input.is_given and files.output == STDIO and sys.stdout.isatty():
        how = click.get_current_context().get_parameter_source("format")
        if how is not ParameterSource.COMMANDLINE and not layout.confidences:
            _show(files, options.options(), run)
            return
    run.write(files, layout, options.options())


def _show(files: PairFiles, options: AlignOptions, run: LineRun) -> None:
    """Print the pair of the arguments for people."""
    (item,) = files.read(is_kept=False)
    if item.pair is None:
        raise click.UsageError(item.error)
    with ExitStack() as stack:
        found = task_of("align", stack, run.model, run.server)(*item.pair, options, relations=True)
    echo(str(found))


ChunkedSide = tuple[SentenceLike, list[TokenChunk] | None]


def write_chunks(files: PairFiles, options: AlignOptions, run: LineRun) -> None:
    """Align the chunks of every pair of a file, and write a block for each; a bad line has none.

    Exits with BAD_INPUT if some lines are bad.
    """
    if run.server.address or run.jobs > 1 or files.resume or files.columns:
        raise click.UsageError("--chunks goes with none of --server, --jobs, --resume, --columns")
    aligner = run.model.load()
    n_bad = 0
    with files.open() as sink:
        for line, sides, error in _read(files.input, is_tokenized=files.tokenized):
            if error is None:
                try:
                    sink.write(wa_block(_aligned(aligner, str(line), sides, options)))
                    continue
                except InputError as failure:
                    error = str(failure)
            n_bad += 1
            click.echo(f"line {line}: {error}", err=True)
            if run.strict:
                raise click.exceptions.Exit(BAD_INPUT)
    if n_bad:
        click.echo(f"{n_bad} lines bad", err=True)
        raise click.exceptions.Exit(BAD_INPUT)


def _read(
    rows: LineSource, *, is_tokenized: bool
) -> Iterator[tuple[int, tuple[ChunkedSide, ...], str | None]]:
    """Yield the number of each line, its sides, and its error."""
    for line, row in enumerate(rows, 1):
        try:
            fields = split_fields(decode_row(row))
            if len(fields) != 2:
                raise FormatError(
                    f"saw {len(fields)} fields; wanted source and target with a tab or ' ||| ' "
                    "between them"
                )
            yield line, tuple(_side(each, is_tokenized) for each in fields), None
        except InputError as error:
            yield line, (), str(error)


def _side(text: str, is_tokenized: bool) -> ChunkedSide:
    """Return a sentence, and its chunks where it is in brackets."""
    if is_chunked(text):
        return split_chunks(text)
    if not text.strip():
        raise FormatError("a side is empty")
    return (split_tokens(text) if is_tokenized else text.strip()), None


def _aligned(
    aligner: Aligner, name: str, sides: tuple[ChunkedSide, ...], options: AlignOptions
) -> ChunkedPair:
    (source, source_chunks), (target, target_chunks) = sides
    pair = aligner.align_chunks(
        source, target, options, source_chunks=source_chunks, target_chunks=target_chunks
    )
    return replace(pair, id=name)
