"""Options objects: dataclasses whose fields are the flags of a command.

Each flag is declared once, as a field::

    @flagged
    class BatchFlags:
        batch_size: int = flag("Lines to align at a time.", default=64)
        strict: bool = flag("Stop at the first bad line.", default=False)

and a command takes the objects instead of the flags::

    @click.command("align", cls=SectionedCommand)
    @takes(batches=BatchFlags)
    def command(batches: BatchFlags) -> None: ...

Help shows the flags in sections: a class names that of its own flags in the class variable
``section``, and a flag may name another one, as in ``flag("Most lines.", under=INPUT)``.
"""

from collections.abc import Callable, Iterator
from dataclasses import Field, dataclass, field, fields
from functools import wraps
from inspect import get_annotations
from pathlib import Path
from typing import Any, TypeVar, dataclass_transform

import click

T = TypeVar("T")

INPUT, OUTPUT, LINKS, MODEL, SERVER = "Input", "Output", "Links", "Model", "Server"
RUN, SCORES, OTHER = "Run", "Scores", "Other options"
"""Sections of help. OTHER holds the flags without a section, and comes last."""


class SectionedOption(click.Option):
    """An option that help shows in a section."""

    def __init__(self, *args: Any, section: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help shows its options in sections, in the order of their first options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {}
        others: list[tuple[str, str]] = []
        for param in self.get_params(ctx):
            if isinstance(param, click.Argument):
                continue  # the usage line shows it
            if (record := param.get_help_record(ctx)) is None:
                continue
            section = getattr(param, "section", OTHER)
            (others if section == OTHER else sections.setdefault(section, [])).append(record)
        for title, records in (*sections.items(), (OTHER if sections else "Options", others)):
            with formatter.section(title):
                formatter.write_dl(records)


class OutputPath(click.Path):
    """A file to write once the work is done; its folder has to be there before."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = super().convert(value, param, ctx)
        assert isinstance(path, Path)  # as __init__ asks
        if not path.parent.is_dir():
            self.fail(f"{str(path)!r}: there is no folder {str(path.parent)!r}", param, ctx)
        return path


def flag(help: str, *names: str, under: str = "", **attributes: Any) -> Any:
    """Return a dataclass field that is filled from the command line.

    `names` are the flag, if it is not the field's name, and its short form; `under` is its section
    of the help, that of its class by default. The attributes are those of click.Option. The default
    is the field's default, too: False makes a switch, and a tuple a flag that may be repeated.
    """
    default = attributes.get("default")
    shown = {"help": help, "show_default": default != ""} | attributes
    if default is False:
        shown["is_flag"] = True
    if isinstance(default, tuple):
        shown |= {"multiple": True, "help": f"{help} May be repeated."}
    return field(default=default, metadata={"flag": (names, shown), "under": under})


def group(kind: type) -> Any:
    """Return a dataclass field that holds another options object."""
    return field(metadata={"group": kind})


@dataclass_transform(kw_only_default=True, frozen_default=True)
def flagged(kind: type[T]) -> type[T]:
    """Make a class a dataclass without methods that no command uses: they cost every start."""
    return dataclass(kw_only=True, eq=False, repr=False)(kind)


def takes(**kinds: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a command take an options object of each class, by keyword; help keeps their order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def with_objects(*args: Any, **values: Any) -> Any:
            made = {name: _make(kind, values) for name, kind in kinds.items()}
            return command(*args, **made, **values)

        decorated: Callable[..., Any] = with_objects
        flags = [found for kind in kinds.values() for found in _flags(kind)]
        for each, section in reversed(flags):
            option = click.option(
                *_names(each), cls=SectionedOption, section=section, **each.metadata["flag"][1]
            )
            decorated = option(decorated)
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


def _flags(kind: type) -> Iterator[tuple[Field[Any], str]]:
    """Yield the fields of a class, and of those it holds, that are flags, each with its section."""
    for each in fields(kind):
        if "group" in each.metadata:
            yield from _flags(each.metadata["group"])
        elif "flag" in each.metadata:
            owner = next(base for base in kind.__mro__ if each.name in get_annotations(base))
            yield each, each.metadata["under"] or vars(owner).get("section", OTHER)


def _names(each: Field[Any]) -> tuple[str, ...]:
    """Return a flag's names as click takes them; the last, without dashes, names its value."""
    names = each.metadata["flag"][0]
    if not any(name.startswith("--") for name in names):
        names = ("--" + each.name.replace("_", "-"), *names)
    return *names, names[0].partition("/")[0].removeprefix("--").replace("-", "_")
