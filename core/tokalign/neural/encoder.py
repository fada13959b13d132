"""The encoder: pairs of tokens in, log-probabilities of every token's partner out.

Vectors of sentences are means of its base's states over all word pieces, including begin and end
(Reimers and Gurevych 2019, "Sentence-BERT"). Bases were trained for this, so their weights are used
without the differences of the aligner's training.
"""

import itertools
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.errors import ResourceError
from tokalign.features.feature_groups import Encoded
from tokalign.files.tables import Table
from tokalign.neural.architecture import Architecture, architecture_of
from tokalign.neural.base import Weights, base_weights
from tokalign.neural.devices import DEFAULT_DEVICE
from tokalign.neural.layers import Layers, PairScorer, log_probabilities
from tokalign.neural.session import Session, opened
from tokalign.neural.wordpieces import Sequence2, WordPieces
from tokalign.types import Sentence
from tokalign.types.locks import ForkLock, cached_property

KEPT_SENTENCES = 8192
"""Number of cached sentence vectors: 12 MiB for MiniLM, 24 MiB for MPNet."""
KEPT_CHARACTERS = 2000


class SentenceEncoder:
    """Encodes sentences as vectors that a cosine compares. Threads may share it, and take turns.

    The vectors of the last KEPT_SENTENCES distinct sentences are cached, so that a sentence
    compared with many is encoded once.

    `session`: of the base weights.
    """

    def __init__(self, session: Layers | Session, word_pieces: WordPieces) -> None:
        self._session = session
        self._word_pieces = word_pieces
        self._kept: dict[str, NDArray[np.float32]] = {}
        self._lock = ForkLock()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of texts.

        `texts`: at least one. Word pieces beyond the encoder's positions are not read.

        They are a float32 array, shape (n_texts, width), of length 1 each, so that inner products
        are cosines.
        """
        with self._lock:
            wanted = dict.fromkeys(texts)
            # Removed here and added last below, so that the oldest come first.
            found = {text: self._kept.pop(text) for text in wanted if text in self._kept}
            missing = [text for text in wanted if text not in found]
            sequences = [self._word_pieces.of_text(text) for text in missing]
            for text, states in zip(missing, self._session.states(sequences), strict=True):
                found[text] = _direction(states)
            self._keep(found)
        return np.stack([found[text] for text in texts])

    def cosines(self, sources: Sequence[str], targets: Sequence[str]) -> NDArray[np.float64]:
        """Return the cosine of each source's vector with that of its target, in [-1, 1].

        `sources`, `targets` (sequence of str, of equal length): at least one.
        """
        vectors = self.encode([*sources, *targets])
        products = (vectors[: len(sources)] * vectors[len(sources) :]).sum(axis=1)
        return np.asarray(np.clip(products, -1.0, 1.0), dtype=np.float64)

    def _keep(self, found: dict[str, NDArray[np.float32]]) -> None:
        """Cache vectors; the least recently used are dropped."""
        self._kept.update((text, found[text]) for text in found if len(text) <= KEPT_CHARACTERS)
        for text in list(self._kept)[: max(0, len(self._kept) - KEPT_SENTENCES)]:
            del self._kept[text]


def _direction(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean of rows, scaled to length 1."""
    mean = states.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


LARGEST_NUMBER = 65504.0
"""Largest float16, the type of the shipped differences."""
WORDS = "embeddings.word_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
BUCKETS = "encoder.relative_attention_bias.weight"

ONE_THREAD = 1 << 17
"""Products of numbers that OpenBLAS does on one thread."""

Matrix: TypeAlias = NDArray[np.float32]
CellScores: TypeAlias = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]


def merged_weights(encoder: Table) -> Weights:
    """Return the base encoder's weights with an encoder's low-rank differences added.

    Hu et al. (2022), "LoRA: Low-Rank Adaptation of Large Language Models", equation 3.

    ResourceError is raised if the base encoder is missing, or is not the one that the differences
    belong to.
    """
    made = architecture_of(encoder)
    return add_differences(encoder, checked_weights(base_weights(made["base"]), made))


def checked_weights(base: Weights, made: Architecture) -> Weights:
    """Return a base encoder's weights, after checking that all are there and have the right sizes;
    raise ResourceError if one is missing or of another shape."""
    width, name = made["width"], made["base"]["name"]
    least = {WORDS: max(made["unknown"], made["begin"], made["end"]) + 1,
             POSITIONS: made["first_position"] + made["n_positions"]}  # fmt: skip
    wanted: dict[str, tuple[int | None, ...]] = {
        WORDS: (None, width), POSITIONS: (None, width), "embeddings.LayerNorm.weight": (width,),
    }  # fmt: skip
    if made["n_buckets"]:
        wanted[BUCKETS] = (made["n_buckets"], made["n_heads"])
    for layer in range(made["n_layers"]):
        place = f"encoder.layer.{layer}"
        inner = base.get(f"{place}.intermediate.dense.bias", np.empty(0)).shape[0]
        for part, shape in (
            *((f"attention.self.{part}", (width, width)) for part in ("query", "key", "value")),
            ("attention.output.dense", (width, width)), ("intermediate.dense", (inner, width)),
            ("output.dense", (width, inner)), ("attention.output.LayerNorm", (width,)),
            ("output.LayerNorm", (width,)),
        ):  # fmt: skip
            wanted[f"{place}.{part}.weight"] = shape
            wanted[f"{place}.{part}.bias"] = shape[:1]
    for each, shape in wanted.items():
        seen = base[each].shape if each in base else None
        fits = seen is not None and len(seen) == len(shape) and seen[0] >= least.get(each, 0)
        if not fits or any(b not in (None, a) for a, b in zip(seen or (), shape, strict=True)):
            raise ResourceError(
                f"{name}: {each!r} has the shape {seen}; wanted {shape} with at least "
                f"{least.get(each, 0)} rows"
            )
    return base


def add_differences(encoder: Table, base: Weights) -> Weights:
    """Return a base encoder's weights with the differences of a table added, and its projection;
    raise ResourceError if a difference does not fit a matrix of the base, or a number is not
    finite."""
    weights = dict(base)
    for name in encoder.header["arrays"]:
        matrix, mark, part = name.rpartition(".")
        if not mark or part != "up":
            continue
        target = base.get(f"{matrix}.weight")
        if target is None or target.ndim != 2:
            raise ResourceError(f"{encoder.path}: the base encoder has no matrix {matrix!r}")
        # Its rank bounds the product's cost; unequal shapes would be broadcast.
        rank = encoder[name].shape[-1] if encoder[name].ndim == 2 else 0
        if not 0 < rank <= min(target.shape):
            raise ResourceError(
                f"{encoder.path}: {name!r} has the shape {encoder[name].shape}; wanted "
                f"{target.shape[0]} rows of 1 to {min(target.shape)}"
            )
        up = floats_of(encoder, name, (target.shape[0], rank))
        down = floats_of(encoder, f"{matrix}.down", (rank, target.shape[1]))
        weights[f"{matrix}.weight"] = _sum(target, up, down)
    width = base["embeddings.LayerNorm.weight"].shape[0]
    projection = floats_of(encoder, "projection", (None, width))
    if not 4 <= len(projection) <= 2 * width + 2 or len(projection) % 2:
        raise ResourceError(
            f"{encoder.path}: 'projection' has {len(projection)} rows; wanted two of NULL's and "
            f"as many of each side's, 4 to {2 * width + 2}"
        )
    weights["projection.weight"] = projection
    return weights


def _sum(target: Matrix, up: Matrix, down: Matrix) -> Matrix:
    """Return target + up @ down, by so few rows at once that no second thread joins in, which would
    wait busily long after it."""
    found = np.empty_like(target)
    n_rows = max(1, ONE_THREAD // down.size)
    for first in range(0, len(up), n_rows):
        rows = slice(first, first + n_rows)
        np.add(target[rows], up[rows] @ down, out=found[rows])
    return found


def floats_of(table: Table, name: str, shape: tuple[int | None, ...]) -> NDArray[np.float32]:
    """Return an array of floating-point numbers, all of them finite, as float32; raise
    ResourceError if it is missing, of another type, or not finite."""
    stored = table[name]
    if stored.dtype.kind != "f":
        raise ResourceError(f"{table.path}: {name!r} is {stored.dtype}; wanted a float type")
    stored = table.array(name, stored.dtype, shape)
    # float64 has numbers beyond float32's range, so sizes are checked, too.
    largest = float(np.abs(stored).max(initial=0.0))
    if not largest <= LARGEST_NUMBER:
        raise ResourceError(
            f"{table.path}: {name!r} holds {largest}; wanted at most {LARGEST_NUMBER}"
        )
    return np.asarray(stored, dtype=np.float32)


class Encoder:
    """Scores pairs on one thread. A pair's scores do not depend on its batch.

    `encoder`: its architecture, the differences to its base encoder, and the projection for scores.
    `device`: out of tokalign.neural.devices.DEVICES. `exact`: whether to compute in float32 on a
    CPU, too, by onnxruntime and far more slowly.
    """

    def __init__(
        self, encoder: Table, *, device: str = DEFAULT_DEVICE, exact: bool = False
    ) -> None:
        made = architecture_of(encoder)
        self._word_pieces = WordPieces(Table.open_shipped(made["vocabulary"]), made)
        n_pieces = made["first_piece"] + self._word_pieces.n_pieces
        self._open = partial(opened, made=made, device=device, exact=exact)
        self._made = made
        self._session = self._open(partial(_weights, encoder, n_pieces))
        self._scorer = PairScorer(
            floats_of(encoder, "projection", (None, made["width"])),
            float(floats_of(encoder, "scale", (1,))[0]),
            floats_of(encoder, "null_bias", (2,)),
        )

    @classmethod
    def open_shipped(cls, name: str, *, device: str = DEFAULT_DEVICE) -> Self:
        """Return the shipped encoder called `name`; raise ResourceError if a package of the extra
        "neural" is missing, a file is missing or damaged, or the installed onnxruntime cannot run
        on the device."""
        return cls(Table.open_shipped(name), device=device)

    @cached_property
    def sentences(self) -> SentenceEncoder:
        """The sentence encoder, with the unchanged base weights; loaded on first use.

        ResourceError is raised as `open_shipped` does.
        """
        made = self._made

        def weights() -> Weights:
            return checked_weights(base_weights(made["base"]), made)

        return SentenceEncoder(self._open(weights), self._word_pieces)

    def cosines(self, sources: Sequence[str], targets: Sequence[str]) -> NDArray[np.float64]:
        return self.sentences.cosines(sources, targets)

    def encode(self, pairs: Sequence[tuple[Sentence, Sentence]]) -> list[Encoded]:
        """Return the encoder's output for pairs of sentences, which must not be empty.

        `pairs`: only their tokens are used.

        For each pair, two float32 arrays: log-probabilities of each source token's partner, shape
        (n_source, n_target + 1), and of each target token's, shape (n_target, n_source + 1); NULL
        first, probabilities of a row sum to one.

        A pair of more word pieces than the encoder has positions is read in parts of both sides,
        every part of one with every part of the other.
        """
        sequences, parts = [], []
        for source, target in pairs:
            spans = self._word_pieces.spans(source.tokens, target.tokens)
            parts.append(spans)
            sequences += [
                self._word_pieces.sequence(source.tokens[rows], target.tokens[columns])
                for rows, columns in itertools.product(*spans)
            ]
        scores = self._scores(sequences)
        return [log_probabilities(*_joined(scores, *spans)) for spans in parts]

    def _scores(self, sequences: Sequence[Sequence2]) -> Iterator[CellScores]:
        """Yield each sequence's scores of cells, and of NULL for source and target tokens."""
        every = self._session.states(sequences)
        for sequence, states in zip(sequences, every, strict=True):
            yield self._scorer.score(states, sequence.source, sequence.target)


def _weights(encoder: Table, n_pieces: int) -> Weights:
    """Return an encoder's weights; ResourceError if they have fewer than so many word pieces."""
    weights = merged_weights(encoder)
    n_rows = len(weights[WORDS])
    if n_pieces > n_rows:
        raise ResourceError(
            f"{n_pieces} word pieces for {n_rows} rows of the base encoder; "
            "wanted no more; upgrade tokalign"
        )
    return weights


def _joined(
    scores: Iterator[CellScores], rows: Sequence[slice], columns: Sequence[slice]
) -> CellScores:
    """Join the scores of all parts of a pair; those of NULL are averaged over parts."""
    if len(rows) == len(columns) == 1:
        return next(scores)
    n_source, n_target = rows[-1].stop, columns[-1].stop
    cells = np.empty((n_source, n_target), dtype=np.float32)
    nulls = np.zeros(n_source, dtype=np.float32), np.zeros(n_target, dtype=np.float32)
    for row, column in itertools.product(rows, columns):
        cells[row, column], of_source, of_target = next(scores)
        nulls[0][row] += of_source / len(columns)
        nulls[1][column] += of_target / len(rows)
    return cells, *nulls
