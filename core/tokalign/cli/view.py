"""``tokalign view``: look at alignments in a browser or in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from tokalign.cli.files import OutputPath
from tokalign.evaluate import Links, read_predictions
from tokalign.formats import FORMATS, Options, open_document, read_gold, recognise
from tokalign.formats.jsonl import read_confidences
from tokalign.view import edit_lines, grid_lines, page_pairs, render_page
from tokalign.view.grid import LEGEND

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("view", short_help="Show aligned pairs of any format.")
@click.argument("alignments", type=_FILE)
@click.option("--format", "format_name", type=click.Choice(list(FORMATS)), help="Of ALIGNMENTS.")
@click.option(
    "--text", "text_paths", type=_FILE, multiple=True, help="Parallel text of bare links."
)
@click.option("--gold", "gold_path", type=_FILE, help="Mark right, wrong and missing links.")
@click.option("--against", type=_FILE, help="Links of a second system, on the page.")
@click.option(
    "--output",
    "-o",
    type=OutputPath(),
    help="Write an HTML page; without it, grids go to the terminal.",
)
@click.option("--edits", is_flag=True, help="Show phrase edits (EQ, SUB, DEL, INS), too.")
@click.option("--pair", "wanted", multiple=True, help="Only the pairs with these ids.")
def command(
    alignments: Path,
    format_name: str | None,
    text_paths: tuple[Path, ...],
    gold_path: Path | None,
    against: Path | None,
    output: Path | None,
    edits: bool,
    wanted: tuple[str, ...],
) -> None:
    """Show aligned pairs of any format, with gold or a second system beside them.

    With --gold, ALIGNMENTS may hold links alone.
    """
    if against is not None and output is None:
        raise click.UsageError("--against is shown on a page: give --output")
    options = Options(text=text_paths)
    if gold_path is None:
        pairs = read_gold(alignments, format_name, options=options)
        links: Sequence[Links] = [pair.sure | pair.possible for pair in pairs]
    else:
        pairs = read_gold(gold_path, options=options)
        links = read_predictions(alignments, pairs, format=format_name)
    others = read_predictions(against, pairs) if against is not None else None
    shown = _with_confidence(alignments, format_name, links)
    if absent := set(wanted).difference(pair.id for pair in pairs):
        raise click.UsageError(f"no pair is called {', '.join(sorted(absent))}")
    keep = [k for k, pair in enumerate(pairs) if not wanted or pair.id in wanted]
    if output is None:
        for k in keep:
            click.echo(f"# {pairs[k].id}")
            for line in grid_lines(pairs[k], None if gold_path is None else set(links[k])):
                click.echo(line)
            if edits:
                for line in edit_lines(pairs[k], links[k]):
                    click.echo(line)
        click.echo(LEGEND if gold_path is not None else "● sure or predicted  ◌ possible")
        return
    page = render_page(
        alignments.name,
        f"{len(keep)} pairs" + (f"; gold: {gold_path.name}" if gold_path else "")
        + (f"; second system: {against.name}" if against else ""),
        page_pairs(
            [pairs[k] for k in keep],
            [shown[k] for k in keep],
            other=None if others is None else [others[k] for k in keep],
            has_gold=gold_path is not None,
            has_edits=edits,
        ),
        has_gold=gold_path is not None,
    )  # fmt: skip
    output.write_text(page, encoding="utf-8")


def _with_confidence(
    path: Path, format_name: str | None, links: Sequence[Links]
) -> list[Mapping[tuple[int, int], float]]:
    """Return the links with the confidence that a JSONL file gives them, else 1."""
    confidences: list[dict[tuple[int, int], float]] = [{} for _ in links]
    document = open_document(path)
    if format_name is None:
        document, chosen = recognise(document)
        format_name = chosen.name
    if format_name == "jsonl":
        confidences = list(read_confidences(document))
    return [
        {link: known.get(link, 1.0) for link in each}
        for each, known in zip(links, confidences, strict=True)
    ]
