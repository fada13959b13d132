"""The encoder as an ONNX graph of int8 matrix products, built from named weights.

Weights are int8 in blocks of 32 with a scale each; activations are quantised row by row while the
graph runs (MatMulNBits, accuracy level 4), so that what a pair gets does not depend on the pairs
it is batched with.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Weights = Mapping[str, NDArray[np.float32]]

N_LAYERS = 6
N_HEADS = 12
EPSILON = 1e-12
BLOCK = 32
_CONTRIB = "com.microsoft"


class _Graph:
    """Collects nodes and initialisers; every method returns the name of what it adds."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, NDArray[np.generic]] = {}

    def constant(self, name: str, value: NDArray[np.generic] | None = None) -> str:
        self.constants[name] = self.weights[name] if value is None else value
        return name

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        output = f"{operator}_{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(operator, list(inputs), [output], domain=domain, **attributes)
        )
        return output

    def embedding(self, name: str, ids: str) -> str:
        """Rows of an int8 table, each with its scale."""
        rows = self.weights[name]
        scale = np.abs(rows).max(axis=1, keepdims=True) / np.float32(127)
        scale[scale == 0] = 1
        table = self.constant(f"{name}.int8", np.rint(rows / scale).astype(np.int8))
        found = self.node("Cast", self.node("Gather", table, ids), to=TensorProto.FLOAT)
        scales = self.constant(f"{name}.scale", scale.astype(np.float32))
        return self.node("Mul", found, self.node("Gather", scales, ids))

    def linear(self, x: str, name: str, *, bias: bool = True) -> str:
        """x times the transposed weight matrix of a layer, plus its bias."""
        weight = self.weights[f"{name}.weight"]
        n_out, n_in = weight.shape
        blocks = weight.reshape(n_out, n_in // BLOCK, BLOCK)
        scale = np.abs(blocks).max(axis=2) / np.float32(127)
        scale[scale == 0] = 1
        packed = (np.rint(blocks / scale[..., None]) + 128).astype(np.uint8)
        return self.node(
            "MatMulNBits", x, self.constant(f"{name}.int8", packed),
            self.constant(f"{name}.scale", scale.astype(np.float32).ravel()),
            "", "", *([self.constant(f"{name}.bias")] if bias else []),
            domain=_CONTRIB, K=n_in, N=n_out, bits=8, block_size=BLOCK, accuracy_level=4,
        )  # fmt: skip

    def norm(self, x: str, name: str, *, skip: str) -> str:
        """Layer normalisation of x + skip."""
        scale, bias = (self.constant(f"{name}.{part}") for part in ("weight", "bias"))
        return self.node(
            "SkipLayerNormalization", x, skip, scale, bias, domain=_CONTRIB, epsilon=EPSILON
        )


def build_graph(weights: Weights) -> bytes:
    """Return a serialised ONNX model.

    Its inputs are int64 arrays of shape (batch, sequence): ``ids``, ``sides`` (0 for the source's
    word pieces, 1 for the target's), ``positions``, and ``mask`` (int32; 0 where padded). Its
    output ``projected`` has shape (batch, sequence, n): the last layer's states times the
    transposed matrix ``projection.weight``.

    Parameters
    ----------
    weights : mapping of str to float32 array
        Named as in BERT's checkpoints, and ``projection.weight`` of shape (n, 384).
    """
    graph = _Graph(weights)
    words = graph.embedding("embeddings.word_embeddings.weight", "ids")
    places = graph.node(
        "Add",
        graph.node("Gather", graph.constant("embeddings.position_embeddings.weight"), "positions"),
        graph.node("Gather", graph.constant("embeddings.token_type_embeddings.weight"), "sides"),
    )
    x = graph.norm(words, "embeddings.LayerNorm", skip=places)
    for layer in range(N_LAYERS):
        name = f"encoder.layer.{layer}"
        q, k, v = (
            graph.linear(x, f"{name}.attention.self.{part}") for part in ("query", "key", "value")
        )
        attended = graph.node(
            "MultiHeadAttention", q, k, v, "", "mask", domain=_CONTRIB, num_heads=N_HEADS
        )
        attended = graph.linear(attended, f"{name}.attention.output.dense")
        x = graph.norm(attended, f"{name}.attention.output.LayerNorm", skip=x)
        raised = graph.linear(x, f"{name}.intermediate.dense", bias=False)
        raised = graph.node(
            "BiasGelu", raised, graph.constant(f"{name}.intermediate.dense.bias"), domain=_CONTRIB
        )
        x = graph.norm(
            graph.linear(raised, f"{name}.output.dense"), f"{name}.output.LayerNorm", skip=x
        )
    projection = graph.constant("projection.weight", weights["projection.weight"].T.copy())
    graph.nodes.append(helper.make_node("MatMul", [x, projection], ["projected"]))
    shape = ["batch", "sequence"]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "encoder",
            [
                *(
                    helper.make_tensor_value_info(name, TensorProto.INT64, shape)
                    for name in ("ids", "sides", "positions")
                ),
                helper.make_tensor_value_info("mask", TensorProto.INT32, shape),
            ],
            [helper.make_tensor_value_info("projected", TensorProto.FLOAT, [*shape, "n"])],
            [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(_CONTRIB, 1)],
        ir_version=8,
    )
    serialised: bytes = model.SerializeToString()
    return serialised
