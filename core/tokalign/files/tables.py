"""Table files: named arrays behind a JSON header, mapped into memory, never copied.

Every lexical resource and every tagger or parser is one such file. In the repository tables are
xz-compressed (``data/NAME.table.xz``); the build unpacks them beside it (``NAME.table``), and
`Table.open` maps that file, so that all worker processes share one copy.

Layout: 8 bytes magic, 8 bytes little-endian header length, the JSON header padded with spaces,
then the arrays, each starting at a multiple of 64 bytes. The header holds the table's name,
version, licence, free-form ``meta``, each array's dtype, shape and offset, and the SHA-256 of all
array bytes, which `Table.verify` checks (opening does not, so that it stays instant).

A table may come from a stranger. Opening it checks the header and that every array lies inside the
file; a reader of an array states the type and shape it needs (`Table.array`) and checks the numbers
that it uses as indices of other arrays.
"""

import json
import math
import os
import re
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError, quoted
from tokalign.files.headers import (
    MAX_HEADER_BYTES,
    Digest,
    Name,
    Version,
    digest_of,
    is_name,
    read_header,
)
from tokalign.files.shipped import data_dir

MAGIC = b"TOKTABL1"
ALIGNMENT = 64
PREFIX_BYTES = len(MAGIC) + 8
MAX_TABLE_BYTES: Final = 256 << 20
"""The largest shipped table has 17 MiB."""
MAX_STRINGS_BYTES: Final = 4 << 20
MAX_DIMENSIONS: Final = 4
MAX_LENGTH: Final = 1 << 30
"""Most items of a dimension, so that 32-bit sums of two indices cannot overflow."""
_DTYPE = re.compile(r"[|<][iuf][1248]")


class ArraySpec(TypedDict):
    """Description of an array: NumPy's name of its type, its shape, its offset after the header."""

    dtype: str
    shape: list[int]
    offset: int


class TableHeader(TypedDict):
    """Header of a table file; `size` and `sha256` describe the bytes after it."""

    name: Name
    version: Version
    license: str
    source: str
    meta: dict[str, Any]
    size: int
    sha256: Digest
    arrays: dict[str, ArraySpec]


class Table:
    """Named read-only arrays and a header."""

    def __init__(self, path: Path, header: TableHeader, payload: NDArray[np.uint8]) -> None:
        self.path = path
        self.header = header
        self._payload = payload

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "Table":
        """Map the table file at `path`; ResourceError if it is missing, truncated or not a
        table."""
        path = Path(path)
        raw = _mapped(path)
        if raw.size < PREFIX_BYTES or raw[: len(MAGIC)].tobytes() != MAGIC:
            raise ResourceError(f"{path}: not a table file (its first 8 bytes are not {MAGIC!r})")
        n_header = int.from_bytes(raw[len(MAGIC) : PREFIX_BYTES].tobytes(), "little")
        start = PREFIX_BYTES + n_header
        if n_header > MAX_HEADER_BYTES or start > raw.size or start % ALIGNMENT:
            raise ResourceError(
                f"{path}: damaged header: it has {n_header} bytes; wanted at most "
                f"{MAX_HEADER_BYTES}, inside the file, and arrays behind it at a multiple of "
                f"{ALIGNMENT}"
            )
        try:
            fields = read_header(raw[PREFIX_BYTES:start].tobytes(), TableHeader)
            header = TableHeader(**fields)  # type: ignore[typeddict-item]
            for name, spec in header["arrays"].items():
                _check_spec(name, spec, header["size"])
        except ValueError as error:
            raise ResourceError(f"{path}: damaged header: {error}") from error
        if raw.size - start != header["size"]:
            raise ResourceError(
                f"{path}: holds {raw.size - start} bytes of arrays, its header says "
                f"{header['size']}; the file is truncated or damaged"
            )
        return cls(path, header, raw[start:])

    @classmethod
    def open_shipped(cls, name: str) -> "Table":
        """Map a shipped table by name, once for each process; ResourceError if it is missing or
        damaged, or `name` is not a valid name."""
        if not is_name(name):
            raise ResourceError(f"no table can be called {quoted(name)}")
        table = _shipped.get(name)
        if table is None:
            table = _shipped[name] = cls.open(data_dir() / f"{name}.table")
        return table

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the array called `name` as a read-only view of the mapped file."""
        try:
            spec = self.header["arrays"][name]
        except KeyError:
            raise ResourceError(f"{self.path}: has no array {name!r}") from None
        dtype = np.dtype(spec["dtype"])
        end = spec["offset"] + dtype.itemsize * math.prod(spec["shape"])
        return np.asarray(self._payload[spec["offset"] : end].view(dtype).reshape(spec["shape"]))

    def array(self, name: str, dtype: Any, shape: Sequence[int | None]) -> NDArray[Any]:
        """Return the array called `name`, which must be of a NumPy type and a shape, where None
        allows any length; ResourceError if it is missing, or another."""
        found = self[name]
        if (
            found.dtype != dtype
            or found.ndim != len(shape)
            or any(want not in (None, seen) for want, seen in zip(shape, found.shape, strict=True))
        ):
            lengths = " x ".join("any" if length is None else str(length) for length in shape)
            raise ResourceError(
                f"{self.path}: the array {name!r} is {found.dtype} of shape {found.shape}; "
                f"wanted {np.dtype(dtype)} of {lengths or 'one number'}"
            )
        return found

    def strings(self, name: str) -> list[str]:
        """Return a list of strings stored as newline-joined UTF-8 bytes."""
        stored = self.array(name, np.uint8, (None,))
        if stored.nbytes > MAX_STRINGS_BYTES:
            raise ResourceError(
                f"{self.path}: the strings of {name!r} have {stored.nbytes} bytes; wanted at most "
                f"{MAX_STRINGS_BYTES}"
            )
        try:
            joined = stored.tobytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise ResourceError(f"{self.path}: the strings of {name!r}: {error}") from error
        return joined.split("\n") if joined else []

    def verify(self) -> None:
        """Raise ResourceError unless the arrays match the digest in the header."""
        seen = digest_of(self._payload.data)
        if seen != self.header["sha256"]:
            raise ResourceError(
                f"{self.path}: digest {seen[:12]} is not the header's "
                f"{self.header['sha256'][:12]}; the file is damaged"
            )


_shipped: weakref.WeakValueDictionary[str, Table] = weakref.WeakValueDictionary()
"""Open tables in use, shared because each mapping's touched pages count separately."""


def _mapped(path: Path) -> NDArray[np.uint8]:
    try:
        if not path.is_file() and path.exists():
            raise ResourceError(f"{path}: is not a regular file")
        if (size := path.stat().st_size) > MAX_TABLE_BYTES:
            raise ResourceError(f"{path}: has {size} bytes; a table has at most {MAX_TABLE_BYTES}")
        return np.memmap(path, dtype=np.uint8, mode="r")
    except FileNotFoundError:
        raise ResourceError(
            f"{path}: no such table; in a clone run `make build`, otherwise install tokalign-data"
        ) from None
    except (OSError, ValueError) as error:
        raise ResourceError(f"{path}: cannot be mapped: {error}") from error


def _check_spec(name: str, spec: ArraySpec, size: int) -> None:
    """Raise ValueError unless an array lies inside `size` bytes and is aligned."""
    shape, offset = spec["shape"], spec["offset"]
    try:
        dtype = np.dtype(spec["dtype"]) if _DTYPE.fullmatch(spec["dtype"]) else None
    except TypeError:
        dtype = None
    if dtype is None:
        raise ValueError(f"the array {quoted(name)} has the type {quoted(spec['dtype'])}")
    if len(shape) > MAX_DIMENSIONS or max(shape, default=0) > MAX_LENGTH:
        raise ValueError(
            f"the array {quoted(name)} has the shape {quoted(shape)}; wanted at most "
            f"{MAX_DIMENSIONS} dimensions of at most {MAX_LENGTH}"
        )
    n_bytes = dtype.itemsize * math.prod(shape)
    if offset % ALIGNMENT or offset + n_bytes > size:
        raise ValueError(
            f"the array {quoted(name)} has {n_bytes} bytes at {offset}; wanted a multiple of "
            f"{ALIGNMENT}, and the end within the {size} bytes of all arrays"
        )


def write_table(
    path: str | os.PathLike[str],
    arrays: Mapping[str, NDArray[Any] | list[str]],
    *,
    name: str,
    version: str,
    license: str,
    source: str,
    meta: Mapping[str, Any] | None = None,
) -> None:
    """Write a table file; xz-compressed if `path` ends in ``.xz``. The bytes are reproducible.

    Lists of strings become one uint8 array, joined by newlines. The header has name, version,
    license and source (the origin of the content), and `meta`, extras for JSON. ValueError if a
    string holds a newline, a list holds only one empty string, or the header could not be read
    back.
    """
    specs, chunks, offset = {}, [], 0
    for key, value in arrays.items():
        if isinstance(value, list) and (value == [""] or any("\n" in line for line in value)):
            raise ValueError(f"the strings of {key!r} would not be read back as they are")
        array = np.ascontiguousarray(
            np.frombuffer("\n".join(value).encode("utf-8"), dtype=np.uint8)
            if isinstance(value, list)
            else value
        )
        if array.dtype.byteorder == ">":
            array = array.astype(array.dtype.newbyteorder("<"))
        specs[key] = {"dtype": array.dtype.str, "shape": list(array.shape), "offset": offset}
        padding = -array.nbytes % ALIGNMENT
        chunks += [array.tobytes(), b"\0" * padding]
        offset += array.nbytes + padding
    payload = b"".join(chunks)
    header = {
        "name": name,
        "version": version,
        "license": license,
        "source": source,
        "meta": dict(meta or {}),
        "size": len(payload),
        "sha256": digest_of(payload),
        "arrays": specs,
    }
    text = json.dumps(header, ensure_ascii=False, sort_keys=True).encode("utf-8")
    read_header(text, TableHeader)
    text += b" " * (-(len(text) + 16) % ALIGNMENT)
    blob = MAGIC + len(text).to_bytes(8, "little") + text + payload
    path = Path(path)
    if path.suffix == ".xz":
        import lzma  # which only recipes need

        blob = lzma.compress(blob, preset=9)
    path.write_bytes(blob)
