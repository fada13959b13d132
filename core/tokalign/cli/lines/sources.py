"""Input of lines, texts and pairs of files: from files, standard input, the command line or git."""

import io
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import click
from click.core import ParameterSource

from tokalign.errors import FormatError, InputError, MissingPackageError, quoted
from tokalign.files.packed import N_MAGIC, damage_named, read_unpacked, unpacked
from tokalign.showing.text import in_line

STDIO = "-"
PARQUET_MAGIC = b"PAR1"
MAX_LINE = 1 << 26
"""Most bytes of a line; of a longer one, one byte more is read and the rest is skipped."""
_SKIPPED_BYTES = 1 << 20


class LineSource:
    """The lines of a file or of stdin, unpacked if its first bytes say that it is compressed.

    `size`: bytes on disk; None where that is not known. `is_terminal`: whether a person types the
    lines, and is told what is `wanted`. `is_given`: whether the lines were given on the command
    line.
    """

    def __init__(self, raw: IO[bytes], name: str) -> None:
        self.name = name
        self.raw = raw
        status = _status(raw)
        self.size = status.st_size if status and stat.S_ISREG(status.st_mode) else None
        self._identity = (status.st_dev, status.st_ino) if status and self.size else None
        self._rows: IO[bytes] | None = None
        self._is_parquet = False
        self.is_terminal = raw.isatty()
        self.is_given = False
        self.wanted = "lines"

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> Self:
        """Return lines that were given on the command line."""
        source = cls(io.BytesIO("".join(f"{each}\n" for each in lines).encode()), "<arguments>")
        source.is_given = True
        return source

    @property
    def is_parquet(self) -> bool:
        """Whether it is a Parquet table instead of lines."""
        self._opened()
        return self._is_parquet

    def _opened(self) -> IO[bytes]:
        """Return the bytes, unpacked. Nothing is read before it is asked for, so that a command
        that reads no lines does not wait for stdin."""
        if self._rows is not None:
            return self._rows
        peekable: Any = self.raw if hasattr(self.raw, "peek") else io.BufferedReader(self.raw)
        if self.is_terminal:
            click.echo(f"reading {self.wanted} from the terminal; Ctrl-D ends", err=True)
        head = peekable.peek(N_MAGIC)[:N_MAGIC]
        self._is_parquet = head.startswith(PARQUET_MAGIC)
        self._rows = unpacked(peekable, head)
        return self._rows

    def __iter__(self) -> Iterator[bytes]:
        if self.is_parquet:
            raise FormatError("Parquet; only align, ground and similarity read it", path=self.name)
        with damage_named(self.name):
            rows = self._opened()
            while row := rows.readline(MAX_LINE + 1):
                if len(row) > MAX_LINE and not row.endswith(b"\n"):
                    _pass_line(rows)
                yield row

    def position(self) -> int:
        """Return how many bytes of the file have been read, at most `size`."""
        return self.raw.tell()

    def is_file(self, path: Path) -> bool:
        """Return whether these lines come from the file that a path names."""
        try:
            status = path.stat()
        except OSError:
            return False
        return self._identity == (status.st_dev, status.st_ino)


def _pass_line(rows: IO[bytes]) -> None:
    while (piece := rows.readline(_SKIPPED_BYTES)) and not piece.endswith(b"\n"):
        pass


def _status(file: IO[bytes]) -> os.stat_result | None:
    try:
        return os.fstat(file.fileno())
    except (OSError, AttributeError, io.UnsupportedOperation):
        return None


class SourceParam(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.3
    """A file to read lines from, "-" for stdin; the command gets a LineSource."""

    name = "file"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> LineSource:
        if isinstance(value, LineSource):
            return value
        if value == STDIO:
            return LineSource(sys.stdin.buffer, "<stdin>")
        try:
            raw = open_url(value) if is_url(value) else Path(value).open("rb")  # noqa: SIM115
        except (OSError, ImportError, ValueError) as error:
            said = _why_unopened(error, value)
            self.fail(f"{value!r}: {said}", param, ctx)
        if ctx is not None:
            ctx.call_on_close(raw.close)
        return LineSource(raw, str(value))


def _why_unopened(error: Exception, path: str) -> str:
    """Return why a file cannot be opened, with advice if a sentence was given for a file name."""
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    if isinstance(error, FileNotFoundError) and len(path.split()) > 1:
        said += "; give a file, or text on standard input"
    return said


def is_url(path: str) -> bool:
    """Whether a path names a remote file, such as s3://bucket/pairs.tsv."""
    return re.match(r"[a-z][a-z0-9+.-]*://", path) is not None


def open_url(url: str, mode: str = "rb") -> IO[bytes]:
    """Open a file of any file system that fsspec knows; MissingPackageError without fsspec."""
    try:
        import fsspec
    except ImportError as error:
        raise MissingPackageError.of("files elsewhere", error, "remote") from None
    opened: IO[bytes] = fsspec.open(url, mode).open()
    return opened


_EXTENSION = re.compile(r"\.[A-Za-z]\w{0,4}$")


def is_text(argument: str) -> bool:
    """Return whether an argument is a text in quotes: several words that name no file, and do not
    end as a file's name does."""
    try:
        is_several = len(argument.split()) > 1 and not Path(argument).exists()
    except (OSError, ValueError):  # too long for a name
        return True
    return is_several and not _EXTENSION.search(argument)


class TextFile(NamedTuple):
    """A file of text: its name and its bytes."""

    name: str
    data: bytes

    @classmethod
    def read(cls, path: str, name: str | None = None) -> Self:
        """Return a file, or standard input; OSError if it cannot be read."""
        if path == STDIO:
            return cls("<stdin>", sys.stdin.buffer.read())
        try:
            return cls(name or path, read_unpacked(Path(path)))
        except FileNotFoundError as error:
            raise FileNotFoundError(error.errno, _why_unopened(error, path), path) from None

    @classmethod
    def given(cls, argument: str, name: str) -> Self:
        """Return the text in quotes under a name, or else the file; OSError as `read`."""
        if is_text(argument):
            return cls(name, argument.encode(errors="surrogateescape"))
        return cls.read(argument)

    def text(self) -> str:
        """Return the text, of a document its paragraphs; FormatError if the file is binary or no
        UTF-8."""
        from tokalign.cli.lines.document_text import document_text

        if (text := document_text(self.data, self.name)) is not None:
            return text
        if b"\0" in self.data:
            raise FormatError("a binary file; wanted text", path=self.name)
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            seen = self.data[error.start : error.start + 1].hex()
            raise FormatError(
                f"byte {error.start} is 0x{seen}, which is no UTF-8 there; convert the file",
                path=self.name,
                line=line,
            ) from None


_GIVEN = "tokalign.input"
"""Key, in click's context, of the arguments that replace --input."""


def input_of(ctx: click.Context, param: click.Parameter, value: LineSource) -> LineSource:
    """Return the input: the file or the sentences given as arguments, else that of --input."""
    found: LineSource = ctx.meta.get(_GIVEN, value)
    return found


def file_argument(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command take the file to read as an argument."""
    return click.argument(
        "file", required=False, type=SourceParam(), expose_value=False, callback=_keep
    )(command)


def _keep(ctx: click.Context, param: click.Parameter, value: LineSource | None) -> None:
    if value is None:
        return
    if ctx.get_parameter_source("input") is ParameterSource.COMMANDLINE:
        ctx.close()  # both files
        raise click.UsageError(
            f"{value.name} and --input both name the input; give one of them", ctx
        )
    ctx.meta[_GIVEN] = value


def pair_arguments(n_most: int | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a command take a file, or a sentence and others to pair it with, as arguments: at most
    n_most sentences, or with None any number."""
    more = "TARGET" if n_most == 2 else "TARGET..."

    def take(ctx: click.Context, param: click.Parameter, value: Sequence[str]) -> None:
        if len(value) == 1:
            if value[0] != STDIO and not (_is_file(value[0]) or is_url(value[0])):
                raise _no_file(value[0], ctx)
            _keep(ctx, param, SourceParam().convert(value[0], param, ctx))
        elif value:
            _keep(ctx, param, _source_of(value, n_most, ctx))

    return click.argument(
        "texts", nargs=-1, metavar=f"[FILE | SOURCE {more}]", expose_value=False, callback=take
    )


def _is_file(text: str) -> bool:
    try:
        return Path(text).exists() and not Path(text).is_dir()
    except (OSError, ValueError):  # a sentence is too long for a name, or holds a null character
        return False


def _no_file(name: str, ctx: click.Context) -> click.UsageError:
    return click.UsageError(f"there is no file {name!r}; give a file, or two sentences", ctx)


def _source_of(texts: Sequence[str], n_most: int | None, ctx: click.Context) -> LineSource:
    """Return a line for each pair of the first sentence with another."""
    if n_most is not None and len(texts) > n_most:
        raise click.UsageError(
            f"{len(texts)} arguments; wanted a file, or a source and a target, each in quotes", ctx
        )
    if all(map(_is_file, texts)):
        raise click.UsageError(
            f"{' and '.join(texts)} are files; put their lines side by side first, as `paste "
            f"{' '.join(texts[:2])}` does",
            ctx,
        )
    if all(_is_file(each) or (_EXTENSION.search(each) and not each.split()[1:]) for each in texts):
        raise _no_file(next(each for each in texts if not _is_file(each)), ctx)
    first, *others = texts
    return LineSource.of_lines(json.dumps({"source": first, "target": other}) for other in others)


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
