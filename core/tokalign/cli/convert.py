"""``tokalign convert``: aligned pairs from one format to another."""

from typing import ClassVar

import click

from tokalign.cli.corpora import CorpusFlags
from tokalign.cli.flags import OUTPUT, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.file_flags import FileFlags, format_flag
from tokalign.cli.lines.sources import file_argument
from tokalign.formats import FORMATS, Document, Options, decode_lines, get_format, recognise

_FORMATS_HELP = "\n".join(f"  {each.name:<10}{each.description}" for each in FORMATS.values())


@flagged
class WritingFlags:
    """How a corpus is written."""

    section: ClassVar[str] = OUTPUT
    format: str = format_flag("Format to write.", list(FORMATS), "")
    one_based: bool = flag("As --one-based, for the output.", "--output-one-based", default=False)
    reversed: bool = flag("As --reversed, for the output.", "--output-reversed", default=False)


@click.command("convert", cls=SectionedCommand, epilog=f"\b\nFormats:\n{_FORMATS_HELP}")
@file_argument
@takes(files=FileFlags, reading=CorpusFlags, writing=WritingFlags)
def command(files: FileFlags, reading: CorpusFlags, writing: WritingFlags) -> None:
    """Rewrite aligned pairs from one format to another, in order.

    The conversion stops at the first bad line, since a corpus must not lose pairs.
    """
    if not writing.format:
        raise click.UsageError("give --format, or an --output whose name says it, as .jsonl does")
    document = Document(files.input.name, decode_lines(files.input.name, files.input))
    document, chosen = recognise(document, reading.format)
    if chosen.needs_text and not reading.text:
        raise click.UsageError(f"{chosen.name} holds links without words; give --text")
    pairs = chosen.read(document, reading.options())
    options = Options(one_based=writing.one_based, reverse=writing.reversed)
    with files.open() as sink:
        for piece in get_format(writing.format).write(pairs, options):
            sink.write(piece)
