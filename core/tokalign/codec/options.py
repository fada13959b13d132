"""Options of a request: the message AlignOptions and the enumeration RankBy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from tokalign.codec.by_name import NUMBERS, decode_enum, values_of
from tokalign.types.options import AlignOptions, GroundOptions, RankBy, RankOptions
from tokalign.v1 import align_pb2

_ENUMS: dict[str, type[StrEnum]] = {
    each.name: type(each.default)
    for each in fields(AlignOptions)
    if isinstance(each.default, StrEnum)
}
"""Options that are enumerations."""

_GIVEN = {
    each.name: each.default
    for each in fields(AlignOptions)
    if isinstance(each.default, float) and each.default
}
"""Options whose default is not 0, each in a oneof of its own; unset means the default."""


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """Options of a request.

    Attributes
    ----------
    model, annotator : str
        Names; empty means the server's default.
    rank_by : RankBy or None
        RankRequest.by; None unless candidates are ranked.
    highlights : bool
        RankRequest.highlights.
    ground : GroundOptions or None
        Used instead of `align` for an answer to ground; else None.
    """

    model: str = ""
    annotator: str = ""
    align: AlignOptions = field(default_factory=AlignOptions)
    rank_by: RankBy | None = None
    highlights: bool = False
    ground: GroundOptions | None = None


def encode_options(options: RequestOptions) -> align_pb2.AlignOptions:
    """Return the message, which has no `rank_by`, `highlights` or `ground`."""
    values = values_of(options.align, AlignOptions)
    for name, kind in _ENUMS.items():
        values[name] = NUMBERS[kind][values[name]]
    for name, default in _GIVEN.items():
        if values[name] == default:
            del values[name]
    return align_pb2.AlignOptions(model=options.model, annotator=options.annotator, **values)


def decode_options(
    message: align_pb2.AlignOptions, *, model: str = "", annotator: str = ""
) -> RequestOptions:
    """Return checked options; `model` and `annotator` are the defaults.

    InputError is raised if an enumeration's number is unknown, or another option is out of range.
    """
    values = values_of(message, AlignOptions)
    for name, kind in _ENUMS.items():
        if number := values.pop(name):  # 0 is the default
            values[name] = decode_enum(kind, number, f"options.{name}")
    for name in _GIVEN:
        if not message.HasField(name):
            del values[name]
    return RequestOptions(
        message.model or model, message.annotator or annotator, AlignOptions(**values)
    )


_RANK_FIELDS: dict[str, type[Any]] = {
    each.name: type(each.default)
    for each in fields(RankOptions)
    if each.name in align_pb2.RankRequest.DESCRIPTOR.fields_by_name
}
"""Options of ranking in a request, with their types; its candidates have the others."""


def encode_rank_options(options: RankOptions) -> dict[str, Any]:
    """Return the fields of RankRequest, by name."""
    values = {name: getattr(options, name) for name in _RANK_FIELDS}
    return values | {"by": NUMBERS[RankBy][options.by]}


def decode_rank_options(number: Callable[[str], int]) -> RankOptions:
    """Return the options of a ranking.

    Parameters
    ----------
    number : callable
        Returns a field of RankRequest by its name.

    InputError is raised if the kind of ranking is unknown.
    """
    values: dict[str, Any] = {
        name: decode_rank_by(number(name)) if kind is RankBy else kind(number(name))
        for name, kind in _RANK_FIELDS.items()
    }
    return RankOptions(**values)


def decode_rank_by(number: int) -> RankBy:
    """Return the kind of ranking.

    InputError is raised if it is unknown.
    """
    return decode_enum(RankBy, number, "by") if number else RankBy.AUTO
