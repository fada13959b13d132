"""Table files: named arrays behind a JSON header, mapped into memory, never copied.

Every lexical resource and every tagger or parser is one such file. In the repository tables are
xz-compressed (``data/NAME.table.xz``); the build unpacks them beside it (``NAME.table``), and
`Table.open` maps that file, so that all worker processes share one copy.

Layout: 8 bytes magic, 8 bytes little-endian header length, the JSON header padded with spaces,
then the arrays, each starting at a multiple of 64 bytes. The header holds the table's name,
version, licence, free-form ``meta``, each array's dtype, shape and offset, and the SHA-256 of all
array bytes, which `Table.verify` checks (opening does not, so that it stays instant).
"""

from __future__ import annotations

import hashlib
import json
import lzma
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError

MAGIC = b"TOKTABL1"
ALIGNMENT = 64
DATA_DIR = Path(__file__).resolve().parent / "data"


class Table:
    """Named read-only arrays and a header.

    Attributes
    ----------
    path : Path
    header : dict
        ``name``, ``version``, ``license``, ``source``, ``meta``, ``sha256``, ``arrays``.
    """

    def __init__(self, path: Path, header: dict[str, Any], payload: NDArray[np.uint8]) -> None:
        self.path = path
        self.header = header
        self._payload = payload

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Table:
        """Map the table file at `path`.

        Raises
        ------
        ResourceError
            If the file is missing, truncated or not a table.
        """
        path = Path(path)
        try:
            raw = np.memmap(path, dtype=np.uint8, mode="r")
        except FileNotFoundError:
            raise ResourceError(f"{path}: no such table; run `make tables` to unpack it") from None
        except (OSError, ValueError) as error:
            raise ResourceError(f"{path}: cannot be mapped: {error}") from error
        if raw.size < 16 or raw[:8].tobytes() != MAGIC:
            raise ResourceError(f"{path}: not a table file (its first 8 bytes are not {MAGIC!r})")
        n_header = int.from_bytes(raw[8:16].tobytes(), "little")
        try:
            header = json.loads(raw[16 : 16 + n_header].tobytes())
            size = header["size"]
            header["arrays"], header["sha256"]
        except (KeyError, TypeError, ValueError) as error:
            raise ResourceError(f"{path}: damaged header: {error!r}") from error
        table = cls(path, header, raw[16 + n_header :])
        if table._payload.size != size:
            raise ResourceError(
                f"{path}: holds {table._payload.size} bytes of arrays, its header says "
                f"{size}; the file is truncated or damaged"
            )
        return table

    @classmethod
    def open_shipped(cls, name: str) -> Table:
        """Map the table called `name` that ships with the package."""
        return cls.open(DATA_DIR / f"{name}.table")

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the array called `name` as a read-only view of the mapped file."""
        try:
            spec = self.header["arrays"][name]
        except KeyError:
            raise ResourceError(f"{self.path}: has no array {name!r}") from None
        try:
            dtype = np.dtype(spec["dtype"])
            n_bytes = dtype.itemsize * math.prod(spec["shape"])
            if not 0 <= spec["offset"] <= spec["offset"] + n_bytes <= self._payload.size:
                raise ValueError(f"{n_bytes} bytes at {spec['offset']} are not in the file")
            view = self._payload[spec["offset"] : spec["offset"] + n_bytes]
            return np.asarray(view.view(dtype).reshape(spec["shape"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ResourceError(f"{self.path}: damaged header of {name!r}: {error!r}") from error

    def strings(self, name: str) -> list[str]:
        """Return a list of strings stored as newline-joined UTF-8 bytes."""
        joined = self[name].tobytes().decode("utf-8")
        return joined.split("\n") if joined else []

    def verify(self) -> None:
        """Raise ResourceError unless the arrays match the digest in the header."""
        seen = hashlib.sha256(self._payload.tobytes()).hexdigest()
        if seen != self.header["sha256"]:
            raise ResourceError(
                f"{self.path}: digest {seen[:12]} is not the header's "
                f"{self.header['sha256'][:12]}; the file is damaged"
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

    Parameters
    ----------
    path : path-like
    arrays : mapping of str to array or list of str
        Lists of strings become one uint8 array, joined by newlines.
    name, version, license, source : str
        Go into the header; `source` names where the content came from.
    meta : mapping, optional
        JSON-serialisable extras.

    Raises
    ------
    ValueError
        If a string holds a newline, or is the empty one and only entry of its list.
    """
    specs, chunks, offset = {}, [], 0
    for key, value in arrays.items():
        if isinstance(value, list) and (value == [""] or any("\n" in one for one in value)):
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
        "sha256": hashlib.sha256(payload).hexdigest(),
        "arrays": specs,
    }
    text = json.dumps(header, ensure_ascii=False, sort_keys=True).encode("utf-8")
    text += b" " * (-(len(text) + 16) % ALIGNMENT)
    blob = MAGIC + len(text).to_bytes(8, "little") + text + payload
    path = Path(path)
    path.write_bytes(lzma.compress(blob, preset=9) if path.suffix == ".xz" else blob)
