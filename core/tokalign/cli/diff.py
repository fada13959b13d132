"""``tokalign diff``: what changed from one text to another."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click

from tokalign.cli.flags import OUTPUT, SectionedCommand, flag, takes
from tokalign.cli.lines.file_flags import OutputPath
from tokalign.cli.lines.sources import STDIO, TextFile
from tokalign.cli.shared_flags import (
    JSON,
    Endpoint,
    ModelFlags,
    StyleFlags,
    TerminalFlags,
    color_flag,
)
from tokalign.errors import AlignError, FormatError
from tokalign.showing.text import in_line

if TYPE_CHECKING:
    from tokalign.texts.diff import TextDiff

DIFFERENT = 1
TROUBLE = 2
_GIT_ARGUMENTS = (7, 9)
"""Number of git's arguments: path, old file, hash and mode, new file, hash and mode; for a renamed
file also its new path and the similarity."""
_NOTHING = "/dev/null"
_FORMS = ("json", "markdown", "m2", "stat")
"""Formats besides text."""


class _Trouble(click.ClickException):
    exit_code = TROUBLE


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffFlags(TerminalFlags):
    """How a difference is written."""

    section: ClassVar[str] = OUTPUT
    html: Path | None = flag(
        "Write a page to this file instead of the terminal.", type=OutputPath()
    )
    format: str = flag(
        "What to print; each but text is a flag of its own, too.",
        type=click.Choice(["text", *_FORMS]),
        default="text",
    )
    json: bool = flag(**JSON)
    markdown: bool = flag("Print Markdown: ~~old~~ and **new**.", default=False)
    m2: bool = flag(
        "Print M2, the format of grammatical error correction: an S line for each old sentence, "
        "and an A line for each edit.",
        default=False,
    )
    stat: bool = flag("Print counts only.", default=False)
    color: str = color_flag("[-old-], {+new+} and numbers of moves")
    context: int = flag(
        "Unchanged paragraphs to show around those that changed.", type=click.IntRange(0), default=1
    )
    only: str | None = flag(
        "Show only changes of meaning, all of them, and their paragraphs.",
        type=click.Choice(["meaning"]),
    )
    git: bool = flag(
        "The arguments are those that git gives to an external diff. The exit code is then 0.",
        default=False,
    )

    def __post_init__(self) -> None:
        chosen = [f"--{name}" for name in ("html", *_FORMS) if getattr(self, name)]
        if self.format != "text" and f"--{self.format}" not in chosen:
            chosen.append(f"--format {self.format}")
        if len(chosen) > 1:
            raise click.UsageError(f"{chosen[0]} and {chosen[1]} exclude each other")
        if self.only and (self.html is not None or self.form not in ("text", "markdown")):
            raise click.UsageError("--only is of text and Markdown; the other formats have all")
        if self.git and self.html is not None:
            raise click.UsageError("--git shows many files: --html would keep the last alone")

    @property
    def form(self) -> str:
        """The format, from --format or from a flag of its own."""
        return next((name for name in _FORMS if getattr(self, name)), self.format)

    @property
    def needs_form(self) -> bool:
        """Whether equal texts have an output, too."""
        return self.html is not None or self.form in ("json", "m2")

    def is_coloured(self, *, is_paged: bool = False) -> bool:
        """Return whether colours are written; git's pager shows them."""
        is_paged = is_paged or (self.git and os.environ.get("GIT_PAGER_IN_USE") == "true")
        return TerminalFlags.is_coloured(self, is_paged=is_paged)

    def write(self, diff: TextDiff, names: tuple[str, str]) -> None:
        """Write a difference as asked for."""
        if self.html is not None:
            from tokalign.texts.diff.diff_page import html_page

            page = html_page(diff, names, context=self.context)
            self.html.write_text(page, encoding="utf-8", newline="")
            return
        is_coloured = self.is_coloured()
        for line in self._lines(diff, names, is_coloured):
            click.echo(line, color=is_coloured)

    def _lines(self, diff: TextDiff, names: tuple[str, str], is_coloured: bool) -> Iterator[str]:
        form = self.form
        if form == "json":
            from tokalign.texts.diff.summary import summarize

            value = {"old_name": names[0], "new_name": names[1]}
            value |= diff.to_dict() | {"summary": summarize(diff).to_dict()}
            return iter([json.dumps(value, ensure_ascii=False)])
        if form == "markdown":
            from tokalign.texts.diff.diff_lines import markdown_lines

            return markdown_lines(
                diff, names, context=self.context, only_meaning=self.only is not None
            )
        if form == "m2":
            from tokalign.texts.diff.m2 import m2_lines

            return m2_lines(diff)
        if form == "stat":
            from tokalign.texts.diff.summary import stat_lines

            return stat_lines(diff, names)
        from tokalign.texts.diff.diff_lines import terminal_lines

        return terminal_lines(
            diff,
            names,
            context=self.context,
            is_coloured=is_coloured,
            width=self.columns(),
            only_meaning=self.only is not None,
        )


def _compared(
    old: str, new: str, model: ModelFlags, style: StyleFlags, server: Endpoint
) -> TextDiff:
    """Return what differs between two texts, as compared here or at a server."""
    from tokalign.functions import diff
    from tokalign.texts.diff import diff_of

    options = style.options()
    if old == new:
        return diff(old, new, options)
    if server.address is None:
        return diff(old, new, options, aligner=model.load())
    named = model.at_server()
    with server.client() as client:
        return diff_of(client.align_texts(old, new, options, edits=True, **named))


@click.command("diff", cls=SectionedCommand)
@click.argument("files", nargs=-1, metavar="OLD NEW")
@takes(shown=DiffFlags, model=ModelFlags, style=StyleFlags, server=Endpoint)
def command(
    files: tuple[str, ...],
    shown: DiffFlags,
    model: ModelFlags,
    style: StyleFlags,
    server: Endpoint,
) -> None:
    """Show what changed from the text OLD to the text NEW, of any number of sentences.

    "-" reads standard input. Sentences are compared wherever they stand, so that moved, merged and
    split ones are told. Numbers, names, negations and opposites that changed are listed first.

    Exit codes: 0 the texts are equal, 1 they differ, 2 trouble.
    """
    compare = partial(_compared, model=model, style=style, server=server)
    try:
        if shown.git:
            _show_for_git(files, shown, compare)
            return
        old, new = _pair(files)
        if old.data == new.data and not shown.needs_form:
            return
        texts = old.text(), new.text()
        shown.write(compare(*texts), (old.name, new.name))
    except BrokenPipeError:
        raise
    except (AlignError, OSError) as error:
        from tokalign.cli.main import message_of

        raise _Trouble(message_of(error)) from error
    if texts[0] != texts[1]:
        raise click.exceptions.Exit(DIFFERENT)


def _pair(files: tuple[str, ...]) -> tuple[TextFile, TextFile]:
    if len(files) != 2:
        raise click.UsageError(f"saw {len(files)} files; wanted two: OLD NEW")
    if files == (STDIO, STDIO):
        raise click.UsageError("standard input can be one of the two files only")
    return TextFile.read(files[0]), TextFile.read(files[1])


def _show_for_git(
    arguments: tuple[str, ...], shown: DiffFlags, compare: Callable[[str, str], TextDiff]
) -> None:
    """Show one of the files that git compares; a binary file is only named."""
    if len(arguments) == 1:
        click.echo(f"* Unmerged path {in_line(arguments[0])}")
        return
    if len(arguments) not in _GIT_ARGUMENTS:
        raise click.UsageError(
            f"saw {len(arguments)} arguments; git gives {_GIT_ARGUMENTS[0]}: "
            "path old-file old-hex old-mode new-file new-hex new-mode"
        )
    path, old_path, _, _, new_path, *_ = arguments
    new_name = arguments[7] if len(arguments) == _GIT_ARGUMENTS[1] else path
    names = (
        _NOTHING if old_path == _NOTHING else f"a/{path}",
        _NOTHING if new_path == _NOTHING else f"b/{new_name}",
    )
    old, new = TextFile.read(old_path, names[0]), TextFile.read(new_path, names[1])
    if shown.form not in ("json", "stat"):
        click.echo(in_line(f"diff --git a/{path} b/{new_name}"))
    try:
        texts = old.text(), new.text()
    except FormatError as error:
        click.echo(in_line(f"Files {names[0]} and {names[1]} differ: {error}"))
        return
    shown.write(compare(*texts), names)
