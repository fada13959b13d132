"""What a request asks for: the messages AlignOptions and RankBy."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from tokalign.errors import InputError
from tokalign.options import AlignOptions, Detail, OffsetUnit, RankBy, Symmetrization
from tokalign.v1 import align_pb2

# By value, since a Direction is a Symmetrization that takes one direction alone.
TO_NUMBER: dict[str, Any] = {
    each.value: align_pb2.Direction.Value(f"DIRECTION_{each.name}") for each in Symmetrization
}
FROM_NUMBER: dict[int, Symmetrization] = {
    number: Symmetrization(value) for value, number in TO_NUMBER.items()
}
_UNIT_TO_NUMBER: dict[str, Any] = {
    each.value: align_pb2.OffsetUnit.Value(f"OFFSET_UNIT_{each.name}") for each in OffsetUnit
}
_DETAIL_TO_NUMBER: dict[str, Any] = {
    each.value: align_pb2.Detail.Value(f"DETAIL_{each.name}") for each in Detail
}

_RANK_BY_TO_NUMBER: dict[RankBy, Any] = {
    by: align_pb2.RankBy.Value("RANK_BY_" + ("UNSPECIFIED" if by is RankBy.AUTO else by.name))
    for by in RankBy
}
_RANK_BY_FROM_NUMBER: dict[int, RankBy] = {number: by for by, number in _RANK_BY_TO_NUMBER.items()}

_OPTION_NAMES = {
    "symmetrization": "direction",
    "posteriors": "return_posteriors",
    "explain": "return_explanations",
    "phrases": "return_phrases",
    "offsets": "offset_unit",
}
"""Fields of AlignOptions that the protobuf message of that name calls otherwise."""

_CHOICES: dict[str, dict[str, Any]] = {
    "direction": TO_NUMBER,
    "offset_unit": _UNIT_TO_NUMBER,
    "detail": _DETAIL_TO_NUMBER,
}
"""Fields of the message that are enums: value in AlignOptions -> number."""


@dataclass(frozen=True, slots=True)
class RequestOptions:
    """What a request asks for.

    Attributes
    ----------
    model, annotator : str
        Names; empty is the server's default.
    align : AlignOptions
    rank_by : RankBy or None
        Of a ranking. No part of the message AlignOptions.
    """

    model: str = ""
    annotator: str = ""
    align: AlignOptions = field(default_factory=AlignOptions)
    rank_by: RankBy | None = None


def encode_options(options: RequestOptions) -> align_pb2.AlignOptions:
    """Return the message."""
    values = {
        _OPTION_NAMES.get(each.name, each.name): getattr(options.align, each.name)
        for each in fields(AlignOptions)
    }
    for name, numbers in _CHOICES.items():
        values[name] = numbers[values[name]]
    return align_pb2.AlignOptions(model=options.model, annotator=options.annotator, **values)


def decode_options(
    message: align_pb2.AlignOptions, *, model: str = "", annotator: str = ""
) -> RequestOptions:
    """Return checked options; `model` and `annotator` are the defaults.

    Raises
    ------
    InputError
        If an enum's number is unknown or another option out of range.
    """
    values = {}
    for each in fields(AlignOptions):
        name = _OPTION_NAMES.get(each.name, each.name)
        value = getattr(message, name)
        if name not in _CHOICES:
            values[each.name] = value
        elif value:  # 0 is the default
            values[each.name] = _chosen(name, value)
    return RequestOptions(
        message.model or model, message.annotator or annotator, AlignOptions(**values)
    )


def _chosen(name: str, number: int) -> str:
    """Return the value of an enum's number, or raise InputError."""
    for value, known in _CHOICES[name].items():
        if number == known:
            return value
    described: Any = align_pb2.AlignOptions.DESCRIPTOR.fields_by_name[name]
    raise InputError(
        f"{name} {number} is unknown; wanted a value of {described.enum_type.full_name}",
        field=f"options.{name}",
    )


def encode_rank_by(value: RankBy | str) -> Any:
    """Return the number of what to rank by.

    Raises
    ------
    InputError
        If it is unknown.
    """
    return _RANK_BY_TO_NUMBER[RankBy.of(value)]


def decode_rank_by(number: int) -> RankBy:
    """Return what to rank by.

    Raises
    ------
    InputError
        If it is unknown.
    """
    if number not in _RANK_BY_FROM_NUMBER:
        raise InputError(
            f"rank_by {number} is unknown; wanted a value of tokalign.v1.RankBy", field="rank_by"
        )
    return _RANK_BY_FROM_NUMBER[number]


def values_of(value: Any, kind: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name, out of one of its values or its message."""
    return {each.name: getattr(value, each.name) for each in fields(kind)}
