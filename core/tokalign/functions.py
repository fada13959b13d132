"""Functions for sentences and texts; most use one aligner that threads share.

Each calls the method of `Aligner` of its name. The default aligner has the default model, which is
loaded at the first call; threads take turns. `split` and equal texts need no model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from tokalign.errors import InputError, quoted
from tokalign.types import Alignment, LinkExplanation, PairLike, SentenceLike
from tokalign.types.constraints import Constraints
from tokalign.types.keywords import (
    AlignKeywords,
    ChunkKeywords,
    ComparisonKeywords,
    DuplicateKeywords,
    GroundKeywords,
    PairKeywords,
    PipeKeywords,
    RankKeywords,
    explained,
)
from tokalign.types.locks import ForkLock
from tokalign.types.options import AlignOptions, GroundOptions, RankOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tokalign.aligner import Aligner
    from tokalign.comparison.near_duplicates import Duplicates
    from tokalign.texts.diff import TextDiff
    from tokalign.types.chunks import ChunkedPair
    from tokalign.types.display import Piped, Results
    from tokalign.types.frames import FrameLike
    from tokalign.types.grounding import GroundedSentence, Grounding, PassageLike
    from tokalign.types.ranking import Ranked
    from tokalign.types.texts import SentenceSpan, TextAlignment

_loading = ForkLock()
_loaded: list[Aligner] = []


def default_aligner() -> Aligner:
    """Return the process's aligner with the default model."""
    for aligner in _loaded:
        return aligner
    from tokalign.aligner import Aligner  # imports the whole aligner, which splitting does not need

    with _loading:
        if not _loaded:
            _loaded.append(Aligner())
        return _loaded[0]


def _check_aligner(aligner: Aligner | None) -> None:
    """Raise InputError if a name is given instead of an aligner."""
    if isinstance(aligner, str):
        raise InputError(
            f"aligner is {quoted(aligner)}; wanted an Aligner, such as Aligner({quoted(aligner)})",
            field="aligner",
        )


def _asked(aligner: Aligner | None) -> Aligner:
    """Return the caller's aligner, or the default one; InputError for a name."""
    _check_aligner(aligner)
    return aligner or default_aligner()


@explained(PairKeywords, AlignOptions, Constraints)
def align(
    source: SentenceLike,
    target: SentenceLike,
    options: AlignOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Unpack[PairKeywords],
) -> Alignment:
    """Return the alignment of one pair; see Aligner.align.

    Examples
    --------
    >>> align("Dogs bark.", "The dogs bark.").to_pharaoh()
    '0-1 1-2 2-3'
    """
    return _asked(aligner).align(source, target, options, **changes)


@explained(PipeKeywords, AlignOptions)
def pipe(
    pairs: Iterable[PairLike] | FrameLike,
    options: AlignOptions | None = None,
    *,
    errors: Literal["raise", "return"] = "raise",
    as_tuples: bool = False,
    aligner: Aligner | None = None,
    **changes: Unpack[PipeKeywords],
) -> Piped[Any]:
    """Return an iterator over the alignments of many pairs or of a frame; see Aligner.pipe.

    Examples
    --------
    >>> [each.to_pharaoh() for each in pipe([("Dogs bark.", "The dogs bark.")])]
    ['0-1 1-2 2-3']
    """
    found: Piped[Any] = _asked(aligner).pipe(  # type: ignore[call-overload]
        pairs, options, errors=errors, as_tuples=as_tuples, **changes
    )
    return found


@explained(AlignKeywords, AlignOptions)
def explain(
    source: SentenceLike,
    target: SentenceLike,
    source_index: int,
    target_index: int,
    options: AlignOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Unpack[AlignKeywords],
) -> tuple[LinkExplanation, ...]:
    """Return why two tokens are, or are not, linked; see Aligner.explain."""
    return _asked(aligner).explain(source, target, source_index, target_index, options, **changes)


@explained(AlignKeywords, AlignOptions)
def similarity(
    source: SentenceLike,
    target: SentenceLike,
    options: AlignOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Unpack[AlignKeywords],
) -> float:
    """Return how much two sentences say the same, in [0, 1]; see Aligner.similarity.

    Examples
    --------
    >>> round(similarity("Dogs bark.", "It rained all day."), 1)
    0.0
    """
    return _asked(aligner).similarity(source, target, options, **changes)


@explained(ComparisonKeywords, AlignOptions)
def similarities(
    one: SentenceLike,
    many: Iterable[SentenceLike],
    options: AlignOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Unpack[ComparisonKeywords],
) -> NDArray[np.float64]:
    """Return how much one sentence says the same as each of many; see Aligner.similarities."""
    return _asked(aligner).similarities(one, many, options, **changes)


@explained(ComparisonKeywords, AlignOptions)
def similarity_matrix(
    rows: Iterable[SentenceLike],
    columns: Iterable[SentenceLike] | None = None,
    options: AlignOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Unpack[ComparisonKeywords],
) -> NDArray[np.float64]:
    """Return the similarity of every row with every column; see Aligner.similarity_matrix."""
    return _asked(aligner).similarity_matrix(rows, columns, options, **changes)


@explained(DuplicateKeywords, AlignOptions)
def near_duplicates(
    sentences: Iterable[str],
    options: AlignOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Unpack[DuplicateKeywords],
) -> Iterator[Duplicates]:
    """Yield near-duplicate pairs among many sentences; see Aligner.near_duplicates."""
    return _asked(aligner).near_duplicates(sentences, options, **changes)


@explained(RankKeywords, RankOptions, AlignOptions)
def rank(
    question: SentenceLike,
    candidates: Iterable[SentenceLike | Mapping[str, Any]] | FrameLike,
    options: AlignOptions | None = None,
    *,
    progress: bool = False,
    aligner: Aligner | None = None,
    **changes: Unpack[RankKeywords],
) -> Results[Ranked]:
    """Return the candidates, the best answers first; see Aligner.rank.

    Examples
    --------
    >>> [each.index for each in rank("Who barks?", ["It rains.", "Dogs bark."])]
    [1, 0]
    """
    return _asked(aligner).rank(question, candidates, options, progress=progress, **changes)


@overload
def ground(
    answer: str,
    passages: Iterable[PassageLike] | FrameLike,
    options: GroundOptions | None = ...,
    *,
    columns: tuple[str, str] | None = ...,
    progress: bool = ...,
    aligner: Aligner | None = ...,
    **changes: Unpack[GroundKeywords],
) -> Grounding: ...


@overload
def ground(
    answer: FrameLike,
    passages: None = ...,
    options: GroundOptions | None = ...,
    *,
    columns: tuple[str, str] | None = ...,
    progress: bool = ...,
    aligner: Aligner | None = ...,
    **changes: Unpack[GroundKeywords],
) -> Results[Grounding | InputError | None]: ...


@explained(GroundKeywords, GroundOptions)
def ground(
    answer: str | FrameLike,
    passages: Iterable[PassageLike] | FrameLike | None = None,
    options: GroundOptions | None = None,
    *,
    columns: tuple[str, str] | None = None,
    progress: bool = False,
    aligner: Aligner | None = None,
    **changes: Unpack[GroundKeywords],
) -> Any:
    """Return where passages support the words of an answer; see Aligner.ground.

    It is evidence, not a verdict on truth: docs/grounding.md says what it finds and what it cannot.

    Examples
    --------
    >>> found = ground("The bridge opened in 1894.", ["It opened in 1894."])
    >>> [citation.passage for citation in found.sentences[0].citations]
    ['0']
    """
    asked: Any = _asked(aligner)
    return asked.ground(answer, passages, options, columns=columns, progress=progress, **changes)


@explained(GroundKeywords, GroundOptions)
def ground_stream(
    pieces: Iterable[str],
    passages: Iterable[PassageLike],
    options: GroundOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Unpack[GroundKeywords],
) -> Iterator[GroundedSentence]:
    """Yield the sentences of an answer that grows; see Aligner.ground_stream."""
    return _asked(aligner).ground_stream(pieces, passages, options, **changes)


@explained(ChunkKeywords, AlignOptions)
def align_chunks(
    source: SentenceLike,
    target: SentenceLike,
    options: AlignOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Unpack[ChunkKeywords],
) -> ChunkedPair:
    """Return the alignment of two sentences' chunks; see Aligner.align_chunks."""
    return _asked(aligner).align_chunks(source, target, options, **changes)


@explained(AlignKeywords, AlignOptions)
def align_texts(
    old: str,
    new: str,
    options: AlignOptions | None = None,
    *,
    aligner: Aligner | None = None,
    **changes: Unpack[AlignKeywords],
) -> TextAlignment:
    """Return the sentence alignment of two texts, with word alignments; see Aligner.align_texts.

    Examples
    --------
    >>> texts = align_texts("It rained. Dogs bark.", "It rained. The dogs bark. Cats sleep.")
    >>> for block in texts.blocks:
    ...     print(block.old, block.new, block.moved)
    (0,) (0,) False
    (1,) (1,) False
    () (2,) False
    """
    return _asked(aligner).align_texts(old, new, options, **changes)


@overload
def diff(
    old: str,
    new: str,
    options: AlignOptions | None = ...,
    *,
    columns: tuple[str, str] | None = ...,
    progress: bool = ...,
    aligner: Aligner | None = ...,
    **changes: Unpack[AlignKeywords],
) -> TextDiff: ...


@overload
def diff(
    old: FrameLike,
    new: None = ...,
    options: AlignOptions | None = ...,
    *,
    columns: tuple[str, str] | None = ...,
    progress: bool = ...,
    aligner: Aligner | None = ...,
    **changes: Unpack[AlignKeywords],
) -> Results[TextDiff | InputError | None]: ...


@explained(AlignKeywords, AlignOptions)
def diff(
    old: str | FrameLike,
    new: str | None = None,
    options: AlignOptions | None = None,
    *,
    columns: tuple[str, str] | None = None,
    progress: bool = False,
    aligner: Aligner | None = None,
    **changes: Unpack[AlignKeywords],
) -> Any:
    """Return what changed from one text to another; see Aligner.diff.

    Where two texts are equal, no model is loaded.

    Examples
    --------
    >>> from tokalign.texts.diff import summarize
    >>> found = diff("It has 40 rooms. It is old.", "It is old. It has 45 rooms.")
    >>> for alarm in summarize(found).alarms:
    ...     print(alarm.change, alarm)
    number 40 → 45
    >>> found.rebuild_new("It has 40 rooms. It is old.")
    'It is old. It has 45 rooms.'
    """
    _check_aligner(aligner)
    if isinstance(old, str) and old == new:
        from tokalign.texts.diff import same_texts  # takes longer than aligning a pair

        AlignOptions.of(options, changes)
        return same_texts(old, [(each.start, each.end) for each in split(old)])
    asked: Any = _asked(aligner)
    return asked.diff(old, new, options, columns=columns, progress=progress, **changes)


def split(text: str) -> list[SentenceSpan]:
    r"""Return the sentences of an English text.

    Aligners split raw text in the same way. A blank line always ends a sentence; a single line
    break is white space. The time is linear in the length of the text.

    Parameters
    ----------
    text : str
        Of any length.

    Returns
    -------
    list of SentenceSpan
        In the order of the text, with only white space between them; empty for blank text.

    Raises
    ------
    InputError
        If `text` is not a str.

    Examples
    --------
    >>> for sentence in split("Dr. Wu came at 3 p.m. on Monday.\nShe left at 4."):
    ...     print(sentence)
    SentenceSpan(start=0, end=32, text='Dr. Wu came at 3 p.m. on Monday.')
    SentenceSpan(start=33, end=47, text='She left at 4.')
    """
    from tokalign.texts.split_text import split_text

    return split_text(text)
