"""Results that the clients return, made of a server's answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import grpc
from tokalign.client.errors import CallError, InternalError, from_status
from tokalign.codec.alignments import (
    decode_alignment,
    decode_highlights,
    decode_judgement,
    decode_passage_sentence,
)
from tokalign.codec.options import numbers_of
from tokalign.codec.sentences import encode_pair
from tokalign.codec.servers import ErrorReason
from tokalign.errors import InputError
from tokalign.types import Alignment, Pair, PairLike, Sentence, SentenceLike
from tokalign.types.display import Results
from tokalign.types.inputs import require_pair, text_of
from tokalign.types.options import AlignOptions
from tokalign.types.ranking import Highlight, Judgement, PassageSentence, RankedFields
from tokalign.types.sentence import in_unit
from tokalign.v1 import align_pb2

_INVALID_ARGUMENT: int = grpc.StatusCode.INVALID_ARGUMENT.value[0]


@dataclass(frozen=True, slots=True)
class AlignResult:
    """The answer for one pair of many: an alignment or an error.

    Attributes
    ----------
    index : int
        0-based position of the pair in what was sent.
    alignment : Alignment or None
    error : CallError or None
        Present exactly when `alignment` is not.
    """

    index: int
    alignment: Alignment | None
    error: CallError | None

    def unwrap(self) -> Alignment:
        """Return the alignment, or raise the error."""
        if self.alignment is not None:
            return self.alignment
        if self.error is None:
            raise ValueError("an AlignResult needs an alignment or an error")
        raise self.error


@dataclass(frozen=True, slots=True, repr=False)
class RankedResult(AlignResult, RankedFields):
    """The answer for one candidate; `index` is its position among the candidates.

    Attributes
    ----------
    judgement : Judgement or None
        Score of the candidate, and why; present exactly when `alignment` is.
    sentence : PassageSentence or None
        The passage's best sentence, which was aligned. None where the candidate is no passage, or
        has an error.
    highlights : tuple of Highlight
        What matches the question, of a passage in all its sentences, in order. Empty unless asked
        for.
    text : str
        The candidate, also a passage.
    """

    judgement: Judgement | None
    sentence: PassageSentence | None = None
    highlights: tuple[Highlight, ...] = ()
    text: str = ""


class Ranking(Results[RankedResult]):
    """The answers for candidates, the best first.

    Attributes
    ----------
    n_sentences_left_out : int
        How many sentences of passages the server did not look at, at least, because all passages
        have more than a request may have pairs; those that share the rarest words with the
        question were looked at. 0 unless `truncate` was asked for.
    """

    def __init__(self, results: Iterable[RankedResult], n_sentences_left_out: int = 0) -> None:
        super().__init__(results)
        self.n_sentences_left_out = n_sentences_left_out


def alignment_of(
    message: align_pb2.Alignment,
    model: align_pb2.ModelRef,
    sent: Pair,
    options: AlignOptions,
) -> Alignment:
    """Return an alignment. A Sentence that was sent keeps its text and its offsets."""
    decoded = decode_alignment(message, model, options.symmetrization)
    if not any(isinstance(each, Sentence) for each in sent[:2]):
        return decoded
    return replace(
        decoded,
        source=_with_text_sent(decoded.source, sent[0], options),
        target=_with_text_sent(decoded.target, sent[1], options),
    )


def _with_text_sent(value: Sentence, sent: SentenceLike, options: AlignOptions) -> Sentence:
    # The text of a sentence with rewritten tokens is not sent; see codec.encode_input.
    if not isinstance(sent, Sentence):
        return value
    kept = in_unit(sent, options.offsets)
    # Fewer than were sent where the server cut the sentence, 0 where the answer leaves it out.
    n_tokens = len(value)
    if n_tokens == 0:
        return value
    return replace(value, text=kept.text, starts=kept.starts[:n_tokens], ends=kept.ends[:n_tokens])


def result_of(
    message: align_pb2.AlignResult,
    model: align_pb2.ModelRef,
    index: int,
    sent: PairLike,
    options: AlignOptions,
) -> AlignResult:
    """Return the result of one pair of many.

    Something that is no pair was sent as an empty one (see rpcs.encoded) and gets an error.
    """
    status = message.status
    if status.code:
        error = _unsendable(sent) or from_status(status)
        return AlignResult(index, None, error)
    alignment = alignment_of(message.alignment, model, require_pair(sent), options)
    return AlignResult(index, alignment, None)


def _unsendable(pair: PairLike) -> CallError | None:
    """Return why a pair could not be sent, or None."""
    try:
        encode_pair(pair)
    except InputError as error:
        status = align_pb2.Status(
            code=_INVALID_ARGUMENT,
            message=str(error),
            field=error.field,
            reason=numbers_of(ErrorReason)[ErrorReason.INVALID_INPUT],
        )
        return from_status(status)
    return None


def ranked_of(
    message: align_pb2.RankedCandidate,
    model: align_pb2.ModelRef,
    sent: tuple[SentenceLike, SentenceLike],
    options: AlignOptions,
) -> RankedResult:
    """Return the result of one candidate."""
    result = result_of(message.result, model, message.index, sent, options)
    judgement = None if result.alignment is None else decode_judgement(message.judgement)
    sentence = decode_passage_sentence(message)
    highlights = decode_highlights(message.highlights)
    return RankedResult(
        result.index,
        result.alignment,
        result.error,
        judgement,
        sentence,
        highlights,
        text_of(sent[0]),
    )


def results_of(
    messages: Sequence[align_pb2.AlignResult],
    model: align_pb2.ModelRef,
    pairs: Sequence[PairLike],
    options: AlignOptions,
    first: int = 0,
) -> list[AlignResult]:
    """Return the results of consecutive pairs, with indices from `first`.

    Raises
    ------
    InternalError
        If the server gave more or fewer results than there are pairs.
    """
    if len(messages) != len(pairs):
        raise InternalError(
            f"the server gave {len(messages)} results for {len(pairs)} pairs", code="INTERNAL"
        )
    return [
        result_of(message, model, index, sent, options)
        for index, (message, sent) in enumerate(zip(messages, pairs, strict=True), first)
    ]
