"""Work over many items or rows: progress bars, and the rows of data frames."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from typing import Any, TypeVar

from tokalign.errors import InputError
from tokalign.types.display import Results
from tokalign.types.frames import Frame, FrameCells

T = TypeVar("T")


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
