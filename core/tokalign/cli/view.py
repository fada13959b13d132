"""``tokalign view``: alignments in a browser or in the terminal; ``tokalign convert``: corpora."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

import click

from tokalign.cli.corpora import CorpusFlags, read_jsonl
from tokalign.cli.flags import INPUT, OUTPUT, OutputPath, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.file_flags import FileFlags, format_flag
from tokalign.cli.lines.sources import file_argument
from tokalign.cli.shared_flags import EXISTING_FILE, TerminalFlags
from tokalign.formats import (
    FORMATS,
    Document,
    Options,
    decode_lines,
    get_format,
    read_gold,
    recognise,
)
from tokalign.formats.jsonl import read_confidences, read_relations
from tokalign.showing.text import in_line
from tokalign.types import GoldPair, Links


@flagged
class ViewFlags:
    """The pairs to show, and where to show them."""

    section: ClassVar[str] = OUTPUT
    gold: Path | None = flag(
        "Pairs aligned by hand; marks right, wrong and missing links.",
        type=EXISTING_FILE,
        under=INPUT,
    )
    against: Path | None = flag(
        "Links of a second system, for the page.", type=EXISTING_FILE, under=INPUT
    )
    pair: tuple[str, ...] = flag("Show only the pair with this id.", default=(), under=INPUT)
    edits: bool = flag("Show edits (EQ, SUB, DEL, INS, MOV) as well.", default=False)
    html: Path | None = flag(
        "Write a page; without it, grids are printed to the terminal.", type=OutputPath()
    )

    def __post_init__(self) -> None:
        if self.against is not None and self.html is None:
            raise click.UsageError("--against is shown on a page: give --html")


@click.command("view", cls=SectionedCommand)
@click.argument("alignments", type=EXISTING_FILE)
@takes(corpus=CorpusFlags, shown=ViewFlags)
def view(alignments: Path, corpus: CorpusFlags, shown: ViewFlags) -> None:
    """Show aligned pairs of any format, with gold or a second system beside them.

    With --gold, ALIGNMENTS may hold links alone. --from, --one-based and --reversed are about
    ALIGNMENTS.
    """
    from tokalign.evaluate import read_predictions
    from tokalign.view import page_pairs, render_page

    if shown.gold is None:
        pairs = read_gold(alignments, corpus.format, options=corpus.options())
        links: Sequence[Links] = [pair.sure | pair.possible for pair in pairs]
    else:
        pairs = read_gold(shown.gold, options=Options(text=corpus.text))
        links = read_predictions(alignments, pairs, format=corpus.format, options=corpus.options())
    others = None if shown.against is None else read_predictions(shown.against, pairs)
    known = read_jsonl(alignments, corpus.format, read_confidences) or [{}] * len(pairs)
    relations = read_jsonl(alignments, corpus.format, read_relations) or [{}] * len(pairs)
    if absent := set(shown.pair).difference(pair.id for pair in pairs):
        raise click.UsageError(f"no pair is called {', '.join(sorted(absent))}")
    keep = [k for k, pair in enumerate(pairs) if not shown.pair or pair.id in shown.pair]
    if shown.html is None:
        _print([(pairs[k], links[k], relations[k], known[k]) for k in keep], shown)
        return
    has_gold = shown.gold is not None
    note = f"{len(keep)} pairs" + (f"; gold: {shown.gold.name}" if shown.gold else "")
    page = render_page(
        alignments.name,
        note + (f"; second system: {shown.against.name}" if shown.against else ""),
        page_pairs(
            [pairs[k] for k in keep],
            [{link: known[k].get(link, 1.0) for link in links[k]} for k in keep],
            other=None if others is None else [others[k] for k in keep],
            has_gold=has_gold,
            has_edits=shown.edits,
            relations=[relations[k] for k in keep],
        ),
        has_gold=has_gold,
    )
    shown.html.write_text(page, encoding="utf-8")


def _print(
    pairs: Sequence[
        tuple[GoldPair, Links, Mapping[tuple[int, int], str], Mapping[tuple[int, int], float]]
    ],
    shown: ViewFlags,
) -> None:
    """Print the grid of each pair, and what its marks mean."""
    from tokalign.view import RELATIONS_LEGEND, edit_lines, grid_lines, legend

    terminal = TerminalFlags()
    is_coloured = terminal.is_coloured()
    echo = partial(click.echo, color=is_coloured)
    for pair, predicted, relations, confidences in pairs:
        click.echo(f"# {in_line(pair.id)}")
        links = None if shown.gold is None else set(predicted)
        for line in grid_lines(
            pair,
            links,
            columns=terminal.columns(),
            relations=relations,
            confidences=confidences,
            is_judged_in_colour=is_coloured,
        ):
            echo(line)
        for line in edit_lines(pair, predicted) if shown.edits else ():
            click.echo(line)
    has_gold = shown.gold is not None
    echo(legend(is_coloured=is_coloured) if has_gold else "● sure or predicted  ◌ possible")
    if any(relations for _, _, relations, _ in pairs):
        click.echo(RELATIONS_LEGEND)


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
def convert(files: FileFlags, reading: CorpusFlags, writing: WritingFlags) -> None:
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
