"""Files of lines: compressed input is recognised, output is whole lines or nothing at its name."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, TracebackType
from typing import IO, Any, Self

import click

from tokalign.cli.parquet import MAGIC, Packer, schema_of
from tokalign.errors import FormatError, InputError, ResourceError

STDIO = "-"
PARTIAL = ".partial"
"""Added to an output's name until all of it is written."""
_PACKED = (".gz", ".zst")
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BUFFER_BYTES = 1 << 16


def _zstd() -> ModuleType:
    try:
        from backports import zstd  # compression.zstd from Python 3.14 on
    except ImportError:
        try:
            from compression import zstd  # type: ignore[import-not-found,no-redef]
        except ImportError:
            raise ResourceError(
                "Zstandard files need a package; pip install 'tokalign[zstd]'"
            ) from None
    module: ModuleType = zstd
    return module


class Source:
    """The lines of a file or of stdin, unpacked where its first bytes say gzip or Zstandard.

    Attributes
    ----------
    name : str
        Shown in messages.
    raw : file
        The bytes as they are.
    size : int or None
        Bytes on disk; None where that is not known.
    is_parquet : bool
        Whether it is a table in the place of lines.
    """

    def __init__(self, raw: IO[bytes], name: str) -> None:
        self.name = name
        self.raw = raw
        status = _status(raw)
        self.size = status.st_size if status and stat.S_ISREG(status.st_mode) else None
        self._identity = (status.st_dev, status.st_ino) if status and self.size else None
        peekable: Any = raw if hasattr(raw, "peek") else io.BufferedReader(raw)
        head = peekable.peek(len(_ZSTD))
        self._rows: IO[bytes] = peekable
        self.is_parquet = head.startswith(MAGIC)
        if head.startswith(_GZIP):
            self._rows = gzip.GzipFile(fileobj=peekable)  # type: ignore[assignment]
        elif head.startswith(_ZSTD):
            self._rows = _zstd().open(peekable)

    def __iter__(self) -> Iterator[bytes]:
        if self.is_parquet:
            raise FormatError("Parquet; only align and similarity read it", path=self.name)
        try:
            yield from self._rows
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise FormatError(f"damaged gzip data: {error}", path=self.name) from error
        except Exception as error:
            if type(error).__name__ != "ZstdError":
                raise
            raise FormatError(f"damaged Zstandard data: {error}", path=self.name) from error

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


def _status(file: IO[bytes]) -> os.stat_result | None:
    try:
        return os.fstat(file.fileno())
    except (OSError, AttributeError, io.UnsupportedOperation):
        return None


class SourceParam(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.3
    """A file to read lines from, "-" for stdin; the command gets a Source."""

    name = "file"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Source:
        if isinstance(value, Source):
            return value
        if value == STDIO:
            return Source(sys.stdin.buffer, "<stdin>")
        try:
            raw = Path(value).open("rb")  # noqa: SIM115  # closed with the context
        except OSError as error:
            self.fail(f"{value!r}: {error.strerror}", param, ctx)
        if ctx is not None:
            ctx.call_on_close(raw.close)
        return Source(raw, str(value))


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


@dataclass(frozen=True, slots=True)
class Destination:
    """Where lines are to go; nothing is opened or checked yet.

    Attributes
    ----------
    path : str
        "-" for stdout; compressed where it ends in .gz or .zst.
    is_resumed : bool
        Whether to go on with what an interrupted run has left.
    """

    path: str
    is_resumed: bool = False

    def open(self, source: Source, columns: tuple[str, ...] = ()) -> Sink:
        """Return what takes the lines.

        Parameters
        ----------
        source : Source
        columns : tuple of str
            Of Parquet, whose rows the lines are as JSON; none write them as they are.

        Raises
        ------
        InputError
            If it is the input, or cannot be resumed, or is no place for Parquet.
        """
        if columns and (self.path == STDIO or self.is_resumed):
            raise InputError(
                "Parquet has its index at the end, which an interrupted run has not written: "
                "--format parquet needs --output, and no --resume; resume with --format jsonl"
            )
        if self.path == STDIO:
            if self.is_resumed:
                raise InputError("--resume needs --output: what was written to stdout is not known")
            return Sink(sys.stdout.buffer, "<stdout>")
        path = Path(self.path)
        if (path.suffix == ".parquet" and not columns) or (columns and path.suffix in _PACKED):
            raise InputError(
                f"{path} has the name of another format; .parquet is for --format parquet, "
                ".gz and .zst for lines"
            )
        if source.is_file(path):
            raise InputError(
                f"{path} is the input and the output; write to another file, then rename it"
            )
        schema = schema_of(columns) if columns else None
        if path.exists() and not path.is_file():  # a device or a pipe: there is nothing to rename
            file = path.open("wb", buffering=0)
            return Sink(file, str(path), Packer(file, schema) if schema is not None else None)
        partial = path.with_name(path.name + PARTIAL)
        if self.is_resumed and path.suffix in _PACKED:
            raise InputError(f"{path} is compressed; --resume goes on with plain output only")
        if self.is_resumed and path.exists() and not partial.exists():
            raise InputError(f"{path} is complete: there is no {partial} to go on with")
        file = partial.open("r+b" if self.is_resumed and partial.exists() else "wb", buffering=0)
        kept = _cut_to_whole_lines(file) if self.is_resumed else (0, b"")
        packed: Any = None
        if schema is not None:
            packed = Packer(file, schema)
        elif path.suffix == ".gz":
            packed = gzip.GzipFile(path.name, "wb", fileobj=file, mtime=0)
        elif path.suffix == ".zst":
            packed = _zstd().open(file, "wb")
        return Sink(file, str(path), packed, rename=(partial, path), kept=kept)


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


class Sink:
    """Takes lines; a file appears at its name when all are written, else its whole lines stay.

    Attributes
    ----------
    name : str
    n_kept, last_kept : int, str
        Lines that an earlier run has left, after which this one goes on, and the last of them.
    """

    def __init__(
        self,
        file: IO[bytes],
        name: str,
        packed: IO[bytes] | Packer | None = None,
        *,
        rename: tuple[Path, Path] | None = None,
        kept: tuple[int, bytes] = (0, b""),
    ) -> None:
        self.name = name
        self.n_kept = kept[0]
        self.last_kept = kept[1].decode()
        self._file = file
        self._packed = packed
        self._rename = rename
        self._pending: list[bytes] = []
        self._n_bytes = 0

    def __enter__(self) -> Self:
        return self

    def write(self, text: str) -> None:
        """Take whole lines, breaks included; errors of the file system name the file."""
        data = text.encode()
        self._pending.append(data)
        self._n_bytes += len(data)
        if self._n_bytes >= _BUFFER_BYTES:
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
            start = self._file.tell() if self._rename else 0
            view = memoryview(data)
            try:
                while view:
                    view = view[self._file.write(view) :]
                self._file.flush()
            except OSError:
                if self._rename:  # the disk is full: no torn line stays
                    self._file.truncate(start + data.rfind(b"\n", 0, len(data) - len(view)) + 1)
                raise

    @property
    def is_terminal(self) -> bool:
        """Whether a person reads the lines."""
        return self._file.isatty()

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
            if self._file is not sys.stdout.buffer:
                self._file.close()
            if self._rename is not None and failed:
                left, wanted = self._rename
                kept = f"{left} holds what was written"
                if is_lost:
                    left.unlink()
                    kept = "nothing is kept, since no reader takes Parquet without its index"
                print(f"{wanted}: not complete; {kept}", file=sys.stderr)
        if self._rename is not None and not failed:
            self._rename[0].replace(self._rename[1])
