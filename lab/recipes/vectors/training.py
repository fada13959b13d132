"""Training of word vectors: words that are listed as the same, or linked, come closer.

A word's vector is a linear map of what GloVe and MiniLM know of it, plus an offset of its own, of
length 1. Two losses bend it. Pairs that PPDB or WordNet list (synonyms, derivations, pertainyms)
are to be closer to each other than to the other words of their batch; and among the content words
of two aligned sentences that have no twin on the other side, the linked ones are to be close.

References
----------
Wieting et al. (2015), "From paraphrase database to compositional paraphrase model and back"; van
den Oord et al. (2018), "Representation learning with contrastive predictive coding", equation 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from tokalign.english.annotate import load_annotator
from tokalign.english.lexicon.lexical_resources import read_pairs
from tokalign.english.lexicon.stems import stem
from tokalign.english.lexicon.word_lists import function_words
from tokalign.model.training.examples import annotate_gold
from tokalign.types import GoldPair
from torch.nn import functional

from lab.recipes.wordnet import read_synsets

N_DIMENSIONS = 64
N_STEPS = 1_200
BATCH = 512
SENTENCES = 128
"""Aligned sentence pairs per step."""
TEMPERATURE = 0.07
STAY = 1e-3
"""Weight of the squared distance from the start."""
LINKS_WEIGHT = 3.0
"""Of the loss on aligned sentences, beside the loss on listed pairs."""

LabelledPairs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
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


def candidates(gold: Sequence[GoldPair], index: Index) -> list[LabelledPairs]:
    """Return the word pairs that may be linked, of each sentence pair that has links.

    Each is three arrays of one length: the rows of both words, and 1 for a link (sure or
    possible) or 0. Function words, and words whose stem the other sentence has, are left out.
    """
    function = frozenset(function_words())
    found = []
    for pair, sentences in zip(
        gold, annotate_gold(gold, load_annotator("native"), trees=False), strict=True
    ):
        stems = [{stem(token.lower()) for token in each.tokens} for each in sentences]
        sides = []
        for sentence, others in zip(sentences, reversed(stems), strict=True):
            words = [token.lower() for token in sentence.tokens]
            rows = [
                index.get(word, index.get((lemma or word).lower(), -1))
                for word, lemma in zip(words, sentence.lemmas or words, strict=True)
            ]
            sides.append([
                (k, row) for k, (word, row) in enumerate(zip(words, rows, strict=True))
                if row >= 0 and word.isalpha() and word not in function and stem(word) not in others
            ])  # fmt: skip
        linked = pair.sure | pair.possible
        cells = [
            (a, b, (i, j) in linked) for i, a in sides[0] for j, b in sides[1] if a != b
        ]  # fmt: skip
        if any(is_link for _, _, is_link in cells):
            a, b, labels = zip(*cells, strict=True)
            found.append((np.array(a), np.array(b), np.array(labels, dtype=np.float32)))
    return found


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
        self.calibration = torch.nn.Parameter(torch.tensor([10.0, -4.0]))

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


def _links(words: _Words, sentences: Sequence[LabelledPairs]) -> torch.Tensor:
    """Return the cross-entropy of being linked, from the cosine."""
    a, b, labels = (np.concatenate(column) for column in zip(*sentences, strict=True))
    cosines = (words(a) * words(b)).sum(1)
    logits = cosines * words.calibration[0] + words.calibration[1]
    return functional.binary_cross_entropy_with_logits(logits, torch.from_numpy(labels))


def train_vectors(
    encodings: NDArray[np.float32], pairs: NDArray[np.int64], sentences: Sequence[LabelledPairs],
    *, seed: int = 0, n_steps: int = N_STEPS,
) -> NDArray[np.float32]:  # fmt: skip
    """Return the trained vectors, shape (n_words, N_DIMENSIONS), each of length 1.

    Parameters
    ----------
    encodings : float32 array, shape (n_words, n_features)
    pairs : int64 array, shape (n_pairs, 2)
        Rows of words that mean the same.
    sentences : sequence of LabelledPairs
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    generator = np.random.default_rng(seed)
    words = _Words(encodings)
    both = np.concatenate([pairs, pairs[:, ::-1]])
    listed = np.sort(both[:, 0] * len(encodings) + both[:, 1])
    dense = torch.optim.Adam(
        [{"params": [words.map], "lr": 2e-3}, {"params": [words.calibration], "lr": 2e-2}]
    )
    sparse = torch.optim.SparseAdam(list(words.offset.parameters()), lr=5e-3)
    for _ in range(n_steps):
        batch = both[generator.integers(0, len(both), BATCH)]
        chosen = [sentences[k] for k in generator.integers(0, len(sentences), SENTENCES)]
        loss = _contrast(words, batch, listed) + LINKS_WEIGHT * _links(words, chosen)
        loss = loss + STAY * words.distance(batch)
        for optimiser in (dense, sparse):
            optimiser.zero_grad()
        loss.backward()
        for optimiser in (dense, sparse):
            optimiser.step()
    with torch.no_grad():
        chunks = np.array_split(np.arange(len(encodings)), 1 + len(encodings) // 8192)
        return np.concatenate([words(chunk).numpy() for chunk in chunks])
