"""Slow, obvious twin of the encoder: BERT in NumPy, one pair at a time, float32 throughout.

Devlin et al. (2019); the layers are those of Vaswani et al. (2017), normalised after each part.
MPNet (Song et al. 2020) adds a bias for the bucket of each distance, as Raffel et al. (2020) do.
"""

from __future__ import annotations

from math import erf, log

import numpy as np
from tokalign.files.tables import Table
from tokalign.neural.architecture import architecture_of
from tokalign.neural.base import base_weights
from tokalign.neural.encoder import merged_weights
from tokalign.neural.wordpieces import WordPieces


class ReferenceStates:
    """The last layer's states of one sequence of word pieces."""

    def __init__(self, weights, made) -> None:
        self.weights = weights
        self.made = made

    def linear(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, x, name):
        centred = x - x.mean(axis=1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=1, keepdims=True) + self.made["epsilon"])
        return centred / spread * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def states(self, ids, sides):
        first, width = self.made["first_position"], self.made["width"] // self.made["n_heads"]
        x = self.weights["embeddings.word_embeddings.weight"][ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][first : first + len(ids)]
        if "embeddings.token_type_embeddings.weight" in self.weights:
            x = x + self.weights["embeddings.token_type_embeddings.weight"][sides]
        x = self.norm(x, "embeddings.LayerNorm")
        for k in range(self.made["n_layers"]):
            layer = f"encoder.layer.{k}"
            query, key, value = (
                self.linear(x, f"{layer}.attention.self.{name}")
                for name in ("query", "key", "value")
            )
            heads = []
            for h in range(self.made["n_heads"]):
                own = slice(h * width, (h + 1) * width)
                scores = query[:, own] @ key[:, own].T / np.sqrt(width)
                if self.made["n_buckets"]:
                    scores = scores + self.bias(len(ids), h)
                heads.append(softmax(scores) @ value[:, own])
            attended = self.linear(np.hstack(heads), f"{layer}.attention.output.dense")
            x = self.norm(x + attended, f"{layer}.attention.output.LayerNorm")
            raised = self.linear(x, f"{layer}.intermediate.dense")
            raised = raised * (1 + np.vectorize(erf)(raised / np.sqrt(2))) / 2
            x = self.norm(
                x + self.linear(raised, f"{layer}.output.dense"), f"{layer}.output.LayerNorm"
            )
        return x

    def bias(self, length, head):
        table = self.weights["encoder.relative_attention_bias.weight"]
        return np.array(
            [[table[bucket(to - at, len(table)), head] for to in range(length)]
             for at in range(length)]
        )  # fmt: skip


def bucket(distance, n_buckets):
    """The bucket of a distance: one each for the nearest, then ever wider ones up to 128."""
    half, exact = n_buckets // 2, n_buckets // 4
    ahead = half if distance > 0 else 0
    distance = abs(distance)
    if distance < exact:
        return ahead + distance
    return ahead + min(
        half - 1, exact + int(log(distance / exact) / log(128 / exact) * (half - exact))
    )


class ReferenceEncoder(ReferenceStates):
    """What a whole encoder says of a pair of token lists."""

    def __init__(self, encoder: Table) -> None:
        made = architecture_of(encoder)
        super().__init__(merged_weights(encoder), made)
        self.scale = encoder["scale"]
        self.null_bias = encoder["null_bias"]
        self.word_pieces = WordPieces(Table.open_shipped(made["vocabulary"]), made)

    def probabilities(self, source, target):
        """Return the probabilities of every token's partner, NULL first, of both directions."""
        ids, sides, spans = [self.made["begin"]], [0], ([], [])
        for side, tokens in enumerate((source, target)):
            for token in tokens:
                pieces = self.word_pieces.pieces(token)
                spans[side].append((len(ids), len(ids) + len(pieces)))
                ids += pieces
                sides += [side] * len(pieces)
            n_ends = self.made["n_separators"] if side == 0 else 1
            ids += [self.made["end"]] * n_ends
            sides += [side] * n_ends
        states = self.states(np.array(ids), np.array(sides))
        i, j = (np.array([states[a:b].mean(axis=0) for a, b in side]) for side in spans)
        w = self.weights["projection.weight"]
        n = (len(w) - 2) // 2
        cells = (i @ w[:n].T) @ (j @ w[n : 2 * n].T).T * self.scale
        of_source = i @ w[-2] + self.null_bias[0]
        of_target = j @ w[-1] + self.null_bias[1]
        return (
            softmax(np.column_stack([of_source, cells])),
            softmax(np.column_stack([of_target, cells.T])),
        )


class ReferenceSentences(ReferenceStates):
    """Vectors of texts by the base weights as they are, one text at a time."""

    def __init__(self, encoder: Table) -> None:
        made = architecture_of(encoder)
        super().__init__(base_weights(made["base"]), made)
        self.word_pieces = WordPieces(Table.open_shipped(made["vocabulary"]), made)

    def vector(self, text):
        """Return the mean of a text's states, of length 1."""
        pieces = [piece for word in text.split() for piece in self.word_pieces.pieces(word)]
        ids = np.array([self.made["begin"], *pieces, self.made["end"]])
        mean = self.states(ids, np.zeros_like(ids)).mean(axis=0)
        return mean / np.sqrt((mean**2).sum())


def softmax(x):
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
