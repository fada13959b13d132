"""A model with an encoder that aligns by others first, and runs its encoder where that pays.

A gate weighs the gain that a model's doubts of its decision on a pair let expect
(tokalign.decoding.batch). The option `effort` sets the gain for an encoder's work from which on a
pair is read, so a pair's result does not depend on its batch. A small encoder, which works less for
it, reads before a large one. Below an effort of 1 encoders read what differs: words that both sides
begin or end with are left out but for CONTEXT, and have the scores of equal words.

A pair that the model's own encoder does not read has the decision of the last model before, in the
same style, its score and similarity, and no cosine. Where scores must be comparable (in rankings,
and if only scores are asked for), all pairs have the cosine, unless the effort is 0.

`lab.recipes.gates` writes the gates. They need no gold.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.backend import NO_EXTRAS, Backend, Decided, EncodedPair, Extras, Unit
from tokalign.decoding.by_model import ModelBackend
from tokalign.errors import ResourceError
from tokalign.features.feature_groups import Encoded, Lexicons
from tokalign.files.tables import Table
from tokalign.model.file import Model, load_model
from tokalign.model.shipped import DEFAULT_MODEL, model_path
from tokalign.relations.related_units import RelationModel
from tokalign.types import Alignment, AnnotatedPair, LinkExplanation, Sentence
from tokalign.types.locks import cached_property
from tokalign.types.options import AlignOptions, RankBy

if TYPE_CHECKING:
    from tokalign.neural.encoder import Encoder

T = TypeVar("T")

FIRST: Final = {
    "encoder-en": "en-research", "encoder-en-large": "en-neural", "encoder-en-open": "en",
}  # fmt: skip
"""Encoder that has a gate -> the model that aligns first. The gate is in the table `gates`, or, by
sources that anybody may use, in `gates-open`."""
FIRST_WORK: Final = 0.16
"""Work of a first model's encoder for a token, beside 1 of the encoder that reads after it."""


CONTEXT: Final = 4
"""Words that both sides have in common before and behind what differs, and that are read."""
SAME: Final = 0.0, -10.0, -26.0
"""Log-probabilities of a word that is not read: of the same word as its partner, of none, and of
any other word; medians of `encoder-en` on such words."""


class FirstEncoded(tuple[NDArray[np.float32], NDArray[np.float32]]):
    """Output of a first model's encoder."""


class ReadPart(NamedTuple):
    """What an encoder reads of a pair: all but the first `before` and the last `behind` words of
    both sides, which are alike whatever their case."""

    before: int
    behind: int

    @classmethod
    def of(cls, source: Sequence[str], target: Sequence[str]) -> Self:
        """Return the part that differs, with CONTEXT words around it; never none of a side."""
        sides = [[token.lower() for token in tokens] for tokens in (source, target)]
        shorter = min(map(len, sides))
        before = behind = 0
        while before < shorter and sides[0][before] == sides[1][before]:
            before += 1
        while behind < shorter - before and sides[0][-1 - behind] == sides[1][-1 - behind]:
            behind += 1
        return cls(max(before - CONTEXT, 0), max(behind - CONTEXT, 0))

    def share(self, pair: AnnotatedPair) -> float:
        """Return the share of both sides' tokens that are read, in (0, 1]."""
        return 1.0 - 2 * sum(self) / (len(pair[0]) + len(pair[1]))

    def read(self, pair: AnnotatedPair) -> tuple[Sentence, Sentence]:
        """Return the sentences that are read."""
        if not any(self):
            return pair[:2]
        source, target = (
            Sentence.from_tokens(side.tokens[self.before : len(side) - self.behind])
            for side in pair[:2]
        )
        return source, target

    def whole(self, encoded: Encoded) -> Encoded:
        """Return an encoder's output for both sides from that for what is read."""
        return encoded if not any(self) else (self._padded(encoded[0]), self._padded(encoded[1]))

    def _padded(self, inner: NDArray[np.float32]) -> NDArray[np.float32]:
        n_rows, n_columns = (size + sum(self) for size in inner.shape)
        found = np.full((n_rows, n_columns), SAME[2], dtype=np.float32)
        found[:, 0] = SAME[1]
        for k in (*range(self.before), *range(-self.behind, 0)):
            found[k, k + 1 if k >= 0 else k] = SAME[0]
        rows = slice(self.before, n_rows - self.behind)
        found[rows, 0] = inner[:, 0]
        found[rows, self.before + 1 : n_columns - self.behind] = inner[:, 1:]
        return found


class Gate:
    """Tells what reading is worth in a style, and chooses the pairs that an encoder reads.

    `table`: weights of styles, and by encoder thresholds for evenly spaced efforts from 0 to 1.
    `styles`: of the models. ResourceError is raised if the table is damaged or of other styles.
    """

    def __init__(self, table: Table, encoder: str, styles: Sequence[str]) -> None:
        if table.strings("styles") != list(styles):
            raise ResourceError(f"{table.path}: made for other styles; rebuild it")
        self._weights = table.array("weights", np.float32, (len(styles),)).astype(np.float64)
        self._thresholds = table.array(encoder, np.float32, (None,)).astype(np.float64)
        # NaN is neither.
        if not (self._weights > 0).all():
            raise ResourceError(f"{table.path}: a style has no weight")
        if len(self._thresholds) < 2 or not (np.diff(self._thresholds) <= 0).all():
            raise ResourceError(f"{table.path}: thresholds rise with the effort")

    @classmethod
    def open_shipped(cls, encoder: str, styles: Sequence[str]) -> Self:
        """Return the gate of an encoder, from the shipped table."""
        name = "gates-open" if FIRST[encoder] == DEFAULT_MODEL else "gates"
        return cls(Table.open_shipped(name), encoder, styles)

    def weighed(self, gains: NDArray[np.float64], styles: Sequence[int]) -> NDArray[np.float64]:
        """Return gains as they count in their styles; see ModelBackend.gains."""
        return gains * self._weights[styles]

    def threshold(self, effort: float) -> float:
        """Return the gain from which on a pair is read, for an effort in [0, 1]."""
        efforts = np.linspace(0.0, 1.0, len(self._thresholds))
        return float(np.interp(effort, efforts, self._thresholds))


class Cascade(Backend):
    """Aligns annotated pairs by a model with an encoder, or by one before it if the gate says so.

    `encoder`: the model's. `device`: where those of first models run.
    """

    def __init__(self, model: Model, encoder: "Encoder", device: str) -> None:
        self.header = model.header
        self._encoder = encoder
        self._device = device
        lexicons = Lexicons.for_groups(model.table.groups)
        self._full = ModelBackend(model, lexicons, encoder.cosines, encoded=True)

    @cached_property
    def _first(self) -> "list[tuple[ModelBackend, Encoder]]":
        """The backends of the models before this one, under its name, the first without an encoder,
        and the encoder that reads after each; opened on first use."""
        found: list[tuple[ModelBackend, Encoder]] = []
        encoder = self._encoder
        names = [FIRST[self.header.encoder]]
        for name in names:
            model = load_model(model_path(name), verify=False)
            own = self.header
            header = replace(
                model.header, name=own.name, version=own.version, relations=own.relations
            )
            lexicons = Lexicons.for_groups(model.table.groups)
            renamed = replace(model, header=header)
            backend = ModelBackend(renamed, lexicons, self._encoder.cosines, encoded=False)
            found.insert(0, (backend, encoder))
            if header.encoder:
                names.append(FIRST[header.encoder])
                encoder = self._open(name, header.encoder)
        return found

    def _open(self, name: str, encoder: str) -> "Encoder":
        from tokalign.neural.encoder import Encoder  # its packages are optional

        try:
            return Encoder.open_shipped(encoder, device=self._device)
        except ResourceError as error:
            raise ResourceError(
                f"{name} aligns before {self.header.name} at an effort below 1: {error}"
            ) from error

    @cached_property
    def _gate(self) -> Gate:
        styles = [style["name"] for style in self.header.styles]
        return Gate.open_shipped(self.header.encoder, styles)

    @property
    def takes_effort(self) -> bool:
        """Whether the encoder has a gate, and the model has the styles of the first one."""
        header = self.header
        return header.encoder in FIRST and bool(header.styles) and not header.uses_trees

    def check(self, options: AlignOptions) -> None:
        self._full.check(options)
        options.check_effort(self.header.name, takes_effort=self.takes_effort)
        if options.effort < 1.0:
            _ = self._first  # if it cannot be opened, the call fails instead of each pair

    def encode(
        self, pairs: Sequence[AnnotatedPair], options: AlignOptions, *, compares: bool = False
    ) -> list[EncodedPair]:
        """Return pairs, each with the output of the last encoder that is to read it, if any is."""
        if options.effort == 1.0:
            every = self._encoder.encode([pair[:2] for pair in pairs])
            return list(zip(pairs, every, strict=True))
        found: list[EncodedPair] = [(pair, None) for pair in pairs]
        if options.effort == 0.0:
            return found
        least = self._gate.threshold(options.effort)
        left = list(range(len(pairs)))
        parts = [ReadPart.of(source.tokens, target.tokens) for source, target, *_ in pairs]
        shares = np.array([part.share(pair) for part, pair in zip(parts, pairs, strict=True)])
        for backend, encoder in self._first:
            some = [found[k] for k in left]
            gains = self._gate.weighed(*backend.gains(some, options, compares=compares))
            is_own = encoder is self._encoder
            pays = gains / shares[left] >= (least if is_own else least * FIRST_WORK)
            left = [k for k, is_read in zip(left, pays.tolist(), strict=True) if is_read]
            every = encoder.encode([parts[k].read(pairs[k]) for k in left])
            for k, said in zip(left, every, strict=True):
                said = parts[k].whole(said)
                found[k] = pairs[k], said if is_own else FirstEncoded(said)
        return found

    def backend_of(self, pair: EncodedPair) -> ModelBackend:
        """Return the backend of a pair."""
        if pair[1] is None:
            return self._first[0][0]
        return self._first[1][0] if isinstance(pair[1], FirstEncoded) else self._full

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
            each: run(each, [p for p, own in zip(pairs, backends, strict=True) if own is each])
            for each in dict.fromkeys(backends)
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
        self, pairs: Sequence[EncodedPair], options: AlignOptions, extras: Extras = NO_EXTRAS
    ) -> Decided:
        """Return the alignments of pairs, either all or none of which were read."""
        (backend,) = set(map(self.backend_of, pairs)) or {self._full}
        return backend.decide(pairs, options, extras)

    @property
    def relations(self) -> RelationModel:
        return self._full.relations

    @property
    def chunk_relations(self) -> RelationModel:
        return self._full.chunk_relations

    def explain(
        self, pair: EncodedPair, source_index: int, target_index: int, options: AlignOptions
    ) -> tuple[LinkExplanation, ...]:
        return self.backend_of(pair).explain(pair, source_index, target_index, options)

    def unit_inputs(
        self, pair: EncodedPair, units: Sequence[Unit], options: AlignOptions
    ) -> NDArray[np.float32]:
        return self.backend_of(pair).unit_inputs(pair, units, options)
