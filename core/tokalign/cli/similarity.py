"""``tokalign similarity``: how much the sentences of each pair say the same."""

from __future__ import annotations

from dataclasses import replace

import click

from tokalign.cli.flags import takes
from tokalign.cli.lines import LineRun, PairFiles
from tokalign.cli.options import StyleFlags
from tokalign.cli.output import SimilarityLayout
from tokalign.types.options import Detail


@click.command("similarity", short_help="Score how alike the sentences of a pair are.")
@takes(files=PairFiles, layout=SimilarityLayout, options=StyleFlags, run=LineRun)
def command(files: PairFiles, layout: SimilarityLayout, options: StyleFlags, run: LineRun) -> None:
    """Write how much the two sentences of each pair say the same, from 0 to 1.

    One line out for one line in. Input and bad lines are treated as by `tokalign align`. Without
    --style or --related, all pairs are aligned in the model's first style.
    """
    run.write(files, layout, replace(options.options(), detail=Detail.SCORES))
