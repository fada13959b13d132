"""Protocols of an aligner and of the engine behind it, as far as the tasks use them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, overload

from tokalign.errors import InputError, WorkerError
from tokalign.types import Alignment, AnnotatedPair, PairLike, Sentence, SentenceLike
from tokalign.types.options import AlignOptions, Markup, RankBy
from tokalign.types.ranking import Judgement


class ModelName(Protocol):
    """The name, the version and the styles of a model."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def styles(self) -> Sequence[Mapping[str, Any]]: ...


class AnnotatesSentences(Protocol):
    """Fills the columns of sentences, as Aligner.annotate does."""

    def annotate(
        self, sentences: Sequence[SentenceLike], *, truncate: bool = ..., markup: Markup = ...
    ) -> list[Sentence]: ...


class AlignsPairs(AnnotatesSentences, Protocol):
    """Aligns many pairs, as Aligner.pipe does."""

    @property
    def header(self) -> ModelName: ...

    @overload
    def pipe(self, pairs: Iterable[PairLike], options: AlignOptions, /) -> Iterator[Alignment]: ...

    @overload
    def pipe(
        self,
        pairs: Iterable[Any],
        options: AlignOptions,
        /,
        *,
        batch_size: int,
        n_process: int,
        errors: Literal["return"],
    ) -> Iterator[Alignment | InputError | WorkerError]: ...


class JudgesPairs(AnnotatesSentences, Protocol):
    """Aligns and judges annotated pairs, as tokalign.decoding.engine.PairEngine does."""

    def annotate_pairs(
        self, pairs: Sequence[PairLike | Exception], *, truncate: bool = ..., markup: Markup = ...
    ) -> list[AnnotatedPair | Exception]: ...

    def judge_annotated(
        self, pairs: Sequence[AnnotatedPair | Exception], options: AlignOptions, by: RankBy
    ) -> Iterator[tuple[Alignment, Judgement] | Exception]: ...
