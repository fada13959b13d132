"""``tokalign ground``: evidence for answers in passages; a bad line does not end the others."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import click

from tokalign.batches.outcomes import unwrap
from tokalign.cli.flags import INPUT, OUTPUT, OutputPath, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.file_flags import BadLines, LineFlags, bad_object, format_flag, outcomes_of
from tokalign.cli.lines.line_runs import PARQUET
from tokalign.cli.lines.pair_lines import id_of
from tokalign.cli.lines.parquet import rows_of_parquet
from tokalign.cli.lines.sinks import LineSink
from tokalign.cli.lines.sources import STDIO, LineSource, TextFile, is_text
from tokalign.cli.shared_flags import (
    AT_LEAST_1,
    MARKUP,
    OFFSETS,
    Endpoint,
    ModelFlags,
    TerminalFlags,
    color_flag,
    is_input_fault,
    task_of,
)
from tokalign.errors import FormatError, InputError, ServerError, located, quoted
from tokalign.formats.document import one_line
from tokalign.types.inputs import read_object, require_unicode
from tokalign.types.options import GroundOptions, OffsetUnit

if TYPE_CHECKING:
    from tokalign.types.grounding import Grounding


_COLUMNS = ("answer", "passages")


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """An answer and its passages, by themselves or as (id, text); the id is the object's, else
    the line number."""

    id: str
    answer: str
    passages: tuple[str | tuple[str, str], ...]


def read_answers(rows: LineSource) -> Iterator[tuple[int, AnswerLine | InputError]]:
    """Yield the number and the answer, or error, of each non-blank line or row of Parquet."""
    if not rows.is_parquet:
        yield from outcomes_of(rows, lambda number, text: _answer(number, read_object(text)))
        return
    for number, row in enumerate(rows_of_parquet(rows, _COLUMNS), 1):
        try:
            yield number, _answer(number, row)
        except InputError as error:
            yield number, error


def _answer(number: int, value: Mapping[str, Any]) -> AnswerLine:
    passages = value.get("passages")
    if not isinstance(value.get("answer"), str) or not isinstance(passages, list):
        raise FormatError('wanted an object with "answer", a text, and "passages", a list')
    return AnswerLine(id_of(value, number), value["answer"], tuple(_passages(passages)))


def _passages(values: Iterable[Any]) -> Iterator[str | tuple[str, str]]:
    for number, each in enumerate(values):
        if isinstance(each, str):
            yield each
        elif isinstance(each, Mapping) and isinstance(each.get("text"), str):
            name = number if each.get("id") is None else each["id"]
            yield require_unicode(str(name), f"passages[{number}].id"), each["text"]
        else:
            raise FormatError(
                f'passages[{number}] is {quoted(each)}; wanted a text, or an object with "id" and '
                '"text"'
            )


Grounder: TypeAlias = "Callable[..., Grounding]"
_COLUMNS_WRITTEN = ("id", "sentences", "error")
_DEFAULTS = GroundOptions()


@flagged
class GroundFiles(LineFlags):
    """The answers to read."""

    section: ClassVar[str] = INPUT

    def items(self, texts: tuple[str, ...]) -> Iterator[tuple[int, AnswerLine | InputError]]:
        """Yield each answer, or the error of its line, with the number of the line."""
        if not texts:
            return self.limited(read_answers(self.input))
        answer, *passages = (
            TextFile.given(each, f"passage {number}" if number else "answer")
            for number, each in enumerate(texts)
        )
        pairs = tuple((each.name, each.text()) for each in passages)
        return iter([(1, AnswerLine(answer.name, answer.text(), pairs))])

    def check(self, texts: tuple[str, ...], page: str | Path | None) -> None:
        """Raise UsageError if the texts given contradict one another or the page to write."""
        if not texts:
            return
        if len(texts) == 1:
            raise click.UsageError("give at least one PASSAGE after the ANSWER")
        if self.input.name != "<stdin>":
            raise click.UsageError("ANSWER and --input exclude each other")
        if self.limit is not None or self.errors is not None:
            raise click.UsageError("--limit and --errors are for lines of --input, not an ANSWER")
        if texts.count(STDIO) > 1:
            raise click.UsageError("standard input can be one of the files only")
        files = [each for each in texts if not is_text(each)]
        passages = texts[1:]
        if twice := [each for each in passages if passages.count(each) > 1]:
            raise click.UsageError(f"{twice[0]} is given twice")
        for path in (self.output, page):
            if any(_is_same(path, each) for each in files):
                raise click.UsageError(f"{path} is read; write to another file")


def _is_same(written: str | Path | None, read: str) -> bool:
    """Return whether the output is the input file."""
    return (
        written is not None
        and STDIO not in (str(written), read)
        and Path(written).exists()
        and Path(read).exists()
        and Path(written).samefile(read)
    )


@flagged
class GroundFlags:
    """Options of the library."""

    section: ClassVar[str] = "Support"
    candidates: int = flag(
        "Most sentences of each passage that a sentence of the answer is aligned with.",
        type=AT_LEAST_1,
        default=_DEFAULTS.candidates,
    )
    threshold: float = flag(
        "Words of less support are unsupported.",
        type=click.FloatRange(0, 1),
        default=_DEFAULTS.threshold,
    )
    explain: bool = flag(
        "Add the evidence for each word's support; text shows that of unsupported words.",
        default=False,
        under=OUTPUT,
    )
    offsets: str = flag(under=OUTPUT, **OFFSETS)
    markup: str = flag(**MARKUP, under=INPUT)

    def options(self, *, has_offsets: bool) -> GroundOptions:
        """Return the library's options; offsets count code points unless they are written."""
        changes = {} if has_offsets else {"offsets": OffsetUnit.CODE_POINTS}
        return GroundOptions(**asdict(self) | changes)


@flagged
class GroundLayout(TerminalFlags):
    """How evidence is written."""

    section: ClassVar[str] = OUTPUT
    color: str = color_flag("[?unsupported?] and {!in conflict!}")
    html: Path | None = flag("Write a page to this file instead.", type=OutputPath())
    format: str = format_flag(
        "What to write. text: the answer, marked, and what it cites. jsonl: a JSON object per "
        "answer. parquet: a table.",
        ["text", "jsonl", PARQUET],
        "text",
    )
    json: bool = flag("The same as --format jsonl.", default=False)

    def __post_init__(self) -> None:
        if self.json and self.format == PARQUET:
            raise click.UsageError("--json and --format parquet exclude each other")
        if self.html is not None and self.is_object:
            raise click.UsageError("--html is a page: give no --json and no --format")

    @property
    def is_object(self) -> bool:
        """Whether the output is JSON, or rows made from JSON."""
        return self.json or self.format != "text"


@dataclass(slots=True)
class _Writer:
    """Writes answers to a sink."""

    sink: LineSink
    layout: GroundLayout
    is_coloured: bool
    is_one: bool
    bad: BadLines
    n_written: int = 0

    def write(self, item: AnswerLine, found: "Grounding") -> None:
        from tokalign.grounding.evidence import html_page, terminal_lines

        if self.layout.html is not None:
            page = html_page(found, item.id)
            self.layout.html.write_text(page, encoding="utf-8", newline="")
            return
        if self.layout.is_object:
            value = {"id": item.id} | found.to_dict()
            self._line(json.dumps(value, ensure_ascii=False))
            return
        if not self.is_one:
            if self.n_written:
                self._line("")
            self._line(one_line(f"# {item.id}"))
        width = self.layout.columns()
        for line in terminal_lines(found, is_coloured=self.is_coloured, width=width):
            self._line(line)

    def write_bad(
        self, line: int, item: AnswerLine | InputError, error: InputError | ServerError
    ) -> None:
        """Report a bad line, and write the line that stands for it."""
        message = located(error)
        name = str(line) if isinstance(item, InputError) else item.id
        self.bad.note(f"line {line}", name, line, message)
        if self.layout.is_object:
            self._line(bad_object(name, line, message))

    def _line(self, text: str) -> None:
        self.sink.write(text + "\n")
        self.n_written += 1


@click.command("ground", cls=SectionedCommand)
@click.argument("texts", nargs=-1, metavar="[ANSWER PASSAGE...]")
@takes(files=GroundFiles, layout=GroundLayout, flags=GroundFlags, model=ModelFlags, server=Endpoint)
def command(
    texts: tuple[str, ...],
    files: GroundFiles,
    layout: GroundLayout,
    flags: GroundFlags,
    model: ModelFlags,
    server: Endpoint,
) -> None:
    """Show where each PASSAGE supports the words of an ANSWER, and which words have no support.

    ANSWER and PASSAGE are files or texts in quotes; citations name files as you do. "-" reads
    standard input. Support is evidence, not a verdict on truth.

    Without them, every line of --input is an object with "answer" and "passages", a list of
    texts or of objects with "id" and "text"; or the input is a Parquet table with these columns. A
    bad line is reported on stderr; in jsonl, an object with "error" stands for it. The exit code is
    then 3.
    """
    files.check(texts, layout.html)
    is_one = bool(texts)
    if layout.html is not None and not is_one:
        raise click.UsageError("--html shows one answer: give ANSWER and PASSAGE")
    items = files.items(texts)
    options = flags.options(has_offsets=layout.is_object)
    is_coloured = layout.is_coloured() and (files.output == STDIO or layout.color == "always")
    with ExitStack() as stack:
        bad = stack.enter_context(files.bad_lines())
        ground = partial(_ground, task_of("ground", stack, model, server), options)
        columns = _COLUMNS_WRITTEN if layout.format == PARQUET else ()
        sink = stack.enter_context(files.open(columns))
        sink.is_harmless = not layout.is_object  # in colours; the words are made visible
        writer = _Writer(sink, layout, is_coloured, is_one, bad)
        for line, item in items:
            try:
                found = ground(unwrap(item))
            except (InputError, ServerError) as error:
                if is_one or not is_input_fault(error):
                    raise
                writer.write_bad(line, item, error)
                continue
            writer.write(unwrap(item), found)
    bad.end("lines bad")


def _ground(ground: Grounder, options: GroundOptions, item: AnswerLine) -> "Grounding":
    """Return the evidence for an answer, or raise the error of its first sentence that has one."""
    found = ground(item.answer, item.passages, options)
    for sentence in found.sentences:
        if sentence.error is not None:
            raise sentence.error
    return found
