"""``tokalign align`` and ``tokalign similarity``: a line for each sentence pair."""

import sys
from contextlib import ExitStack
from dataclasses import replace

import click
from click.core import ParameterSource

from tokalign.cli.flags import SectionedCommand, takes
from tokalign.cli.lines.line_runs import Layout, LineRun, PairFiles, SimilarityLayout
from tokalign.cli.lines.sources import STDIO, pair_arguments
from tokalign.cli.shared_flags import AlignFlags, CutFlags, echo, task_of
from tokalign.types.options import AlignOptions, Detail, OffsetUnit


@click.command("align", cls=SectionedCommand)
@pair_arguments(2)
@takes(files=PairFiles, layout=Layout, options=AlignFlags, run=LineRun)
def align(files: PairFiles, layout: Layout, options: AlignFlags, run: LineRun) -> None:
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

    On a terminal, two sentences in quotes give a line for each link with its confidence and
    relation, the similarity, and what conflicts; with --format, what a file gives.

    A bad line is reported on stderr and gives an empty line (in jsonl and parquet, a row with
    "error"). The exit code is then 3.
    """
    parts = ("posteriors", "phrases", "relations", "edits", "explain")
    needs_jsonl = any(getattr(options, name) for name in parts)
    needs_jsonl = needs_jsonl or options.offsets != OffsetUnit.CODE_POINTS
    if needs_jsonl and layout.format != "jsonl":
        raise click.UsageError(
            "--posteriors, --phrases, --relations, --edits, --explain and --offsets are written "
            "by --format jsonl only"
        )
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


@click.command("similarity", cls=SectionedCommand)
@pair_arguments(None)
@takes(files=PairFiles, layout=SimilarityLayout, options=CutFlags, run=LineRun)
def similarity(files: PairFiles, layout: SimilarityLayout, options: CutFlags, run: LineRun) -> None:
    """Write how much the two sentences of each pair say the same, from 0 to 1.

    \b
    Examples:
      tokalign similarity "Dogs bark." "The dogs bark." "It rained."
      tokalign similarity pairs.tsv

    One line out for one line in. Input and bad lines are treated as by `tokalign align`. Sentences
    as arguments are each compared with the first one; `tokalign rank` and `tokalign matrix` compare
    one with the lines of a file.
    """
    run.write(files, layout, replace(options.options(), detail=Detail.SCORES))
