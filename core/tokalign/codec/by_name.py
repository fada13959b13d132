"""Fields and enumerations that have the same names in the library and in the contract."""

import re
from dataclasses import fields
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, cast

from tokalign.errors import InputError
from tokalign.v1 import align_pb2

EnumT = TypeVar("EnumT", bound=StrEnum)


@cache
def numbers_of(kind: type[StrEnum]) -> dict[StrEnum, Any]:
    """Return the numbers of an enumeration's members in the contract, where 0 stands for the
    default: for GROW_DIAG that of SYMMETRIZATION_GROW_DIAG.

    They are Any, since each enumeration of align_pb2 has its own type of number.
    """
    prefix = re.sub("(?<=[a-z])(?=[A-Z])", "_", kind.__name__).upper()
    known = getattr(align_pb2, kind.__name__)
    return {member: known.Value(f"{prefix}_{member.name}") for member in kind}


@cache
def _members(kind: type[StrEnum]) -> dict[Any, StrEnum]:
    return {number: member for member, number in numbers_of(kind).items()}


def member_of(kind: type[EnumT], number: int) -> EnumT | None:
    """Return the member with a number, or None if this version has no such member."""
    return cast(EnumT | None, _members(kind).get(number))


def decode_enum(kind: type[EnumT], number: int, path: str) -> EnumT:
    """Return the member of a number.

    `path`: of the field in the request, such as ``"options.detail"``.

    InputError is raised if no member has that number; no member has 0.
    """
    member = member_of(kind, number)
    if member is None:
        raise InputError(
            f"{path.rpartition('.')[2]} {number} is unknown; "
            f"wanted a value of tokalign.v1.{kind.__name__}",
            field=path,
        )
    return member


def values_of(value: Any, kind: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name, read from an instance or from its message."""
    return {name: getattr(value, name) for name in _names(kind)}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))
