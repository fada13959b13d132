"""Lines of pairs aligned in this process, in several, or at a server; the order is kept."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from tokalign.batches.processes import map_batches
from tokalign.cli.options import ModelFlags, is_input_fault
from tokalign.cli.output import CSV, Lines
from tokalign.cli.pairs import InputLine
from tokalign.cli.rows import kept_cells, record_of, with_input
from tokalign.errors import FormatError, located
from tokalign.types import Alignment, Pair
from tokalign.types.objects import truncated_sides
from tokalign.types.options import AlignOptions

if TYPE_CHECKING:
    from tokalign.aligner import Aligner
    from tokalign.client import Client


@dataclass(frozen=True, slots=True)
class LineJob:
    """What every batch of a run shares; small and picklable."""

    model: ModelFlags
    layout: Lines
    options: AlignOptions


@dataclass(frozen=True, slots=True)
class OutputLine:
    """One line of output.

    Attributes
    ----------
    number : int
        Of the line of input, from 1.
    id : str
        Of the pair.
    text : str
    error : str
        Why a bad line holds no alignment.
    is_cut : bool
        Whether a sentence of the pair was cut, as AlignOptions.truncate asks.
    """

    number: int
    id: str
    text: str
    error: str = ""
    is_cut: bool = False


def align_here(items: Iterable[InputLine], job: LineJob, batch_size: int) -> Generator[OutputLine]:
    """Yield a line per item, aligned by this process."""
    aligner = job.model.load()
    for batch in _batched(items, batch_size):
        yield from _align_batch(aligner, batch, job)


def align_in_processes(
    items: Iterable[InputLine], job: LineJob, batch_size: int, n_processes: int, timeout_s: float
) -> Generator[OutputLine]:
    """Yield a line per item, aligned by `n_processes` others.

    An item that ends or hangs the process that aligns it, twice, becomes a bad line; see processes.
    """
    waiting: deque[InputLine] = deque()

    def noted() -> Iterator[InputLine]:
        for item in items:
            waiting.append(item)
            yield item

    start = partial(_start, job)
    outcomes = map_batches(start, noted(), batch_size, n_processes, timeout_s=timeout_s)
    for outcome in outcomes:
        item = waiting.popleft()
        yield outcome if isinstance(outcome, OutputLine) else _bad(item, job.layout, str(outcome))


def _start(job: LineJob) -> Callable[[Sequence[InputLine]], list[OutputLine]]:
    """Return what a process does with each batch."""
    aligner = job.model.load()
    return lambda items: _align_batch(aligner, items, job)


def align_at_server(
    items: Iterable[InputLine], job: LineJob, batch_size: int, client: Client
) -> Generator[OutputLine]:
    """Yield a line per item, aligned by a server.

    Raises
    ------
    CallError
        If the server refuses a pair for any reason but the pair itself, such as an unknown style.
    """
    waiting: deque[InputLine] = deque()

    def pairs() -> Iterator[Pair]:
        for item in items:
            waiting.append(item)
            if item.pair is not None:
                yield item.pair

    results = client.align_stream(
        pairs(),
        job.options,
        chunk_size=batch_size,
        **job.model.at_server(),
    )
    for result in results:
        while (item := waiting.popleft()).pair is None:
            yield _bad(item, job.layout, item.error)
        if result.alignment is not None:
            yield _good(item, job.layout, result.alignment)
        elif result.error is not None and is_input_fault(result.error):
            yield _bad(item, job.layout, str(result.error))
        else:
            result.unwrap()
    for item in waiting:
        yield _bad(item, job.layout, item.error)


def _align_batch(aligner: Aligner, items: Sequence[InputLine], job: LineJob) -> list[OutputLine]:
    pairs = [item.pair for item in items if item.pair is not None]
    outcomes = aligner.pipe(pairs, job.options, batch_size=len(items), errors="return")
    lines = []
    for item in items:
        if item.pair is None:
            lines.append(_bad(item, job.layout, item.error))
        elif isinstance(outcome := next(outcomes), Alignment):
            lines.append(_good(item, job.layout, outcome))
        else:
            lines.append(_bad(item, job.layout, located(outcome)))
    return lines


def _good(item: InputLine, layout: Lines, alignment: Alignment) -> OutputLine:
    try:
        if layout.format == CSV:
            text = record_of([*kept_cells(item), *layout.cells(alignment), ""])
        else:
            text = layout.line(item.id, alignment)
            text = with_input(text, item) if layout.keep else text
    except FormatError as error:
        return _bad(item, layout, str(error))
    return OutputLine(item.line, item.id, text, is_cut=bool(truncated_sides(alignment)))


def _bad(item: InputLine, layout: Lines, error: str) -> OutputLine:
    if layout.format == CSV:
        blank = [""] * (len(layout.cell_names) - 1)
        text = record_of([*kept_cells(item), *blank, error])
    else:
        text = layout.bad_line(item.id, item.line, error)
        text = with_input(text, item) if layout.keep else text
    return OutputLine(item.line, item.id, text, error)


def _batched(items: Iterable[InputLine], size: int) -> Iterator[list[InputLine]]:
    pending = iter(items)
    while batch := list(itertools.islice(pending, size)):
        yield batch
