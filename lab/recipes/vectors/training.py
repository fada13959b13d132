"""Training of word vectors: words that are listed as the same come closer.

A word's vector is a linear map of what GloVe and MiniLM know of it, plus an offset of its own, of
length 1. Pairs that PPDB or WordNet list (synonyms, derivations, pertainyms) are to be closer to
each other than to the other words of their batch. No aligned sentences are read: a model that is
trained on the same ones would trust their vectors too much.

References
----------
Wieting et al. (2015), "From paraphrase database to compositional paraphrase model and back"; van
den Oord et al. (2018), "Representation learning with contrastive predictive coding", equation 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokalign.english.lexicon.lexical_resources import read_pairs
from torch.nn import functional

from lab.recipes.wordnet import read_synsets

N_DIMENSIONS = 64
N_STEPS = 1_200
BATCH = 512
TEMPERATURE = 0.07
STAY = 1e-3
"""Weight of the squared distance from the start."""
Index = Mapping[str, int]


def listed_pairs(ppdb: Path, wordnet: Path, index: Index) -> NDArray[np.int64]:
    """Return pairs of rows whose words are listed as paraphrases, shape (n_pairs, 2), sorted."""
    pairs = {
        (a.lower(), b.lower()) for a, b in read_pairs(ppdb) if not any(map(str.isdigit, a + b))
    }
    synsets = read_synsets(wordnet)
    for synset in synsets.values():
        pairs.update((a, b) for a in synset.words for b in synset.words if a < b)
        for name, word, key, other in synset.lexical:
            if name in ("derived", "pertainym") and key in synsets:
                pairs.add((synset.words[word], synsets[key].words[other]))
    rows = {(index[a], index[b]) for a, b in pairs if a in index and b in index and a != b}
    return np.array(sorted(rows), dtype=np.int64)


class _Words(torch.nn.Module):
    """Unit vectors of words: a linear map of fixed encodings plus an offset each."""

    def __init__(self, encodings: NDArray[np.float32]) -> None:
        super().__init__()
        _, axes = np.linalg.eigh(encodings.T.astype(np.float64) @ encodings)
        start = axes[:, ::-1][:, :N_DIMENSIONS].astype(np.float32)
        self.encodings = torch.from_numpy(encodings)
        self.start = torch.from_numpy(start.copy())
        self.map = torch.nn.Parameter(self.start.clone())
        self.offset = torch.nn.Embedding(len(encodings), N_DIMENSIONS, sparse=True)
        torch.nn.init.zeros_(self.offset.weight)

    def forward(self, rows: NDArray[np.int64]) -> torch.Tensor:
        at = torch.from_numpy(np.ascontiguousarray(rows))
        return functional.normalize(self.encodings[at] @ self.map + self.offset(at), dim=1)

    def distance(self, rows: NDArray[np.int64]) -> torch.Tensor:
        """Return the squared distance of the map and of some offsets from the start."""
        moved: torch.Tensor = ((self.map - self.start) ** 2).sum()
        return moved + (self.offset(torch.from_numpy(np.unique(rows))) ** 2).sum()


def _contrast(words: _Words, batch: NDArray[np.int64], listed: NDArray[np.int64]) -> torch.Tensor:
    """Return the loss of listed pairs against the other pairs of their batch, both ways."""
    a, b = batch[:, 0], batch[:, 1]
    width = len(words.encodings)
    keys = a[:, None] * width + b
    at = np.minimum(np.searchsorted(listed, keys), len(listed) - 1)
    hidden = (listed[at] == keys) | (a[:, None] == b)  # true of each other, so no contrast
    np.fill_diagonal(hidden, False)
    scores = words(a) @ words(b).T / TEMPERATURE
    scores = scores.masked_fill(torch.from_numpy(hidden), -1e4)
    own = torch.arange(len(batch))
    loss = functional.cross_entropy(scores, own) + functional.cross_entropy(scores.T, own)
    return loss / 2


def train_vectors(
    encodings: NDArray[np.float32], pairs: NDArray[np.int64], *, seed: int = 0,
    n_steps: int = N_STEPS,
) -> NDArray[np.float32]:  # fmt: skip
    """Return the trained vectors, shape (n_words, N_DIMENSIONS), each of length 1.

    Parameters
    ----------
    encodings : float32 array, shape (n_words, n_features)
    pairs : int64 array, shape (n_pairs, 2)
        Rows of words that mean the same.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    generator = np.random.default_rng(seed)
    words = _Words(encodings)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    listed = np.sort(both[:, 0] * len(encodings) + both[:, 1])
    dense = torch.optim.Adam([words.map], lr=2e-3)
    sparse = torch.optim.SparseAdam(list(words.offset.parameters()), lr=5e-3)
    for _ in range(n_steps):
        batch = both[generator.integers(0, len(both), BATCH)]
        loss = _contrast(words, batch, listed) + STAY * words.distance(batch)
        for optimiser in (dense, sparse):
            optimiser.zero_grad()
        loss.backward()
        for optimiser in (dense, sparse):
            optimiser.step()
    with torch.no_grad():
        chunks = np.array_split(np.arange(len(encodings)), 1 + len(encodings) // 8192)
        return np.concatenate([words(chunk).numpy() for chunk in chunks])
