"""The aligner: a model or a published system, an annotator, and all tasks as methods.

A method imports its task when it is called: importing them all takes longer than loading a model.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self, Unpack, overload

# Not below other imports: Python maps and unmaps memory for each call around some depths of calls.
import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.engine import PairEngine, load_again, open_model
from tokalign.english.annotate import Annotator
from tokalign.errors import InputError, WorkerError
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.model.file import Model, ModelHeader
from tokalign.neural.devices import DEFAULT_DEVICE
from tokalign.systems import System
from tokalign.types import Alignment, LinkExplanation, PairLike, Sentence, SentenceLike
from tokalign.types.constraints import Constraints
from tokalign.types.keywords import (
    DEFAULT_OVERLAP,
    DEFAULT_THRESHOLD,
    AlignKeywords,
    GroundKeywords,
    MarkupLike,
    NanErrors,
    PairKeywords,
    PipeKeywords,
    RankKeywords,
)
from tokalign.types.options import AlignOptions, Detail, GroundOptions, Markup, OffsetUnit

if TYPE_CHECKING:
    from tokalign.comparison.near_duplicates import Duplicates
    from tokalign.neural.encoder import Encoder
    from tokalign.texts.diff import TextDiff
    from tokalign.types.display import Piped, Results
    from tokalign.types.grounding import GroundedSentence, Grounding, PassageLike
    from tokalign.types.inputs import FrameLike
    from tokalign.types.ranking import Ranked
    from tokalign.types.relations import ChunkedPair, RelationExplanation
    from tokalign.types.texts import SentenceSpan, TextAlignment


class Aligner:
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
    is_system : bool
        Whether a published system aligns instead of a model; see docs/results.md.

    InputError is raised if no device has that name, or the model has no encoder that could run on
    it; ModelError, if the model cannot be found or read; ResourceError, if a table that it was
    trained with, or a package that annotator, encoder or device needs, is missing.
    """

    def __init__(
        self,
        model: str | os.PathLike[str] | Model | System = DEFAULT_MODEL,
        annotator: str | Annotator = "native",
        *,
        encoder: Encoder | None = None,
        device: str = DEFAULT_DEVICE,
    ) -> None:
        self._loaded_from: str | None = None
        self._annotator_name = annotator if isinstance(annotator, str) else ""
        if isinstance(model, str | os.PathLike):
            model, loaded_from = open_model(model)
            self._loaded_from = loaded_from if self._annotator_name else None
        self._device = device
        self._engine = PairEngine(model, annotator, encoder=encoder, device=device)
        self.header: ModelHeader = self._engine.header
        self.is_system = self._engine.is_system

    def __repr__(self) -> str:
        header, annotator = self.header, self._annotator_name or type(self.annotator).__name__
        styles = f", styles {', '.join(self.styles)}" if self.styles else ""
        return f"<Aligner {header.name} {header.version}: annotator {annotator}{styles}>"

    @property
    def annotator(self) -> Annotator:
        """Fills the columns of sentences."""
        return self._engine.annotator

    @property
    def styles(self) -> tuple[str, ...]:
        """Names of the model's styles; none where it has one convention."""
        return tuple(style["name"] for style in self.header.styles)

    @property
    def takes_effort(self) -> bool:
        """Whether the option `effort` may be less than 1; see docs/neural.md."""
        return self._engine.backend.takes_effort

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
        """Pickle the arguments of loading; unpickling loads the aligner again."""
        if self._loaded_from is None:
            raise TypeError(
                "an Aligner pickles only if it was made from a model's name or path and "
                "an annotator's name; load one where it is needed instead"
            )
        loaded = self._loaded_from, self._annotator_name, self._device, self.header.digest
        return load_again, (type(self).load, *loaded)

    def annotate(
        self,
        sentences: Sequence[SentenceLike],
        *,
        truncate: bool = False,
        markup: MarkupLike = Markup.AUTO,
    ) -> list[Sentence]:
        """Return sentences with every column that the model needs.

        With `truncate`, a sentence that is too long (tokalign.types.sentence) keeps its first
        tokens and all of its text; else LimitError is raised. InputError is raised if one is empty,
        its columns do not fit, or it holds lone surrogates.
        """
        return self._engine.annotate(sentences, truncate=truncate, markup=Markup.of(markup))

    def sentence_vectors(self, sentences: Sequence[SentenceLike]) -> NDArray[np.float32]:
        """Return vectors whose inner products are the cosines of `Alignment`: a float32 array of
        shape (n_sentences, width), with rows of length 1; InputError if the model has no encoder.
        """
        if (encoder := self._engine.encoder) is None:
            raise InputError(
                f"{self.header.name} has no encoder; load one that has, such as en-neural",
                field="model",
            )
        return encoder.sentences.encode([each.text for each in self.annotate(sentences)])

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
            Raw text, tokens, or a sentence, whose missing columns are filled.
        options : AlignOptions, optional
            How to align and what to return.
        **changes
            Fields of AlignOptions, in place of those of `options`, and of Constraints: what must
            be linked and what may not (``anchors=[(0, 1)]``).

        InputError is raised if a sentence is empty, an option is unknown, out of range or not
        supported by this system or model, or constraints contradict one another or are out of
        range; LimitError, if a sentence is too long (tokalign.types.sentence) without `truncate`.
        """
        given: dict[str, Any] = {**changes}
        constraints = Constraints.taken_from(given)
        options = AlignOptions.of(options, given)
        more = () if constraints is None else (constraints,)
        return self._engine.align_pair((source, target, *more), options)

    __call__ = align

    @overload
    def pipe(
        self,
        pairs: Iterable[PairLike],
        options: AlignOptions | None = ...,
        *,
        errors: Literal["raise"] = ...,
        as_tuples: Literal[False] = ...,
        **changes: Unpack[PipeKeywords],
    ) -> Piped[Alignment]: ...

    @overload
    def pipe(
        self,
        pairs: Iterable[PairLike],
        options: AlignOptions | None = ...,
        *,
        errors: Literal["return"],
        as_tuples: Literal[False] = ...,
        **changes: Unpack[PipeKeywords],
    ) -> Piped[Alignment | InputError | WorkerError]: ...

    @overload
    def pipe(
        self,
        pairs: Iterable[tuple[PairLike, Any]],
        options: AlignOptions | None = ...,
        *,
        errors: Literal["raise", "return"] = ...,
        as_tuples: Literal[True],
        **changes: Unpack[PipeKeywords],
    ) -> Piped[tuple[Any, Any]]: ...

    def pipe(
        self,
        pairs: Iterable[Any],
        options: AlignOptions | None = None,
        *,
        batch_size: int = 64,
        n_process: int = 1,
        errors: Literal["raise", "return"] = "raise",
        as_tuples: bool = False,
        columns: tuple[str, str] | None = None,
        progress: bool = False,
        **changes: Unpack[AlignKeywords],
    ) -> Piped[Any]:
        """Return an iterator over the alignments of many pairs; it reads `batch_size` pairs ahead.
        A sentence that several pairs of a batch share is annotated once.

        Parameters
        ----------
        pairs : iterable of (source, target), or of ((source, target), context)
            A third member of a pair is Constraints. A pair may be a mapping with names such as
            source and target (tokalign.types.inputs.SIDE_NAMES), and `constraints`. Or a frame of
            pandas or polars or a table of pyarrow, with columns of such names: None stands for a
            row with a missing cell, and `to_pandas` of the iterator keeps the columns.
        options, **changes
            As for `align`, without constraints.
        batch_size : int
            At least 1.
        n_process : int
            How many processes align, -1 for one on each processor. They load this aligner
            (TypeError if it does not pickle); a script needs its ``if __name__ == "__main__":``.
            A pair on which two of them die or hang is an error.
        errors : "raise" or "return"
            Whether a pair that cannot be aligned raises its InputError or WorkerError or yields it.
        as_tuples : bool
            Whether `pairs` holds (pair, context) tuples; then (alignment, context) is yielded.
        columns : (str, str), optional
            Columns of a frame that hold source and target.
        progress : bool
            Whether to show a progress bar.
        """
        from tokalign.batches.pipe import check_pipe, pipe_outcomes, with_missing, with_progress
        from tokalign.types.display import Piped
        from tokalign.types.inputs import Frame, FrameCells

        frame = Frame.of(pairs)
        rows = pairs if frame is None else frame.pairs(columns)
        check_pipe(rows, batch_size, n_process, errors)
        options = AlignOptions.of(options, changes)
        self._engine.backend.check(options)
        align = partial(self._outcomes, options=options)
        found: Iterable[Any] = pipe_outcomes(
            align, rows, batch_size, n_process, errors, as_tuples=as_tuples
        )
        if isinstance(rows, FrameCells):
            found = with_missing(rows, found)
        total = len(rows) if isinstance(rows, Sized) else None
        shown = with_progress(found, "pair", is_shown=progress, total=total)
        return Piped(shown, None if frame is None else frame.columns)

    def _outcomes(
        self, pairs: Sequence[PairLike], options: AlignOptions
    ) -> list[Alignment | Exception]:
        annotated = self._engine.annotate_pairs(
            pairs, truncate=options.truncate, markup=options.markup
        )
        return list(self._engine.align_annotated(annotated, options))

    def explain(
        self,
        source: SentenceLike,
        target: SentenceLike,
        source_index: int,
        target_index: int,
        options: AlignOptions | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> tuple[LinkExplanation, ...]:
        """Return why two tokens are, or are not, linked: one explanation for each direction.

        A published system explains the links that it makes, and no others.

        Other arguments and errors are as for `align`, without constraints. The symmetrizations
        ``s2t`` and ``t2s`` explain one direction alone.

        Parameters
        ----------
        source_index, target_index : int
            0-based tokens; -1 on one side asks why the other side's token is unaligned. InputError
            if one is out of range, both are -1, or the labelled side's is -1.
        """
        options = AlignOptions.of(options, changes)
        return self._engine.explain((source, target), source_index, target_index, options)

    def explain_relation(
        self,
        source: SentenceLike,
        target: SentenceLike,
        source_index: int,
        target_index: int,
        options: AlignOptions | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> RelationExplanation:
        """Return the explanation of the relation of two tokens, linked or not.

        Arguments and errors are as for `explain`; InputError if a published system aligns. Links
        that share a token with this one are explained with it.
        """
        options = AlignOptions.of(options, changes)
        return self._engine.explain_relation((source, target), source_index, target_index, options)

    def align_chunks(
        self,
        source: SentenceLike,
        target: SentenceLike,
        options: AlignOptions | None = None,
        *,
        source_chunks: Sequence[Sequence[int]] | None = None,
        target_chunks: Sequence[Sequence[int]] | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> ChunkedPair:
        """Return the alignment of two sentences' chunks: interpretable similarity.

        Each link of chunks has a relation, and a score from 0 to 5. Other arguments and errors are
        as for `align`; InputError if a chunk is bad, or a published system aligns.

        Parameters
        ----------
        source_chunks, target_chunks : sequence of sequences of int, optional
            Rising tokens of each chunk; other tokens are left out. By default a chunker finds them.
        """
        from tokalign.relations.chunks import align_chunks

        options = AlignOptions.of(options, changes)
        model = self._engine.backend.chunk_relations
        pair = self._engine.annotate_pair((source, target), options)
        inputs = partial(self._engine.unit_inputs, pair, options=options)
        return align_chunks(model, pair[0], pair[1], inputs, source_chunks, target_chunks)

    def similarity(
        self,
        source: SentenceLike,
        target: SentenceLike,
        options: AlignOptions | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> float:
        """Return how much two sentences say the same, in [0, 1]; see docs/scores.md.

        Arguments and errors are as for `align`, without constraints; so is the similarity.
        """
        return self.align(source, target, _for_scores(options, changes)).similarity

    def similarities(
        self,
        one: SentenceLike,
        many: Iterable[SentenceLike],
        options: AlignOptions | None = None,
        *,
        errors: NanErrors = "raise",
        n_process: int = 1,
        progress: bool = False,
        **changes: Unpack[AlignKeywords],
    ) -> NDArray[np.float64]:
        """Return how much one sentence says the same as each of many.

        Parameters
        ----------
        one : str, sequence of str, or Sentence
            The source of each pair; annotated once.
        many : iterable of the same, or a column or frame of pandas, polars or pyarrow
            A missing cell scores NaN. Of a frame, the column of texts is read.
        options, **changes
            As for `similarity`.
        errors : "raise" or "nan"
            Whether a sentence that cannot be aligned raises InputError or scores NaN.
        n_process, progress
            As for `pipe`.

        It is a float64 array in [0, 1], shape (n_many,).
        """
        from tokalign.comparison.near_duplicates import similarities

        options = _for_scores(options, changes)
        return similarities(self, one, many, options, errors, n_process, progress)

    def similarity_matrix(
        self,
        rows: Iterable[SentenceLike],
        columns: Iterable[SentenceLike] | None = None,
        options: AlignOptions | None = None,
        *,
        errors: NanErrors = "raise",
        n_process: int = 1,
        progress: bool = False,
        **changes: Unpack[AlignKeywords],
    ) -> NDArray[np.float64]:
        """Return the similarity of every row sentence with every column sentence; a thousand rows
        and columns are a million pairs.

        Parameters
        ----------
        rows : iterable of str, sequence of str, or Sentence
            The sources of the pairs.
        columns : iterable of the same, optional
            The targets. By default the rows: each two are aligned once, the earlier one as the
            source, and the diagonal is 1.
        options, errors, n_process, progress, **changes
            As for `similarities`; with "nan", a sentence that cannot be used has a row or column of
            NaN.

        It is a float64 array in [0, 1], shape (n_rows, n_columns).
        """
        from tokalign.comparison.near_duplicates import similarity_matrix

        options = _for_scores(options, changes)
        return similarity_matrix(self, rows, columns, options, errors, n_process, progress)

    def near_duplicates(
        self,
        sentences: Iterable[str],
        options: AlignOptions | None = None,
        *,
        threshold: float = DEFAULT_THRESHOLD,
        overlap: float = DEFAULT_OVERLAP,
        on_bad: Callable[[int, InputError], None] | None = None,
        n_process: int = 1,
        progress: bool = False,
        **changes: Unpack[AlignKeywords],
    ) -> Iterator[Duplicates]:
        """Yield the pairs of sentences, of up to millions, that say much the same.

        Sentences are compared where their lemmas, weighed by how rare they are, seem to overlap: a
        pair without common words is never found. ResourceError without the extra ``dedupe``.

        Parameters
        ----------
        sentences : iterable of str
            Blank ones have no duplicates.
        options, n_process, progress, **changes
            As for `similarities`.
        threshold : float
            Least similarity of a pair, in [0, 1].
        overlap : float
            Least Jaccard overlap of the lemmas of a pair that is compared, in [0, 1].
        on_bad : callable, optional
            Called with the number and the error of each sentence that cannot be aligned; by default
            the first such error is raised.

        They rise by `first`, then `second`; exact copies are paired only with the first of them.
        """
        from tokalign.comparison.near_duplicates import near_duplicates

        options = _for_scores(options, changes)
        yield from near_duplicates(
            self, sentences, options, threshold, overlap, on_bad, n_process, progress
        )

    def rank(
        self,
        question: SentenceLike,
        candidates: Iterable[SentenceLike | Mapping[str, Any]] | FrameLike,
        options: AlignOptions | None = None,
        *,
        progress: bool = False,
        **changes: Unpack[RankKeywords],
    ) -> Results[Ranked]:
        """Return the candidates, the best answers first.

        Parameters
        ----------
        question : str, sequence of str, or Sentence
            Annotated once; a Sentence with all columns is taken as it is.
        candidates : iterable of the same or of mappings with `text`, or a frame as for `pipe`
            Other keys or columns become columns of the ranking's data frame.
        progress, options, **changes
            As for `pipe`, and fields of RankOptions: `by`, `top_k`,
            `passages`, `priors`, `shortlist` and `highlights`. With the option `explain`,
            judgements hold their evidence.

        Equal scores keep the given order; candidates that cannot be aligned come last, among them a
        passage with a sentence that cannot be aligned. A score depends on the other candidates with
        `priors`, and where most of them repeat the question (docs/scores.md).

        InputError is raised if the question cannot be used, the candidates are one text, an option
        is out of range, or there is not one prior for each candidate.
        """
        from tokalign.ranking.rank import rank_candidates
        from tokalign.types.options import RankOptions

        given: dict[str, Any] = {**changes}
        how = RankOptions.taken_from(given)
        options = AlignOptions.of(options, given)
        return rank_candidates(self._engine, question, candidates, options, how, progress=progress)

    @overload
    def ground(
        self,
        answer: str,
        passages: Iterable[PassageLike] | FrameLike,
        options: GroundOptions | None = ...,
        **changes: Unpack[GroundKeywords],
    ) -> Grounding: ...

    @overload
    def ground(
        self,
        answer: FrameLike,
        passages: None = ...,
        options: GroundOptions | None = ...,
        *,
        columns: tuple[str, str] | None = ...,
        progress: bool = ...,
        **changes: Unpack[GroundKeywords],
    ) -> Results[Grounding | InputError | None]: ...

    def ground(
        self,
        answer: str | FrameLike,
        passages: Iterable[PassageLike] | FrameLike | None = None,
        options: GroundOptions | None = None,
        *,
        columns: tuple[str, str] | None = None,
        progress: bool = False,
        **changes: Unpack[GroundKeywords],
    ) -> Any:
        """Return where passages support the words of an answer.

        Parameters
        ----------
        answer : str, or a frame
            Any number of sentences; a blank answer has none. Of a frame with answers and passages,
            a result for each row: None where a cell is missing, or the row's InputError.
        passages : iterable of str, (str, str), mapping or SourcePassage, or a frame
            Texts, or texts with ids: (id, text), or a mapping or a frame with `text` and `id`. A
            text without an id gets its position, as "0"; rows without a text are left out.
        options, **changes
            GroundOptions, and fields that replace its own.
        columns, progress
            As for `pipe`, of a frame of answers.

        InputError is raised if a published system aligns, the answer or a passage is not a text,
        two passages share an id, or an option is bad, with the field ``passages[i].id`` and the
        like; LimitError, if answer or passages have more than MAX_TEXT_SENTENCES sentences
        (tokalign.types.sentence).
        """
        from tokalign.batches.pipe import map_rows
        from tokalign.grounding.ground import ground_answer
        from tokalign.types.inputs import ANSWERS, Frame

        options = GroundOptions.of(options, changes)

        def ground(text: Any, given: Any) -> Grounding:
            given = [given] if isinstance(given, str) and passages is None else given
            return ground_answer(self._engine, text, given, options)

        if passages is None and (frame := Frame.of(answer)) is not None:
            return map_rows(ground, frame, columns, ANSWERS, progress=progress)
        return ground(answer, passages)

    def ground_stream(
        self,
        pieces: Iterable[str],
        passages: Iterable[PassageLike],
        options: GroundOptions | None = None,
        **changes: Unpack[GroundKeywords],
    ) -> Iterator[GroundedSentence]:
        """Yield the sentences of an answer that grows, each as soon as its end is certain.

        They are those that `ground` finds in the whole answer, with offsets in it.

        Parameters
        ----------
        pieces : iterable of str
            The answer in order, cut anywhere.
        passages, options, **changes
            As for `ground`, with the same errors. Passages and options are checked before the first
            piece is read.
        """
        from tokalign.grounding.ground import ground_pieces

        yield from ground_pieces(self._engine, pieces, passages, GroundOptions.of(options, changes))

    @staticmethod
    def split(text: str) -> list[SentenceSpan]:
        """Return the sentences of an English text; see `tokalign.split`."""
        from tokalign.texts.split_text import split_text

        return split_text(text)

    def align_texts(
        self,
        old: str,
        new: str,
        options: AlignOptions | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> TextAlignment:
        """Return the sentence alignment of two texts, and the alignments of the matched sentences.

        Time and memory grow with the length of the texts, not with its square.

        Parameters
        ----------
        old, new : str
            Raw text of any number of sentences; a blank text has none.
        options, **changes
            As for `align`, without constraints, for the alignments of matched sentences. Offsets of
            sentences in the texts are in the unit of `options`, too. `truncate` changes nothing: a
            sentence that is too long is aligned in pieces.

        InputError is raised if a text is not a str or an option is bad; LimitError, if a text has
        more than MAX_TEXT_SENTENCES sentences (tokalign.types.sentence) that the other one lacks.
        """
        from tokalign.texts.align_texts import align_texts

        return align_texts(self, old, new, AlignOptions.of(options, changes))

    @overload
    def diff(
        self,
        old: str,
        new: str,
        options: AlignOptions | None = ...,
        **changes: Unpack[AlignKeywords],
    ) -> TextDiff: ...

    @overload
    def diff(
        self,
        old: FrameLike,
        new: None = ...,
        options: AlignOptions | None = ...,
        *,
        columns: tuple[str, str] | None = ...,
        progress: bool = ...,
        **changes: Unpack[AlignKeywords],
    ) -> Results[TextDiff | InputError | None]: ...

    def diff(
        self,
        old: str | FrameLike,
        new: str | None = None,
        options: AlignOptions | None = None,
        *,
        columns: tuple[str, str] | None = None,
        progress: bool = False,
        **changes: Unpack[AlignKeywords],
    ) -> Any:
        """Return what changed from one text to another, or in each row of a frame of two versions.

        Arguments and errors are as for `align_texts`, and of a frame as for `ground`. Edits are
        always asked for, and offsets are code points.
        """
        from tokalign.batches.pipe import map_rows
        from tokalign.texts.align_texts import align_texts
        from tokalign.texts.diff import diff_of
        from tokalign.types.inputs import VERSIONS, Frame

        options = AlignOptions.of(options, changes)
        options = replace(options, edits=True, offsets=OffsetUnit.CODE_POINTS, detail=Detail.FULL)

        def diff(old: Any, new: Any) -> TextDiff:
            return diff_of(align_texts(self, old, new, options, only_changed=True))

        if new is None and (frame := Frame.of(old)) is not None:
            return map_rows(diff, frame, columns, VERSIONS, progress=progress)
        return diff(old, new)


def _for_scores(options: AlignOptions | None, changes: AlignKeywords) -> AlignOptions:
    """Return the options of comparisons, without the fields that scores do not need."""
    return AlignOptions.of(options, {**changes, "detail": Detail.SCORES})
