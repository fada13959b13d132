"""``tokalign similarity``: how much the sentences of each pair say the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import click

from tokalign.cli.flags import INPUT, SectionedCommand, flag, takes
from tokalign.cli.lines.layouts import SimilarityLayout
from tokalign.cli.lines.line_runs import LineRun, PairFiles
from tokalign.cli.lines.pair_lines import InputLine, read_sentences
from tokalign.cli.lines.parquet import KeptColumns
from tokalign.cli.lines.sources import pair_arguments
from tokalign.cli.shared_flags import CutFlags
from tokalign.formats.jsonl import sentence_like
from tokalign.types.options import Detail


@dataclass(frozen=True, slots=True, kw_only=True)
class SimilarityFiles(PairFiles):
    """Pairs to read, or sentences that one sentence is compared with."""

    section: ClassVar[str] = INPUT
    sentence: str | None = flag(
        "Compare this sentence with the sentence on each line, instead of reading pairs.",
        metavar="TEXT",
    )

    def __post_init__(self) -> None:
        PairFiles.__post_init__(self)
        if self.sentence is not None and (self.columns or self.input.is_parquet):
            raise click.UsageError(
                "--sentence reads a sentence on each line: no tables and no --columns"
            )
        if self.sentence is not None and not self.sentence.strip():
            raise click.UsageError("--sentence is empty; give a sentence")
        if self.sentence is not None and self.input.is_given:
            raise click.UsageError("--sentence is compared with the lines of a file; leave it out")

    def read(self, *, is_kept: bool, kept: KeptColumns | None = None) -> Iterator[InputLine]:
        """Yield the pair of every line."""
        if self.sentence is None:
            return PairFiles.read(self, is_kept=is_kept, kept=kept)
        one = sentence_like(self.sentence, "sentence", is_tokenized=self.tokenized)
        items = read_sentences(self.input, one, is_tokenized=self.tokenized)
        return self.limited(items if kept is None else kept.over(items))


@click.command("similarity", cls=SectionedCommand)
@pair_arguments(None)
@takes(files=SimilarityFiles, layout=SimilarityLayout, options=CutFlags, run=LineRun)
def command(
    files: SimilarityFiles, layout: SimilarityLayout, options: CutFlags, run: LineRun
) -> None:
    """Write how much the two sentences of each pair say the same, from 0 to 1.

    \b
    Examples:
      tokalign similarity "Dogs bark." "The dogs bark." "It rained."
      tokalign similarity pairs.tsv
      tokalign similarity --sentence "Dogs bark." sentences.txt

    One line out for one line in. Input and bad lines are treated as by `tokalign align`. Sentences
    as arguments are each compared with the first one. With --sentence each line of the input holds
    one sentence, or an object with "text" or "tokens". Without --style or --related, all pairs are
    aligned in the model's first style.
    """
    run.write(files, layout, replace(options.options(), detail=Detail.SCORES))
