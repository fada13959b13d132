"""A model with an encoder that aligns by one without first, and runs its encoder where that pays.

A gate weighs the gain that the first model's doubts of its decision on a pair let expect
(tokalign.decoding.batch). The option `effort` sets the gain from which on a pair is read, so a
pair's result does not depend on its batch. A pair that is not read has the first model's decision
in the same style, its score and its similarity, and no cosine. Where scores must be comparable (in
rankings, and if only scores are asked for), all pairs have the cosine, unless the effort is 0.

`lab.recipes.gates` writes the gates. They need neither gold nor an encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.backend import NO_EXTRAS, Backend, Decided, EncodedPair, Extras, Unit
from tokalign.decoding.by_model import Cosines, ModelBackend
from tokalign.errors import ResourceError
from tokalign.features.feature_groups import Encoded, Lexicons
from tokalign.files.tables import Table
from tokalign.model.file import Model, load_model
from tokalign.model.shipped import DEFAULT_MODEL, model_path
from tokalign.relations.related_units import RelationModel
from tokalign.types import Alignment, AnnotatedPair, LinkExplanation, Sentence
from tokalign.types.locks import cached_property
from tokalign.types.options import AlignOptions, RankBy

T = TypeVar("T")

FIRST: Final = {
    "encoder-en": "en-research", "encoder-en-large": "en-research", "encoder-en-open": "en",
}  # fmt: skip
"""Encoder that has a gate -> the model that aligns first. Its gate is in the table `gates`, or, by
sources that anybody may use, in `gates-open`."""

Encode: TypeAlias = Callable[[Sequence[tuple[Sentence, Sentence]]], list[Encoded]]


class Gate:
    """Tells what reading is worth in a style, and chooses the pairs that an encoder reads.

    `table`: weights of styles, and thresholds for evenly spaced efforts from 0 to 1. `styles`:
    those of the first model. ResourceError is raised if the table is damaged or of other styles.
    """

    def __init__(self, table: Table, styles: Sequence[str]) -> None:
        if table.strings("styles") != list(styles):
            raise ResourceError(f"{table.path}: made for other styles; rebuild it")
        self._weights = table.array("weights", np.float32, (len(styles),)).astype(np.float64)
        self._thresholds = table.array("least", np.float32, (None,)).astype(np.float64)
        # NaN is neither.
        if not (self._weights > 0).all():
            raise ResourceError(f"{table.path}: a style has no weight")
        if len(self._thresholds) < 2 or not (np.diff(self._thresholds) <= 0).all():
            raise ResourceError(f"{table.path}: thresholds rise with the effort")

    @classmethod
    def open_shipped(cls, encoder: str, styles: Sequence[str]) -> Self:
        """Return the gate of an encoder, from the shipped table."""
        return cls(
            Table.open_shipped("gates-open" if FIRST[encoder] == DEFAULT_MODEL else "gates"), styles
        )

    def weighed(self, gains: NDArray[np.float64], styles: Sequence[int]) -> NDArray[np.float64]:
        """Return gains as they count in their styles; see ModelBackend.gains."""
        return gains * self._weights[styles]

    def threshold(self, effort: float) -> float:
        """Return the gain from which on a pair is read, for an effort in [0, 1]."""
        efforts = np.linspace(0.0, 1.0, len(self._thresholds))
        return float(np.interp(effort, efforts, self._thresholds))


class Cascade(Backend):
    """Aligns annotated pairs by a model with an encoder, or by its first one if the gate says so.

    `model`: with an encoder. `encode`: the encoder's: takes pairs of sentences, returns its output
    for each. `cosines`: the encoder's; see ModelBackend.
    """

    def __init__(self, model: Model, encode: Encode, cosines: Cosines) -> None:
        self.header = model.header
        self._encode = encode
        self._cosines = cosines
        lexicons = Lexicons.for_groups(model.table.groups)
        self._full = ModelBackend(model, lexicons, cosines, encoded=True)

    @cached_property
    def _first(self) -> ModelBackend:
        """The backend of the first model under this model's name, opened on first use."""
        model = load_model(model_path(FIRST[self.header.encoder]))
        header = replace(model.header, name=self.header.name, version=self.header.version)
        lexicons = Lexicons.for_groups(model.table.groups)
        return ModelBackend(replace(model, header=header), lexicons, self._cosines, encoded=False)

    @cached_property
    def _gate(self) -> Gate:
        styles = [style["name"] for style in self._first.header.styles]
        return Gate.open_shipped(self.header.encoder, styles)

    @property
    def takes_effort(self) -> bool:
        """Whether the encoder has a gate, and the model has the styles of the first one."""
        header = self.header
        return header.encoder in FIRST and bool(header.styles) and not header.uses_trees

    def check(self, options: AlignOptions) -> None:
        self._full.check(options)
        options.check_effort(self.header.name, takes_effort=self.takes_effort)

    def encode(
        self, pairs: Sequence[AnnotatedPair], options: AlignOptions, *, compares: bool = False
    ) -> list[EncodedPair]:
        """Return pairs, with the encoder's output for those that it is to read."""
        read = self._reads(pairs, options, compares=compares)
        said = iter(
            self._encode([pair[:2] for pair, is_read in zip(pairs, read, strict=True) if is_read])
        )
        return [
            (pair, next(said) if is_read else None)
            for pair, is_read in zip(pairs, read, strict=True)
        ]

    def _reads(
        self, pairs: Sequence[AnnotatedPair], options: AlignOptions, *, compares: bool
    ) -> list[bool]:
        """Return, per pair, whether the encoder is to read it."""
        if options.effort in (0.0, 1.0):
            return [options.effort == 1.0] * len(pairs)
        gains = self._gate.weighed(*self._first.gains(pairs, options, compares=compares))
        read: list[bool] = (gains >= self._gate.threshold(options.effort)).tolist()
        return read

    def backend_of(self, pair: EncodedPair) -> ModelBackend:
        """Return the backend of a pair."""
        return self._first if pair[1] is None else self._full

    def _routed(
        self,
        pairs: Sequence[EncodedPair | Exception],
        run: Callable[[ModelBackend, list[EncodedPair | Exception]], Iterator[T]],
    ) -> Iterator[T]:
        """Yield the results of `run` in order, each by the backend of its pair."""
        backends = [
            self._full if isinstance(pair, Exception) else self.backend_of(pair) for pair in pairs
        ]
        streams = {
            backend: run(
                backend,
                [pair for pair, own in zip(pairs, backends, strict=True) if own is backend],
            )
            for backend in dict.fromkeys(backends)
        }
        for backend in backends:
            yield next(streams[backend])

    def align(
        self, pairs: Sequence[EncodedPair | Exception], options: AlignOptions
    ) -> Iterator[Alignment | Exception]:
        return self._routed(pairs, lambda backend, some: backend.align(some, options))

    def align_candidates(
        self, pairs: Sequence[EncodedPair | Exception], options: AlignOptions, by: RankBy
    ) -> Iterator[tuple[Alignment, list[float] | None] | Exception]:
        return self._routed(
            pairs, lambda backend, some: backend.align_candidates(some, options, by)
        )

    def decide(
        self,
        pairs: Sequence[EncodedPair],
        options: AlignOptions,
        extras: Extras = NO_EXTRAS,
    ) -> Decided:
        """Return the alignments of pairs, either all or none of which were read."""
        (backend,) = set(map(self.backend_of, pairs)) or {self._full}
        return backend.decide(pairs, options, extras)

    @property
    def relations(self) -> RelationModel:
        return self._full.relations

    def explain(
        self, pair: EncodedPair, source_index: int, target_index: int, options: AlignOptions
    ) -> tuple[LinkExplanation, ...]:
        return self.backend_of(pair).explain(pair, source_index, target_index, options)

    def unit_inputs(
        self, pair: EncodedPair, units: Sequence[Unit], options: AlignOptions
    ) -> NDArray[np.float32]:
        return self.backend_of(pair).unit_inputs(pair, units, options)
