"""Lines to write: whole lines, at a file's name once all are written."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import click

from tokalign.cli.parquet import Packer, schema_of
from tokalign.cli.partial import PARTIAL, PartialOutput
from tokalign.cli.sources import STDIO, LineSource, is_url
from tokalign.errors import InputError
from tokalign.files.packed import SUFFIXES, packed_writer
from tokalign.showing.text import visible

_BUFFER_BYTES = 1 << 16
_FLUSH_S = 1.0
"""Seconds that lines wait at most for others to be written with, as long as lines come."""


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


def open_sink(
    output: str,
    sources: Iterable[LineSource],
    columns: tuple[str, ...] = (),
    *,
    is_resumed: bool = False,
    is_restarted: bool = False,
) -> LineSink:
    """Return what takes the lines.

    Parameters
    ----------
    output : str
        Path, or "-" for stdout; compressed if its name has one of the SUFFIXES of files.packed.
    sources : iterable of LineSource
        Where the input comes from.
    columns : tuple of str
        Columns of Parquet, whose rows the lines are as JSON; without, lines stay lines.
    is_resumed, is_restarted : bool
        Whether to go on after what an interrupted run has left, or to discard it.

    Raises
    ------
    InputError
        If the output is the input, cannot be resumed, is written by another run, holds what an
        interrupted run has left of which nothing is said, or is no place for Parquet.
    """
    if columns and (output == STDIO or is_resumed):
        raise InputError(
            "--format parquet needs --output and cannot be resumed, since a Parquet file has its "
            "index at the end; to resume, write --format jsonl"
        )
    if output == STDIO:
        if is_resumed:
            raise InputError("--resume needs --output: what was written to stdout is not known")
        return LineSink(sys.stdout.buffer, "<stdout>")
    if is_url(output):
        raise InputError(f"{output} is not on this machine; write to a file, then copy it there")
    path = Path(output)
    _check_path(path, sources, is_parquet=bool(columns))
    schema = schema_of(columns) if columns else None
    if path.exists() and not path.is_file():  # a device or a pipe: there is nothing to rename
        device = path.open("wb", buffering=0)
        return LineSink(device, output, Packer(device, schema) if schema is not None else None)
    if is_resumed and path.suffix in SUFFIXES:
        raise InputError(f"{path} is compressed; --resume goes on with plain output only")
    partial = PartialOutput.open(path, is_resumed=is_resumed, is_restarted=is_restarted)
    kept = _cut_to_whole_lines(partial.file) if is_resumed else (0, b"")
    packed: Any = (
        Packer(partial.file, schema)
        if schema is not None
        else packed_writer(partial.file, path.name)
    )
    return LineSink(partial.file, output, packed, partial=partial, kept=kept)


def _check_path(path: Path, sources: Iterable[LineSource], *, is_parquet: bool) -> None:
    if path.suffix in SUFFIXES if is_parquet else path.suffix == ".parquet":
        raise InputError(
            f"{path} has the name of another format; names in .parquet are for --format parquet, "
            f"names in {', '.join(SUFFIXES)} for lines"
        )
    partial = path.with_name(path.name + PARTIAL)
    for source in sources:
        if source.is_file(path):
            raise InputError(
                f"{path} is the input and the output; write to another file, then rename it"
            )
        if source.is_file(partial):
            raise InputError(
                f"{partial} is the input, and what {path} is called until it is complete; write "
                "to another file"
            )


def _cut_to_whole_lines(file: IO[bytes]) -> tuple[int, bytes]:
    """Cut off an unfinished last line and stand at the end; return how many lines, and the last."""
    n_lines = start = end = position = 0  # start and end of the last whole line
    while block := file.read(_BUFFER_BYTES):
        n_lines += block.count(b"\n")
        last = block.rfind(b"\n")
        if last >= 0:
            before = block.rfind(b"\n", 0, last)
            start = position + before + 1 if before >= 0 else end
            end = position + last + 1
        position += len(block)
    file.truncate(end)
    file.seek(start)
    return n_lines, file.read()


class LineSink:
    """Takes lines; a file appears at its name when all are written, else its whole lines stay.

    Attributes
    ----------
    name : str
    is_terminal : bool
        Whether a person reads the lines.
    n_kept, last_kept : int, str
        Lines that an earlier run has left, after which this one goes on, and the last of them.
    partial : PartialOutput or None
        What becomes a file of that name.
    record : callable, optional
        Gives what is written down beside the unfinished file after each piece that is written.
    is_harmless : bool
        Whether the lines may go to a terminal as they are; else control characters are shown.
    """

    def __init__(
        self,
        file: IO[bytes],
        name: str,
        packed: IO[bytes] | Packer | None = None,
        *,
        partial: PartialOutput | None = None,
        kept: tuple[int, bytes] = (0, b""),
    ) -> None:
        self.name = name
        self.n_kept = kept[0]
        self.last_kept = kept[1].decode()
        self.partial = partial
        self.record: Callable[[], Mapping[str, Any]] | None = None
        self.is_harmless = False
        self._file = file
        self._packed = packed
        self._pending: list[bytes] = []
        self._n_bytes = 0
        self._due = 0.0  # when the first line that is pending has waited long enough
        self.is_terminal = file.isatty()

    def __enter__(self) -> Self:
        return self

    def write(self, text: str) -> None:
        """Take whole lines, breaks included; errors of the file system name the file."""
        is_read = self.is_terminal
        data = (visible(text) if is_read and not self.is_harmless else text).encode()
        if not self._pending:
            self._due = time.monotonic() + _FLUSH_S
        self._pending.append(data)
        self._n_bytes += len(data)
        if is_read or self._n_bytes >= _BUFFER_BYTES or time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        """Write what is pending."""
        data = b"".join(self._pending)
        self._pending.clear()
        self._n_bytes = 0
        with self._named():
            if self._packed is not None:
                self._packed.write(data)
                return
            start = self._file.tell() if self.partial else 0
            view = memoryview(data)
            try:
                while view:
                    view = view[self._file.write(view) :]
                self._file.flush()
            except OSError:
                if self.partial:  # the disk is full: no torn line stays
                    self._file.truncate(start + data.rfind(b"\n", 0, len(data) - len(view)) + 1)
                raise
            if self.partial is not None and self.record is not None:
                self.partial.write_record(self.record())

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.name) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the rest, and rename where all went well."""
        failed = kind is not None
        is_lost = False
        try:
            if not failed or not isinstance(error, OSError):
                self.flush()
            if self._packed is not None:
                with self._named():
                    self._packed.close()
        except OSError:
            failed = True
            is_lost = isinstance(self._packed, Packer)  # its index comes last
            raise
        finally:
            if self.partial is not None and failed:
                kept = self.partial.abandon(is_lost=is_lost)
                print(f"{self.name}: not complete; {kept}", file=sys.stderr)
            elif self.partial is not None:
                with self._named():
                    self.partial.complete()
            elif self._file is not sys.stdout.buffer:
                self._file.close()
