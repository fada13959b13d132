"""The parts of `Aligner.pipe` besides aligning: checks, batches and processes, progress, rows."""

import pickle
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from functools import partial
from itertools import islice
from numbers import Integral
from typing import Any, TypeVar

from tokalign.errors import AlignError, InputError, WorkerError, quoted, renewed
from tokalign.types.display import Results
from tokalign.types.inputs import Frame, FrameCells, can_iterate

T = TypeVar("T")
R = TypeVar("R")


def check_pipe(pairs: Iterable[Any], batch_size: int, n_process: int, errors: str) -> None:
    """Raise InputError if an argument of `Aligner.pipe` is out of range."""
    if isinstance(pairs, str | Mapping) or not can_iterate(pairs):
        raise InputError(f"pairs is {quoted(pairs)}; wanted pairs in a list", field="pairs")
    if not _is_whole(batch_size) or batch_size < 1:
        raise InputError(
            f"batch_size is {quoted(batch_size)}; wanted at least 1", field="batch_size"
        )
    if not _is_whole(n_process) or (n_process < 1 and n_process != -1):
        raise InputError(
            f"n_process is {quoted(n_process)}; wanted at least 1, or -1", field="n_process"
        )
    if errors not in ("raise", "return"):
        raise InputError(f"errors is {quoted(errors)}; wanted raise or return", field="errors")


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral)  # numpy's numbers, too


def in_batches(
    work: Callable[[list[T]], list[R | Exception]],
    items: Iterable[T],
    batch_size: int,
    n_process: int,
) -> Iterator[R | Exception]:
    """Yield the result of `work` for each item, a batch at a time, in this process or in others,
    for which it is pickled."""
    if n_process != 1:
        from tokalign.batches.packed import unpack
        from tokalign.batches.processes import map_batches, n_processors

        n_process = n_processors() if n_process == -1 else n_process
    if n_process > 1:
        # Loaded by a process once it can say what went wrong.
        start = partial(_packing, pickle.dumps(work))
        yield from map_batches(start, items, batch_size, n_process, receive=unpack)
        return
    pending = iter(items)
    while batch := list(islice(pending, batch_size)):
        yield from work(batch)


def _packing(pickled: bytes) -> Callable[[Sequence[Any]], Any]:
    """Return the unpickled `work`, whose results go to the parent as messages."""
    from tokalign.batches.packed import pack

    work = pickle.loads(pickled)
    return lambda batch: pack(work(batch))


def pipe_outcomes(
    align: Callable[[list[Any]], list[R | Exception]],
    pairs: Iterable[Any],
    batch_size: int,
    n_process: int,
    errors: str,
    *,
    as_tuples: bool,
) -> Iterator[Any]:
    """Yield the alignments of pairs, or the errors that `Aligner.pipe` yields in their places."""
    contexts: deque[Any] = deque()
    places: Sequence[int] = ()
    if isinstance(pairs, FrameCells):  # of a frame
        places = [place for place, row in enumerate(pairs) if row is not None]
        pairs = [row for row in pairs if row is not None]
    if as_tuples:
        pairs = _split_contexts(pairs, contexts)
    for number, outcome in enumerate(in_batches(align, pairs, batch_size, n_process)):
        if isinstance(outcome, Exception) and (
            errors == "raise" or not isinstance(outcome, InputError | WorkerError)
        ):
            raise _of_pair(outcome, places[number] if places else number)
        yield (outcome, contexts.popleft()) if as_tuples else outcome


def _split_contexts(pairs: Iterable[tuple[T, Any]], contexts: deque[Any]) -> Iterator[T]:
    """Yield the pairs, and put their contexts into `contexts`."""
    for pair, context in pairs:
        contexts.append(context)
        yield pair


def _of_pair(error: Exception, number: int) -> Exception:
    """Return an error; tokalign's own errors get the pair's number and side in the message."""
    if not isinstance(error, AlignError):
        return error
    side = error.field if isinstance(error, InputError) else ""
    where = f"pair {number} (from 0)" + (f", {side}" if side else "")
    return renewed(error, f"{where}: {error}")


def with_progress(
    items: Iterable[T], unit: str, *, is_shown: bool, total: int | None = None
) -> Iterable[T]:
    """Return the items, with a bar on stderr or in a notebook while they are read if asked for.

    The unit says what one item is, such as "pair"; total is their number, if they have no length.
    """
    if not is_shown:
        return items
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a notebook without widgets, which gets a bar of text
        from tqdm.auto import tqdm

    if total is None and isinstance(items, Sized):
        total = len(items)
    bar: Any = tqdm(items, total=total, unit=unit)
    found: Iterable[T] = bar
    return found


def with_missing(rows: FrameCells, results: Iterable[T]) -> Iterator[T | None]:
    """Yield the results of the rows, and None for each row that is missing."""
    pending = iter(results)
    for row in rows:
        yield None if row is None else next(pending)


def map_rows(
    work: Callable[..., T],
    frame: Frame,
    columns: tuple[str, str] | None,
    usual: Sequence[tuple[str, str]],
    *,
    progress: bool,
) -> Results[T | InputError | None]:
    """Return `work` of two cells of each row.

    A missing row has the result None, and a row that cannot be used its InputError; for the columns
    see Frame.pairs.
    """
    rows = frame.pairs(columns, usual)

    def found(row: tuple[Any, ...] | None) -> T | InputError | None:
        try:
            return None if row is None else work(*row)
        except InputError as error:
            return error

    return Results(map(found, with_progress(rows, "row", is_shown=progress)), frame.columns)
