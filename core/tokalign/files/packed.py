"""Compressed files, recognised by their first bytes when read, and by their names when written."""

import contextlib
import importlib
import re
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from tokalign.errors import FormatError, MissingPackageError

_MAGIC = {
    ".gz": re.compile(rb"\x1f\x8b"),
    ".zst": re.compile(rb"\x28\xb5\x2f\xfd"),
    ".bz2": re.compile(rb"BZh.(1AY&SY|\x17rE8P\x90)", re.DOTALL),
    ".xz": re.compile(rb"\xfd7zXZ\x00"),
}
"""First bytes of compressed files, by their suffixes."""
N_MAGIC = 10
SUFFIXES = tuple(_MAGIC)


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


def _module(suffix: str) -> Any:
    """Return the module that opens files of a suffix; each is loaded when it is needed."""
    names = {".gz": "gzip", ".bz2": "bz2", ".xz": "lzma"}
    return zstd_module() if suffix == ".zst" else importlib.import_module(names[suffix])


def unpacked(raw: IO[bytes], head: bytes) -> IO[bytes]:
    """Return a file of the uncompressed bytes; `head` is its first `N_MAGIC`, not yet consumed."""
    found = next((suffix for suffix, magic in _MAGIC.items() if magic.match(head)), None)
    packed: IO[bytes] = raw if found is None else _module(found).open(raw)
    return packed


def packed_writer(file: IO[bytes], name: str) -> IO[bytes] | None:
    """Return a compressing writer for a file; None if its name asks for no compression."""
    path = Path(name)
    made: Any = None
    if path.suffix == ".gz":
        made = _module(".gz").GzipFile(path.name, "wb", fileobj=file, mtime=0)
    elif path.suffix in SUFFIXES:
        made = _module(path.suffix).open(file, "wb")
    return made  # type: ignore[no-any-return]


@contextlib.contextmanager
def damage_named(name: str) -> Iterator[None]:
    """Turn errors of decompression into a FormatError that names the file."""
    try:
        yield
    except Exception as error:
        is_of_file = isinstance(error, OSError) and error.errno is not None
        is_damage = isinstance(error, EOFError | OSError | zlib.error) and not is_of_file
        # They are of modules that are loaded only if a file is packed so.
        if not (is_damage or type(error).__name__ in ("LZMAError", "ZstdError")):
            raise
        raise FormatError(f"damaged compressed data: {error}", path=name) from error


def read_unpacked(path: Path) -> bytes:
    """Return the content of a file, decompressed; OSError if it cannot be read.

    FormatError if the compressed data are damaged; ResourceError if the package for its compression
    is missing.
    """
    data = path.read_bytes()
    file = unpacked(BytesIO(data), data[:N_MAGIC])
    with damage_named(str(path)):
        return data if isinstance(file, BytesIO) else file.read()
