"""Frames of pandas and polars, tables of pyarrow, and their columns, without these packages."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self

from tokalign.errors import InputError, quoted
from tokalign.types.inputs import SIDE_NAMES, plain_name, side_names

logger = logging.getLogger(__name__)


class FrameLike(Protocol):
    """A DataFrame of pandas or polars, or a Table of pyarrow."""

    @property
    def columns(self) -> Any: ...
    @property
    def shape(self) -> tuple[int, int]: ...


VERSIONS = (("old", "new"), ("before", "after"), ("original", "revised"))
"""Names of two versions of a text."""
ANSWERS = tuple(
    (answer, sources)
    for answer in ("answer", "response", "output")
    for sources in ("passages", "contexts", "retrievedcontexts", "documents", "sources", "context")
)
"""Names of an answer and of its passages."""
_TEXTS = ("text", "sentence", "candidate", "passage", "document", "content", "context", "answer")


class FrameCells(list[Any]):
    """The cells of a column, or pairs of them; a missing one is None."""


class Frame(NamedTuple):
    """The columns of a caller's frame by name; a missing cell is None."""

    columns: Mapping[Any, FrameCells]

    @classmethod
    def of(cls, value: object) -> Self | None:
        """Return a caller's frame, or None for anything else."""
        made: Any = value
        if hasattr(value, "to_pydict"):  # pyarrow
            return cls({name: FrameCells(cells) for name, cells in made.to_pydict().items()})
        if hasattr(value, "get_columns"):  # polars
            return cls({each.name: FrameCells(each.to_list()) for each in made.get_columns()})
        if hasattr(value, "iloc") and hasattr(value, "columns"):  # pandas
            named = enumerate(made.columns)
            return cls({name: _cells(made.iloc[:, place]) for place, name in named})
        return None

    def pairs(
        self, columns: tuple[str, str] | None, usual: Sequence[tuple[str, str]] = ()
    ) -> FrameCells:
        """Return the two cells of each row; None where one of them is missing.

        `columns`: their columns; by default, those with usual names. `usual`: usual names, as
        `plain_name` writes them; by default, those of sentences. The first are what columns are
        read as, which is logged where they are called otherwise.
        """
        names = columns or self._usual(usual)
        if isinstance(names, str) or len(names) != 2 or not set(names) <= self.columns.keys():
            raise self._error(f"columns is {quoted(names)}; wanted two of")
        rows = zip(*(self.columns[name] for name in names), strict=True)
        return FrameCells(None if any(cell is None for cell in row) else row for row in rows)

    def _plain_names(self) -> dict[str, str]:
        return {plain_name(name): name for name in self.columns if isinstance(name, str)}

    def _usual(self, usual: Sequence[tuple[str, str]]) -> tuple[str, str]:
        plain, sides = self._plain_names(), (usual or SIDE_NAMES)[0]
        found = [
            (plain[one], plain[other]) for one, other in usual if one in plain and other in plain
        ] or ([] if usual else side_names(self.columns))
        if not found:
            raise self._error(f"no column is called {sides[0]} or {sides[1]}: name two of")
        if found[0] != sides:
            logger.warning(
                "columns %r and %r are read as %s and %s; name others by columns=",
                *found[0], *sides,
            )  # fmt: skip
        return found[0]

    def texts(self) -> FrameCells:
        """Return the column of texts: that with a usual name, or the only one that holds text."""
        plain = self._plain_names()
        usual = [plain[name] for name in _TEXTS if name in plain]
        own = [
            name
            for name, cells in self.columns.items()
            if any(isinstance(cell, str) for cell in cells)
        ]
        if not usual and len(own) != 1:
            raise self._error("no column is called text: give one of")
        name = (usual or own)[0]
        if name != "text":
            logger.warning("column %r is read as text", name)
        return self.columns[name]

    def _error(self, said: str) -> InputError:
        return InputError(f"{said} the columns {', '.join(map(quoted, self.columns))}")


def columns_of(values: Iterable[Any]) -> tuple[Iterable[Any], Mapping[Any, FrameCells]]:
    """Return a caller's texts, and the columns of their frame if they are one.

    A list of mappings with `text` is a frame, too. Cells of a column are `FrameCells`.
    """
    frame = Frame.of(values)
    is_rows = frame is None and isinstance(values, list | tuple) and bool(values)
    if is_rows and all(isinstance(each, Mapping) and "text" in each for each in values):
        names = dict.fromkeys(name for each in values for name in each)
        frame = Frame({name: FrameCells(each.get(name) for each in values) for name in names})
    if frame is not None:
        return frame.texts(), frame.columns
    return cells_of(values), {}


def cells_of(values: Iterable[Any]) -> Iterable[Any]:
    """Return the cells of a column of pandas, polars, pyarrow or numpy; all else as it is."""
    if not isinstance(values, str | list | tuple) and any(
        hasattr(values, name) for name in ("to_list", "to_pylist", "tolist")
    ):
        return _cells(values)
    return values


def _cells(column: Any) -> FrameCells:
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            cells = getattr(column, name)()
            return FrameCells(None if _is_missing(cell) else cell for cell in cells)
    return FrameCells(column)


def _is_missing(cell: object) -> bool:
    """Whether a cell is a NaN of floats, or pandas' NA or NaT."""
    is_nan = isinstance(cell, float) and cell != cell
    return is_nan or type(cell).__name__ in ("NAType", "NaTType")
