"""The encoder in PyTorch, as it is trained: frozen weights plus low-rank differences.

Only training imports this. `tests/neural` compares it with the graph that runs elsewhere.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from tokalign.neural.base import SHA256, base_weights
from tokalign.neural.graph import EPSILON, N_HEADS, N_LAYERS
from tokalign.neural.wordpieces import Sequence2
from tokalign.tables import Table
from torch import Tensor, nn
from torch.nn import functional

RANK = 16
WIDTH = 384
SCORE_WIDTH = 128
"""Dimensions of the space where a source and a target token are compared."""
DROPOUT = 0.1
SHARPNESS = 0.7
"""Scale of the scores at the start."""

_PARTS = ("attention.self.query", "attention.self.key", "attention.self.value",
          "attention.output.dense", "intermediate.dense", "output.dense")  # fmt: skip
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")


class LowRank(nn.Module):
    """A frozen linear layer plus ``up @ down``; nothing is added at the start."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.bias = nn.Parameter(bias, requires_grad=False)
        n_out, n_in = weight.shape
        self.down = nn.Parameter(torch.randn(RANK, n_in) / math.sqrt(n_in))
        self.up = nn.Parameter(torch.zeros(n_out, RANK))

    def forward(self, x: Tensor) -> Tensor:
        fixed = functional.linear(x, self.weight.to(x.dtype), self.bias.to(x.dtype))
        return fixed + functional.linear(functional.linear(x, self.down), self.up)


class Layer(nn.Module):
    """One layer of BERT."""

    def __init__(self, weights: dict[str, Tensor], name: str) -> None:
        super().__init__()
        self.parts = nn.ModuleList(
            LowRank(weights[f"{name}.{part}.weight"], weights[f"{name}.{part}.bias"])
            for part in _PARTS
        )
        self.norms = [
            (weights[f"{name}.{norm}.weight"], weights[f"{name}.{norm}.bias"]) for norm in _NORMS
        ]

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        query, key, value, out, raised, lowered = self.parts
        shape = (*x.shape[:2], N_HEADS, -1)
        heads = [part(x).view(shape).transpose(1, 2) for part in (query, key, value)]
        attended = functional.scaled_dot_product_attention(
            heads[0], heads[1], heads[2], attn_mask=mask
        )
        x = self._normed(x, out(attended.transpose(1, 2).reshape(x.shape)), 0)
        return self._normed(x, lowered(functional.gelu(raised(x))), 1)

    def _normed(self, x: Tensor, change: Tensor, which: int) -> Tensor:
        change = functional.dropout(change, DROPOUT, self.training)
        scale, bias = self.norms[which]
        return functional.layer_norm((x + change).float(), (WIDTH,), scale, bias, EPSILON)


class TorchEncoder(nn.Module):
    """The encoder and its scores.

    Parameters
    ----------
    start : Table, optional
        An encoder to go on from.
    """

    def __init__(self, start: Table | None = None) -> None:
        super().__init__()
        weights = {name: torch.tensor(value) for name, value in base_weights().items()}
        tables = (
            f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type")
        )
        self.embeddings = [weights[name] for name in tables]
        self.norm = [weights[f"embeddings.LayerNorm.{name}"] for name in ("weight", "bias")]
        self.layers = nn.ModuleList(Layer(weights, f"encoder.layer.{k}") for k in range(N_LAYERS))
        # Both sides begin with one random projection, which keeps inner products.
        projection = torch.linalg.qr(torch.randn(WIDTH, SCORE_WIDTH))[0].T
        projection = projection * math.sqrt(WIDTH / SCORE_WIDTH)
        self.source = nn.Parameter(projection.clone())
        self.target = nn.Parameter(projection.clone())
        self.null_source = nn.Parameter(torch.zeros(WIDTH))
        self.null_target = nn.Parameter(torch.zeros(WIDTH))
        self.null_bias = nn.Parameter(torch.zeros(2))
        self.scale = nn.Parameter(torch.tensor(1.0))
        if start is not None:
            self._take(start)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return scores of cells, and of NULL for source and target tokens, padded."""
        words, positions, sides = self.embeddings
        x = words[batch.ids] + positions[: batch.ids.shape[1]] + sides[batch.sides]
        x = functional.layer_norm(x, (WIDTH,), self.norm[0], self.norm[1], EPSILON)
        x = functional.dropout(x, DROPOUT, self.training)
        for layer in self.layers:
            x = layer(x, batch.mask[:, None, None, :])
        x = x.float()
        source, target = batch.source @ x, batch.target @ x
        cells = (source @ self.source.T) @ (target @ self.target.T).transpose(1, 2)
        return (
            cells * self.scale * SHARPNESS,
            source @ self.null_source + self.null_bias[0],
            target @ self.null_target + self.null_bias[1],
        )

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return what an encoder's table holds."""
        projection = [self.source, self.target, self.null_source[None], self.null_target[None]]
        scale = (self.scale.detach() * SHARPNESS).reshape(1)
        return {
            **{
                f"encoder.layer.{k}.{name}.{half}": _float16(getattr(part, half))
                for k, layer in enumerate(self.layers)
                for name, part in zip(_PARTS, layer.parts, strict=True)
                for half in ("up", "down")
            },
            "projection": _float16(torch.cat(projection)),
            "null_bias": self.null_bias.detach().numpy().copy(),
            "scale": scale.numpy().copy(),
        }

    def _take(self, start: Table) -> None:
        with torch.no_grad():
            for k, layer in enumerate(self.layers):
                for name, part in zip(_PARTS, layer.parts, strict=True):
                    for half in ("up", "down"):
                        getattr(part, half).copy_(
                            _tensor(start[f"encoder.layer.{k}.{name}.{half}"])
                        )
            parts = _tensor(start["projection"]).split([SCORE_WIDTH, SCORE_WIDTH, 1, 1])
            for parameter, value in zip(
                (self.source, self.target, self.null_source, self.null_target), parts, strict=True
            ):
                parameter.copy_(value.reshape(parameter.shape))
            self.null_bias.copy_(_tensor(start["null_bias"]))
            self.scale.copy_(_tensor(start["scale"])[0] / SHARPNESS)


def _float16(value: Tensor) -> NDArray[np.float16]:
    return np.asarray(value.detach().numpy(), dtype=np.float16)


def _tensor(value: NDArray[np.generic]) -> Tensor:
    return torch.tensor(np.asarray(value, dtype=np.float32))


class Batch:
    """Padded sequences.

    Attributes
    ----------
    ids, sides : int64 tensor, shape (batch, sequence)
    mask : bool tensor, shape (batch, sequence)
    source, target : float32 tensor, shape (batch, tokens, sequence)
        Averages the pieces of every token.
    has_source, has_target : bool tensor, shape (batch, tokens)
        Where there is a token.
    gold : bool tensor, shape (batch, source tokens, target tokens)
    """

    def __init__(
        self, sequences: Sequence[Sequence2], links: Sequence[frozenset[tuple[int, int]]]
    ) -> None:
        shape = len(sequences), max(map(len, sequences))
        n_source, n_target = (
            max(len(getattr(sequence, side)) - 1 for sequence in sequences)
            for side in ("source", "target")
        )
        self.ids = torch.zeros(shape, dtype=torch.long)
        self.sides = torch.zeros(shape, dtype=torch.long)
        self.mask = torch.zeros(shape, dtype=torch.bool)
        self.source = torch.zeros(shape[0], n_source, shape[1])
        self.target = torch.zeros(shape[0], n_target, shape[1])
        self.gold = torch.zeros(shape[0], n_source, n_target, dtype=torch.bool)
        for k, (sequence, pairs) in enumerate(zip(sequences, links, strict=True)):
            self.ids[k, : len(sequence)] = torch.from_numpy(sequence.ids)
            self.sides[k, sequence.n_first : len(sequence)] = 1
            self.mask[k, : len(sequence)] = True
            for means, starts in (
                (self.source, sequence.source), (self.target, sequence.target)
            ):  # fmt: skip
                for token, (begin, end) in enumerate(itertools.pairwise(starts)):
                    means[k, token, begin:end] = 1 / (end - begin)
            for i, j in pairs:
                self.gold[k, i, j] = True
        self.has_source = self.source.any(dim=2)
        self.has_target = self.target.any(dim=2)


def loss(encoder: TorchEncoder, batch: Batch) -> Tensor:
    """Return the summed loss of every token of both sides, in nats.

    A token's loss is minus the log of the probability that its gold partners have together, NULL
    being the partner of tokens without any.
    """
    cells, of_source, of_target = encoder(batch)
    total = torch.zeros(())
    for scores, null, tokens, partners, gold in (
        (cells, of_source, batch.has_source, batch.has_target, batch.gold),
        (cells.transpose(1, 2), of_target, batch.has_target, batch.has_source,
         batch.gold.transpose(1, 2)),
    ):  # fmt: skip
        scores = scores.masked_fill(~partners[:, None, :], -1e4)
        labels = torch.cat([null[..., None], scores], -1)
        right = torch.cat([~gold.any(-1, keepdim=True), gold], -1)
        lost = torch.logsumexp(labels, -1) - torch.logsumexp(labels.masked_fill(~right, -1e4), -1)
        total = total + lost[tokens].sum()
    return total


def header_meta() -> dict[str, object]:
    """Return what an encoder's table says about itself."""
    return {"base": SHA256, "rank": RANK}
