"""The engine behind an aligner: it annotates pairs, encodes them and decodes their links.

Every `Aligner` has an engine; a worker of the server uses one without an `Aligner`.
"""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tokalign.batches.outcomes import annotate_pairs, map_batch, unwrap
from tokalign.decoding.backend import Backend, EncodedPair, Unit, in_reading_order
from tokalign.decoding.by_model import ModelBackend
from tokalign.decoding.explain import require_indices
from tokalign.english.annotate import Annotator, load_annotator
from tokalign.english.annotate.prepared import annotate, is_ready
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.english.reading.text_reading import reading_as
from tokalign.errors import InputError, ModelError, quoted
from tokalign.features.feature_groups import Lexicons
from tokalign.model.file import Model, ModelHeader, load_model
from tokalign.model.shipped import model_path, shipped_models
from tokalign.neural.devices import DEFAULT_DEVICE, check_device
from tokalign.systems import SYSTEMS, System, load_system
from tokalign.types import (
    Alignment,
    AnnotatedPair,
    LinkExplanation,
    PairLike,
    Sentence,
    SentenceLike,
)
from tokalign.types.links import reads_target_first
from tokalign.types.options import AlignOptions, Markup, RankBy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokalign.neural.encoder import Encoder
    from tokalign.types.ranking import Judgement
    from tokalign.types.relations import RelationExplanation


class PairEngine:
    """Annotates pairs and decides them in batches. Threads may share one and then take turns.

    `encoder`: in place of the one that the model names. `device`: where that one runs. `is_system`:
    whether a published system aligns. InputError and ResourceError are raised as of Aligner.
    """

    def __init__(
        self,
        model: Model | System,
        annotator: str | Annotator = "native",
        *,
        encoder: "Encoder | None" = None,
        device: str = DEFAULT_DEVICE,
    ) -> None:
        check_device(device)
        if not isinstance(model, Model) and not hasattr(model, "name"):
            raise InputError(
                f"the model is {quoted(model)}; wanted a name, a path or a model", field="model"
            )
        self.annotator = load_annotator(annotator) if isinstance(annotator, str) else annotator
        self.is_system = not isinstance(model, Model)
        if encoder is None and isinstance(model, Model) and model.header.encoder:
            from tokalign.neural.encoder import Encoder  # its packages are optional

            encoder = Encoder.open_shipped(model.header.encoder, device=device)
        elif encoder is None and device != DEFAULT_DEVICE:
            name = model.header.name if isinstance(model, Model) else model.name
            raise InputError(
                f"the device is {device!r}, but {name} has no encoder that could run there; leave "
                "the device out, or take a model that has one, such as en-neural",
                field="device",
            )
        self.encoder = encoder
        self.backend: Backend
        if not isinstance(model, Model):
            from tokalign.decoding.by_system import SystemBackend

            self.backend = SystemBackend(model, Frequencies.open_shipped())
        elif encoder is None:
            self.backend = ModelBackend(model, Lexicons.for_groups(model.table.groups))
        else:
            from tokalign.decoding.cascade import Cascade

            self.backend = Cascade(model, encoder, device)
        self.header: ModelHeader = self.backend.header

    def annotate(
        self,
        sentences: Sequence[SentenceLike],
        *,
        truncate: bool = False,
        markup: Markup = Markup.AUTO,
    ) -> list[Sentence]:
        """Return sentences with every column that the model needs; see Aligner.annotate."""
        trees = self.header.uses_trees
        with reading_as(markup):
            return annotate(self.annotator, sentences, trees=trees, truncate=truncate)

    def annotate_pairs(
        self,
        pairs: Sequence[PairLike | Exception],
        *,
        truncate: bool = False,
        markup: Markup = Markup.AUTO,
    ) -> list[AnnotatedPair | Exception]:
        """Return pairs annotated; see batches.outcomes.annotate_pairs."""
        if all(map(self._is_ready, pairs)):
            return list(pairs)  # type: ignore[arg-type]  # of AnnotatedPair all
        return annotate_pairs(partial(self.annotate, truncate=truncate, markup=markup), pairs)

    def annotate_pair(self, pair: PairLike, options: AlignOptions) -> AnnotatedPair:
        """Return an annotated pair, or raise the error of annotating it."""
        (annotated,) = self.annotate_pairs([pair], truncate=options.truncate, markup=options.markup)
        return unwrap(annotated)

    def _is_ready(self, pair: PairLike | Exception) -> bool:
        """Whether a pair needs neither annotating nor checking."""
        trees = self.header.uses_trees
        return (
            type(pair) is tuple
            and len(pair) == 2
            and is_ready(pair[0], trees=trees)
            and is_ready(pair[1], trees=trees)
        )

    def align_pair(self, pair: PairLike, options: AlignOptions) -> Alignment:
        """Annotate and align one pair; return its alignment, or raise its error."""
        self.backend.check(options)
        encoded = self._encode([self.annotate_pair(pair, options)], options)
        return unwrap(next(self.backend.decide(encoded, options).alignments()))

    def _encode(self, pairs: Sequence[AnnotatedPair], options: AlignOptions) -> list[EncodedPair]:
        """Return pairs as `Backend.encode` does, and in the order in which a model reads them."""
        if not self.is_system:
            pairs = [in_reading_order(pair) for pair in pairs]
        return self.backend.encode(pairs, options)

    def align_annotated(
        self, pairs: Sequence[AnnotatedPair | Exception], options: AlignOptions
    ) -> Iterator[Alignment | Exception]:
        """Yield the alignment or the exception of each annotated pair; exceptions pass through.

        `pairs`: with the columns that `annotate` fills. A third member is Constraints. InputError
        is raised if the model has no such style.
        """
        self.backend.check(options)
        encode = partial(self._encode, options=options)
        yield from self.backend.align(map_batch(encode, pairs), options)

    def judge_annotated(
        self, pairs: Sequence[AnnotatedPair | Exception], options: AlignOptions, by: RankBy
    ) -> "Iterator[tuple[Alignment, Judgement] | Exception]":
        """Yield each result of `align_annotated` with the judgement that ranks its pair.

        `pairs`: a candidate and the question. `options`: with `explain`, judgements hold their
        evidence. InputError is raised if the model has no such style.
        """
        from tokalign.ranking.judge import judge_answer

        self.backend.check(options)
        encode = partial(self.backend.encode, options=options, compares=True)
        for outcome in self.backend.align_candidates(map_batch(encode, pairs), options, by):
            if isinstance(outcome, Exception):
                yield outcome
            else:
                alignment, found = outcome
                yield alignment, judge_answer(alignment, found, by, explain=options.explain)

    def explain(
        self, pair: PairLike, source_index: int, target_index: int, options: AlignOptions
    ) -> tuple[LinkExplanation, ...]:
        """Return why two tokens are, or are not, linked; see Aligner.explain."""
        self.backend.check(options)
        sides = self.annotate_pair(pair, options)
        n_tokens = len(sides[0]), len(sides[1])
        require_indices(source_index, target_index, *n_tokens, options.symmetrization)
        (encoded,) = self._encode([sides], options)
        return self.backend.explain(encoded, source_index, target_index, options)

    def explain_relation(
        self, pair: PairLike, source_index: int, target_index: int, options: AlignOptions
    ) -> "RelationExplanation":
        """Return the explanation of the relation of two tokens; see Aligner.explain_relation."""
        from tokalign.decoding.explain import explain_relation

        model = self.backend.relations
        alignment = self.align_pair(pair, options)
        sides = alignment.source, alignment.target
        n_tokens = len(sides[0]), len(sides[1])
        require_indices(source_index, target_index, *n_tokens, options.symmetrization)
        inputs = partial(self.unit_inputs, sides, options=options)
        links = [(link.source, link.target) for link in alignment.links]
        if not reads_target_first(*sides):
            return explain_relation(model, links, source_index, target_index, inputs)
        inputs = partial(self.unit_inputs, sides[::-1], options=options)
        links = [(j, i) for i, j in links]
        return explain_relation(model, links, target_index, source_index, inputs).turned()

    def unit_inputs(
        self, pair: AnnotatedPair, units: Sequence[Unit], options: AlignOptions
    ) -> "NDArray[np.float32]":
        """Return the inputs of the relation model for some units of an annotated pair.

        `units`: rising indices, at least one on each side. The pair is read as it stands.

        The result is a float32 array, shape (n_units, n_inputs): columns are named in
        tokalign.relations.related_units. InputError is raised if a published system aligns, the
        model has no such style, or a unit is out of range.
        """
        self.backend.check(options)
        (encoded,) = self.backend.encode([pair], options)
        return self.backend.unit_inputs(encoded, units, options)


def open_model(model: str | os.PathLike[str]) -> tuple[Model | System, str]:
    """Return a model or published system, and an argument that opens it again from any folder.

    `model`: a name out of shipped_models() or tokalign.systems.SYSTEMS, or the path of a model
    file. ModelError is raised if the model cannot be found or read.
    """
    if isinstance(model, str) and model in SYSTEMS:
        return load_system(model), model
    path = model_path(model)
    is_shipped = model in shipped_models()
    return (
        load_model(path, verify=not is_shipped),
        os.fspath(model if is_shipped else path.resolve()),
    )


def load_again(load: Any, model: str, annotator: str, device: str, digest: str) -> Any:
    """Return the aligner of a pickle; ModelError if the model's file has another digest."""
    aligner = load(model, annotator=annotator, device=device)
    if aligner.header.digest != digest:
        raise ModelError(
            f"the model {quoted(model)} has the digest {aligner.header.digest[:12]} here; the "
            f"aligner that was pickled had {digest[:12]}"
        )
    return aligner
