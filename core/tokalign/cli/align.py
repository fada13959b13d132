"""``tokalign align``: word alignments of sentence pairs."""

from __future__ import annotations

from dataclasses import replace

import click

from tokalign.cli.arguments import pair_arguments
from tokalign.cli.chunks import write_chunks
from tokalign.cli.flags import takes
from tokalign.cli.lines import LineRun, PairFiles
from tokalign.cli.options import AlignFlags
from tokalign.cli.output import CHUNKS, Layout
from tokalign.types.options import OffsetUnit


@click.command("align", short_help="Align sentence pairs, one per line.")
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

    A bad line is reported on stderr and gives an empty line (in jsonl and parquet, a row with
    "error"). The exit code is then 3.
    """
    if layout.chunks != (layout.format == CHUNKS):
        raise click.UsageError("--chunks and --format ists go together")
    is_other_unit = options.offsets != OffsetUnit.CODE_POINTS
    needs_jsonl = (
        options.posteriors
        or options.phrases
        or options.relations
        or options.edits
        or options.explain
        or is_other_unit
    )
    if needs_jsonl and layout.format != "jsonl":
        raise click.UsageError(
            "--posteriors, --phrases, --relations, --edits, --explain and --offsets are written "
            "by --format jsonl only"
        )
    if layout.chunks:
        write_chunks(files, options.options(), run)
        return
    layout = replace(layout, phrases=options.phrases, edits=options.edits)
    run.write(files, layout, options.options())
