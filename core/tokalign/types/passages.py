"""Checks of the passages that an answer may rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from tokalign.errors import InputError, quoted
from tokalign.types.grounding import SourcePassage
from tokalign.types.inputs import can_iterate

PassageLike: TypeAlias = str | tuple[str, str] | SourcePassage | Mapping[str, Any]
"""A text, (id, text), a passage, or a mapping with `text` and maybe `id`; the id of a text is its
position, as "0"."""


def check_passages(passages: Iterable[PassageLike]) -> tuple[SourcePassage, ...]:
    """Return what a caller gave as passages.

    Raises
    ------
    InputError
        If they are one text, one of them is none or is not valid Unicode, or two have one id. The
        field is ``passages``, ``passages[i]``, ``passages[i].id`` or ``passages[i].text``.
    """
    if isinstance(passages, str):
        raise InputError(
            f"the passages are {quoted(passages)}, one text; wanted several in a list",
            field="passages",
        )
    if not can_iterate(passages):
        raise InputError(
            f"the passages are {quoted(passages)}; wanted texts in a list", field="passages"
        )
    checked = tuple(_checked(each, number) for number, each in enumerate(passages))
    seen: dict[str, int] = {}
    for number, passage in enumerate(checked):
        if (before := seen.setdefault(passage.id, number)) != number:
            field = f"passages[{number}].id"
            raise InputError(
                f"{field} is {quoted(passage.id)}, as of passage {before}; wanted another for each",
                field=field,
            )
    return checked


def _checked(passage: PassageLike, number: int) -> SourcePassage:
    field = f"passages[{number}]"
    if isinstance(passage, Mapping) and "text" in passage:
        passage = SourcePassage(passage.get("id", str(number)), passage["text"])
    elif isinstance(passage, str):
        passage = SourcePassage(str(number), passage)
    elif isinstance(passage, tuple) and len(passage) == 2:
        passage = SourcePassage(*passage)
    if not isinstance(passage, SourcePassage):
        raise InputError(
            f"{field} is {quoted(passage)}; wanted text, (id, text), a mapping with text or a "
            "SourcePassage",
            field=field,
        )
    for name, value in (("id", passage.id), ("text", passage.text)):
        if not isinstance(value, str):
            raise InputError(
                f"{field}.{name} is {quoted(value)}; wanted text", field=f"{field}.{name}"
            )
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise InputError(
                f"{field}.{name} is not valid Unicode: {error}", field=f"{field}.{name}"
            ) from error
    return passage
