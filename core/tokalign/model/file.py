"""Model files: one readable text file each.

::

    tokalign-model 1                         magic and format version
    {"name": "en", ...}                      header, one line of JSON
    feature<TAB>s2t<TAB>t2s                  column names
    string[jaro_winkler]<TAB>0.5<TAB>0.25    one weight per line, for both directions
    ...
    transition:jump:+1<TAB>...
    sha256 <hexadecimal digest of all bytes before this line>

A model with styles (tokalign.model.styles) has format version 2: after the weights that its styles
share, each style has a line ``style NAME``, in the header's order, and lines of its additional
weights.

A feature without a line has weight 0. Nothing in the file is executed, and a file from a stranger
costs at most a few times MAX_MODEL_BYTES of memory.
"""

import dataclasses
import json
import math
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tokalign.crf.chains import TRANSITION_NAMES
from tokalign.errors import ModelError, ModelVersionError, quoted
from tokalign.features.extract import STYLE, read_weights
from tokalign.features.feature_groups import FeatureTable, needed_resources
from tokalign.files.headers import (
    LARGEST_WEIGHT,
    MAX_HEADER_BYTES,
    Name,
    OptionalName,
    Version,
    check_fields,
    digest_of,
    read_header,
)
from tokalign.model.styles import OwnWeights, StyleHeader, StyleNames, check_styles, default_style
from tokalign.types import GoldPair

MAGIC = "tokalign-model"
PLAIN_VERSION, STYLED_VERSION = 1, 2
COLUMNS = "feature\ts2t\tt2s"
TRANSITIONS = {f"transition:{name}": place for place, name in enumerate(TRANSITION_NAMES)}
"""Place of each transition, by its name in a file."""
MAX_MODEL_BYTES = 16 << 20
"""Twice the size of a model in which every feature has a weight."""
_FIRST_LINE = re.compile(rf"{MAGIC} ([1-9][0-9]*)\n".encode())
_HEADER_LINES = re.compile(rb"[^\n]*\n([^\n]*)\n?([^\n]*)\n?")
_LAST_LINE = b"\nsha256 "


@dataclass(frozen=True, slots=True)
class ModelHeader:
    """Header of a model: everything but its weights.

    Attributes
    ----------
    corpora : tuple of str
        The corpora it was trained on.
    feature_groups : tuple of str
        Names out of tokalign.features.templates.GROUP_NAMES.
    annotator : str
        The annotator of the training data.
    uses_trees : bool
        Whether it uses dependency trees.
    encoder : str
        Table of the neural encoder it reads; empty for none.
    relations : str
        Table of its model of the relations of chunks; empty for the one of most models.
    settings : dict
        How it was trained.
    figures : dict
        Measured accuracy, each with its conditions.
    styles : tuple of StyleHeader
        The default first; empty if the model has one convention without a name.
    seen : dict
        Sketch of each corpus, by its name (tokalign.model.file).
    digest : str
        SHA-256 of the file's content; empty before it is saved.

    ModelError is raised if a field has another type than its annotation, or a value that no file
    may hold.
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
    relations: OptionalName = ""
    settings: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    styles: tuple[StyleHeader, ...] = ()
    seen: dict[str, Any] = field(default_factory=dict)
    digest: str = field(default="", metadata={"stored": False})

    def __post_init__(self) -> None:
        try:
            check_fields(self)
            check_styles(self.styles)
        except ValueError as error:
            raise ModelError(f"bad header: {error}") from error

    @property
    def resources(self) -> tuple[str, ...]:
        encoder = (self.encoder, "wordpieces") if self.encoder else ()
        second = ("second-pass",) if any(each.get("second_pass") for each in self.styles) else ()
        return (*needed_resources(self.feature_groups), *encoder, *second)


@dataclass(frozen=True, slots=True)
class Model:
    """A header and the weights.

    Attributes
    ----------
    weights : float32 array, shape (table.n_slots, 2)
        Column 0 for s2t, column 1 for t2s; those that all styles share.
    transitions : float64 array, shape (2, 34)
    own : tuple of OwnWeights
        Additional weights of each of the header's styles.

    ModelError is raised if `own` does not have one entry per style.
    """

    header: ModelHeader
    table: FeatureTable
    weights: NDArray[np.float32]
    transitions: NDArray[np.float64]
    own: tuple[OwnWeights, ...] = ()

    def __post_init__(self) -> None:
        if len(self.own) != len(self.header.styles):
            raise ModelError(
                f"weights of {len(self.own)} styles; the header has {len(self.header.styles)}"
            )

    def summed(self) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Return every style's weights and transitions, added to the shared ones.

        They are a float32 array of shape (n_styles, table.n_slots, 2) and a float64 array of shape
        (n_styles, 2, 34), with one style if the model's convention has no name.
        """
        n_styles = max(len(self.own), 1)
        shape = (n_styles, *self.weights.shape)
        # From 4 MiB on NumPy asks for large pages, which take less long to touch than small ones.
        weights = np.empty(max(math.prod(shape), 1 << 20), np.float32)[: math.prod(shape)]
        weights = weights.reshape(shape)
        weights[:] = self.weights
        transitions = np.repeat(self.transitions[None], n_styles, axis=0)
        for style, own in enumerate(self.own):
            weights[style, own.slots] += own.weights
            transitions[style] += own.transitions
        return weights, transitions


def style_names(header: ModelHeader) -> StyleNames:
    """Return the names of a model's styles."""
    return StyleNames(
        header.name,
        tuple(style["name"] for style in header.styles),
        default_style(header.styles),
        asks=next((style["name"] for style in header.styles if style.get("asks")), ""),
    )


def save_model(model: Model, path: str | os.PathLike[str]) -> None:
    """Write a model file; the same model always gives the same bytes.

    ModelError is raised if it could not be read back, because its header is too long or a weight
    too large.
    """
    header = dataclasses.asdict(model.header)
    del header["digest"]
    for optional in ("encoder", "relations", "styles", "seen"):
        if not header[optional]:
            del header[optional]
    header_line = json.dumps(header, ensure_ascii=False, sort_keys=True)
    if len(header_line.encode()) > MAX_HEADER_BYTES:
        raise ModelError(f"the header is longer than {MAX_HEADER_BYTES} bytes; shorten its texts")
    slots = np.flatnonzero(model.weights.any(axis=1))
    shared = OwnWeights(slots.astype(np.int32), model.weights[slots], model.transitions)
    version = STYLED_VERSION if model.own else PLAIN_VERSION
    lines = [f"{MAGIC} {version}", header_line, COLUMNS, *_weight_lines(model.table, shared)]
    for style, own in zip(model.header.styles, model.own, strict=True):
        lines += [f"{STYLE.decode()}{style['name']}", *_weight_lines(model.table, own)]
    body = ("\n".join(lines) + "\n").encode("utf-8")
    digest = digest_of(body)
    Path(path).write_bytes(body + f"sha256 {digest}\n".encode())


def _weight_lines(table: FeatureTable, weights: OwnWeights) -> Iterator[str]:
    largest = max(np.abs(weights.weights).max(initial=0.0), np.abs(weights.transitions).max())
    if not largest <= LARGEST_WEIGHT:
        raise ModelError(f"a weight is {largest}; wanted at most {LARGEST_WEIGHT:.0f}; raise l2")
    for slot, (s2t, t2s) in zip(weights.slots.tolist(), weights.weights.tolist(), strict=True):
        yield f"{table.name(slot)}\t{s2t:.5g}\t{t2s:.5g}"
    for name, (s2t, t2s) in zip(TRANSITIONS, weights.transitions.T.tolist(), strict=True):
        yield f"{name}\t{s2t:.5g}\t{t2s:.5g}"


def load_model(path: str | os.PathLike[str], *, verify: bool = True) -> Model:
    """Read a model file.

    `verify`: whether to compare its digest, which takes as long as reading the rest. An installed
    model is opened without, as tables are; `tokalign info` compares it.

    ModelVersionError is raised if a newer tokalign wrote it; ModelError, if it is missing,
    truncated, damaged, or names features this version does not know.
    """
    path = Path(path)
    content = _read(path)
    first_line = _FIRST_LINE.match(content)
    if first_line is None:
        raise ModelError(f"{path}: not a model file (its first line is not '{MAGIC} VERSION')")
    version = first_line[1].decode()
    if version not in (str(PLAIN_VERSION), str(STYLED_VERSION)):
        raise ModelVersionError(
            f"{path}: has format {version}, this tokalign reads up to {STYLED_VERSION}; upgrade it"
        )
    stop = content.rfind(_LAST_LINE) + 1
    if not stop:
        raise ModelError(f"{path}: is truncated (its last line is not 'sha256 DIGEST')")
    # No copies of the content: touching their memory takes longer than reading them.
    stated = content[stop + len(_LAST_LINE) - 1 :].decode("ascii", "replace").rstrip("\n")
    if verify and (digest := digest_of(memoryview(content)[:stop])) != stated:
        raise ModelError(
            f"{path}: is damaged (digest {digest[:12]}, its last line says {stated[:12]!r})"
        )
    return _parse(path, content, stop, stated, is_styled=version == str(STYLED_VERSION))


def _read(path: Path) -> bytes:
    """Return a file's content; ModelError if it is too large or not a file."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise ModelError(f"{path}: is not a regular file")
        with path.open("rb") as file:
            # The file may have grown since, so its size alone does not bound the memory.
            content = b"" if status.st_size > MAX_MODEL_BYTES else file.read(MAX_MODEL_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise ModelError(f"{quoted(str(path))[1:-1]}: cannot be read: {reason}") from error
    size = max(status.st_size, len(content))
    if size > MAX_MODEL_BYTES:
        raise ModelError(f"{path}: has {size} bytes; a model has at most {MAX_MODEL_BYTES}")
    return content


def _parse(path: Path, content: bytes, end: int, digest: str, *, is_styled: bool) -> Model:
    """Return the model whose text ends before `end`, with a line break."""
    lines = _HEADER_LINES.match(content, 0, end)
    assert lines is not None  # since the first line is the magic
    header_line, columns = lines.groups()
    try:
        header = ModelHeader(**read_header(header_line, ModelHeader), digest=digest)
        table = FeatureTable(header.feature_groups)
    except ValueError as error:
        raise ModelError(f"{path}:2: bad header: {error}") from error
    except ModelError as error:
        raise ModelError(f"{path}:2: {error}") from error
    if bool(header.styles) != is_styled:
        raise ModelError(
            f"{path}:2: the header has {len(header.styles)} styles; format {STYLED_VERSION} has "
            f"some, format {PLAIN_VERSION} none"
        )
    if columns != COLUMNS.encode():
        seen = quoted(columns.decode("utf-8", "replace"))
        raise ModelError(f"{path}:3: the columns are {seen}; wanted {COLUMNS!r}")
    found: list[OwnWeights] = []
    number, start = 4, lines.end()
    for wanted in (*(style["name"] for style in header.styles), None):
        slots, own_weights, transitions, start, n_lines = read_weights(
            path, content, start, end, number, table, TRANSITIONS
        )
        found.append(OwnWeights(slots, own_weights, transitions))
        number += n_lines
        stop = content.find(b"\n", start, end)
        name = None if stop < 0 else content[start + len(STYLE) : stop].decode("utf-8", "replace")
        if name != wanted:
            seen = "no more styles" if name is None else f"the style {quoted(name)}"
            raise ModelError(
                f"{path}:{number}: has {seen}; its header has "
                f"{'no more' if wanted is None else quoted(wanted)}"
            )
        number, start = number + 1, stop + 1
    shared, *own = found
    weights = np.zeros((table.n_slots, 2), dtype=np.float32)
    weights[shared.slots] = shared.weights
    return Model(header, table, weights, shared.transitions, tuple(own))


SKETCH = 64
"""Most hashes of a corpus's sketch: the smallest of its pairs, each seen as the letters of its two
sides, whatever their format, order and tokenisation. A part of a corpus meets its share of the
sketch. Kaufman et al. (2012), Leakage in Data Mining, say why training data flatter."""
_FEWEST = 2
"""A single pair may be in two corpora by chance, such as "Yes." and "No."."""


def sketch_of(pairs: Iterable[GoldPair]) -> list[str]:
    """Return the smallest hashes of some pairs, at most SKETCH, in order."""
    return sorted(_hashes(pairs))[:SKETCH]


def trained_on(header: ModelHeader, pairs: Iterable[GoldPair], name: str) -> list[str]:
    """Return the corpora of a model that hold some of the pairs.

    `name`: of their file; it alone decides where a model was trained before headers had sketches.
    """
    if not header.seen:
        return [each for each in header.corpora if each == name]
    here = _hashes(pairs)
    return [each for each, sketch in header.seen.items() if len(here & {*sketch}) >= _FEWEST]


def _hashes(pairs: Iterable[GoldPair]) -> set[str]:
    texts = ("\0".join(map(_letters, (pair.source, pair.target))) for pair in pairs)
    return {digest_of(text.encode())[:8] for text in texts}


def _letters(side: object) -> str:
    tokens = getattr(side, "tokens", side)
    assert isinstance(tokens, tuple | list)
    return "".join("".join(tokens).split()).casefold()
