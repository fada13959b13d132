"""Aligns a stream of items in this process, in several, or at a server; the order is kept."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

from tokalign.cli.options import is_input_fault
from tokalign.cli.output import Lines, truncated_sides
from tokalign.cli.pairs import Item
from tokalign.errors import FormatError, located
from tokalign.options import AlignOptions
from tokalign.processes import map_batches
from tokalign.types import Alignment, Pair

if TYPE_CHECKING:
    from tokalign.aligner import Aligner
    from tokalign.client import Client


@dataclass(frozen=True, slots=True)
class Job:
    """What every batch of a run shares; small and picklable.

    Attributes
    ----------
    model, annotator, device : str
    options : AlignOptions
    layout : Lines
    """

    model: str
    annotator: str
    device: str
    layout: Lines
    options: AlignOptions

    def load(self) -> Aligner:
        """Return the aligner to use."""
        from tokalign.aligner import Aligner

        return Aligner.load(self.model, annotator=self.annotator, device=self.device)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of output; `error` tells why a bad one holds no alignment.

    `is_cut` tells that a sentence of the pair was cut, as AlignOptions.truncate asks.
    """

    number: int
    text: str
    error: str = ""
    is_cut: bool = False


def align_here(items: Iterable[Item], job: Job, batch_size: int) -> Generator[Line]:
    """Yield a line per item, aligned by this process."""
    aligner = job.load()
    for batch in _batched(items, batch_size):
        yield from _align_batch(aligner, batch, job)


def align_in_processes(
    items: Iterable[Item], job: Job, batch_size: int, n_processes: int, timeout_s: float
) -> Generator[Line]:
    """Yield a line per item, aligned by `n_processes` others.

    An item that ends or hangs the process that aligns it, twice, becomes a bad line; see processes.
    """
    waiting: deque[Item] = deque()

    def noted() -> Iterator[Item]:
        for item in items:
            waiting.append(item)
            yield item

    start = partial(_start, job)
    outcomes = map_batches(start, noted(), batch_size, n_processes, timeout_s=timeout_s)
    for outcome in outcomes:
        item = waiting.popleft()
        yield outcome if isinstance(outcome, Line) else _bad(item, job.layout, str(outcome))


def _start(job: Job) -> Callable[[Sequence[Item]], list[Line]]:
    """Return what a process does with each batch."""
    aligner = job.load()
    return lambda items: _align_batch(aligner, items, job)


def align_at_server(
    items: Iterable[Item], job: Job, batch_size: int, client: Client
) -> Generator[Line]:
    """Yield a line per item, aligned by a server.

    Raises
    ------
    CallError
        If the server refuses a pair for any reason but the pair itself, such as an unknown style.
    """
    waiting: deque[Item] = deque()

    def pairs() -> Iterator[Pair]:
        for item in items:
            waiting.append(item)
            if item.pair is not None:
                yield item.pair

    results = client.align_stream(
        pairs(),
        chunk_size=batch_size,
        model=job.model,
        annotator=job.annotator,
        **asdict(job.options),
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


def _align_batch(aligner: Aligner, items: Sequence[Item], job: Job) -> list[Line]:
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


def _good(item: Item, layout: Lines, alignment: Alignment) -> Line:
    try:
        text = layout.line(item.id, alignment)
    except FormatError as error:
        return _bad(item, layout, str(error))
    return Line(item.line, text, is_cut=bool(truncated_sides(alignment)))


def _bad(item: Item, layout: Lines, error: str) -> Line:
    return Line(item.line, layout.bad_line(item.id, item.line, error), error)


def _batched(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    pending = iter(items)
    while batch := list(itertools.islice(pending, size)):
        yield batch
