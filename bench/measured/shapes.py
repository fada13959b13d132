"""What a measurement is: a command, the JSON objects that it prints, and the figures in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DIGITS = {
    "links per 100 pairs": 1,
    "percent": 1,
    "points": 1,
    "mean average precision": 3,
    "mean reciprocal rank": 3,
    "r": 3,
    "ms": 1,
}
"""Decimals of a figure by its unit; a count is kept whole, of others three significant digits."""


@dataclass(frozen=True)
class Value:
    """Where a figure stands in a command's JSON object.

    Parameters
    ----------
    path : tuple of str
        Keys from the object down to the number.
    unit : str
    times : float
        What to multiply the number by, 100 where a fraction is to be percent.
    what : str
        The quantity, as a reader would say it.
    """

    path: tuple[str, ...]
    unit: str
    what: str
    times: float = 1.0


@dataclass(frozen=True)
class Row:
    """The JSON object with these values, and what is taken from it.

    Parameters
    ----------
    name : str
        Part of the keys; may be empty.
    where : mapping of str to str
        What the object must hold; no two objects of a command may match.
    values : mapping of str to Value
        By the last part of the key.
    """

    name: str
    where: Mapping[str, object]
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Measurement:
    """A command and the rows that it gives.

    Parameters
    ----------
    name : str
        First part of the keys.
    what : str
        What was measured: data, links, model, conditions.
    command : str
        One line of shell, run from the repository's root.
    rows : tuple of Row
    is_quick : bool
        Takes seconds, and nothing that the development environment does not have.
    environment : str
        The virtual environment, where it is another one than the caller's.
    """

    name: str
    what: str
    command: str
    rows: tuple[Row, ...]
    is_quick: bool = field(default=False, kw_only=True)
    environment: str = field(default="", kw_only=True)

    def figure_keys(self) -> list[str]:
        """Return the keys of all figures that this measurement gives."""
        return [key(self, row, name) for row in self.rows for name in row.values]


def key(measurement: Measurement, row: Row, name: str) -> str:
    """Return the key of a figure in docs/figures.json."""
    return ".".join(part for part in (measurement.name, row.name, name) if part)


def some(values: Mapping[str, Value], names: str) -> dict[str, Value]:
    """Return the values of these names, which spaces separate."""
    return {name: values[name] for name in names.split()}
