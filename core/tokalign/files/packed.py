"""Compressed files, recognised by their first bytes when read, and by their names when written."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from tokalign.errors import FormatError, MissingPackageError

GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
XZ, BZIP2 = b"\xfd7zXZ\x00", (b"1AY&SY", b"\x17rE8P\x90")  # bzip2: after its "BZh" and a digit
N_MAGIC = 10
"""First bytes of compressed files, by format."""
SUFFIXES = (".gz", ".zst", ".bz2", ".xz")


def zstd_module() -> ModuleType:
    """Return the module for Zstandard, or raise MissingPackageError."""
    try:
        from backports import zstd  # compression.zstd from Python 3.14 on
    except ImportError:
        try:
            from compression import zstd  # type: ignore[import-not-found,no-redef]
        except ImportError as error:
            raise MissingPackageError.of("Zstandard", error, "zstd") from None
    module: ModuleType = zstd
    return module


def unpacked(raw: IO[bytes], head: bytes) -> IO[bytes]:
    """Return a file of the uncompressed bytes.

    Parameters
    ----------
    raw : file
    head : bytes
        Its first `N_MAGIC` bytes, not yet consumed.
    """
    made: Any = raw
    if head.startswith(GZIP):
        made = gzip.GzipFile(fileobj=raw)
    elif head.startswith(ZSTD):
        made = zstd_module().open(raw)
    elif head.startswith(XZ):
        made = lzma.LZMAFile(raw)  # noqa: SIM115
    elif head.startswith(b"BZh") and head[4:] in BZIP2:
        made = bz2.BZ2File(raw)
    packed: IO[bytes] = made
    return packed


def packed_writer(file: IO[bytes], name: str) -> IO[bytes] | None:
    """Return a compressing writer for a file; None if its name asks for no compression."""
    suffix = Path(name).suffix
    made: Any = None
    if suffix == ".gz":
        made = gzip.GzipFile(Path(name).name, "wb", fileobj=file, mtime=0)
    elif suffix == ".zst":
        made = zstd_module().open(file, "wb")
    elif suffix == ".bz2":
        made = bz2.BZ2File(file, "wb")
    elif suffix == ".xz":
        made = lzma.LZMAFile(file, "wb")  # noqa: SIM115
    return made  # type: ignore[no-any-return]


@contextlib.contextmanager
def damage_named(name: str) -> Iterator[None]:
    """Turn errors of decompression into a FormatError that names the file."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
        raise FormatError(f"damaged compressed data: {error}", path=name) from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise FormatError(f"damaged compressed data: {error}", path=name) from error
    except Exception as error:
        if type(error).__name__ != "ZstdError":
            raise
        raise FormatError(f"damaged compressed data: {error}", path=name) from error


def read_unpacked(path: Path) -> bytes:
    """Return the content of a file, decompressed.

    Raises
    ------
    OSError
        If it cannot be read.
    FormatError
        If the compressed data are damaged.
    ResourceError
        If the package for its compression is missing.
    """
    data = path.read_bytes()
    file = unpacked(BytesIO(data), data[:N_MAGIC])
    with damage_named(str(path)):
        return data if isinstance(file, BytesIO) else file.read()
