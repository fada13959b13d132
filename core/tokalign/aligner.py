"""The aligner: a model or a system, an annotator and what decides behind one object."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from tokalign.annotate import Annotator, load_annotator
from tokalign.annotate.prepare import annotate, is_ready
from tokalign.batches.outcomes import annotate_pairs, together, unwrap
from tokalign.batches.piped import Piped
from tokalign.decoding.backend import Backend
from tokalign.decoding.by_model import ModelBackend
from tokalign.decoding.by_system import SystemBackend
from tokalign.decoding.cascade import Cascade
from tokalign.decoding.explaining import Explaining
from tokalign.decoding.grounding import Grounds
from tokalign.decoding.opening import load_again, open_model
from tokalign.differences.build import diff_of
from tokalign.differences.form import TextDiff
from tokalign.documents.aligned import align_texts
from tokalign.errors import InputError
from tokalign.features.lexicons import Lexicons
from tokalign.lexicon.frequencies import Frequencies
from tokalign.model.file import Model, ModelHeader
from tokalign.model.shipped import DEFAULT_MODEL
from tokalign.neural.devices import DEFAULT_DEVICE, check_device
from tokalign.questions.judge import Judge
from tokalign.systems import System
from tokalign.types import (
    Alignment,
    AnnotatedPair,
    Judgement,
    Pair,
    Sentence,
    SentenceLike,
)
from tokalign.types.constraints import Constraints
from tokalign.types.options import AlignOptions, Detail, OffsetUnit, RankBy
from tokalign.types.texts import TextAlignment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokalign.neural.encoder import Encoder


class Aligner(Piped, Explaining, Grounds):
    """Aligns sentence pairs. Threads may share one and then take turns; to align at the same time,
    each loads its own.

    Parameters
    ----------
    model : Model or System
    annotator : Annotator
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

    Examples
    --------
    >>> aligner = Aligner.load()
    >>> aligner.align("Dogs bark.", "The dogs bark.").to_pharaoh()
    '0-1 1-2 2-3'
    """

    def __init__(
        self,
        model: Model | System,
        annotator: Annotator,
        *,
        encoder: Encoder | None = None,
        device: str = DEFAULT_DEVICE,
    ) -> None:
        self.annotator = annotator
        self.is_system = not isinstance(model, Model)
        if encoder is None and isinstance(model, Model) and model.header.encoder:
            from tokalign.neural.encoder import Encoder  # its packages are optional

            encoder = Encoder.open_shipped(model.header.encoder, device=device)
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
        self._loaded_from: str | None = None
        self._annotator_name = ""
        self._device = device

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
        """Return an aligner with a model, or with a system of the literature. Needs no network.

        Parameters
        ----------
        model : str or path-like
            A name out of shipped_models() or tokalign.systems.SYSTEMS, or a model file's path.
        annotator : str or Annotator
            A name known to tokalign.annotate, or an object that follows its protocol.
        device : str
            Where the model's encoder, if it has one, runs; out of tokalign.neural.devices.DEVICES.

        Raises
        ------
        InputError
            If no device has that name.
        ModelError
            If the model cannot be found or read.
        ResourceError
            If a table that the model was trained with, or a package that the annotator, the
            model's encoder or the device needs, is missing.
        """
        check_device(device)
        opened, loaded_from = open_model(model)
        if not isinstance(annotator, str):
            return cls(opened, annotator, device=device)
        aligner = cls(opened, load_annotator(annotator), device=device)
        aligner._loaded_from = loaded_from
        aligner._annotator_name = annotator
        return aligner

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as how it was loaded, so that it is loaded anew where it is unpickled."""
        if self._loaded_from is None:
            raise TypeError(
                "an Aligner pickles only if Aligner.load made it from a model's name or path and "
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
        **changes: Any,
    ) -> Alignment:
        """Return the alignment of one pair.

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
        constraints = Constraints.taken_from(changes)
        options = AlignOptions.of(options, changes)
        self._backend.check(options)
        more = () if constraints is None else (constraints,)
        (annotated,) = self.annotate_pairs([(source, target, *more)], truncate=options.truncate)
        encoded = self._backend.encode([unwrap(annotated)], options)
        return unwrap(next(self._backend.decide(encoded, options).alignments()))

    def _check(self, options: AlignOptions) -> None:
        self._backend.check(options)

    def _outcomes(
        self, pairs: Sequence[Pair], options: AlignOptions
    ) -> list[Alignment | Exception]:
        annotated = self.annotate_pairs(pairs, truncate=options.truncate)
        return list(self.align_annotated(annotated, options))

    def annotate_pairs(
        self, pairs: Sequence[Pair | Exception], *, truncate: bool = False
    ) -> list[AnnotatedPair | Exception]:
        """Return pairs annotated, for `align_annotated`; see batches.outcomes.annotate_pairs."""
        if all(map(self._is_ready, pairs)):
            return list(pairs)  # type: ignore[arg-type]  # of AnnotatedPair all
        return annotate_pairs(partial(self.annotate, truncate=truncate), pairs)

    def _is_ready(self, pair: Pair | Exception) -> bool:
        """Whether there is nothing to annotate or to check of a pair."""
        trees = self.header.uses_trees
        return (
            type(pair) is tuple
            and len(pair) == 2
            and is_ready(pair[0], trees=trees)
            and is_ready(pair[1], trees=trees)
        )

    def align_texts(
        self,
        old: str,
        new: str,
        options: AlignOptions | None = None,
        **changes: Any,
    ) -> TextAlignment:
        """Return which sentences of two texts belong together, and the alignments of these.

        Time and memory grow with the length of the texts, not with its square.

        Parameters
        ----------
        old, new : str
            Raw text of any number of sentences, also of none.
        options, **changes
            As of `align`, without constraints, for the alignments of what belongs together. Offsets
            of sentences in the texts are in the unit of `options`, too. `truncate` changes nothing:
            of a sentence that is too long, pieces are aligned.

        Raises
        ------
        InputError
            If a text is none, or an option is bad. The field is ``old_text`` or ``new_text`` where
            it is the text.
        LimitError
            If a text has more than tokalign.types.lengths.MAX_TEXT_SENTENCES sentences.
        """
        options = AlignOptions.of(options, changes)
        return align_texts(self, old, new, options)

    def diff(
        self, old: str, new: str, options: AlignOptions | None = None, **changes: Any
    ) -> TextDiff:
        """Return what changed from one text to another.

        Parameters
        ----------
        old, new : str
            Raw text of any number of sentences, also of none.
        options, **changes
            As of `align_texts`. Edits are always asked for, and offsets are code points.

        Raises
        ------
        InputError, LimitError
            As of `align_texts`.
        """
        options = AlignOptions.of(options, changes)
        options = replace(options, edits=True, offsets=OffsetUnit.CODE_POINTS, detail=Detail.FULL)
        return diff_of(align_texts(self, old, new, options))

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
