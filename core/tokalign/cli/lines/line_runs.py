"""Runs of commands that write one line for each pair they read: text, JSON or CSV."""

import abc
import csv
import io
import itertools
import json
import re
import sys
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import click

from tokalign.cli.flags import INPUT, OUTPUT, RUN, flag, flagged, group
from tokalign.cli.lines.file_flags import BadLines, LineFlags, bad_object, format_flag
from tokalign.cli.lines.pair_lines import ColumnNames, InputLine, columns_from, read_lines
from tokalign.cli.lines.parquet import KeptColumns, open_parquet, read_parquet
from tokalign.cli.lines.sinks import LineSink
from tokalign.cli.lines.sources import LineSource
from tokalign.cli.shared_flags import (
    AT_LEAST_1,
    BAD_INPUT,
    STRICT,
    TOKENIZED,
    Endpoint,
    ModelFlags,
    is_input_fault,
    is_quiet,
)
from tokalign.english.reading.text_reading import marks_to_json
from tokalign.errors import FormatError, InputError, located, quoted
from tokalign.types import Alignment, Pair, Sentence
from tokalign.types.display import free_names
from tokalign.types.objects import (
    FIGURES,
    alignment_to_json,
    conflicts_to_json,
    figures_to_json,
    truncated_sides,
)
from tokalign.types.options import AlignOptions, Markup, OffsetUnit

_FORMULA = re.compile(r"(?![+-]?[\d.]+$)[=+\-@\t\r\n＝＋－＠]")  # as OWASP has them


def record_of(cells: Sequence[str], *, is_safe: bool = False) -> str:
    r"""Return a record of CSV, without the line break behind it.

    If it is to be safe, cells that a spreadsheet would take for formulas begin with an apostrophe.

    Examples
    --------
    >>> record_of(["a", "b, c", "=1+1", "-0.5"], is_safe=True)
    'a,"b, c",\'=1+1,-0.5'
    """
    if is_safe:
        cells = [f"'{cell}" if _FORMULA.match(cell) else cell for cell in cells]
    written = io.StringIO()
    csv.writer(written).writerow(cells)  # whose line break decides which fields are quoted
    return written.getvalue().removesuffix("\r\n")


def with_input(line: str, item: InputLine) -> str:
    """Return a line of JSON with the input's columns or other fields under "input"."""
    found = item.row or item.fields
    if not found:
        return line
    kept = json.dumps(found, ensure_ascii=False)
    return f'{line.removesuffix("}")}, "input": {kept}}}'


PARQUET = "parquet"
CSV = "csv"
FORMATS = ("pharaoh", "jsonl", "tsv", CSV, PARQUET)
SIMILARITY_FORMATS = ("text", "jsonl", CSV, PARQUET)
SIMILARITY_COLUMNS = ("id", *FIGURES, "error")
ALIGNMENT_COLUMNS = ("id", "source_tokens", "target_tokens", "links", *SIMILARITY_COLUMNS[1:])
_OBJECTS = ("jsonl", PARQUET)
KEEP: dict[str, Any] = {
    "help": 'Keep the input\'s other columns or fields, as "input" (jsonl only; csv and parquet '
    "have them).",
    "default": False,
}
CSV_SAFE: dict[str, Any] = {
    "help": "Put an apostrophe before cells that a spreadsheet would take for formulas (csv only).",
    "default": False,
}
_BREAKS = frozenset("\t\r\n")


class Lines(abc.ABC):
    """How alignments become lines, in the format of the attribute `format`."""

    __slots__ = ()
    format: str
    keep: bool
    csv_safe: bool
    table_columns: ClassVar[tuple[str, ...]]
    cell_names: ClassVar[tuple[str, ...]]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table whose rows the JSON lines are; empty for lines of text."""
        return self.table_columns if self.format == PARQUET else ()

    @abc.abstractmethod
    def line(self, name: str, alignment: Alignment) -> str:
        """Return the line of an alignment, without its break; FormatError if the format cannot
        hold it."""

    @abc.abstractmethod
    def cells(self, alignment: Alignment) -> list[str]:
        """Return an alignment's CSV cells, for all of `cell_names` but the last, "error"."""

    def header(self, item: InputLine) -> str:
        """Return the CSV header above an item; an added column that an input column already names
        is renamed."""
        kept = list(item.cells())
        return self.record([*kept, *free_names(kept, self.cell_names)])

    def record(self, cells: Sequence[str]) -> str:
        return record_of(cells, is_safe=self.csv_safe)

    def bad_line(self, name: str, line: int, error: str) -> str:
        """Return the line that stands for a pair that could not be aligned."""
        return bad_object(name, line, error) if self.format in _OBJECTS else ""


@flagged
class Layout(Lines):
    """How alignments become lines: the format, and the fields besides links."""

    section: ClassVar[str] = OUTPUT
    table_columns = ALIGNMENT_COLUMNS
    cell_names = ("source_tokens", "target_tokens", "links", "similarity", "score", "error")
    format: str = format_flag(
        "What to write. pharaoh: links. tsv: score, links and tokens. jsonl: everything, as JSON "
        "objects. csv: the input's columns, tokens, links and scores. parquet: a table.",
        FORMATS,
        "pharaoh",
    )
    confidences: bool = flag("Write the confidence of each link, as in 0-0:0.9731.", default=False)
    keep: bool = flag(**KEEP)
    csv_safe: bool = flag(**CSV_SAFE)
    phrases: bool = False
    edits: bool = False
    explain: bool = False
    offsets: str = OffsetUnit.CODE_POINTS
    markup: str = Markup.AUTO

    def line(self, name: str, alignment: Alignment) -> str:
        if self.format in _OBJECTS:
            value = alignment_to_json(name, alignment, phrases=self.phrases, edits=self.edits)
            if self.explain:
                sides = {"source": alignment.source, "target": alignment.target}
                value["marks"] = marks_to_json(sides, Markup(self.markup), OffsetUnit(self.offsets))
            return json.dumps(value, ensure_ascii=False)
        links = self._links(alignment)
        if self.format == "pharaoh":
            return links
        source, target = (_in_columns(side) for side in (alignment.source, alignment.target))
        return f"{alignment.score:.4f}\t{links}\t{source}\t{target}"

    def cells(self, alignment: Alignment) -> list[str]:
        sides = (" ".join(side.tokens) for side in (alignment.source, alignment.target))
        figures = (f"{each:.6f}" for each in (alignment.similarity, alignment.score))
        return [*sides, self._links(alignment), *figures]

    def _links(self, alignment: Alignment) -> str:
        if not self.confidences:
            return alignment.to_pharaoh()
        return " ".join(
            f"{link.source}-{link.target}:{link.confidence:.4f}" for link in alignment.links
        )


@flagged
class SimilarityLayout(Lines):
    """How similarities become lines: a number each, or objects that hold the score as well."""

    section: ClassVar[str] = OUTPUT
    table_columns = SIMILARITY_COLUMNS
    cell_names = (*FIGURES, "error")
    format: str = format_flag(
        "What to write. text: a number. jsonl, csv, parquet: also its parts, and the score; csv "
        "behind the input's columns.",
        SIMILARITY_FORMATS,
        "text",
    )
    keep: bool = flag(**KEEP)
    csv_safe: bool = flag(**CSV_SAFE)

    def cells(self, alignment: Alignment) -> list[str]:
        return [f"{getattr(alignment, name):.6f}" for name in FIGURES]

    def line(self, name: str, alignment: Alignment) -> str:
        if self.format == "text":
            return f"{alignment.similarity:.4f}"
        value = {"id": name, **figures_to_json(alignment), **conflicts_to_json(alignment)}
        return json.dumps(value, ensure_ascii=False)


def _in_columns(sentence: Sentence) -> str:
    """Return the tokens between spaces; FormatError where one would break columns or lines."""
    for token in sentence.tokens:
        if not _BREAKS.isdisjoint(token):
            raise FormatError(
                f"token {quoted(token)} holds a tab or a line break, which tsv cannot keep; "
                "write jsonl"
            )
    return " ".join(sentence.tokens)


if TYPE_CHECKING:
    from tqdm import tqdm

    from tokalign.client import Client


class RunReport:
    """Counts lines, names the first bad ones, and shows progress on a terminal."""

    def __init__(self, sink: LineSink, rows: LineSource, bad: BadLines) -> None:
        self.sink = sink
        self.rows = rows
        self.bad = bad
        self.n_lines = self.n_cut = 0
        self._began = time.monotonic()
        self._bar: tqdm[Any] | None = None
        self._is_shown = not is_quiet() and sys.stderr.isatty() and not sink.is_terminal
        self._has_size = rows.size is not None and not rows.is_parquet

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show progress, in rows of Parquet or bytes of the input if their number is known."""
        if not self._is_shown:
            yield
            return
        from tqdm import tqdm

        rows = self.rows
        total = open_parquet(rows).metadata.num_rows if rows.is_parquet else rows.size
        unit = "B" if self._has_size else "pair"
        n_before = 0 if self._has_size else self.sink.n_kept
        with tqdm(total=total, initial=n_before, unit=unit, unit_scale=self._has_size) as self._bar:
            yield

    def note(self, line: "OutputLine") -> None:
        """Count a line, and name it if it is bad."""
        self.n_lines += 1
        self.n_cut += line.is_cut
        if line.error:
            self.bad.note(f"line {line.number}", line.id, line.number, line.error)
        if not self._is_shown or self._bar is None:
            return
        if self._has_size:
            rate = self.n_lines / max(self._bar.format_dict["elapsed"], 1e-3)
            self._bar.set_postfix_str(f"{self.n_lines} pairs, {rate:.0f}/s", refresh=False)
            self._bar.update(self.rows.position() - self._bar.n)
        else:
            self._bar.update()

    def show(self, *, is_stopped: bool = False) -> None:
        """Log the number of lines, if a file was written, and the bad ones."""
        if self.n_cut:
            click.echo(
                f"{self.n_cut} of {self.n_lines} lines have sentences that were cut", err=True
            )
        if self.bad.n:
            stopped = "; stopped there" if is_stopped else ""
            click.echo(f"{self.bad.n} of {self.n_lines} lines bad{stopped}", err=True)
        if is_quiet() or is_stopped or self.sink.partial is None:
            return
        seconds = time.monotonic() - self._began
        rate = self.n_lines / max(seconds, 1e-3)
        click.echo(
            f"{self.sink.name}: {self.n_lines:,} pairs in {seconds:.1f} s, {rate:,.0f} a second",
            err=True,
        )


class OutputLine(NamedTuple):
    """One line of output, with the number of its line of input from 1 and the id of its pair.

    A bad line has the reason why it holds no alignment. is_cut: a sentence of the pair was cut, as
    AlignOptions.truncate asks.
    """

    number: int
    id: str
    text: str
    error: str = ""
    is_cut: bool = False


def _aligned_here(
    items: Iterable[InputLine], run: "LineRun", options: AlignOptions, batch_size: int
) -> Iterator[tuple[InputLine, Alignment | Exception]]:
    """Yield each item with its alignment or error, by this process or by others.

    An item on which two of these die or hang has the error of that; see batches/processes.py.
    """
    waiting: deque[InputLine] = deque()

    def pairs() -> Iterator[Any]:
        for item in items:
            waiting.append(item)
            yield item.pair or FormatError(item.error)  # which is passed on in its place

    outcomes = run.model.load().pipe(
        pairs(), options, batch_size=batch_size, n_process=run.jobs, errors="return"
    )
    for outcome in outcomes:
        yield waiting.popleft(), outcome


def _aligned_at_server(
    items: Iterable[InputLine],
    run: "LineRun",
    options: AlignOptions,
    batch_size: int,
    client: "Client",
) -> Iterator[tuple[InputLine, Alignment | Exception]]:
    """Yield each item with its alignment or error, by a server; CallError if it refuses a pair for
    any reason but the pair itself, such as an unknown style."""
    waiting: deque[InputLine] = deque()

    def pairs() -> Iterator[Pair]:
        for item in items:
            waiting.append(item)
            if item.pair is not None:
                yield item.pair

    results = client.align_stream(pairs(), options, chunk_size=batch_size, **run.model.at_server())
    for result in results:
        while (item := waiting.popleft()).pair is None:
            yield item, FormatError(item.error)
        if result.error is None or not is_input_fault(result.error):
            yield item, result.unwrap()
        else:
            yield item, result.error
    for item in waiting:
        yield item, FormatError(item.error)


def _line(item: InputLine, layout: Lines, outcome: Alignment | Exception) -> OutputLine:
    if not isinstance(outcome, Alignment):
        return _bad(item, layout, located(outcome))
    try:
        if layout.format == CSV:
            text = layout.record([*item.cells().values(), *layout.cells(outcome), ""])
        else:
            text = layout.line(item.id, outcome)
            text = with_input(text, item) if layout.keep else text
    except FormatError as error:
        return _bad(item, layout, str(error))
    return OutputLine(item.line, item.id, text, is_cut=bool(truncated_sides(outcome)))


def _bad(item: InputLine, layout: Lines, error: str) -> OutputLine:
    if layout.format == CSV:
        blank = [""] * (len(layout.cell_names) - 1)
        text = layout.record([*item.cells().values(), *blank, error])
    else:
        text = layout.bad_line(item.id, item.line, error)
        text = with_input(text, item) if layout.keep else text
    return OutputLine(item.line, item.id, text, error)


def _columns(ctx: click.Context, param: click.Parameter, value: str | None) -> ColumnNames | None:
    try:
        return None if value is None else columns_from(value)
    except FormatError as error:
        raise click.BadParameter(str(error), ctx, param) from error


@flagged
class PairFiles(LineFlags):
    """Pairs to read, and where to write a line for each."""

    section: ClassVar[str] = INPUT
    resume: bool = flag(
        "Continue an interrupted run of the same command.", default=False, under=OUTPUT
    )
    tokenized: bool = flag(**TOKENIZED)
    columns: ColumnNames | None = flag(
        "Columns of a CSV, TSV or Parquet table: names, or numbers from 1 if it has no header.",
        metavar="SOURCE,TARGET",
        callback=_columns,
        show_default="source,target",
    )

    def __post_init__(self) -> None:
        self.input.wanted = "SOURCE<TAB>TARGET or SOURCE ||| TARGET"
        if self.resume and self.restart:
            raise click.UsageError("--resume keeps what --restart discards; give one of them")

    def read(self, *, is_kept: bool, kept: KeptColumns | None = None) -> Iterator[InputLine]:
        """Yield the pair of every line or row.

        is_kept: with the other columns of Parquet, as fields; `kept` takes all columns.
        """
        how: dict[str, Any] = {"is_tokenized": self.tokenized, "columns": self.columns}
        if self.input.is_parquet:
            return self.limited(read_parquet(self.input, is_kept=is_kept, kept=kept, **how))
        items = read_lines(self.input, **how)
        return self.limited(items if kept is None else kept.over(items))


@flagged
class LineRun:
    """The model or server that aligns the pairs, and the batch size."""

    section: ClassVar[str] = RUN
    model: ModelFlags = group(ModelFlags)
    server: Endpoint = group(Endpoint)
    batch_size: int = flag("Lines to read, align and write at a time.", type=AT_LEAST_1, default=64)
    jobs: int = flag("Processes that align; not with --server.", "-j", type=AT_LEAST_1, default=1)
    strict: bool = flag(**STRICT)

    def __post_init__(self) -> None:
        if not self.server.address:
            return
        if self.jobs > 1:
            raise click.UsageError("--jobs has no meaning with --server, which has its own workers")
        self.model.at_server()  # refuses --device before anything is written

    def write(self, files: PairFiles, layout: Lines, options: AlignOptions) -> None:
        """Align the pairs of a file and write their lines; exit with BAD_INPUT if some are bad.

        InputError if the output is the input, or what to resume was not written by this command.
        """
        is_csv = layout.format == CSV
        if is_csv and files.resume:
            raise click.UsageError("a CSV file has records of several lines; resume jsonl instead")
        if layout.keep and layout.format != "jsonl":
            raise click.UsageError(
                "--keep is for --format jsonl; csv and parquet keep the input's columns"
            )
        if layout.csv_safe and not is_csv:
            raise click.UsageError("--csv-safe is for --format csv")
        with ExitStack() as stack:
            bad = stack.enter_context(files.bad_lines())
            kept = KeptColumns() if layout.columns else None
            sink = stack.enter_context(
                files.open(layout.columns, is_resumed=files.resume, kept=kept)
            )
            items = files.read(is_kept=layout.keep, kept=kept)
            if sink.n_kept:  # the last of the kept lines are made again, to compare them
                items = itertools.islice(items, sink.n_kept - len(sink.last_kept), None)
            header = None
            if is_csv:
                first = list(itertools.islice(items, 1))
                header = layout.header(*(first or [InputLine(0, "", None)]))
                items = itertools.chain(first, items)
            # A person who types a line gets its answer before the next one.
            batch_size = 1 if files.input.is_terminal else self.batch_size
            aligned = stack.enter_context(closing(self._align(items, options, stack, batch_size)))
            lines = (_line(item, layout, outcome) for item, outcome in aligned)
            _check_kept(lines, sink)
            report = RunReport(sink, files.input, bad)
            _write(lines, report, self.strict, header)
            if report.bad.n and self.strict:
                report.show(is_stopped=True)
                raise click.exceptions.Exit(BAD_INPUT)
        report.show()
        if report.bad.n:
            raise click.exceptions.Exit(BAD_INPUT)

    def _align(
        self, items: Iterator[InputLine], options: AlignOptions, stack: ExitStack, batch_size: int
    ) -> Generator[tuple[InputLine, Alignment | Exception]]:
        """Yield each item with its alignment or error; the stack closes the client."""
        if not self.server.address:
            yield from _aligned_here(items, self, options, batch_size)
            return
        client = stack.enter_context(self.server.client())
        yield from _aligned_at_server(items, self, options, batch_size, client)


def _check_kept(lines: Iterator[OutputLine], sink: LineSink) -> None:
    """Compare the last lines of an earlier run with those that this run makes of the same pairs."""
    if not sink.n_kept:
        return
    for number, kept in enumerate(sink.last_kept, sink.n_kept - len(sink.last_kept) + 1):
        line = next(lines, None)
        if line is None or line.text + "\n" != kept:
            raise InputError(
                f"line {number} of what {sink.name} has so far is not what this command writes; "
                "resume with the same input, model and options, or discard it with --restart"
            )
    click.echo(f"{sink.n_kept} lines kept", err=True)


def _write(
    lines: Iterator[OutputLine], report: RunReport, is_strict: bool, header: str | None
) -> None:
    """Write all lines, or those before the first bad one if it ends the run."""
    sink = report.sink
    with report.shown():
        for line in lines:
            report.note(line)
            if line.error and is_strict:
                break
            if header is not None and report.n_lines == 1:
                sink.write(header + "\n")
            sink.write(line.text + "\n")
            if report.rows.is_terminal:
                sink.flush()
        if header is not None and not report.n_lines:
            sink.write(header + "\n")
