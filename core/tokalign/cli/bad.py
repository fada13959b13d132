"""Bad lines: the first are named on stderr, all are counted, and a file may take them all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from tokalign.cli.flags import flag
from tokalign.cli.options import AT_LEAST_1
from tokalign.cli.output import bad_object
from tokalign.cli.sinks import OutputPath

if TYPE_CHECKING:
    from tokalign.cli.options import FileFlags

MAX_REPORTED = 10
"""Bad lines that are named on stderr; the others are counted."""


def limit_flag(what: str) -> Any:
    """Return the field of --limit."""
    return flag(f"Most {what} to read.", type=AT_LEAST_1)


ERRORS: dict[str, Any] = {
    "help": "File for what is bad: a JSON object with line, id and error for each.",
    "type": OutputPath(),
}
"""The flag --errors, to be given to flag()."""


@dataclass(slots=True)
class BadLines:
    """Counts and names bad lines.

    Attributes
    ----------
    file : file, optional
        Takes all, as objects.
    n : int
        How many there were.
    """

    file: TextIO | None = None
    n: int = 0

    def note(self, where: str, name: str, line: int, error: str) -> None:
        """Take one: where it stands, in words, the id of what it holds, and its number."""
        from tqdm import tqdm

        self.n += 1
        if self.n <= MAX_REPORTED:
            tqdm.write(f"{where}: {error}", file=sys.stderr)
        if self.file is not None:
            self.file.write(bad_object(name, line, error) + "\n")


@contextmanager
def bad_lines(path: Path | None, files: FileFlags) -> Iterator[BadLines]:
    """Return what takes bad lines, and writes them to a file if there is a path.

    Raises
    ------
    click.UsageError
        If the path is a file that is read, or the output.
    """
    if path is None:
        yield BadLines()
        return
    if any(source.is_file(path) for source in files.sources()):
        raise click.UsageError(f"--errors {path} is the input; give another file")
    if path.absolute() == Path(files.output).absolute():
        raise click.UsageError(f"--errors {path} is the output; give another file")
    with path.open("w", encoding="utf-8") as file:
        yield BadLines(file)
