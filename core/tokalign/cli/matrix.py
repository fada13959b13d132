"""``tokalign matrix``: similarity of each line of a file with each line of another."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

import click

from tokalign.cli.flags import INPUT, RUN, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.file_flags import BadLines, LineFlags, format_flag
from tokalign.cli.lines.sources import LineSource, SourceParam, file_argument
from tokalign.cli.shared_flags import AT_LEAST_1, CutFlags, LocalModelFlags
from tokalign.errors import InputError
from tokalign.formats import decode_lines
from tokalign.types.display import DIGITS

if TYPE_CHECKING:
    from tokalign.aligner import Aligner


@flagged
class MatrixFlags(LineFlags):
    """Sentences to read, and how their similarities are written."""

    section: ClassVar[str] = INPUT
    against: LineSource | None = flag(
        "File with the sentences of the columns.", type=SourceParam(), show_default="the input"
    )
    jobs: int = flag("Processes that align.", "-j", type=AT_LEAST_1, default=1, under=RUN)

    def sources(self) -> tuple[LineSource, ...]:
        return (self.input,) if self.against is None else (self.input, self.against)

    format: str = format_flag(
        "How to write a row: numbers between tabs, or a JSON object.", ["tsv", "jsonl"], "tsv"
    )


@click.command("matrix", cls=SectionedCommand)
@file_argument
@takes(flags=MatrixFlags, options=CutFlags, model=LocalModelFlags)
def command(flags: MatrixFlags, options: CutFlags, model: LocalModelFlags) -> None:
    """Write how much each line says the same as each line of --against, from 0 to 1.

    A row out for a line in; both files hold a sentence on each line. Without --against the lines
    are compared with one another. Every pair is aligned, so a thousand lines are a million pairs.
    The row or column of a line that cannot be aligned is nan, in jsonl null; it is reported, and
    the exit code is then 3.
    """
    aligner = model.load()
    other = flags.against
    with flags.bad_lines() as bad:
        rows = _texts(flags.input, flags.limit)
        columns = None if other is None else _texts(other, None)
        found = aligner.similarity_matrix(
            rows, columns, options.options(), errors="nan", n_process=flags.jobs
        ).tolist()
        with flags.open() as sink:
            for number, row in enumerate(found, 1):
                sink.write(_row(number, row, is_json=flags.format == "jsonl") + "\n")
        _report(aligner, bad, flags.input.name, rows)
        if other is not None and columns is not None:
            _report(aligner, bad, other.name, columns)
    bad.end(f"of {len(rows) + len(columns or ())} lines bad")


def _texts(source: LineSource, limit: int | None) -> list[str]:
    return [text for _, text in islice(decode_lines(source.name, source), limit)]


def _row(number: int, values: Sequence[float], *, is_json: bool) -> str:
    if not is_json:
        return "\t".join(f"{value:.4f}" for value in values)
    rounded = [None if math.isnan(value) else round(value, DIGITS) for value in values]
    return json.dumps({"line": number, "similarities": rounded})


def _report(aligner: Aligner, bad: BadLines, name: str, texts: Iterable[str]) -> None:
    """Note which lines of a file cannot be aligned, and why."""
    for number, text in enumerate(texts, 1):
        try:
            aligner.annotate([text])
        except InputError as error:
            bad.note(f"{name}, line {number}", f"{name}:{number}", number, str(error))
