"""Small random weights of an encoder of any make."""

import numpy as np
from tokalign.neural.encoder import POSITIONS, checked_weights

N_WORDS = 120


def random_weights(made):
    """Weights of every part, large enough that each of them shows in the states."""
    rng = np.random.default_rng(5)
    width, inner = made["width"], 4 * made["width"]

    def some(*shape, middle=0.0):
        return (middle + 0.3 * rng.standard_normal(shape)).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": some(N_WORDS, width),
        POSITIONS: some(made["n_positions"] + made["first_position"], width),
        "projection.weight": np.eye(width, dtype=np.float32),
    }
    if made["n_buckets"]:
        weights["encoder.relative_attention_bias.weight"] = 3 * some(
            made["n_buckets"], made["n_heads"]
        )
    else:
        weights["embeddings.token_type_embeddings.weight"] = some(2, width)
    norms = ["embeddings.LayerNorm"]
    for k in range(made["n_layers"]):
        layer = f"encoder.layer.{k}"
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
        for part, shape in (
            *((f"attention.self.{each}", (width, width)) for each in ("query", "key", "value")),
            ("attention.output.dense", (width, width)),
            ("intermediate.dense", (inner, width)),
            ("output.dense", (width, inner)),
        ):
            weights[f"{layer}.{part}.weight"] = some(*shape)
            weights[f"{layer}.{part}.bias"] = some(shape[0])
    for name in norms:
        weights[f"{name}.weight"], weights[f"{name}.bias"] = some(width, middle=1.0), some(width)
    return checked_weights(weights, made) | weights
