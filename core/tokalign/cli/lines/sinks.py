"""Output of lines: a file gets its name once it is complete."""

import contextlib
import errno
import io
import os
import stat
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from tokalign.cli.lines.parquet import KeptColumns, Packer, schema_of
from tokalign.cli.lines.sources import STDIO, LineSource, is_url
from tokalign.errors import InputError
from tokalign.files.packed import SUFFIXES, packed_writer
from tokalign.showing.text import visible

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PARTIAL = ".partial"
"""Added to an output's name until all of it is written."""
N_COMPARED = 64
"""Most kept lines that a run which is resumed makes again, to compare them."""


@dataclass(slots=True)
class PartialOutput:
    """A file that is written under a temporary name, and locked against other runs.

    The file is unbuffered, at its start; it holds the lines of an interrupted run if that is
    resumed.
    """

    wanted: Path
    left: Path
    file: IO[bytes]

    @classmethod
    def open(cls, path: Path, *, is_resumed: bool, is_restarted: bool) -> "PartialOutput":
        """Return the output of a path, with what an interrupted run has left if that is resumed.

        InputError if another run is writing it, if an interrupted one has left lines and neither
        argument is set, or if the name of the unfinished file is taken by a folder or a device.
        """
        left = path.with_name(path.name + PARTIAL)
        if is_resumed and path.exists() and not left.exists():
            raise InputError(f"{path} is complete: there is no {left} to go on with")
        found = cls(path, left, _locked(path, left))
        size = os.fstat(found.file.fileno()).st_size
        if size and not (is_resumed or is_restarted):
            found.file.close()
            raise InputError(
                f"{left} holds {size} bytes that an interrupted run has written; go on with "
                "--resume, or discard them with --restart"
            )
        if not is_resumed:
            found.file.truncate()
        return found

    def complete(self) -> None:
        """Give the file its name, once its bytes are on the disk."""
        os.fsync(self.file.fileno())
        if sys.platform == "win32":  # which renames no open file
            self.file.close()
        self.left.replace(self.wanted)
        self.file.close()

    def abandon(self, *, is_lost: bool) -> str:
        """Close the file, remove it if it is empty or lost, and return a message about it."""
        is_empty = os.fstat(self.file.fileno()).st_size == 0
        if is_empty or is_lost:
            self.left.unlink(missing_ok=True)
        self.file.close()
        if is_lost:
            return "nothing is kept, since no reader takes Parquet without its index"
        return "nothing was written" if is_empty else f"{self.left} holds what was written"


_FLAGS = os.O_RDWR | os.O_CREAT
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):  # as far as a system has them
    _FLAGS |= getattr(os, _name, 0)


def _lock(descriptor: int) -> None:
    """Lock an open file until it is closed; BlockingIOError or PermissionError if it is locked."""
    if sys.platform == "win32":
        os.lseek(descriptor, 1 << 40, os.SEEK_SET)  # beyond the end: locked bytes are unreadable
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _locked(path: Path, left: Path) -> IO[bytes]:
    """Return the unfinished file, which is locked as long as it is open."""
    while True:
        try:
            descriptor = os.open(left, _FLAGS, 0o666)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise InputError(
                f"{left} is a symbolic link, which is not followed; remove it"
            ) from None
        file = os.fdopen(descriptor, "r+b", buffering=0)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            file.close()
            raise InputError(f"{left} is no file; remove it, or name another output")
        try:
            _lock(descriptor)
        except (BlockingIOError, PermissionError):
            file.close()
            raise InputError(
                f"another run is writing {path}; wait for it, or name another output"
            ) from None
        except OSError as error:
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP):  # no locks on this file system
                raise
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.lstat(left)):
                return file
        file.close()  # another run has just completed it


_BUFFER_BYTES = 1 << 16
_FLUSH_S = 1.0
"""Longest time in seconds that a line is buffered while others come."""


def open_sink(
    output: str,
    sources: Iterable[LineSource],
    columns: tuple[str, ...] = (),
    *,
    is_resumed: bool = False,
    is_restarted: bool = False,
    beside: KeptColumns | None = None,
) -> "LineSink":
    """Return a sink for lines: a path, compressed if its name has one of the SUFFIXES of
    files.packed, or "-" for stdout.

    With columns it is a Parquet file, whose rows come as lines of JSON; `beside` has columns of the
    input, which stand before them. InputError if the output is an input, cannot be resumed, is
    written by another run or cannot hold Parquet, or if an interrupted run has left lines that are
    neither to be resumed nor discarded.
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
        return LineSink(
            device, output, Packer(device, schema, beside) if schema is not None else None
        )
    if is_resumed and path.suffix in SUFFIXES:
        raise InputError(f"{path} is compressed; --resume goes on with plain output only")
    partial = PartialOutput.open(path, is_resumed=is_resumed, is_restarted=is_restarted)
    kept = _cut_to_whole_lines(partial.file) if is_resumed else (0, [])
    packed: Any = (
        Packer(partial.file, schema, beside)
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


def _cut_to_whole_lines(file: IO[bytes]) -> tuple[int, list[str]]:
    """Cut off an unfinished last line, seek to the end, and return the number of lines and the last
    of them."""
    last: deque[bytes] = deque(maxlen=N_COMPARED)
    n_lines = end = 0
    rows: Any = io.BufferedReader(file)  # which is unbuffered
    for row in rows:
        if row.endswith(b"\n"):
            last.append(row)
            n_lines += 1
            end += len(row)
    rows.detach()
    file.truncate(end)
    file.seek(end)
    return n_lines, [row.decode() for row in last]


class LineSink:
    """Writes lines. A file gets its name when all are written; else its complete lines are kept.

    `n_kept`, `last_kept`: number of lines kept from an earlier run, which this one continues, and
    the last of them, at most N_COMPARED. `partial`: the unfinished file. `is_harmless`: whether
    lines may go to a terminal as they are; else control characters are shown.
    """

    def __init__(
        self,
        file: IO[bytes],
        name: str,
        packed: IO[bytes] | Packer | None = None,
        *,
        partial: PartialOutput | None = None,
        kept: tuple[int, Sequence[str]] = (0, ()),
    ) -> None:
        self.name = name
        self.n_kept, self.last_kept = kept
        self.partial = partial
        self.is_harmless = False
        self._file = file
        self._packed = packed
        self._pending: list[bytes] = []
        self._n_bytes = 0
        self._due = 0.0  # when the first pending line has waited long enough
        self.is_terminal = file.isatty()

    def __enter__(self) -> Self:
        return self

    def write(self, text: str) -> None:
        """Write complete lines, with their line breaks; errors of the file system name the file."""
        is_read = self.is_terminal
        data = (visible(text) if is_read and not self.is_harmless else text).encode()
        if not self._pending:
            self._due = time.monotonic() + _FLUSH_S
        self._pending.append(data)
        self._n_bytes += len(data)
        if is_read or self._n_bytes >= _BUFFER_BYTES or time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
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
        """Write the rest, and rename the file if nothing failed."""
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
