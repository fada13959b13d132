"""Calls of both clients: the request of each, and how its answer is decoded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tokalign.client.results import (
    AlignResult,
    RankedResult,
    alignment_of,
    ranked_of,
    results_of,
)
from tokalign.codec import (
    RequestOptions,
    ServerInfo,
    decode_server_info,
    encode_candidate,
    encode_input,
    encode_options,
    encode_pair,
    encode_rank_by,
)
from tokalign.errors import InputError
from tokalign.types import Alignment, Pair, PairLike, SentenceLike
from tokalign.types.inputs import check_priors, check_ranking, require_many
from tokalign.types.options import RankBy
from tokalign.v1 import align_pb2, align_pb2_grpc

AnswerT = TypeVar("AnswerT")


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
    pairs = list(pairs)
    return Rpc(
        "BatchAlign",
        align_pb2.BatchAlignRequest(pairs=encoded(pairs), options=encode_options(options)),
        lambda answer: results_of(answer.results, answer.model, pairs, options.align),
    )


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


@dataclass(frozen=True, slots=True)
class RankSettings:
    """How candidates are ranked; see Client.rank."""

    by: RankBy | str
    top_k: int
    passages: bool
    priors: Sequence[float | None] | None
    shortlist: int
    highlights: bool


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
    settings: RankSettings,
    options: RequestOptions,
) -> Rpc[list[RankedResult]]:
    """Return the call that ranks candidates; each result's index is a candidate's.

    Raises
    ------
    InputError
        If the question or a prior cannot be sent, or a number is out of range.
    """
    check_ranking(settings.top_k, settings.shortlist)
    candidates = list(require_many(candidates))
    priors = check_priors(settings.priors, len(candidates)) or [None] * len(candidates)

    def decode(answer: align_pb2.RankResponse) -> list[RankedResult]:
        return [
            ranked_of(
                each,
                answer.model,
                (candidates[each.index], question),
                options.align,
            )
            for each in answer.ranking
        ]

    request = align_pb2.RankRequest(
        question=encode_input(question, "question"),
        candidates=[
            _encoded_candidate(each, str(index), settings.passages, prior)
            for index, (each, prior) in enumerate(zip(candidates, priors, strict=True))
        ],
        options=encode_options(options),
        by=encode_rank_by(settings.by),
        top_k=settings.top_k,
        shortlist=settings.shortlist,
        highlights=settings.highlights,
    )
    return Rpc("Rank", request, decode)


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
