"""The encoder as an ONNX graph in float32, built from named weights, for other devices than
CPUs."""

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from tokalign.neural.architecture import Architecture, distance_buckets
from tokalign.neural.base import Weights

_CONTRIB = "com.microsoft"


class _Graph:
    """Collects nodes and initialisers; every method returns the name of what it adds."""

    def __init__(self, weights: Weights, epsilon: float) -> None:
        self.weights = weights
        self.epsilon = epsilon
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, NDArray[np.generic]] = {}

    def constant(self, name: str, value: NDArray[np.generic] | None = None) -> str:
        self.constants[name] = self.weights[name] if value is None else value
        return name

    def number(self, value: np.generic) -> str:
        return self.constant(f"{value.dtype}:{value}", np.array(value))

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        output = f"{operator}_{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(operator, list(inputs), [output], domain=domain, **attributes)
        )
        return output

    def product(self, x: str, name: str) -> str:
        """Rows of x times a layer's transposed weights, without its bias."""
        turned = self.weights[f"{name}.weight"].T.copy()
        return self.node("MatMul", x, self.constant(f"{name}.turned", turned))

    def norm(self, x: str, name: str, *, skip: str, bias: str = "") -> str:
        """Layer normalisation of x + skip + bias."""
        inputs = [x, skip, *(self.constant(f"{name}.{part}") for part in ("weight", "bias"))]
        if bias:
            inputs.append(self.constant(bias))
        return self.node("SkipLayerNormalization", *inputs, domain=_CONTRIB, epsilon=self.epsilon)

    def distance_bias(self, made: Architecture) -> str:
        """Biases of each head for distances, shape (1, heads, sequence, sequence)."""
        buckets = distance_buckets(made["n_buckets"], made["n_positions"])
        table = self.weights["encoder.relative_attention_bias.weight"][buckets]
        rows, columns = (
            self.node("Unsqueeze", "positions", self.constant(f"axis{k}", np.array([k])))
            for k in (1, 0)
        )
        distance = self.node("Sub", columns, rows)
        place = self.node("Add", distance, self.number(np.int64(made["n_positions"] - 1)))
        found = self.node("Gather", self.constant("distances", table), place)
        turned = self.node("Transpose", found, perm=[2, 0, 1])
        return self.node("Unsqueeze", turned, self.constant("axis0", np.array([0])))


def build_graph(weights: Weights, made: Architecture) -> bytes:
    """Return a serialised ONNX model.

    Its inputs ``ids``, ``sides`` (int64; 0 for the source's word pieces, 1 for the target's) and
    ``mask`` (int32; 0 where padded) have the shape (batch, sequence), ``positions`` (int64) has
    (sequence,). Its output ``states`` has shape (batch, sequence, width): the last layer's states.

    `weights` (mapping of str to float32 array): named as in BERT's checkpoints.
    """
    graph = _Graph(weights, made["epsilon"])
    words, places = _embeddings(graph)
    bias = graph.distance_bias(made) if made["n_buckets"] else ""
    # The layers work on the rows of all sequences at once; only attention separates sequences.
    shape = graph.node(
        "Concat", graph.node("Shape", "ids"), graph.constant("width", np.array([made["width"]])),
        axis=0,
    )  # fmt: skip
    rows = graph.constant("rows", np.array([-1, made["width"]]))
    x = graph.node("Reshape", graph.norm(words, "embeddings.LayerNorm", skip=places), rows)
    for layer in range(made["n_layers"]):
        name = f"encoder.layer.{layer}"
        parts = [f"{name}.attention.self.{part}" for part in ("query", "key", "value")]
        three = [graph.node("Reshape", graph.product(x, part), shape) for part in parts]
        biases = graph.constant(
            f"{name}.biases", np.concatenate([weights[f"{part}.bias"] for part in parts])
        )
        attended = graph.node(
            "MultiHeadAttention", *three, biases, "mask", *([bias] if bias else []),
            domain=_CONTRIB, num_heads=made["n_heads"],
        )  # fmt: skip
        x = _after_attention(graph, name, x, graph.node("Reshape", attended, rows))
    graph.nodes.append(helper.make_node("Reshape", [x, shape], ["states"]))
    # onnx copies the model several times; the weights are freed here unless the caller keeps them.
    del weights
    graph.weights = {}
    return _serialised(graph)


def _embeddings(graph: _Graph) -> tuple[str, str]:
    """Add the embeddings of words, positions and sides, shape (batch, sequence, width)."""
    words = graph.node("Gather", graph.constant("embeddings.word_embeddings.weight"), "ids")
    places = graph.node(
        "Gather", graph.constant("embeddings.position_embeddings.weight"), "positions"
    )
    sides = "embeddings.token_type_embeddings.weight"
    if sides in graph.weights:
        places = graph.node("Add", places, graph.node("Gather", graph.constant(sides), "sides"))
    else:
        places = graph.node("Expand", places, graph.node("Shape", words))
    return words, places


def _after_attention(graph: _Graph, name: str, x: str, attended: str) -> str:
    """Add the part of a layer after attention, for rows x."""
    out = f"{name}.attention.output"
    x = graph.norm(
        graph.product(attended, f"{out}.dense"),
        f"{out}.LayerNorm", skip=x, bias=f"{out}.dense.bias",
    )  # fmt: skip
    raised = graph.node(
        "BiasGelu", graph.product(x, f"{name}.intermediate.dense"),
        graph.constant(f"{name}.intermediate.dense.bias"), domain=_CONTRIB,
    )  # fmt: skip
    return graph.norm(
        graph.product(raised, f"{name}.output.dense"),
        f"{name}.output.LayerNorm", skip=x, bias=f"{name}.output.dense.bias",
    )  # fmt: skip


def _serialised(graph: _Graph) -> bytes:
    both = ["batch", "sequence"]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "encoder",
            [
                *(
                    helper.make_tensor_value_info(name, TensorProto.INT64, both)
                    for name in ("ids", "sides")
                ),
                helper.make_tensor_value_info("positions", TensorProto.INT64, both[1:]),
                helper.make_tensor_value_info("mask", TensorProto.INT32, both),
            ],
            [helper.make_tensor_value_info("states", TensorProto.FLOAT, [*both, "width"])],
            [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
        ),
        opset_imports=[helper.make_opsetid("", 18), helper.make_opsetid(_CONTRIB, 1)],
        ir_version=8,
    )
    serialised: bytes = model.SerializeToString()
    return serialised
