"""Options objects: dataclasses whose fields are the flags of a command.

Each flag is declared once, as a field of a frozen dataclass::

    @dataclass(frozen=True, slots=True, kw_only=True)
    class BatchFlags:
        batch_size: int = flag("Lines to align at a time.", default=64)
        strict: bool = flag("Stop at the first bad line.", default=False)

and a command takes the objects instead of the flags::

    @click.command("align")
    @takes(batches=BatchFlags)
    def command(batches: BatchFlags) -> None: ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import Field, field, fields
from functools import wraps
from typing import Any

import click


def flag(help: str, *names: str, **attributes: Any) -> Any:
    """Return a dataclass field that is filled from the command line.

    Parameters
    ----------
    help : str
        Shown by ``--help``.
    *names : str
        The flag, if it is not the field's name, and its short form.
    **attributes
        Of click.Option. The default is the field's default, too: False makes a switch, and a tuple
        a flag that may be given several times.
    """
    default = attributes.get("default")
    shown = {"help": help, "show_default": default != ""} | attributes
    if default is False:
        shown["is_flag"] = True
    if isinstance(default, tuple):
        shown |= {"multiple": True, "help": f"{help} May be repeated."}
    return field(default=default, metadata={"flag": (names, shown)})


def group(kind: type) -> Any:
    """Return a dataclass field that holds another options object."""
    return field(metadata={"group": kind})


def takes(**kinds: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a command take an options object of each class, by keyword; help keeps their order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_objects(*args: Any, **values: Any) -> Any:
            made = {name: _make(kind, values) for name, kind in kinds.items()}
            return command(*args, **made, **values)

        decorated: Callable[..., Any] = with_objects
        flags = [each for kind in kinds.values() for each in _flags(kind)]
        for each in reversed(flags):
            decorated = click.option(*_names(each), **each.metadata["flag"][1])(decorated)
        return decorated

    return decorate


def _make(kind: type, values: dict[str, Any]) -> Any:
    """Return an options object, and take the values of its flags out of `values`."""
    made = {}
    for each in fields(kind):
        if "group" in each.metadata:
            made[each.name] = _make(each.metadata["group"], values)
        elif "flag" in each.metadata:
            made[each.name] = values.pop(_names(each)[-1])
    return kind(**made)


def _flags(kind: type) -> Iterator[Field[Any]]:
    """Yield the fields of a class, and of those it holds, that are flags."""
    for each in fields(kind):
        if "group" in each.metadata:
            yield from _flags(each.metadata["group"])
        elif "flag" in each.metadata:
            yield each


def _names(each: Field[Any]) -> tuple[str, ...]:
    """Return a flag's names as click takes them, the last without dashes: of its value."""
    names = each.metadata["flag"][0]
    if not any(name.startswith("--") for name in names):
        names = ("--" + each.name.replace("_", "-"), *names)
    return *names, names[0].partition("/")[0].removeprefix("--").replace("-", "_")
