"""``tokalign dedupe`` and ``tokalign matrix``: lines of files that are compared with others."""

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

import click

from tokalign.cli.flags import INPUT, OUTPUT, RUN, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.file_flags import BadLines, LineFlags, format_flag
from tokalign.cli.lines.sources import LineSource, SourceParam, file_argument
from tokalign.cli.shared_flags import AT_LEAST_1, CutFlags, LocalModelFlags
from tokalign.errors import InputError
from tokalign.formats import decode_lines
from tokalign.formats.document import one_line
from tokalign.types.display import DIGITS

if TYPE_CHECKING:
    from tokalign.aligner import Aligner
    from tokalign.comparison.near_duplicates import Duplicates

SHARE = click.FloatRange(0, 1)
PAIRS, GROUPS, LINES = "pairs", "groups", "lines"


@flagged
class JobFlags:
    """How many processes align the lines."""

    section: ClassVar[str] = RUN
    jobs: int = flag("Processes that align.", "-j", type=AT_LEAST_1, default=1)


@flagged
class DedupeFlags(LineFlags):
    """Sentences to read, and how near-duplicates are found and written."""

    section: ClassVar[str] = "Duplicates"
    write: str = flag(
        "What to write. pairs: similarity, both line numbers and sentences. groups: the line "
        "numbers of each group that pairs link. lines: the input without all but the first line "
        "of each group.",
        type=click.Choice([PAIRS, GROUPS, LINES]),
        default=PAIRS,
        under=OUTPUT,
    )
    threshold: float = flag("Least similarity of a pair.", type=SHARE, default=0.75)
    overlap: float = flag(
        "Least overlap of the lemmas of lines that are compared; less finds more, and is slower.",
        type=SHARE,
        default=0.3,
    )
    format: str = format_flag(
        "How to write pairs and groups: text, or a JSON object for each.", ["text", "jsonl"], "text"
    )


@click.command("dedupe", cls=SectionedCommand)
@file_argument
@takes(flags=DedupeFlags, run=JobFlags, options=CutFlags, model=LocalModelFlags)
def dedupe(flags: DedupeFlags, run: JobFlags, options: CutFlags, model: LocalModelFlags) -> None:
    """Find near-duplicates among the lines of a file, a sentence each.

    Lines are compared where their lemmas overlap, so a pair without common words is not found.
    Equal lines are each paired with the first of them, with similarity 1. All lines are read before
    the first pair is written; a line that cannot be aligned is reported, and only its equals are
    found. Needs the extra `dedupe`.
    """
    with flags.bad_lines() as bad:

        def report(number: int, error: InputError) -> None:
            line = number + 1
            bad.note(f"line {line}", str(line), line, str(error))

        lines = _texts(flags.input, flags.limit)
        found = model.load().near_duplicates(
            lines,
            options.options(),
            threshold=flags.threshold,
            overlap=flags.overlap,
            on_bad=report,
            n_process=run.jobs,
        )
        with flags.open() as sink:
            for line in _written(flags, lines, found):
                sink.write(line + "\n")
    bad.end(f"of {len(lines)} lines bad")


def _written(
    flags: DedupeFlags, lines: Sequence[str], found: "Iterable[Duplicates]"
) -> Iterator[str]:
    """Yield the output of the pairs, as the flags ask."""
    if flags.write == PAIRS:
        yield from (_pair(each, lines, is_json=flags.format == "jsonl") for each in found)
        return
    from tokalign.comparison.near_duplicates import groups_of

    groups = groups_of((each.first, each.second) for each in found)
    if flags.write == GROUPS:
        yield from (_group(group, lines, is_json=flags.format == "jsonl") for group in groups)
        return
    left_out = {number for group in groups for number in group[1:]}
    yield from (line for number, line in enumerate(lines) if number not in left_out)


def _pair(pair: "Duplicates", lines: Sequence[str], *, is_json: bool) -> str:
    both = pair.first, pair.second
    if is_json:
        value = {
            "similarity": round(pair.similarity, DIGITS),
            "lines": [number + 1 for number in both],
            "texts": [lines[number] for number in both],
        }
        return json.dumps(value, ensure_ascii=False)
    numbers = (str(number + 1) for number in both)
    texts = (one_line(lines[number]) for number in both)
    return "\t".join([f"{pair.similarity:.4f}", *numbers, *texts])


def _group(group: Sequence[int], lines: Sequence[str], *, is_json: bool) -> str:
    if is_json:
        value = {"lines": [k + 1 for k in group], "texts": [lines[k] for k in group]}
        return json.dumps(value, ensure_ascii=False)
    return "\t".join(str(number + 1) for number in group)


@flagged
class MatrixFlags(LineFlags):
    """Sentences to read, and how their similarities are written."""

    section: ClassVar[str] = INPUT
    against: LineSource | None = flag(
        "File with the sentences of the columns.", type=SourceParam(), show_default="the input"
    )

    def sources(self) -> tuple[LineSource, ...]:
        return (self.input,) if self.against is None else (self.input, self.against)

    format: str = format_flag(
        "How to write a row: numbers between tabs, or a JSON object.", ["tsv", "jsonl"], "tsv"
    )


@click.command("matrix", cls=SectionedCommand)
@file_argument
@takes(flags=MatrixFlags, run=JobFlags, options=CutFlags, model=LocalModelFlags)
def matrix(flags: MatrixFlags, run: JobFlags, options: CutFlags, model: LocalModelFlags) -> None:
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
            rows, columns, options.options(), errors="nan", n_process=run.jobs
        ).tolist()
        with flags.open() as sink:
            for number, row in enumerate(found, 1):
                sink.write(_matrix_row(number, row, is_json=flags.format == "jsonl") + "\n")
        _report(aligner, bad, flags.input.name, rows)
        if other is not None and columns is not None:
            _report(aligner, bad, other.name, columns)
    bad.end(f"of {len(rows) + len(columns or ())} lines bad")


def _texts(source: LineSource, limit: int | None) -> list[str]:
    return [text for _, text in islice(decode_lines(source.name, source), limit)]


def _matrix_row(number: int, values: Sequence[float], *, is_json: bool) -> str:
    if not is_json:
        return "\t".join(f"{value:.4f}" for value in values)
    rounded = [None if math.isnan(value) else round(value, DIGITS) for value in values]
    return json.dumps({"line": number, "similarities": rounded})


def _report(aligner: "Aligner", bad: BadLines, name: str, texts: Iterable[str]) -> None:
    """Note which lines of a file cannot be aligned, and why."""
    for number, text in enumerate(texts, 1):
        try:
            aligner.annotate([text])
        except InputError as error:
            bad.note(f"{name}, line {number}", f"{name}:{number}", number, str(error))
