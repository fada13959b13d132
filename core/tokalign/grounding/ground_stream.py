"""`Aligner.ground_stream`: evidence for an answer that is still being written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Unpack

from tokalign.batches.outcomes import unwrap
from tokalign.errors import InputError, quoted
from tokalign.grounding.ground import Grounds
from tokalign.grounding.offsets import in_unit
from tokalign.grounding.sources import Sources
from tokalign.texts.sentences import GrowingText
from tokalign.types.grounding import GroundedSentence, GroundOptions
from tokalign.types.keywords import GroundKeywords
from tokalign.types.passages import PassageLike

if TYPE_CHECKING:
    from tokalign.types.texts import SentenceSpan


class GroundsStreams(Grounds):
    """Base of what finds evidence for answers, also while they grow."""

    def ground_stream(
        self,
        pieces: Iterable[str],
        passages: Iterable[PassageLike],
        options: GroundOptions | None = None,
        **changes: Unpack[GroundKeywords],
    ) -> Iterator[GroundedSentence]:
        """Yield the sentences of an answer that grows, each as soon as its end is certain.

        Together they are the sentences that `ground` finds in the whole answer, however it is cut.

        Parameters
        ----------
        pieces : iterable of str
            The answer in order, cut anywhere.
        passages, options, **changes
            As of `ground`.

        Yields
        ------
        GroundedSentence
            Offsets are in the whole answer.

        Raises
        ------
        InputError, LimitError
            As `ground` has them; of the passages and options before a piece is read.
        """
        options = GroundOptions.of(options, changes)
        sources = Sources.of(passages)
        text = GrowingText("answer")
        for piece in pieces:
            if not isinstance(piece, str):
                raise InputError(
                    f"a piece of the answer is {quoted(piece)}; wanted text", field="answer"
                )
            yield from _grounded(self, text, text.add(piece), sources, options)
        yield from _grounded(self, text, text.end(), sources, options)


def _grounded(
    aligner: GroundsStreams,
    text: GrowingText,
    spans: Sequence[SentenceSpan],
    sources: Sources,
    options: GroundOptions,
) -> Iterator[GroundedSentence]:
    if spans:
        found = map(unwrap, aligner.ground_sentences(spans, sources, options))
        yield from in_unit(found, text.text, sources.passages, options.offsets)
