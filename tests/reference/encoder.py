"""Slow, obvious twin of the encoder: BERT in NumPy, one pair at a time, float32 throughout.

Devlin et al. (2019); the layers are those of Vaswani et al. (2017), normalised after each part.
"""

from __future__ import annotations

from math import erf

import numpy as np
from tokalign.neural.encoder import merged_weights
from tokalign.neural.wordpieces import WordPieces
from tokalign.tables import Table


class ReferenceEncoder:
    def __init__(self, encoder: Table) -> None:
        self.weights = merged_weights(encoder)
        self.scale = encoder["scale"]
        self.null_bias = encoder["null_bias"]
        self.word_pieces = WordPieces(Table.open_shipped("wordpieces"))

    def linear(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, x, name):
        centred = x - x.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return centred / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def states(self, ids, sides):
        tables = (self.weights[f"embeddings.{name}_embeddings.weight"]
                  for name in ("word", "position", "token_type"))  # fmt: skip
        words, positions, types = tables
        x = self.norm(words[ids] + positions[: len(ids)] + types[sides], "embeddings.LayerNorm")
        for k in range(6):
            layer = f"encoder.layer.{k}"
            query, key, value = (
                self.linear(x, f"{layer}.attention.self.{name}")
                for name in ("query", "key", "value")
            )
            heads = []
            for h in range(0, 384, 32):
                weights = softmax(query[:, h : h + 32] @ key[:, h : h + 32].T / np.sqrt(32))
                heads.append(weights @ value[:, h : h + 32])
            attended = self.linear(np.hstack(heads), f"{layer}.attention.output.dense")
            x = self.norm(x + attended, f"{layer}.attention.output.LayerNorm")
            raised = self.linear(x, f"{layer}.intermediate.dense")
            raised = raised * (1 + np.vectorize(erf)(raised / np.sqrt(2))) / 2
            x = self.norm(
                x + self.linear(raised, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
            )
        return x

    def probabilities(self, source, target):
        """Return the probabilities of every token's partner, NULL first, of both directions."""
        ids, sides, spans = [101], [0], ([], [])
        for side, tokens in enumerate((source, target)):
            for token in tokens:
                pieces = self.word_pieces.pieces(token)
                spans[side].append((len(ids), len(ids) + len(pieces)))
                ids += pieces
                sides += [side] * len(pieces)
            ids.append(102)
            sides.append(side)
        states = self.states(np.array(ids), np.array(sides))
        i, j = (np.array([states[a:b].mean(axis=0) for a, b in side]) for side in spans)
        w = self.weights["projection.weight"]
        cells = (i @ w[:128].T) @ (j @ w[128:256].T).T * self.scale
        of_source = i @ w[256] + self.null_bias[0]
        of_target = j @ w[257] + self.null_bias[1]
        return (
            softmax(np.column_stack([of_source, cells])),
            softmax(np.column_stack([of_target, cells.T])),
        )


def softmax(x):
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
