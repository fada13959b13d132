"""Arrays of the lexical tables: joined words, and rows of numbers in CSR form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray


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
