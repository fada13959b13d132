"""Model files: one readable text file each.

::

    tokalign-model 1                         magic and format version
    {"name": "en", ...}                      header, one line of JSON
    feature<TAB>s2t<TAB>t2s                  column names
    string[jaro_winkler]<TAB>0.5<TAB>0.25    one weight per line, for both directions
    ...
    transition:jump:+1<TAB>...
    sha256 <hexadecimal digest of all bytes before this line>

A feature that has no line weighs nothing. Nothing in the file is executed, and a file from a
stranger costs at most a few times MAX_MODEL_BYTES of memory.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokalign.crf.transitions import TRANSITION_NAMES
from tokalign.errors import ModelError, ModelVersionError
from tokalign.features.lexicons import needed_resources
from tokalign.features.table import FeatureTable
from tokalign.headers import (
    MAX_HEADER_BYTES,
    Name,
    OptionalName,
    Version,
    check_fields,
    quoted,
    read_header,
)

MAGIC = "tokalign-model"
FORMAT_VERSION = 1
COLUMNS = "feature\ts2t\tt2s"
MAX_MODEL_BYTES = 16 << 20
"""Twice what a model would have in which every feature weighs something."""
LARGEST_WEIGHT = 1e6
"""Scores are sums of a few hundred weights, and must stay finite and exact enough to compare."""
_TRANSITION = "transition:"
_FIRST_LINE = re.compile(rf"{MAGIC} ([1-9][0-9]*)\n".encode())


@dataclass(frozen=True, slots=True)
class ModelHeader:
    """What is known of a model besides its weights.

    Attributes
    ----------
    name, version, description, license : str
    corpora : tuple of str
        What it was trained on.
    feature_groups : tuple of str
        Names out of tokalign.features.table.GROUP_NAMES.
    annotator : str
        Whose tags and trees it was trained with.
    uses_trees : bool
        Whether it makes use of dependency trees.
    encoder : str
        Table of the neural encoder it reads; empty for none.
    settings : dict
        How it was trained.
    figures : dict
        Measured accuracy, each with its conditions.
    digest : str
        SHA-256 of the file's content; empty before it is saved.

    Raises
    ------
    ModelError
        If a field has another type than its annotation, or holds what no file may hold.
    """

    name: Name
    version: Version
    description: str
    license: str
    corpora: tuple[str, ...]
    feature_groups: tuple[str, ...]
    annotator: str
    uses_trees: bool
    encoder: OptionalName = ""
    settings: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    digest: str = field(default="", metadata={"stored": False})

    def __post_init__(self) -> None:
        try:
            check_fields(self)
        except ValueError as error:
            raise ModelError(f"bad header: {error}") from error

    @property
    def resources(self) -> tuple[str, ...]:
        """Names of the lexical tables without which the model cannot be loaded."""
        encoder = (self.encoder, "wordpieces") if self.encoder else ()
        return (*needed_resources(self.feature_groups), *encoder)


@dataclass(frozen=True, slots=True)
class Model:
    """A header and the weights.

    Attributes
    ----------
    header : ModelHeader
    table : FeatureTable
    weights : float32 array, shape (table.n_slots, 2)
        Column 0 for s2t, column 1 for t2s.
    transitions : float64 array, shape (2, 34)
    """

    header: ModelHeader
    table: FeatureTable
    weights: NDArray[np.float32]
    transitions: NDArray[np.float64]


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model file; the same model always gives the same bytes.

    Raises
    ------
    ModelError
        If it would not be read back, for its header is too long or a weight too large.
    """
    header = dataclasses.asdict(model.header)
    del header["digest"]
    if not model.header.encoder:
        del header["encoder"]
    header_line = json.dumps(header, ensure_ascii=False, sort_keys=True)
    if len(header_line.encode()) > MAX_HEADER_BYTES:
        raise ModelError(f"the header is longer than {MAX_HEADER_BYTES} bytes; shorten its texts")
    largest = max(np.abs(model.weights).max(initial=0.0), np.abs(model.transitions).max())
    if not largest <= LARGEST_WEIGHT:
        raise ModelError(f"a weight is {largest}; wanted at most {LARGEST_WEIGHT:.0f}; raise l2")
    lines = [f"{MAGIC} {FORMAT_VERSION}", header_line, COLUMNS]
    for slot in np.flatnonzero(model.weights.any(axis=1)).tolist():
        s2t, t2s = model.weights[slot].tolist()
        lines.append(f"{model.table.name(slot)}\t{s2t:.5g}\t{t2s:.5g}")
    for name, (s2t, t2s) in zip(TRANSITION_NAMES, model.transitions.T.tolist(), strict=True):
        lines.append(f"{_TRANSITION}{name}\t{s2t:.5g}\t{t2s:.5g}")
    body = ("\n".join(lines) + "\n").encode("utf-8")
    digest = hashlib.sha256(body).hexdigest()
    Path(path).write_bytes(body + f"sha256 {digest}\n".encode())


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read a model file.

    Raises
    ------
    ModelVersionError
        If a newer tokalign wrote it.
    ModelError
        If it is missing, truncated, damaged, or names features this version does not know.
    """
    path = Path(path)
    content = _read(path)
    first_line = _FIRST_LINE.match(content)
    if first_line is None:
        raise ModelError(f"{path}: not a model file (its first line is not '{MAGIC} VERSION')")
    version = first_line[1].decode()
    if version != str(FORMAT_VERSION):
        raise ModelVersionError(
            f"{path}: has format {version}, this tokalign reads up to {FORMAT_VERSION}; upgrade it"
        )
    body, mark, stated = content.rstrip(b"\n").rpartition(b"\nsha256 ")
    if not mark:
        raise ModelError(f"{path}: is truncated (its last line is not 'sha256 DIGEST')")
    digest = hashlib.sha256(body + b"\n").hexdigest()
    if digest != stated.decode("ascii", "replace"):
        raise ModelError(
            f"{path}: is damaged (digest {digest[:12]}, its last line says "
            f"{stated[:12].decode('ascii', 'replace')!r})"
        )
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: is not UTF-8 text: {error}") from error
    return _parse(path, text, digest)


def _read(path: Path) -> bytes:
    """Return a file's content, unless there is too much of it or it is no file."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise ModelError(f"{path}: is not a regular file")
        with path.open("rb") as file:
            # It may have grown since, so its size is not what bounds the memory.
            content = b"" if status.st_size > MAX_MODEL_BYTES else file.read(MAX_MODEL_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ModelError(f"{quoted(str(path))[1:-1]}: cannot be read: {reason}") from error
    size = max(status.st_size, len(content))
    if size > MAX_MODEL_BYTES:
        raise ModelError(f"{path}: has {size} bytes; a model has at most {MAX_MODEL_BYTES}")
    return content


def _parse(path: Path, text: str, digest: str) -> Model:
    _, header_line, columns, rest = (text.split("\n", 3) + [""] * 3)[:4]
    try:
        header = ModelHeader(**read_header(header_line.encode(), ModelHeader), digest=digest)
    except ValueError as error:
        raise ModelError(f"{path}:2: bad header: {error}") from error
    try:
        table = FeatureTable(header.feature_groups)
    except ModelError as error:
        raise ModelError(f"{path}:2: {error}") from error
    if columns != COLUMNS:
        raise ModelError(f"{path}:3: the columns are {quoted(columns)}; wanted {COLUMNS!r}")
    return Model(header, table, *_read_weights(path, rest, table))


def _read_weights(
    path: Path, text: str, table: FeatureTable
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return the weights and transitions of the lines below the columns' names."""
    n_lines, most = text.count("\n") + 1, table.n_slots + len(TRANSITION_NAMES)
    if n_lines > most:
        raise ModelError(f"{path}: has {n_lines} lines of weights; its features have {most}")
    lines = text.split("\n") if text else []
    places = {f"{_TRANSITION}{name}": k for k, name in enumerate(TRANSITION_NAMES, table.n_slots)}
    found: list[int] = []
    columns: tuple[list[float], list[float]] = [], []
    for number, line in enumerate(lines, start=4):
        try:
            name, first, second = line.split("\t")
            s2t, t2s = float(first), float(second)
            if not (-LARGEST_WEIGHT <= s2t <= LARGEST_WEIGHT >= t2s >= -LARGEST_WEIGHT):
                raise ValueError(f"wanted numbers of at most {LARGEST_WEIGHT:.0f}, either sign")
            found.append(places[name] if name in places else table.slot(name))
        except (ValueError, ModelError) as error:
            raise ModelError(
                f"{path}:{number}: bad weight line {quoted(line)}: {_brief(error)}"
            ) from error
        columns[0].append(s2t)
        columns[1].append(t2s)
    _, firsts = np.unique(found, return_index=True)
    if len(firsts) < len(found):
        k = int(np.setdiff1d(np.arange(len(found)), firsts)[0])
        raise ModelError(
            f"{path}:{k + 4}: bad weight line {quoted(lines[k])}: there is a line above for the "
            "same feature"
        )
    both = np.zeros((most, 2))
    both[np.array(found, dtype=np.intp)] = np.array(columns).T
    return both[: table.n_slots].astype(np.float32), both[table.n_slots :].T.copy()


def _brief(error: Exception) -> str:
    """Return the message of an error, which may quote the line."""
    text = str(error)
    return text if len(text) <= 200 else f"{text[:200]}..."
