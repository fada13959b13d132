"""Display of results: as lines, HTML, plain values and rows of data frames."""

import enum
import importlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tokalign.errors import MissingPackageError
from tokalign.showing.text import html_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

T = TypeVar("T")

DIGITS = 6
"""Number of decimals in JSON."""
_LEFT_OUT = ("evidence", "error")
"""Fields that objects have only if they say something."""


class Shown:
    """Base of results.

    A result says its lines, its plain values and its rows; all that shows it follows from these.
    """

    __slots__ = ()
    _drawn_by: ClassVar[str]
    """Module whose `terminal_lines` are the result's: a name, since it stands above the result."""

    def _drawing(self) -> Any:
        return importlib.import_module(self._drawn_by)

    def lines(self, *, is_coloured: bool = False) -> Iterable[str]:
        """Return the lines that the command line prints, by default in no colours."""
        lines: Iterable[str] = self._drawing().terminal_lines(self, is_coloured=is_coloured)
        return lines

    def _table(self) -> Mapping[str, Sequence[Any]]:
        """Return the columns of the result's own data frame."""
        raise NotImplementedError

    def _row(self) -> Mapping[str, Any]:
        """Return the result's row in the data frame of several."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Return the lines that the command line prints."""
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return self.to_html()

    def show(self) -> None:
        """Show the result in a notebook, else print its lines."""
        notebook = sys.modules.get("ipykernel") and sys.modules.get("IPython")
        if notebook and notebook.get_ipython() is not None:
            notebook.display.display(self)
        else:
            print(self)  # noqa: T201  # the method's purpose

    def to_html(self) -> str:
        """Return an HTML fragment that has no script, loads nothing, and fits any page."""
        return html_of(self.lines(is_coloured=True))

    def to_dict(self) -> Any:
        """Return plain values, the same as in the command line's JSON."""
        return plain(self)

    def to_json(self) -> str:
        """Return `to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def to_pandas(self) -> "pd.DataFrame":
        """Return the rows as a data frame; MissingPackageError without pandas."""
        return _frame_maker("pandas")(self._table())

    def to_polars(self) -> "pl.DataFrame":
        """Return the rows as a data frame; MissingPackageError without polars."""
        return _frame_maker("polars")(self._table())


class Results(Shown, list[T]):
    """Results of several inputs, in a list that shows itself.

    `found`: each a result, None for a missing input, or the error that stands for a result. `kept`:
    columns of the inputs, which the data frame keeps.
    """

    __slots__ = ("_kept",)

    def __init__(
        self, found: Iterable[T] = (), kept: Mapping[str, Sequence[Any]] | None = None
    ) -> None:
        super().__init__(found)
        self._kept = kept or {}

    def _parts(self) -> list[Shown]:
        return [each if isinstance(each, Shown) else _Missing(each) for each in self]

    def lines(self, *, is_coloured: bool = False) -> Iterator[str]:
        for number, each in enumerate(self._parts()):
            lines = list(each.lines(is_coloured=is_coloured))
            if number and len(lines) > 1:
                yield ""
            yield from lines

    def to_html(self) -> str:
        """Return the HTML of all results, one below the other."""
        return "\n".join(each.to_html() for each in self._parts())

    def to_dict(self) -> list[Any]:
        """Return the plain values of each result."""
        return [each.to_dict() for each in self._parts()]

    def _table(self) -> Mapping[str, Sequence[Any]]:
        rows = [each._row() for each in self._parts()]
        found = dict(self._kept)
        for name in dict.fromkeys(name for row in rows for name in row):
            cells = [row.get(name) for row in rows]
            if (name == "error" and not any(cells)) or (self._kept and name in _OF_INPUT):
                continue
            found[free_names(found, [name])[0]] = cells
        return found


class _Missing(Shown):
    """What stands in a list for a result: nothing, or an error."""

    def __init__(self, error: object) -> None:
        self._error = None if error is None else str(error)

    def lines(self, *, is_coloured: bool = False) -> Iterator[str]:
        yield "-" if self._error is None else f"- {self._error}"

    def to_dict(self) -> dict[str, str] | None:
        return None if self._error is None else {"error": self._error}

    def _row(self) -> dict[str, str | None]:
        return {"error": self._error}


_OF_INPUT = ("source_text", "target_text", "old_text", "new_text", "answer", "text")
"""Columns that the inputs' own columns hold where these are kept."""


class Piped(Iterator[T]):
    """Results that are made one by one, as they are read."""

    def __init__(self, found: Iterable[T], kept: Mapping[str, Sequence[Any]] | None = None) -> None:
        self._found = iter(found)
        self._kept = kept

    def __next__(self) -> T:
        return next(self._found)

    def results(self) -> Results[T]:
        """Return all that were not read yet in a list."""
        return Results(self, self._kept)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a row for each result, behind the columns of the inputs' frame if they have one.

        MissingPackageError without pandas.
        """
        return self.results().to_pandas()

    def to_polars(self) -> "pl.DataFrame":
        """Return the same rows as `to_pandas` as a data frame of polars."""
        return self.results().to_polars()


def free_names(kept: Iterable[str], added: Iterable[str]) -> list[str]:
    """Return the names of added columns; one that an input column has already gets a number.

    Examples
    --------
    >>> free_names(["text", "score"], ["links", "score"])
    ['links', 'score_2']
    """
    taken, found = set(kept), []
    for name in added:
        free, number = name, 2
        while free in taken:
            free, number = f"{name}_{number}", number + 1
        taken.add(free)
        found.append(free)
    return found


def plain(value: Any) -> Any:
    """Return a value as JSON has it: dataclasses as objects, with six decimals."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, Exception):
        return str(value)
    if isinstance(value, tuple):
        return list(map(plain, value))
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    names = getattr(value, "__dataclass_fields__", None)
    if names is None:
        return value
    found = {name: plain(getattr(value, name)) for name in names}
    return {name: each for name, each in found.items() if each or name not in _LEFT_OUT}


def _frame_maker(package: str) -> Any:
    """Return the class DataFrame of a package; MissingPackageError without the package."""
    try:
        return importlib.import_module(package).DataFrame
    except ImportError:
        raise MissingPackageError(
            f"a data frame of {package} needs the package {package}; run: pip install {package}"
        ) from None
