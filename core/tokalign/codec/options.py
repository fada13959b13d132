"""Options of a request: the messages AlignOptions and GroundOptions, and the enumeration RankBy."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, cast

from tokalign.errors import InputError
from tokalign.types.options import AlignOptions, GroundOptions, RankBy, RankOptions
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


OptionsT = TypeVar("OptionsT", AlignOptions, GroundOptions)


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """Options of a request."""

    model: str = ""  # a name; empty for the server's default
    annotator: str = ""  # likewise
    align: AlignOptions = field(default_factory=AlignOptions)
    rank_by: RankBy | None = None  # RankRequest.by; None unless candidates are ranked
    highlights: bool = False  # RankRequest.highlights
    # Used instead of `align` for an answer to ground; else None
    ground: GroundOptions | None = None


def encode_options(options: RequestOptions) -> align_pb2.AlignOptions:
    """Return the message, which has no `rank_by`, `highlights` or `ground`."""
    return align_pb2.AlignOptions(
        model=options.model, annotator=options.annotator, **_encoded(options.align)
    )


def decode_options(
    message: align_pb2.AlignOptions, *, model: str = "", annotator: str = ""
) -> RequestOptions:
    """Return checked options; `model` and `annotator` are the defaults.

    InputError is raised if an enumeration's number is unknown, or another option is out of range.
    """
    align = _decoded(message, AlignOptions)
    return RequestOptions(message.model or model, message.annotator or annotator, align)


def encode_ground_options(options: RequestOptions) -> align_pb2.GroundOptions:
    """Return the message of options whose `ground` is given."""
    values = _encoded(options.ground or GroundOptions())
    return align_pb2.GroundOptions(model=options.model, annotator=options.annotator, **values)


def decode_ground_options(
    message: align_pb2.GroundOptions, *, model: str = "", annotator: str = ""
) -> RequestOptions:
    """Return checked options of grounding, as `decode_options` does."""
    ground = _decoded(message, GroundOptions)
    return RequestOptions(message.model or model, message.annotator or annotator, ground=ground)


def _encoded(options: AlignOptions | GroundOptions) -> dict[str, Any]:
    """Return the fields of the message of options, but for numbers and truths that are defaults."""
    given = ((each, getattr(options, each.name)) for each in fields(options))
    return {
        each.name: numbers_of(type(value))[value] if isinstance(value, StrEnum) else value
        for each, value in given
        if isinstance(value, StrEnum) or value != each.default
    }


def _decoded(message: Any, kind: type[OptionsT]) -> OptionsT:
    given: dict[str, Any] = {}
    for each in fields(kind):
        name, default, value = each.name, each.default, getattr(message, each.name)
        has_presence = message.DESCRIPTOR.fields_by_name[name].has_presence
        if message.HasField(name) if has_presence else value:
            given[name] = value
            if isinstance(default, StrEnum):
                given[name] = decode_enum(type(default), value, f"options.{name}")
    return kind(**given)


_RANK_FIELDS: dict[str, type[Any]] = {
    each.name: type(each.default)
    for each in fields(RankOptions)
    if each.name in align_pb2.RankRequest.DESCRIPTOR.fields_by_name
}
"""Options of ranking in a request, with their types; its candidates have the others."""


def encode_rank_options(options: RankOptions) -> dict[str, Any]:
    """Return the fields of RankRequest, by name."""
    values = {name: getattr(options, name) for name in _RANK_FIELDS}
    return values | {"by": numbers_of(RankBy)[options.by]}


def decode_rank_options(number: Callable[[str], int]) -> RankOptions:
    """Return the options of a ranking.

    `number`: returns a field of RankRequest by its name.

    InputError is raised if the kind of ranking is unknown.
    """
    values: dict[str, Any] = {
        name: decode_rank_by(number(name)) if kind is RankBy else kind(number(name))
        for name, kind in _RANK_FIELDS.items()
    }
    return RankOptions(**values)


def decode_rank_by(number: int) -> RankBy:
    """Return the kind of ranking; raise InputError if it is unknown."""
    return decode_enum(RankBy, number, "by") if number else RankBy.AUTO
