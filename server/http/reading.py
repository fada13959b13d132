"""Fields of a JSON body, each with a check that names it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any, NoReturn, TypeVar

from tokalign.codec import RequestOptions
from tokalign.codec.reasons import ErrorReason
from tokalign.errors import quoted
from tokalign.formats.document import require_unicode
from tokalign.server.status import BadRequestError
from tokalign.types.grounding import GroundOptions
from tokalign.types.options import AlignOptions, BaseOptions

OptionsT = TypeVar("OptionsT", bound=BaseOptions)

KINDS = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "an array",
    dict: "an object",
}
"""Type -> the value of JSON that it is read of, in words."""
_MISSING = object()
NAMES = ("model", "annotator")


class JsonBody:
    """The object of a body. What has been asked for is known; `check_known` refuses the rest.

    Parameters
    ----------
    data : bytes

    Raises
    ------
    InputError
        If it is no JSON object.
    """

    def __init__(self, data: bytes) -> None:
        try:
            value = json.loads(data, parse_constant=_no_constant)
        except UnicodeDecodeError as error:
            raise _malformed(f"it is not UTF-8 at byte {error.start}") from error
        except json.JSONDecodeError as error:
            raise _malformed(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
        except BadRequestError:
            raise
        except (ValueError, RecursionError) as error:
            raise _malformed("a number is too long, or lists are nested too deeply") from error
        if not isinstance(value, dict):
            raise _malformed(f"it is {in_words(value)}; wanted an object")
        self._value: dict[str, Any] = value
        self._known: set[str] = set()

    def __contains__(self, name: str) -> bool:
        self._known.add(name)
        return self._value.get(name) is not None

    def get(self, name: str, kind: type, default: Any = _MISSING) -> Any:
        """Return a field; the default where it is missing or null.

        Raises
        ------
        InputError
            If it is of another type, or missing and there is no default.
        """
        self._known.add(name)
        value = self._value.get(name)
        if value is None:
            if default is _MISSING:
                raise invalid(f"{name} is missing; wanted {KINDS[kind]}", name)
            return default
        return checked(value, kind, name)

    def text(self, name: str, default: Any = _MISSING) -> str:
        """Return a string that is Unicode throughout."""
        return require_unicode(self.get(name, str, default), name)

    def count(self, name: str) -> int:
        """Return a whole number of at least 1, or 0 where it is missing."""
        value = int(self.get(name, int, 0))
        if self._value.get(name) is not None and not 1 <= value < 1 << 31:
            raise invalid(f"{name} is {quoted(value)}; wanted 1 or more", name)
        return value

    def items(self, name: str) -> Iterator[tuple[str, Any]]:
        """Yield the elements of an array, each after its path; InputError where there are none."""
        values = self.get(name, list)
        if not values:
            raise invalid(f"{name} is empty; wanted one or more", name)
        return ((f"{name}[{index}]", value) for index, value in enumerate(values))

    def some(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the fields of these names that are given."""
        return {name: self._value[name] for name in names if name in self}

    def align_options(self, names: Container[str] = (), **fixed: Any) -> RequestOptions:
        """Return the options of an alignment that the fields give.

        Parameters
        ----------
        names : container of str
            Of the options that are fields; none is all but those in `fixed`.
        **fixed
            Options with their values.
        """
        model, annotator = self._names()
        align = self._options(AlignOptions, names, fixed)
        return RequestOptions(model, annotator, align)

    def ground_options(self) -> RequestOptions:
        """Return the options of grounding that the fields give."""
        model, annotator = self._names()
        return RequestOptions(model, annotator, ground=self._options(GroundOptions, (), {}))

    def _names(self) -> Iterator[str]:
        return (self.text(name, "") for name in NAMES)

    def _options(
        self, kind: type[OptionsT], names: Container[str], fixed: Mapping[str, Any]
    ) -> OptionsT:
        given: dict[str, Any] = {}
        for each in fields(kind):
            is_field = each.name in names if names else each.name not in fixed
            if is_field and each.name in self:
                # An enumeration is a string, which the options check.
                type_ = str if isinstance(each.default, str) else type(each.default)
                given[each.name] = self.get(each.name, type_)
        return kind(**given, **fixed)

    def check_known(self) -> None:
        """Raise InputError where a field was never asked for."""
        for name in self._value.keys() - self._known:
            known = sorted(self._known)
            near = difflib.get_close_matches(name, known, 1)
            wanted = f"did you mean {near[0]}?" if near else f"wanted {', '.join(known)}"
            raise invalid(f"no field is called {quoted(name)}; {wanted}", name)


def invalid(message: str, field: str) -> BadRequestError:
    """Return the error for a field that cannot be used."""
    return BadRequestError(message, reason=ErrorReason.INVALID_INPUT, field=field)


def checked(value: Any, kind: type, path: str) -> Any:
    """Return a value of JSON; InputError if it is of another type."""
    is_kind = type(value) is kind or (kind is float and type(value) is int)
    if not is_kind:
        raise invalid(f"{path} is {in_words(value)}; wanted {KINDS[kind]}", path)
    return value


def in_words(value: Any) -> str:
    """Return a value of JSON as an error shows it."""
    if isinstance(value, list | dict):
        return KINDS[type(value)]
    return "null" if value is None else quoted(value)


def _no_constant(name: str) -> NoReturn:
    raise _malformed(f"it holds {name}, which is no number of JSON")


def _malformed(why: str) -> BadRequestError:
    message = f"the body is no JSON object: {why}"
    return BadRequestError(message, reason=ErrorReason.MALFORMED_MESSAGE)
