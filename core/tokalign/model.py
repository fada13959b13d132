"""Model files: one readable text file each.

::

    tokalign-model 1                         magic and format version
    {"name": "en", ...}                      header, one line of JSON
    feature<TAB>s2t<TAB>t2s                  column names
    string[jaro_winkler]<TAB>0.5<TAB>0.25    one weight per line, for both directions
    ...
    transition:jump:+1<TAB>...
    sha256 <hexadecimal digest of all bytes before this line>

A feature that has no line weighs nothing. Nothing in the file is executed.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokalign.crf.transitions import TRANSITION_NAMES
from tokalign.errors import ModelError, ModelVersionError
from tokalign.features.lexicons import needed_resources
from tokalign.features.table import FeatureTable

MAGIC = "tokalign-model"
FORMAT_VERSION = 1
COLUMNS = "feature\ts2t\tt2s"
LARGEST = float(np.finfo(np.float32).max)
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
    """

    name: str
    version: str
    description: str
    license: str
    corpora: tuple[str, ...]
    feature_groups: tuple[str, ...]
    annotator: str
    uses_trees: bool
    encoder: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    digest: str = ""

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
    """Write a model file; the same model always gives the same bytes."""
    header = dataclasses.asdict(model.header)
    del header["digest"]
    if not model.header.encoder:
        del header["encoder"]
    lines = [
        f"{MAGIC} {FORMAT_VERSION}",
        json.dumps(header, ensure_ascii=False, sort_keys=True),
        COLUMNS,
    ]
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
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
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
        lines = body.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: is not UTF-8 text: {error}") from error
    return _parse(path, lines, digest)


def _parse(path: Path, lines: list[str], digest: str) -> Model:
    try:
        fields = json.loads(lines[1])
        fields["corpora"] = tuple(fields["corpora"])
        fields["feature_groups"] = tuple(fields["feature_groups"])
        header = ModelHeader(**fields, digest=digest)
        table = FeatureTable(header.feature_groups)
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path}:2: bad header: {error!r}") from error
    except ModelError as error:
        raise ModelError(f"{path}:2: {error}") from error
    if lines[2:3] != [COLUMNS]:
        raise ModelError(f"{path}:3: the columns are not {COLUMNS!r}")
    weights = np.zeros((table.n_slots, 2), dtype=np.float32)
    transitions = np.zeros((2, len(TRANSITION_NAMES)))
    transition_index = {name: k for k, name in enumerate(TRANSITION_NAMES)}
    for number, line in enumerate(lines[3:], start=4):
        try:
            name, s2t, t2s = line.split("\t")
            values = float(s2t), float(t2s)
            if not (abs(values[0]) <= LARGEST and abs(values[1]) <= LARGEST):
                raise ValueError("not a finite number")
            if name.startswith(_TRANSITION):
                transitions[:, transition_index[name.removeprefix(_TRANSITION)]] = values
            else:
                weights[table.slot(name)] = values
        except (KeyError, ValueError, ModelError) as error:
            raise ModelError(f"{path}:{number}: bad weight line {line!r}: {error}") from error
    return Model(header, table, weights, transitions)
