"""Calls of both clients: the request of each, and how its answer is decoded.

Texts, and an answer with its passages, are sent at once where they are short, in pieces where they
are long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tokalign.client.errors import from_status
from tokalign.client.results import (
    AlignResult,
    Ranking,
    alignment_of,
    ranked_of,
    results_of,
)
from tokalign.codec.grounding import (
    decode_grounding,
    encode_ground,
    encode_ground_head,
    encode_ground_piece,
)
from tokalign.codec.options import RequestOptions, encode_options, encode_rank_options
from tokalign.codec.sentences import encode_candidate, encode_input, encode_pair
from tokalign.codec.servers import ServerInfo, decode_server_info
from tokalign.codec.texts import decode_texts, encode_text_pieces, encode_texts
from tokalign.errors import InputError, quoted
from tokalign.types import Alignment, Pair, PairLike, SentenceLike
from tokalign.types.grounding import Grounding, PassageLike, check_passages
from tokalign.types.inputs import can_iterate, check_priors, require_many, text_bytes
from tokalign.types.options import RankOptions
from tokalign.types.texts import TextAlignment
from tokalign.v1 import align_pb2, align_pb2_grpc

# Texts, or an answer, of so many bytes are answered by one message of a usual server, and so are as
# many bytes of passages.
SHORT_BYTES = 16 << 10
SHORT_PASSAGES_BYTES = 1 << 20
AnswerT = TypeVar("AnswerT")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Rpc(Generic[AnswerT]):
    """A call, before it is made.

    Attributes
    ----------
    method : str
        A key of `methods`.
    request : Message or iterator of Message
        The messages of a call that streams both ways.
    decode : callable
        Makes the client's result of the response, or of the list of responses.
    """

    method: str
    request: Message | Iterator[Message]
    decode: Callable[[Any], AnswerT]

    @property
    def is_stream(self) -> bool:
        """Whether it streams both ways."""
        return not isinstance(self.request, Message)


def methods(channel: Any, health_channel: Any) -> dict[str, Any]:
    """Return the callables of channels of grpc or grpc.aio, by method name.

    Health checks have a channel of their own, since the other one skips servers that do not serve.
    """
    service = align_pb2_grpc.AlignServiceStub(channel)
    health: Any = health_pb2_grpc.HealthStub(health_channel)
    return {**vars(service), "Check": health.Check}


def align(pair: Pair, options: RequestOptions) -> Rpc[Alignment]:
    """Return the call that aligns one pair."""
    return Rpc(
        "Align",
        align_pb2.AlignRequest(pair=encode_pair(pair, "0"), options=encode_options(options)),
        lambda answer: alignment_of(answer.alignment, answer.model, pair, options.align),
    )


def batch_align(pairs: Iterable[PairLike], options: RequestOptions) -> Rpc[list[AlignResult]]:
    """Return the call that aligns many pairs."""
    pairs = list(require_iterable(pairs, "pairs"))
    return Rpc(
        "BatchAlign",
        align_pb2.BatchAlignRequest(pairs=encoded(pairs), options=encode_options(options)),
        lambda answer: results_of(answer.results, answer.model, pairs, options.align),
    )


def require_iterable(values: T, name: str) -> T:
    """Return what a caller gave as several values, or raise InputError where it is one."""
    if not can_iterate(values):
        raise InputError(f"{name} is {quoted(values)}; wanted several in a list", field=name)
    return values


def encoded(pairs: Sequence[PairLike], first: int = 0) -> list[align_pb2.Pair]:
    """Return the messages of pairs, each with its index as id, from `first` on.

    Something that is no pair is sent as an empty one, so that there is an answer for each; see
    results.result_of.
    """
    return [_encoded(pair, str(index)) for index, pair in enumerate(pairs, first)]


def _encoded(pair: PairLike, name: str) -> align_pb2.Pair:
    try:
        return encode_pair(pair, name)
    except InputError:
        return align_pb2.Pair(id=name)


def _encoded_candidate(
    value: SentenceLike, name: str, passages: bool, prior: float | None
) -> align_pb2.Candidate:
    try:
        return encode_candidate(value, name, passages=passages, prior=prior)
    except InputError:
        return align_pb2.Candidate(id=name)


def rank(
    question: SentenceLike,
    candidates: Iterable[SentenceLike],
    wanted: RankOptions,
    options: RequestOptions,
) -> Rpc[Ranking]:
    """Return the call that ranks candidates; each result's index is a candidate's.

    Raises
    ------
    InputError
        If the question or a prior cannot be sent.
    """
    candidates = list(require_many(candidates))
    priors = check_priors(wanted.priors, len(candidates)) or [None] * len(candidates)

    def decode(answer: align_pb2.RankResponse) -> Ranking:
        ranked = (
            ranked_of(each, answer.model, (candidates[each.index], question), options.align)
            for each in answer.ranking
        )
        return Ranking(ranked, answer.n_sentences_left_out)

    request = align_pb2.RankRequest(
        question=encode_input(question, "question"),
        candidates=[
            _encoded_candidate(each, str(index), wanted.passages, prior)
            for index, (each, prior) in enumerate(zip(candidates, priors, strict=True))
        ],
        options=encode_options(options),
        **encode_rank_options(wanted),
    )
    return Rpc("Rank", request, decode)


class TextCalls:
    """The calls for two texts.

    Attributes
    ----------
    is_short : bool
        Whether they are sent at once first.

    Raises
    ------
    InputError
        If one is no text, or holds lone surrogates.
    """

    def __init__(self, old: str, new: str, options: RequestOptions) -> None:
        n_bytes = text_bytes(old, "old_text") + text_bytes(new, "new_text")
        self.is_short = n_bytes <= SHORT_BYTES
        self._old = old
        self._new = new
        self._options = options

    def at_once(self) -> Rpc[TextAlignment]:
        """Return the call with one message."""
        request = encode_texts(self._old, self._new, self._options)
        return Rpc("AlignTexts", request, lambda answer: self._decode([answer]))

    def in_pieces(self) -> Rpc[TextAlignment]:
        """Return the call with a stream of messages."""
        requests = encode_text_pieces(self._old, self._new, self._options)
        return Rpc("AlignTextsStream", requests, self._decode)

    def _decode(
        self,
        parts: Iterable[align_pb2.AlignTextsResponse | align_pb2.AlignTextsStreamResponse],
    ) -> TextAlignment:
        """Return the answer, whose fields may be spread over several messages."""
        return decode_texts(parts, (self._old, self._new), self._options, from_status)


class GroundCalls:
    """The calls for an answer that is whole.

    Attributes
    ----------
    is_short : bool
        Whether all is sent at once first.

    Raises
    ------
    InputError
        If the answer or a passage is no text, or two passages have the same id.
    """

    def __init__(
        self, answer: str, passages: Iterable[PassageLike], options: RequestOptions
    ) -> None:
        self._answer = answer
        self._passages = check_passages(passages)
        self._options = options
        n_bytes = sum(len(each.id) + len(each.text.encode()) for each in self._passages)
        is_short_answer = text_bytes(answer, "answer") <= SHORT_BYTES
        self.is_short = is_short_answer and n_bytes <= SHORT_PASSAGES_BYTES

    def at_once(self) -> Rpc[Grounding]:
        """Return the call with one message."""
        request = encode_ground(self._answer, self._passages, self._options)
        return Rpc("Ground", request, lambda answer: self._decode([answer]))

    def in_pieces(self) -> Rpc[Grounding]:
        """Return the call with a stream of messages."""
        return Rpc("GroundStream", self._requests(), self._decode)

    def _requests(self) -> Iterator[align_pb2.GroundStreamRequest]:
        yield from encode_ground_head(self._passages, self._options)
        yield from encode_ground_piece(self._answer)

    def _decode(
        self, parts: Iterable[align_pb2.GroundResponse | align_pb2.GroundStreamResponse]
    ) -> Grounding:
        """Return the answer, whose fields may be spread over several messages."""
        return decode_grounding(parts, self._answer, self._passages, from_status)


def list_models() -> Rpc[ServerInfo]:
    """Return the call that asks what the server offers."""
    return Rpc("ListModels", align_pb2.ListModelsRequest(), decode_server_info)


def health() -> Rpc[str]:
    """Return the call that asks for the server's state."""
    return Rpc("Check", health_pb2.HealthCheckRequest(), _decode_health)


def _decode_health(answer: health_pb2.HealthCheckResponse) -> str:
    states = health_pb2.HealthCheckResponse.ServingStatus
    known = answer.status in states.values()
    return states.Name(answer.status) if known else f"UNKNOWN_{answer.status}"
