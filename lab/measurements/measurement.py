"""A measurement: a command, the JSON objects that it prints, and the figures in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

DIGITS = {
    "links per 100 pairs": 1,
    "percent": 1,
    "points": 1,
    "mean average precision": 3,
    "mean reciprocal rank": 3,
    "r": 3,
    "area": 2,
    "ms": 1,
    "p": 3,
}
"""Decimals of a figure by its unit; a count is kept whole, of others three significant digits."""


@dataclass(frozen=True)
class Value:
    """Where a figure stands in a JSON object.

    Parameters
    ----------
    path : tuple of str or int
        Keys, and positions in lists, from the object down to the number.
    unit : str
    what : str
        The quantity, as a reader would say it.
    times : float
        What to multiply the number by, 100 where a fraction is to be percent.
    """

    path: tuple[str | int, ...]
    unit: str
    what: str
    times: float = 1.0

    def find(self, item: Mapping[str, Any]) -> float | None:
        """Return the number in an object, or None if it has none there."""
        found: Any = item
        for part in self.path:
            try:
                found = found[part]
            except (KeyError, IndexError, TypeError):
                return None
        return float(found) * self.times

    def rounded(self, number: float) -> float | int:
        """Return a number with the digits that are kept of the unit.

        >>> Value((), "percent", "").rounded(90.26), Value((), "pairs per second", "").rounded(5387)
        (90.3, 5390)
        """
        if self.unit in DIGITS:
            return round(number, DIGITS[self.unit]) + 0.0  # no -0.0
        if self.unit == "count":
            return int(number)
        short = float(f"{number:.3g}")
        return int(short) if short >= 100 else short


@dataclass(frozen=True)
class Row:
    """The JSON objects that hold some values, and what is taken from each.

    Parameters
    ----------
    name : str
        Part of the keys, with fields of the object in braces, such as ``{model}.{style}``. Spaces
        become hyphens; empty parts are left out.
    where : mapping of str to value
        What an object must hold, besides all fields and figures.
    values : mapping of str to Value
        By the last part of the key.
    """

    name: str
    where: Mapping[str, object]
    values: Mapping[str, Value]

    def fits(self, item: Mapping[str, Any]) -> bool:
        """Return whether an object is one of these."""
        fields = {field for _, field, _, _ in Formatter().parse(self.name) if field}
        return (
            all(name in item and item[name] == value for name, value in self.where.items())
            and fields <= item.keys()
            and all(value.find(item) is not None for value in self.values.values())
        )

    def name_of(self, item: Mapping[str, Any]) -> str:
        """Return the row's name for an object.

        >>> Row("{model}.{style}.{kind}", {}, {}).name_of({"model": "a", "style": "", "kind": "b"})
        'a.b'
        """
        name = self.name.format_map(item).replace(" ", "-")
        return re.sub(r"\.+", ".", name).strip(".")


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


def some(values: Mapping[str, Value], names: str) -> dict[str, Value]:
    """Return the values of these names, which spaces separate."""
    return {name: values[name] for name in names.split()}


def rows_where(
    field_name: str, names: Iterable[str], values: Mapping[str, Value], prefix: str = ""
) -> tuple[Row, ...]:
    """Return a row for each value of a field, named after it."""
    return tuple(Row(f"{prefix}{name}", {field_name: name}, values) for name in names)
