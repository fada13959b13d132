"""``tokalign align --chunks``: chunk alignments in the task's format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from tokalign.cli.lines import LineRun, PairFiles
from tokalign.cli.options import BAD_INPUT
from tokalign.cli.pairs import decode_row, split_fields
from tokalign.cli.sources import LineSource
from tokalign.errors import FormatError, InputError
from tokalign.formats.document import split_tokens
from tokalign.formats.ists import is_chunked, split_chunks, wa_block
from tokalign.types import SentenceLike
from tokalign.types.chunks import ChunkedPair, TokenChunk
from tokalign.types.options import AlignOptions

if TYPE_CHECKING:
    from tokalign.aligner import Aligner

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
    """Yield the number of each line, its sides, and what is wrong with it."""
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
