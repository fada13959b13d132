"""``tokalign diff``: what changed from one text to another."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from tokalign.cli.flags import OUTPUT, OutputPath, SectionedCommand, flag, flagged, takes
from tokalign.cli.lines.sources import (
    FilePair,
    TextFile,
    are_folders,
    changed_since,
    file_of_git,
    files_of_folders,
    two_files,
)
from tokalign.cli.shared_flags import Endpoint, ModelFlags, StyleFlags, TerminalFlags, color_flag
from tokalign.errors import AlignError, FormatError, InputError
from tokalign.showing.text import in_line

if TYPE_CHECKING:
    from tokalign.aligner import Aligner
    from tokalign.texts.diff import TextDiff

FORMS = {".md": "markdown", ".json": "json"}
"""The format of a file by its name; one in .html gets a page."""
DIFFERENT = 1
TROUBLE = 2


class _Trouble(click.ClickException):
    exit_code = TROUBLE


@flagged
class DiffFlags(TerminalFlags):
    """How a difference is written."""

    section: ClassVar[str] = OUTPUT
    output: Path | None = flag(
        "File to write instead of the terminal: .html gets a page, .md Markdown, .json JSON.",
        "-o",
        type=OutputPath(),
    )
    html: Path | None = flag("Write a page to this file, whatever its name.", type=OutputPath())
    open: bool = flag(
        "Open the page in a browser; without --html or -o in a temporary file.", default=False
    )
    format: str | None = flag(
        "What to print; by default text, or what --output's name says. json: everything. "
        "markdown: ~~old~~ and **new**. stat: counts. github: changes of meaning as annotations of "
        "GitHub Actions.",
        type=click.Choice(["text", "json", "markdown", "stat", "github"]),
    )
    json: bool = flag("The same as --format json.", default=False)
    color: str = color_flag("[-old-], {+new+} and numbers of moves")
    context: int = flag(
        "Unchanged paragraphs to show around those that changed.", type=click.IntRange(0), default=1
    )
    only: str | None = flag(
        "Show only changes of meaning, all of them, and their paragraphs.",
        type=click.Choice(["meaning"]),
    )
    against: str | None = flag(
        "Compare files of the working tree with this revision of git: all that changed and hold "
        "prose, or those named instead of OLD and NEW.",
        metavar="REVISION",
    )
    exit_zero: bool = flag("Exit with 0 where texts differ.", default=False)
    git: bool = flag(
        "The arguments are those that git gives to an external diff. The exit code is then 0.",
        default=False,
    )
    no_resident: bool = flag(
        "With --git: compare in this process, not in one that stays for git's next file.",
        default=False,
    )

    def __post_init__(self) -> None:
        chosen = ["a page"] * self.is_page + ["--json"] * self.json
        if self.format is not None and not (self.json and self.format == "json"):
            chosen.append(f"--format {self.format}")
        if len(chosen) > 1:
            raise click.UsageError(f"{chosen[0]} and {chosen[1]} exclude each other")
        if self.html is not None and self.output is not None:
            raise click.UsageError("--html and --output both name the file; give one of them")
        if self.open and self.output is not None and not self.is_page:
            raise click.UsageError(f"--open shows a page; {self.output} is none: name it .html")
        if self.only and (self.is_page or self.form not in ("text", "markdown", "github")):
            raise click.UsageError("--only is of text and Markdown; the other formats have all")
        if self.git and self.against is not None:
            raise click.UsageError("--git and --against exclude each other")

    @property
    def is_page(self) -> bool:
        return self.html is not None or (
            self.output.suffix == ".html" if self.output is not None else self.open
        )

    @property
    def form(self) -> str:
        """The format, from --format, --json or the name of --output."""
        if self.json or self.format is not None:
            return "json" if self.json else str(self.format)
        return FORMS.get("" if self.output is None else self.output.suffix, "text")

    @property
    def needs_form(self) -> bool:
        """Whether equal texts have an output, too."""
        return self.is_page or self.form == "json"

    def is_coloured(self, *, is_paged: bool = False) -> bool:
        """Return whether colours are written; git's pager shows them."""
        is_paged = is_paged or (self.git and os.environ.get("GIT_PAGER_IN_USE") == "true")
        return TerminalFlags.is_coloured(self, is_paged=is_paged)

    @contextmanager
    def opened(self) -> Iterator[Callable[[str], None]]:
        """Open what is written to, and return what writes a line; pages are opened by `write`."""
        if self.output is None or self.is_page:
            yield partial(click.echo, color=self.is_coloured())
            if sys.stdout is not None:  # it may be closed
                sys.stdout.flush()
            return
        with self.output.open("w", encoding="utf-8", newline="") as file:
            yield partial(print, file=file)

    def has_alarms(self, diff: TextDiff) -> bool:
        """Return whether the meaning of a text has changed."""
        from tokalign.texts.diff.summary import summarize

        return bool(summarize(diff).alarms)

    def write(self, diff: TextDiff, names: tuple[str, str], echo: Callable[[str], None]) -> None:
        """Write a difference as asked for."""
        if self.is_page:
            self._write_page(diff, names)
            return
        is_coloured = self.is_coloured() and self.output is None
        for line in self._lines(diff, names, is_coloured):
            echo(line)

    def _write_page(self, diff: TextDiff, names: tuple[str, str]) -> None:
        from tokalign.texts.diff.diff_page import html_page

        path = self.html or self.output
        if path is None:
            import tempfile

            path = Path(tempfile.mkdtemp(prefix="tokalign-diff-")) / "diff.html"
            click.echo(str(path))
        page = html_page(diff, names, context=self.context)
        path.write_text(page, encoding="utf-8", newline="")
        if self.open:
            click.launch(path.absolute().as_uri())

    def _lines(self, diff: TextDiff, names: tuple[str, str], is_coloured: bool) -> Iterator[str]:
        from tokalign.texts.diff import diff_lines, summary

        shown: dict[str, Any] = {"context": self.context, "only_meaning": self.only is not None}
        if self.form == "json":
            value = {"old_name": names[0], "new_name": names[1]}
            value |= diff.to_dict() | {"summary": summary.summarize(diff).to_dict()}
            return iter([json.dumps(value, ensure_ascii=False)])
        if self.form == "markdown":
            return diff_lines.markdown_lines(diff, names, **shown)
        if self.form == "text":
            width = self.columns()
            return diff_lines.terminal_lines(
                diff, names, is_coloured=is_coloured, width=width, **shown
            )
        write = summary.github_lines if self.form == "github" else summary.stat_lines
        return write(diff, names)


@dataclass(slots=True)
class _Comparison:
    """Compares files here or at a server; the model is loaded once, and only if texts differ."""

    model: ModelFlags
    style: StyleFlags
    server: Endpoint
    aligner: Aligner | None = None

    def of(self, old: TextFile, new: TextFile) -> TextDiff:
        """Return what differs between two files; errors name the file."""
        texts = old.text(), new.text()
        try:
            return self._of_texts(*texts)
        except InputError as error:
            names = {"old_text": old.name, "new_text": new.name}
            if error.field not in names:
                raise
            said = str(error).removeprefix(error.field).strip()
            raise FormatError(said, path=names[error.field]) from error

    def _of_texts(self, old: str, new: str) -> TextDiff:
        from tokalign.texts.diff import diff_of, same_texts
        from tokalign.texts.split_text import split_text

        options = self.style.options()
        if old == new:
            return same_texts(old, [(each.start, each.end) for each in split_text(old)])
        if self.server.address is None:
            self.aligner = self.aligner or self.model.load()
            return self.aligner.diff(old, new, options)
        named = self.model.at_server()
        with self.server.client() as client:
            return diff_of(client.align_texts(old, new, options, edits=True, **named))


@click.command("diff", cls=SectionedCommand)
@click.argument("files", nargs=-1, metavar="OLD NEW")
@takes(shown=DiffFlags, model=ModelFlags, style=StyleFlags, server=Endpoint)
def command(
    files: tuple[str, ...], shown: DiffFlags, model: ModelFlags, style: StyleFlags, server: Endpoint
) -> None:
    """Show what changed from the text OLD to the text NEW, of any number of sentences.

    OLD and NEW are files, folders, or two texts in quotes; "-" reads standard input. Of .docx,
    .odt, .epub, .html and .pdf the text is read. Sentences are compared wherever they stand, so
    that moved, merged and split ones are told. Numbers, names, negations and opposites that changed
    are listed first.

    Exit codes: 0 the texts are equal, 1 they differ, 2 trouble.
    """
    comparison = _Comparison(model, style, server)
    differs = False
    try:
        if shown.git:
            pairs: Iterable[FilePair] = [file_of_git(files)]
        elif shown.against is not None:
            pairs = changed_since(shown.against, files)
        elif are_folders(files):
            pairs = files_of_folders(*files)
        else:
            pairs = [two_files(files)]
        is_one = isinstance(pairs, list) and not shown.git
        if shown.is_page and not is_one:
            raise click.UsageError("a page shows one file; give another format for many")
        with shown.opened() as echo:
            for pair in pairs:
                differs |= _show(pair, shown, comparison, echo, is_one=is_one)
    except BrokenPipeError:
        # The reader has seen enough. What was written differed, and the exit code has to say so.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        differs = True
    except (AlignError, OSError) as error:
        from tokalign.cli.main import message_of

        raise _Trouble(message_of(error)) from error
    if differs and not (shown.git or shown.exit_zero):
        raise click.exceptions.Exit(DIFFERENT)


def _show(
    pair: FilePair,
    shown: DiffFlags,
    comparison: _Comparison,
    echo: Callable[[str], None],
    *,
    is_one: bool,
) -> bool:
    """Show a pair of files, and return whether they differ; of many, a binary file is named."""
    old, new, heading, is_told = pair
    if is_told:
        echo(heading)
        return True
    if old.data == new.data and not (is_one and shown.needs_form):
        return False
    try:
        diff = comparison.of(old, new)
    except FormatError as error:
        if is_one:
            raise
        echo(heading or in_line(f"diff {old.name} {new.name}"))
        echo(in_line(f"Files {old.name} and {new.name} differ: {error}"))
        return True
    if shown.only and not shown.has_alarms(diff):
        return False
    if heading and shown.form not in ("json", "stat", "github"):
        echo(heading)
    shown.write(diff, (old.name, new.name), echo)
    return not diff.is_same
