"""``tokalign convert``: rewrite aligned pairs from one format to another."""

from __future__ import annotations

from pathlib import Path

import click

from tokalign.cli.files import Destination, Source
from tokalign.cli.options import file_options
from tokalign.formats import (
    FORMATS,
    Document,
    Options,
    decode_lines,
    get_format,
    recognise,
)

_FORMAT = click.Choice(list(FORMATS))
_FORMATS_HELP = "\n".join(f"  {each.name:<10}{each.description}" for each in FORMATS.values())


@click.command(
    "convert",
    short_help="Rewrite aligned pairs in another format.",
    epilog=f"\b\nFormats:\n{_FORMATS_HELP}",
)
@click.option("--from", "from_name", type=_FORMAT, help="Seen from the content by default.")
@click.option("--to", "to_name", type=_FORMAT, required=True, help="Format to write.")
@file_options
@click.option(
    "--text",
    "text_paths",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="Parallel text for links-only input: one file, or source then target.",
)
@click.option("--one-based-input", is_flag=True, help="Input indices (Pharaoh) start at 1.")
@click.option("--reverse-input", is_flag=True, help="Input links are written target first.")
@click.option("--one-based-output", is_flag=True, help="Write Pharaoh indices from 1.")
@click.option("--reverse-output", is_flag=True, help="Write links target first.")
def command(
    rows: Source,
    output: Destination,
    from_name: str | None,
    to_name: str,
    text_paths: tuple[Path, ...],
    one_based_input: bool,
    reverse_input: bool,
    one_based_output: bool,
    reverse_output: bool,
) -> None:
    """Rewrite aligned pairs from one format to another, in order.

    The first bad line stops the conversion: a corpus with holes is not a corpus.
    """
    if len(text_paths) > 2:
        raise click.UsageError("--text takes one file with both sides, or two files")
    document = Document(rows.name, decode_lines(rows.name, rows))
    if from_name is None:
        document, source = recognise(document)
    else:
        source = get_format(from_name)
    if source.needs_text and not text_paths:
        raise click.UsageError(f"{source.name} holds links without words; give --text")
    reading = Options(text=text_paths, one_based=one_based_input, reverse=reverse_input)
    writing = Options(one_based=one_based_output, reverse=reverse_output)
    with output.open(rows) as sink:
        for piece in get_format(to_name).write(source.read(document, reading), writing):
            sink.write(piece)
