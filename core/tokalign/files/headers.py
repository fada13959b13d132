"""Headers of model and table files: JSON objects that are checked before use.

A dataclass or a TypedDict describes a header once, by its annotated fields; files are checked
against them here. Files may come from strangers, so the header's bytes, nesting and numbers are
bounded. Errors are ValueErrors that name the field; the caller adds the file's path.
"""

import dataclasses
import json
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import (
    Annotated,
    Any,
    Final,
    NotRequired,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from tokalign.errors import quoted

# Python's own: hashlib loads OpenSSL as well, which takes 3 MiB of every process.
try:
    from _sha2 import sha256  # type: ignore[import-not-found]
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]  # Python 3.11
    except ImportError:
        from hashlib import sha256

MAX_HEADER_BYTES: Final = 1 << 16
"""Shipped headers have at most 8 KiB."""
MAX_DEPTH: Final = 8
"""Deepest nesting of objects and lists in a free-form field."""
MAX_NUMBER: Final = 1 << 62

# Keeps control characters out of terminals and logs, and lone surrogates out of encoders.
_UNFIT = "\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
_TEXT = re.compile(f"[^{_UNFIT}]*")
_NAME = rf"(?![.\s])[^/\\{_UNFIT}]{{1,64}}"
_A_NAME = "a name of 1 to 64 characters without / and \\ and no dot first"

Name = Annotated[str, re.compile(_NAME), _A_NAME]
"""May become part of a path; cannot lead out of a folder."""
OptionalName = Annotated[str, re.compile(f"({_NAME})?"), f"{_A_NAME}, or nothing"]
Version = Annotated[str, re.compile(f"[^{_UNFIT}]{{1,64}}"), "text of 1 to 64 characters"]
Digest = Annotated[str, re.compile("[0-9a-f]{64}"), "64 hexadecimal digits"]
LARGEST_WEIGHT: Final = 1e6
"""Scores are sums of a few hundred weights, and must stay finite and exact enough to compare."""
Weight = Annotated[float, LARGEST_WEIGHT, "a number of at most 1e6, either sign"]


def digest_of(content: bytes | memoryview) -> str:
    """Return the SHA-256 of a file's content in hexadecimal digits."""
    return str(sha256(content).hexdigest())


def is_name(text: str) -> bool:
    """Whether a text can be the name of a model or a table, and part of a file's name."""
    return _fits(text, Name)


def read_header(data: bytes, schema: type) -> dict[str, Any]:
    """Return the fields of a JSON header, each of the type that `schema` gives it.

    Fields of a dataclass with a default may be missing, and those with ``metadata={"stored":
    False}`` are not in the header; NotRequired fields of a TypedDict may be missing. ValueError if
    the header is too large or not JSON, or a field is missing, unknown or of another type.
    """
    if len(data) > MAX_HEADER_BYTES:
        raise ValueError(f"it has {len(data)} bytes; wanted at most {MAX_HEADER_BYTES}")
    try:
        values = json.loads(data, object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    return _checked_object(values, schema, "")


def check_fields(values: object) -> None:
    """Raise ValueError unless a dataclass's fields have their types and can be read back."""
    schema: type = type(values)
    _checked_object({name: getattr(values, name) for name in _fields(schema)[0]}, schema, "")


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the field {quoted(key)} is there twice")
        found[key] = value
    return found


@cache
def _fields(schema: type) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the types of a schema's fields, and the names of the required ones."""
    hints = get_type_hints(schema, include_extras=True)
    if is_typeddict(schema):
        may_lack = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
        plain = {
            name: get_args(hint)[0] if name in may_lack else hint for name, hint in hints.items()
        }
        return plain, frozenset(hints.keys() - may_lack)
    fields = [field for field in dataclasses.fields(schema) if field.metadata.get("stored", True)]
    required = frozenset(
        field.name
        for field in fields
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    )
    return {field.name: hints[field.name] for field in fields}, required


def _checked_object(value: object, schema: type, where: str) -> dict[str, Any]:
    hints, required = _fields(schema)
    if not isinstance(value, Mapping):
        raise ValueError(f"{where or 'it'} is {quoted(value)}; wanted an object")
    if missing := sorted(required - value.keys()):
        raise ValueError(f"{where or 'it'} has no field {missing[0]!r}")
    if unknown := sorted(value.keys() - hints.keys()):
        raise ValueError(f"{where or 'it'} has an unknown field {quoted(unknown[0])}")
    return {key: _checked(value[key], hints[key], _below(where, key)) for key in value}


def _below(where: str, key: str) -> str:
    shown = quoted(key)[1:-1]
    return f"{where}.{shown}" if where else shown


def _checked(value: Any, hint: Any, where: str) -> Any:
    """Return a value of its type; a list becomes a tuple if the type is one."""
    if hint is Any:
        _check_plain(value, where, MAX_DEPTH)
        return value
    if not isinstance(value, str):  # as most are, and no type of several values is one
        origin = get_origin(hint)
        if is_typeddict(hint):
            return _checked_object(value, hint, where)
        if origin is dict and isinstance(value, dict):
            inner = get_args(hint)[1]
            return {
                _checked(key, str, f"a key of {where}"): _checked(each, inner, _below(where, key))
                for key, each in value.items()
            }
        if origin in (tuple, list) and isinstance(value, tuple | list):
            inner = get_args(hint)[0]
            return origin(_checked(each, inner, f"{where}[{k}]") for k, each in enumerate(value))
    if not _fits(value, hint):
        raise ValueError(f"{where} is {quoted(value)}; wanted {_wanted(hint)}")
    return value


def _fits(value: object, hint: Any) -> bool:
    """Whether a scalar value has a type."""
    if hint is str:
        return isinstance(value, str) and _TEXT.fullmatch(value) is not None
    if hint is bool:
        return isinstance(value, bool)
    if hint is int:
        return type(value) is int and 0 <= value <= MAX_NUMBER
    if hint is float:
        # Refuses NaN, too.
        return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    if hint is Weight:
        return (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and abs(value) <= LARGEST_WEIGHT
        )
    if get_origin(hint) is Annotated:
        return isinstance(value, str) and hint.__metadata__[0].fullmatch(value) is not None
    return False


def _wanted(hint: Any) -> str:
    if get_origin(hint) is Annotated:
        return str(hint.__metadata__[1])
    kinds = {
        bool: "true or false",
        int: "a whole number from 0",
        float: "a number from 0 to 1",
        str: "text on one line",
    }
    is_object = is_typeddict(hint) or get_origin(hint) is dict
    return kinds.get(hint) or ("an object" if is_object else "a list")


def _check_plain(value: object, where: str, depth: int) -> None:
    """Raise ValueError unless a value of any type can be printed and written as JSON."""
    if depth == 0:
        raise ValueError(f"{where} is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        _checked(value, str, where)
    elif isinstance(value, tuple | list):
        for each in value:
            _check_plain(each, where, depth - 1)
    elif isinstance(value, Mapping):
        for key, each in value.items():
            _checked(key, str, f"a key of {where}")
            _check_plain(each, where, depth - 1)
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where} holds {value}; wanted finite numbers")
    elif isinstance(value, int):
        if abs(value) > MAX_NUMBER:
            raise ValueError(f"{where} holds {quoted(value)}; wanted numbers within 2**62")
    elif value is not None:
        raise ValueError(f"{where} holds {quoted(value)}; wanted what JSON can hold")
