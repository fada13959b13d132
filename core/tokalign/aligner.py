"""The aligner: a model or a system, an annotator and what decides behind one object."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, Unpack

from tokalign.batches.outcomes import annotate_pairs, together, unwrap
from tokalign.comparison.comparing import Compares
from tokalign.decoding.align_chunks import Chunked
from tokalign.decoding.backend import Backend
from tokalign.decoding.by_model import ModelBackend
from tokalign.decoding.by_system import SystemBackend
from tokalign.decoding.cascade import Cascade
from tokalign.decoding.opening import load_again, open_model
from tokalign.english.annotate import Annotator, load_annotator
from tokalign.english.annotate.prepared import annotate, is_ready
from tokalign.english.lexicon.word_weights import Frequencies
from tokalign.errors import InputError, quoted
from tokalign.features.feature_groups import Lexicons
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.grounding.ground_stream import GroundsStreams
from tokalign.model.file import Model, ModelHeader
from tokalign.neural.devices import DEFAULT_DEVICE, check_device
from tokalign.ranking.judge import Judge
from tokalign.ranking.rank import Ranks
from tokalign.systems import System
from tokalign.texts.texts_methods import AlignsTexts
from tokalign.types import (
    Alignment,
    AnnotatedPair,
    Judgement,
    PairLike,
    Sentence,
    SentenceLike,
)
from tokalign.types.constraints import Constraints
from tokalign.types.keywords import PairKeywords
from tokalign.types.options import AlignOptions, RankBy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokalign.neural.encoder import Encoder


class Aligner(AlignsTexts, Chunked, Compares, GroundsStreams, Ranks):
    """Aligns sentence pairs. Threads may share one and then take turns; to align at the same time,
    each makes its own.

    Parameters
    ----------
    model : str, path-like, Model or System
        A name out of shipped_models() or tokalign.systems.SYSTEMS, a model file's path, or what
        such a file holds. Needs no network.
    annotator : str or Annotator
        A name known to tokalign.english.annotate, or an object that follows its protocol.
    encoder : Encoder, optional
        In place of the one that the model names.
    device : str
        Where the encoder that the model names runs, out of tokalign.neural.devices.DEVICES.

    Attributes
    ----------
    header : ModelHeader
    annotator : Annotator
    is_system : bool
        Whether it is a system of the literature that decides; see docs/results.md.

    Raises
    ------
    InputError
        If no device has that name, or the model has no encoder that could run on it.
    ModelError
        If the model cannot be found or read.
    ResourceError
        If a table that the model was trained with, or a package that the annotator, the model's
        encoder or the device needs, is missing.

    Examples
    --------
    >>> aligner = Aligner("en")
    >>> aligner.align("Dogs bark.", "The dogs bark.").to_pharaoh()
    '0-1 1-2 2-3'
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | Model | System = DEFAULT_MODEL,
        annotator: str | Annotator = "native",
        *,
        encoder: Encoder | None = None,
        device: str = DEFAULT_DEVICE,
    ) -> None:
        check_device(device)
        self._loaded_from: str | None = None
        self._annotator_name = annotator if isinstance(annotator, str) else ""
        if isinstance(model, str | os.PathLike):
            model, loaded_from = open_model(model)
            self._loaded_from = loaded_from if self._annotator_name else None
        elif not isinstance(model, Model) and not hasattr(model, "name"):
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
        self._encoder = encoder
        self._backend: Backend
        if not isinstance(model, Model):
            self._backend = SystemBackend(model, Frequencies.open_shipped())
        elif encoder is None:
            self._backend = ModelBackend(model, Lexicons.for_groups(model.table.groups))
        else:
            self._backend = Cascade(model, encoder.encode, partial(_cosines, encoder))
        self.header: ModelHeader = self._backend.header
        self._judge = Judge()
        self._device = device

    def __repr__(self) -> str:
        header, annotator = self.header, self._annotator_name or type(self.annotator).__name__
        styles = f", styles {', '.join(self.styles)}" if self.styles else ""
        return f"<Aligner {header.name} {header.version}: annotator {annotator}{styles}>"

    @property
    def styles(self) -> tuple[str, ...]:
        """Names of the model's styles; none where it has one convention."""
        return tuple(style["name"] for style in self.header.styles)

    @property
    def takes_effort(self) -> bool:
        """Whether the option `effort` may be less than 1; see docs/neural.md."""
        return self._backend.takes_effort

    @classmethod
    def load(
        cls,
        model: str | os.PathLike[str] = DEFAULT_MODEL,
        *,
        annotator: str | Annotator = "native",
        device: str = DEFAULT_DEVICE,
    ) -> Self:
        """Return ``Aligner(model, annotator, device=device)``."""
        return cls(model, annotator, device=device)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as how it was loaded, so that it is loaded anew where it is unpickled."""
        if self._loaded_from is None:
            raise TypeError(
                "an Aligner pickles only if it was made from a model's name or path and "
                "an annotator's name; load one where it is needed instead"
            )
        loaded = self._loaded_from, self._annotator_name, self._device, self.header.digest
        return load_again, (type(self).load, *loaded)

    def annotate(
        self, sentences: Sequence[SentenceLike], *, truncate: bool = False
    ) -> list[Sentence]:
        """Return sentences with every column that the model needs.

        Parameters
        ----------
        sentences : sequence of str, sequence of str, or Sentence
        truncate : bool
            Whether a sentence that is too long (see tokalign.types.lengths) keeps its first
            tokens, and all of its text; a token whose head is among the others becomes a root.

        Raises
        ------
        InputError
            If a sentence is empty, its columns do not fit, or it holds lone surrogates.
        LimitError
            If one is too long, and `truncate` is not set.
        """
        return annotate(self.annotator, sentences, trees=self.header.uses_trees, truncate=truncate)

    def sentence_vectors(self, sentences: Sequence[SentenceLike]) -> NDArray[np.float32]:
        """Return vectors of sentences, whose inner products are the cosines of `Alignment`.

        Parameters
        ----------
        sentences : sequence of str, sequence of str, or Sentence

        Returns
        -------
        float32 array, shape (n_sentences, width)
            Of length 1 each.

        Raises
        ------
        InputError
            If the model has no encoder, or as `annotate` does.
        LimitError
            As `annotate` does.
        """
        if self._encoder is None:
            raise InputError(
                f"{self.header.name} has no encoder; load one that has, such as en-neural",
                field="model",
            )
        return self._encoder.sentences.encode([each.text for each in self.annotate(sentences)])

    def align(
        self,
        source: SentenceLike,
        target: SentenceLike,
        options: AlignOptions | None = None,
        **changes: Unpack[PairKeywords],
    ) -> Alignment:
        """Return the alignment of one pair; ``aligner(source, target)`` is the same.

        Parameters
        ----------
        source, target : str, sequence of str, or Sentence
            Raw text, tokens, or a sentence of which missing columns are filled.
        options : AlignOptions, optional
            How to align and what to return.
        **changes
            Fields of AlignOptions, in place of those of `options`, and of Constraints: what must
            be linked and what may not (``anchors=[(0, 1)]``).

        Raises
        ------
        InputError
            If a sentence is empty, an option is unknown or out of range, the model has no such
            style, a system or a model without an encoder no such option, or constraints contradict
            one another or are out of range.
        LimitError
            If one is too long (see tokalign.types.lengths), and the option `truncate` is not set.
        """
        given: dict[str, Any] = {**changes}
        constraints = Constraints.taken_from(given)
        options = AlignOptions.of(options, given)
        self._backend.check(options)
        more = () if constraints is None else (constraints,)
        (annotated,) = self.annotate_pairs([(source, target, *more)], truncate=options.truncate)
        encoded = self._backend.encode([unwrap(annotated)], options)
        return unwrap(next(self._backend.decide(encoded, options).alignments()))

    __call__ = align

    def _check(self, options: AlignOptions) -> None:
        self._backend.check(options)

    def _outcomes(
        self, pairs: Sequence[PairLike], options: AlignOptions
    ) -> list[Alignment | Exception]:
        annotated = self.annotate_pairs(pairs, truncate=options.truncate)
        return list(self.align_annotated(annotated, options))

    def annotate_pairs(
        self, pairs: Sequence[PairLike | Exception], *, truncate: bool = False
    ) -> list[AnnotatedPair | Exception]:
        """Return pairs annotated, for `align_annotated`; see batches.outcomes.annotate_pairs."""
        if all(map(self._is_ready, pairs)):
            return list(pairs)  # type: ignore[arg-type]  # of AnnotatedPair all
        return annotate_pairs(partial(self.annotate, truncate=truncate), pairs)

    def _is_ready(self, pair: PairLike | Exception) -> bool:
        """Whether there is nothing to annotate or to check of a pair."""
        trees = self.header.uses_trees
        return (
            type(pair) is tuple
            and len(pair) == 2
            and is_ready(pair[0], trees=trees)
            and is_ready(pair[1], trees=trees)
        )

    def align_annotated(
        self, pairs: Sequence[AnnotatedPair | Exception], options: AlignOptions
    ) -> Iterator[Alignment | Exception]:
        """Yield the alignments of annotated pairs, or what stood or went wrong in their place.

        Parameters
        ----------
        pairs : sequence of (Sentence, Sentence), or Exception
            With the columns that `annotate` fills; nothing is annotated here. A third member is
            Constraints.
        options : AlignOptions

        Raises
        ------
        InputError
            If the model has no such style.
        """
        self._backend.check(options)
        encode = partial(self._backend.encode, options=options)
        yield from self._backend.align(together(encode, pairs), options)

    def judge_annotated(
        self, pairs: Sequence[AnnotatedPair | Exception], options: AlignOptions, by: RankBy
    ) -> Iterator[tuple[Alignment, Judgement] | Exception]:
        """Yield what `align_annotated` does with what each pair is ranked by.

        Parameters
        ----------
        pairs : sequence of (Sentence, Sentence), or Exception
            Of a candidate and the question.
        options : AlignOptions
            With `explain`, judgements hold their evidence.
        by : RankBy

        Raises
        ------
        InputError
            If the model has no such style.
        """
        self._backend.check(options)
        encode = partial(self._backend.encode, options=options, compares=True)
        for outcome in self._backend.align_candidates(together(encode, pairs), options, by):
            if isinstance(outcome, Exception):
                yield outcome
            else:
                alignment, found = outcome
                yield alignment, self._judge.judge(alignment, found, by, explain=options.explain)


def _cosines(
    encoder: Encoder, sources: Sequence[str], targets: Sequence[str]
) -> NDArray[np.float64]:
    """Return an encoder's cosines of pairs; it is asked for them when they are wanted."""
    return encoder.cosines(sources, targets)
