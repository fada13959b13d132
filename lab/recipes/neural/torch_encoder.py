"""The encoder in PyTorch, as it is trained: frozen weights plus low-rank differences.

Only training imports this. `tests/neural` compares it with the graph that runs elsewhere.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from tokalign.features.feature_groups import Encoded
from tokalign.files.tables import Table
from tokalign.neural.architecture import Architecture, distance_buckets
from tokalign.neural.base import Weights
from tokalign.neural.wordpieces import Sequence2
from torch import Tensor, nn
from torch.nn import functional

RANK = 16
SCORE_WIDTH = 128
"""Dimensions of the space where a source and a target token are compared."""
DROPOUT = 0.1
SHARPNESS = 0.7
"""Scale of the scores at the start."""
TAUGHT = -1
"""Number of the corpus of pairs without links."""

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
        if self.weight.dtype == torch.bfloat16:
            x = x.bfloat16()
        fixed = functional.linear(x, self.weight.to(x.dtype), self.bias.to(x.dtype))
        return fixed + functional.linear(functional.linear(x, self.down), self.up)


class Layer(nn.Module):
    """One layer of BERT."""

    def __init__(self, weights: dict[str, Tensor], name: str, made: Architecture) -> None:
        super().__init__()
        self.n_heads, self.epsilon = made["n_heads"], made["epsilon"]
        self.parts = nn.ModuleList(
            LowRank(weights[f"{name}.{part}.weight"], weights[f"{name}.{part}.bias"])
            for part in _PARTS
        )
        self.norms = [
            (weights[f"{name}.{norm}.weight"], weights[f"{name}.{norm}.bias"]) for norm in _NORMS
        ]

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        query, key, value, out, raised, lowered = self.parts
        shape = (*x.shape[:2], self.n_heads, -1)
        heads = [part(x).view(shape).transpose(1, 2) for part in (query, key, value)]
        attended = _attend(heads[0], heads[1], heads[2], mask)
        x = self._normed(x, out(attended.transpose(1, 2).reshape(x.shape)), 0)
        return self._normed(x, lowered(functional.gelu(raised(x))), 1)

    def _normed(self, x: Tensor, change: Tensor, which: int) -> Tensor:
        change = functional.dropout(change, DROPOUT, self.training)
        scale, bias = self.norms[which]
        return functional.layer_norm((x + change).float(), scale.shape, scale, bias, self.epsilon)


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of values, weighted by a softmax of scaled products plus a mask."""
    if mask.dtype == torch.bool:
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    # PyTorch's own is slow for bfloat16 with a mask of numbers.
    scores = (query @ key.transpose(-1, -2)).float() / math.sqrt(query.shape[-1]) + mask
    return scores.softmax(-1).to(value.dtype) @ value


class TorchEncoder(nn.Module):
    """The encoder and its scores.

    Parameters
    ----------
    made : Architecture
    base : mapping of str to float32 array
        The base encoder's weights, as tokalign.neural.base.base_weights gives them.
    start : Table, optional
        An encoder of that architecture to go on from.
    n_corpora : int
        Annotators differ in what they leave unlinked, so every corpus has a NULL of its own while
        the encoder is trained, and pairs without links another one; the mean of the corpora's is
        written.
    """

    def __init__(
        self, made: Architecture, base: Weights, start: Table | None = None, n_corpora: int = 1
    ) -> None:
        super().__init__()
        self.made = made
        width = made["width"]
        score_width = min(SCORE_WIDTH, width)
        weights = {name: torch.tensor(value) for name, value in base.items()}
        self.words, self.positions = (
            weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position")
        )
        self.sides = weights.get("embeddings.token_type_embeddings.weight")
        self.norm = [weights[f"embeddings.LayerNorm.{name}"] for name in ("weight", "bias")]
        self.distances: Tensor | None = None
        if made["n_buckets"]:
            buckets = distance_buckets(made["n_buckets"], made["n_positions"])
            self.distances = weights["encoder.relative_attention_bias.weight"][buckets]
        self.layers = nn.ModuleList(
            Layer(weights, f"encoder.layer.{k}", made) for k in range(made["n_layers"])
        )
        # Both sides begin with one random projection, which keeps inner products.
        projection = torch.linalg.qr(torch.randn(width, score_width))[0].T
        projection = projection * math.sqrt(width / score_width)
        self.source = nn.Parameter(projection.clone())
        self.target = nn.Parameter(projection.clone())
        self.null_source = nn.Parameter(torch.zeros(n_corpora + 1, width))
        self.null_target = nn.Parameter(torch.zeros(n_corpora + 1, width))
        self.null_bias = nn.Parameter(torch.zeros(n_corpora + 1, 2))
        self.scale = nn.Parameter(torch.tensor(1.0))
        if start is not None:
            self._take(start)

    def forward(self, batch: TensorBatch) -> tuple[Tensor, Tensor, Tensor]:
        """Return scores of cells, and of NULL for source and target tokens, padded."""
        x = self.states(batch)
        source, target = batch.source @ x, batch.target @ x
        cells = (source @ self.source.T) @ (target @ self.target.T).transpose(1, 2)
        return (
            cells * self.scale * SHARPNESS,
            _rows_times(source, self.null_source[batch.corpus]) + self.null_bias[batch.corpus, :1],
            _rows_times(target, self.null_target[batch.corpus]) + self.null_bias[batch.corpus, 1:],
        )

    def round_frozen(self) -> None:
        """Keep the frozen weights in bfloat16, as autocast would round them at every step."""
        for part in self.modules():
            if isinstance(part, LowRank):
                part.weight.data = part.weight.data.bfloat16()
                part.bias.data = part.bias.data.bfloat16()

    def states(self, batch: TensorBatch) -> Tensor:
        """Return the last layer's states, shape (batch, sequence, width)."""
        first, length = self.made["first_position"], batch.ids.shape[1]
        x = self.words[batch.ids] + self.positions[first : first + length]
        if self.sides is not None:
            x = x + self.sides[batch.sides]
        x = functional.layer_norm(
            x, self.norm[0].shape, self.norm[0], self.norm[1], self.made["epsilon"]
        )
        x, mask = functional.dropout(x, DROPOUT, self.training), self._mask(batch)
        for layer in self.layers:
            x = layer(x, mask)
        return x.float()

    def _mask(self, batch: TensorBatch) -> Tensor:
        mask = batch.mask[:, None, None, :]
        if self.distances is None:
            return mask
        places = torch.arange(batch.ids.shape[1])
        distance = places[None, :] - places[:, None] + self.made["n_positions"] - 1
        bias = self.distances[distance].permute(2, 0, 1)[None]
        return bias.masked_fill(~mask, -1e4)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return what an encoder's table holds."""
        nulls = (
            each[:TAUGHT].mean(0, keepdim=True) for each in (self.null_source, self.null_target)
        )
        projection = [self.source, self.target, *nulls]
        scale = (self.scale.detach() * SHARPNESS).reshape(1)
        return {
            **{name: _float16(value) for name, value in self._differences()},
            "projection": _float16(torch.cat(projection)),
            "null_bias": self.null_bias.detach()[:TAUGHT].mean(0).numpy().copy(),
            "scale": scale.numpy().copy(),
        }

    def _differences(self) -> Iterator[tuple[str, Tensor]]:
        """Yield the layers' matrices by their names in a table."""
        for k, layer in enumerate(self.layers):
            for name, part in zip(_PARTS, layer.parts, strict=True):
                for half in ("up", "down"):
                    yield f"encoder.layer.{k}.{name}.{half}", getattr(part, half)

    def _take(self, start: Table) -> None:
        with torch.no_grad():
            for name, value in self._differences():
                value.copy_(_tensor(start[name]))
            n = len(self.source)
            parts = _tensor(start["projection"]).split([n, n, 1, 1])
            for parameter, value in zip(
                (self.source, self.target, self.null_source, self.null_target), parts, strict=True
            ):
                parameter.copy_(value)
            self.null_bias.copy_(_tensor(start["null_bias"]))
            self.scale.copy_(_tensor(start["scale"])[0] / SHARPNESS)


def _rows_times(rows: Tensor, vectors: Tensor) -> Tensor:
    """Return each batch's rows times its vector, shape (batch, rows)."""
    return torch.einsum("brw,bw->br", rows, vectors)


def _float16(value: Tensor) -> NDArray[np.float16]:
    return np.asarray(value.detach().numpy(), dtype=np.float16)


def _tensor(value: NDArray[np.generic]) -> Tensor:
    return torch.tensor(np.asarray(value, dtype=np.float32))


class TensorBatch:
    """Padded sequences.

    Attributes
    ----------
    ids, sides : int64 tensor, shape (batch, sequence)
    mask : bool tensor, shape (batch, sequence)
    source, target : float32 tensor, shape (batch, tokens, sequence)
        Averages the pieces of every token.
    has_source, has_target : bool tensor, shape (batch, tokens)
        Where there is a token.
    corpus : int64 tensor, shape (batch,)
    gold : bool tensor, shape (batch, source tokens, target tokens)
    is_taught : bool tensor, shape (batch,)
        Whether a teacher stands for the gold.
    of_source : float32 tensor, shape (batch, source tokens, 1 + target tokens)
    of_target : float32 tensor, shape (batch, target tokens, 1 + source tokens)
        Probability of each partner by the teacher, NULL first.
    """

    def __init__(
        self,
        sequences: Sequence[Sequence2],
        links: Sequence[frozenset[tuple[int, int]]],
        corpora: Sequence[int],
        said: Sequence[Encoded | None] = (),
    ) -> None:
        self.corpus = torch.tensor(corpora)
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
        self.is_taught = torch.zeros(shape[0], dtype=torch.bool)
        self.of_source = torch.zeros(shape[0], n_source, 1 + n_target)
        self.of_target = torch.zeros(shape[0], n_target, 1 + n_source)
        for k, both in enumerate(said):
            if both is not None:
                self.is_taught[k] = True
                for probabilities, logs in zip((self.of_source, self.of_target), both, strict=True):
                    probabilities[k, : logs.shape[0], : logs.shape[1]] = _tensor(logs).exp()


def loss(encoder: TorchEncoder, batch: TensorBatch) -> Tensor:
    """Return the summed loss of every token of both sides, in nats.

    A token's loss is minus the log of the probability that its gold partners have together, NULL
    being the partner of tokens without any. Where a teacher stands for the gold, it is the cross
    entropy of the teacher's probabilities with the encoder's.
    """
    cells, of_source, of_target = encoder(batch)
    total = torch.zeros(())
    for scores, null, tokens, partners, gold, taught in (
        (cells, of_source, batch.has_source, batch.has_target, batch.gold, batch.of_source),
        (cells.transpose(1, 2), of_target, batch.has_target, batch.has_source,
         batch.gold.transpose(1, 2), batch.of_target),
    ):  # fmt: skip
        scores = scores.masked_fill(~partners[:, None, :], -1e4)
        labels = torch.cat([null[..., None], scores], -1)
        right = torch.cat([~gold.any(-1, keepdim=True), gold], -1)
        wanted = torch.where(
            batch.is_taught[:, None],
            (taught * labels).sum(-1),
            torch.logsumexp(labels.masked_fill(~right, -1e4), -1),
        )
        lost = torch.logsumexp(labels, -1) - wanted
        total = total + lost[tokens].sum()
    return total


def header_meta(made: Architecture) -> dict[str, object]:
    """Return what an encoder's table says about itself."""
    return {"architecture": made, "rank": RANK}
