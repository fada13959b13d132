"""Constraints as a message, and back."""

from __future__ import annotations

from typing import Any

from tokalign.errors import InputError, LimitError
from tokalign.types.constraints import LINK_FIELDS, TOKEN_FIELDS, Constraints
from tokalign.v1 import align_pb2


def encode_constraints(value: Constraints) -> align_pb2.Constraints:
    """Return the message."""
    message = align_pb2.Constraints(**{name: getattr(value, name) for name in TOKEN_FIELDS})
    for name in LINK_FIELDS:
        links = getattr(message, name)
        for i, j in getattr(value, name):
            links.source_indices.append(i)
            links.target_indices.append(j)
    return message


def decode_constraints(message: align_pb2.Constraints, n_source: int, n_target: int) -> Constraints:
    """Return the constraints of a pair of so many tokens.

    Raises
    ------
    InputError
        If links have more indices of one side than of the other, or contradict one another.
    LimitError
        If there are more links than the pair can have, or more tokens.
    """
    given: dict[str, Any] = {}
    for name in LINK_FIELDS:
        sources, targets = (
            getattr(message, name).source_indices,
            getattr(message, name).target_indices,
        )
        if len(sources) != len(targets):
            raise InputError(
                f"{len(sources)} source and {len(targets)} target indices; wanted as many of both",
                field=f"constraints.{name}",
            )
        _check_number(name, len(sources), n_source * n_target)
        given[name] = zip(sources, targets, strict=True)
    for name in TOKEN_FIELDS:
        tokens = getattr(message, name)
        _check_number(name, len(tokens), n_source if name.endswith("_source") else n_target)
        given[name] = tokens
    return Constraints(**given)


def _check_number(name: str, seen: int, most: int) -> None:
    if seen > most:
        raise LimitError(
            f"{seen} of {name}, but the pair has {most} in all; name each once",
            field=f"constraints.{name}",
        )
