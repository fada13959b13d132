"""Pairs of files to compare: two files, those of two folders, and what changed in git."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click

from tokalign.cli.lines.sources import STDIO, TextFile, is_text
from tokalign.errors import InputError, quoted
from tokalign.showing.text import in_line

NOTHING = "/dev/null"
PROSE = ("adoc", "docx", "htm", "html", "markdown", "md", "mdx", "odt", "rst", "tex", "txt")
"""Endings of the files that are compared with a revision unless others are named."""
_GIT_ARGUMENTS = (7, 9)
"""Number of git's arguments: path, old file, hash and mode, new file, hash and mode; for a renamed
file also its new path and the similarity."""


class FilePair(NamedTuple):
    """Two files to compare, and the line above the difference, if any; is_told: one of the files
    is missing, and the heading is all there is to say."""

    old: TextFile
    new: TextFile
    heading: str = ""
    is_told: bool = False


def two_files(names: Sequence[str]) -> FilePair:
    """Return two files or texts in quotes."""
    if len(names) != 2:
        raise click.UsageError(f"saw {len(names)} files; wanted two: OLD NEW")
    if tuple(names) == (STDIO, STDIO):
        raise click.UsageError("standard input can be one of the two files only")
    return FilePair(TextFile.given(names[0], "old"), TextFile.given(names[1], "new"))


def are_folders(names: Sequence[str]) -> bool:
    """Return whether two folders are named."""
    return len(names) == 2 and not any(map(is_text, names)) and all(map(os.path.isdir, names))


def files_of_folders(old: str, new: str) -> Iterator[FilePair]:
    """Yield the files of two folders and of those in them, in order of their paths."""
    sides = [{each.relative_to(top) for each in _files(top)} for top in (Path(old), Path(new))]
    for path in sorted(sides[0] | sides[1]):
        names = str(Path(old) / path), str(Path(new) / path)
        if path in sides[0] and path in sides[1]:
            heading = in_line(f"diff -r {names[0]} {names[1]}")
            yield FilePair(TextFile.read(names[0]), TextFile.read(names[1]), heading)
        else:
            only = Path(names[path in sides[1]])
            empty = TextFile(NOTHING, b"")
            yield FilePair(empty, empty, in_line(f"Only in {only.parent}: {only.name}"), True)


def _files(top: Path) -> Iterator[Path]:
    for each in sorted(top.iterdir()):
        if each.is_dir() and not each.is_symlink():
            yield from _files(each)
        elif each.is_file():
            yield each


def changed_since(revision: str, paths: Sequence[str]) -> Iterator[FilePair]:
    """Yield the files that git knows to have changed from a revision to the working tree.

    Without paths of files and folders, those that end as PROSE. InputError, with git's message, if
    git fails.
    """
    options = ("--name-status", "-z", "-M", "--relative", "--ignore-submodules")
    wanted = paths or [f"*.{ending}" for ending in PROSE]
    said = _git("diff", options, revision, "--", *wanted)
    fields = iter(said.decode(errors="surrogateescape").split("\0"))
    for status in fields:
        if not status:
            break
        old = new = next(fields)
        if status[0] in "RC":
            new = next(fields)
        before, after = TextFile(NOTHING, b""), TextFile(NOTHING, b"")
        if status != "A":
            before = TextFile(old, _git("show", (), f"{revision}:./{old}"))
        if Path(new).is_file():
            after = TextFile(new, Path(new).read_bytes())
        yield FilePair(before, after)


def _git(command: str, options: Sequence[str], *arguments: str) -> bytes:
    asked = ["git", command, *options, "--end-of-options", *arguments]
    done = subprocess.run(asked, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()
        raise InputError(f"git {command} ended with {done.returncode}: {quoted(said)}")
    return done.stdout


def file_of_git(arguments: Sequence[str]) -> FilePair:
    """Return the file that git gives to an external diff."""
    if len(arguments) == 1:
        empty = TextFile(NOTHING, b"")
        return FilePair(empty, empty, f"* Unmerged path {in_line(arguments[0])}", True)
    if len(arguments) not in _GIT_ARGUMENTS:
        raise click.UsageError(
            f"saw {len(arguments)} arguments; git gives {_GIT_ARGUMENTS[0]}: "
            "path old-file old-hex old-mode new-file new-hex new-mode"
        )
    path, old_path, _, _, new_path, *_ = arguments
    new_name = arguments[7] if len(arguments) == _GIT_ARGUMENTS[1] else path
    old = TextFile.read(old_path, NOTHING if old_path == NOTHING else f"a/{path}")
    new = TextFile.read(new_path, NOTHING if new_path == NOTHING else f"b/{new_name}")
    return FilePair(old, new, in_line(f"diff --git a/{path} b/{new_name}"))
