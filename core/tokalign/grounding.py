"""Evidence for an answer: where source passages support its words, and what has no support.

It is evidence, not a verdict on truth: docs/grounding.md says what it finds and what it cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tokalign.batches.outcomes import unwrap
from tokalign.documents.sentences import GrowingText
from tokalign.errors import InputError, quoted
from tokalign.support.offsets import in_unit
from tokalign.support.sources import Sources
from tokalign.types.grounding import GroundedSentence, Grounding, GroundOptions
from tokalign.types.passages import PassageLike

if TYPE_CHECKING:
    from tokalign.aligner import Aligner
    from tokalign.types.texts import SentenceSpan


def ground(
    aligner: Aligner,
    answer: str,
    passages: Iterable[PassageLike],
    options: GroundOptions | None = None,
    **changes: Any,
) -> Grounding:
    """Return where passages support the words of an answer; see Aligner.ground.

    Examples
    --------
    >>> from tokalign import Aligner
    >>> found = ground(Aligner.load(), "The bridge opened in 1894.", ["It opened in 1894."])
    >>> [citation.passage for citation in found.sentences[0].citations]
    ['0']
    """
    return aligner.ground(answer, passages, options, **changes)


def ground_stream(
    aligner: Aligner,
    pieces: Iterable[str],
    passages: Iterable[PassageLike],
    options: GroundOptions | None = None,
    **changes: Any,
) -> Iterator[GroundedSentence]:
    """Yield the sentences of an answer that grows, each once, as soon as no more text can change
    where it ends.

    Together they are the sentences that `ground` finds in the whole answer, however it is cut.

    Parameters
    ----------
    aligner : Aligner
    pieces : iterable of str
        The answer in order, cut anywhere.
    passages, options, **changes
        As of Aligner.ground.

    Yields
    ------
    GroundedSentence
        Offsets are in the whole answer.

    Raises
    ------
    InputError, LimitError
        As Aligner.ground has them; of the passages and options before a piece is read.
    """
    options = GroundOptions.of(options, changes)
    sources = Sources.of(passages)
    text = GrowingText("answer")
    for piece in pieces:
        if not isinstance(piece, str):
            raise InputError(
                f"a piece of the answer is {quoted(piece)}; wanted text", field="answer"
            )
        yield from _grounded(aligner, text, text.add(piece), sources, options)
    yield from _grounded(aligner, text, text.end(), sources, options)


def _grounded(
    aligner: Aligner,
    text: GrowingText,
    spans: Sequence[SentenceSpan],
    sources: Sources,
    options: GroundOptions,
) -> Iterator[GroundedSentence]:
    if spans:
        found = map(unwrap, aligner.ground_sentences(spans, sources, options))
        yield from in_unit(found, text.text, sources.passages, options.offsets)
