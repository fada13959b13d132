"""Arrays of the lexical tables: joined words, and rows of numbers in CSR form.

Kernels follow the numbers that mark where rows begin without a look at the arrays' ends, so
`starts_of` looks at all of them once, when a table is opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError
from tokalign.files.tables import Table


def pack_words(words: Sequence[str]) -> dict[str, NDArray[np.generic]]:
    """Return the arrays ``words`` and ``word_start`` that `Vocabulary` reads.

    Parameters
    ----------
    words : sequence of str
        Distinct, in rising order (of code points, which is that of their UTF-8 bytes).
    """
    encoded = [word.encode("utf-8") for word in words]
    start = np.zeros(len(encoded) + 1, dtype=np.int32)
    np.cumsum([len(word) for word in encoded], out=start[1:])
    return {"words": np.frombuffer(b"".join(encoded), dtype=np.uint8), "word_start": start}


def pack_rows(rows: Iterable[Iterable[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return where each row starts, and the sorted numbers of all rows."""
    ordered = [sorted(row) for row in rows]
    start = np.zeros(len(ordered) + 1, dtype=np.int32)
    np.cumsum([len(row) for row in ordered], out=start[1:])
    return start, np.array([value for row in ordered for value in row], dtype=np.int32)


def starts_of(
    table: Table, name: str, n_items: int, *, n_rows: int | None = None, least: int = 0
) -> NDArray[np.int32]:
    """Return where each row of a table begins in an array of `n_items`, and where the last ends.

    Parameters
    ----------
    table : Table
    name : str
    n_items : int
    n_rows : int, optional
        How many rows there must be.
    least : int
        Items that every row must have.

    Returns
    -------
    start : int32 array, shape (n_rows + 1,)
        From 0 to `n_items`, never falling.

    Raises
    ------
    ResourceError
        If the array is missing or not so.
    """
    start = table.array(name, np.int32, (None if n_rows is None else n_rows + 1,))
    least_start, last_start = (start.min(), start.max()) if len(start) else (-1, -1)
    if least_start != 0 or last_start != n_items or start[0] != 0 or start[-1] != n_items:
        raise ResourceError(
            f"{table.path}: the {len(start)} starts of {name!r} are {least_start} to "
            f"{last_start}; wanted 0 at first and {n_items} at last"
        )
    # The difference of two numbers of 32 bits that are not negative does not overflow.
    if len(short := np.flatnonzero(np.diff(start) < least)):
        k = int(short[0])
        raise ResourceError(
            f"{table.path}: row {k} of {name!r} is {start[k]} to {start[k + 1]}; wanted at least "
            f"{least} items in it"
        )
    return start
