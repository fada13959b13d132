"""Views of columns: values whose fields are made when they are first read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, Self


class FieldColumns(Protocol):
    """A batch of values kept column by column; each value is a view of it."""

    def field(self, index: int, name: str) -> Any:
        """Return a field of the value of that index."""


class View:
    """Base of values whose fields may be made when they are first asked for.

    A view is made by `View.of`; a value made by its constructor has its fields from the start.
    Either way they are equal, hashed, printed, copied and pickled by their fields alone.
    """

    __slots__ = ("_columns", "_index")
    _columns: FieldColumns | None  # None where it was made by its constructor
    _index: int

    @classmethod
    def of(cls, columns: FieldColumns, index: int, **fields: Any) -> Self:
        """Return the value of an index of columns; `fields` are those that are known already."""
        view = cls.__new__(cls)
        assign = object.__setattr__  # the values are frozen
        assign(view, "_columns", columns)
        assign(view, "_index", index)
        for name in fields:
            assign(view, name, fields[name])
        return view

    def viewed(self) -> tuple[Any, int] | None:
        """Return the columns that the value is a view of and its index, or None."""
        columns = self._columns
        return None if columns is None else (columns, self._index)

    if not TYPE_CHECKING:  # else every name would be an attribute

        def __getattr__(self, name):
            """Fill a slot that is still empty."""
            if name == "_columns":
                return None  # a cheap answer: sentences are asked several times for each pair
            if name not in self.__dataclass_fields__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            value = self._columns.field(self._index, name)
            object.__setattr__(self, name, value)
            return value
