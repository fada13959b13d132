"""The nine RPCs of tokalign.v1.AlignService: check, submit, reply.

Methods take and return bytes. Requests are parsed here, so that bytes that are no request are
INVALID_ARGUMENT; answers are joined from what workers have serialised.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import grpc
from google.protobuf.message import Message
from tokalign import codec
from tokalign.codec import RequestOptions
from tokalign.codec.reasons import ErrorReason
from tokalign.codec.writing import Joined
from tokalign.server.admission import Admission
from tokalign.server.config import Config
from tokalign.server.observe.faults import failure_of
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.requests.answers import Answer, status_of, too_large
from tokalign.server.requests.limits import max_sentence_bytes, sentence, shorten
from tokalign.server.requests.passages import read_candidates
from tokalign.server.requests.ranking import chosen, priors_of, read_messages, with_priors
from tokalign.server.requests.request import Request, cheapest, costed
from tokalign.server.requests.wire import RequestFields, parse
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.grounding import GroundService
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.serving import Serving
from tokalign.server.rpc.streams import AlignStream, Chunk
from tokalign.server.rpc.texts import TextService
from tokalign.server.rpc.work import Holder, UnaryCall, answered, check_time, off_loop
from tokalign.server.status import OK, FailedError, NotServingError, RequestLimitError
from tokalign.v1 import align_pb2

_ALIGN = Joined(align_pb2.AlignResponse)
_BATCH = Joined(align_pb2.BatchAlignResponse)
_CHUNK = Joined(align_pb2.AlignStreamResponse)
_PAIR = Joined(align_pb2.Pair)
_RANKING = Joined(align_pb2.RankResponse)
_RANKED = Joined(align_pb2.RankedCandidate)
_RESULT = Joined(align_pb2.AlignResult)

SERVICE = align_pb2.DESCRIPTOR.services_by_name["AlignService"].full_name

_SMALLEST_RANKING = Request(RequestOptions(), (), (1,), is_interactive=True)

# Work for an answer beside that for its bytes, as so many bytes.
ANSWER_BYTES = 64


class AlignService:
    """The RPC methods; they refuse calls until there is something to serve from."""

    def __init__(self, config: Config, admission: Admission, memory: MemoryBound) -> None:
        self._loaded: Serving | None = None
        self._config = config
        self._admission = admission
        self._memory = memory
        self._texts = TextService(config.limits, admission, memory)
        self._grounding = GroundService(config.limits, admission, memory)

    def handler(self, calls: Calls) -> grpc.GenericRpcHandler:
        """Return what grpc.aio.Server.add_generic_rpc_handlers takes."""
        return calls.handler(
            SERVICE,
            unary={
                "Align": self.align,
                "BatchAlign": self.batch_align,
                "Rank": self.rank,
                "AlignTexts": self.align_texts,
                "Ground": self.ground,
                "ListModels": self.list_models,
            },
            streams={"AlignStream": self.align_stream},
            pieces={"AlignTextsStream": self.align_texts_stream},
            parts={"GroundStream": self.ground_stream},
        )

    def serve_from(self, serving: Serving) -> None:
        """Answer new calls from a pool that has started."""
        self._loaded = serving

    async def align(self, data: bytes, context: Context) -> bytes:
        """Align one pair."""
        fields = RequestFields(align_pb2.AlignRequest, data, 0)
        serving = self._serving()
        options, reference = serving.choose(fields.message("options"))
        pair_id = fields.id("pair")
        pairs = [fields.message("pair")]
        (answer,) = await self._answers(serving, UnaryCall(context), options, pairs, len(data))
        if answer.code != OK:
            field = f"pair.{answer.field}" if answer.field else ""
            raise FailedError(answer.failure(field))
        return self._sized(_ALIGN(id=pair_id, alignment=answer.alignment, model=reference))

    async def batch_align(self, data: bytes, context: Context) -> bytes:
        """Align many pairs, each with its own status."""
        fields = await self._cut(align_pb2.BatchAlignRequest, data)
        return await self._align_pairs(fields, len(data), UnaryCall(context), _BATCH)

    async def align_stream(self, messages: AsyncIterator[bytes], context: Context) -> None:
        """Align chunks as they arrive; at most `stream_chunks` of them are worked on at once."""
        await AlignStream(context, self._config.stream_chunks).answer(messages, self._align_chunk)

    async def _align_chunk(self, data: bytes, chunk: Chunk) -> bytes:
        fields = await self._cut(align_pb2.AlignStreamRequest, data)
        chunk_id = fields.text("chunk_id")
        try:
            fields.check_text("chunk_id")
            join = partial(_CHUNK, chunk_id=chunk_id, status=b"")
            return await self._align_pairs(fields, len(data), chunk, join)
        except Exception as error:
            return _CHUNK(chunk_id=chunk_id, status=status_of(Answer.failed(failure_of(error))))

    async def _align_pairs(
        self, fields: RequestFields, n_bytes: int, holder: Holder, join: Callable[..., bytes]
    ) -> bytes:
        """Align the pairs of a request and join their results."""
        serving = self._serving()
        options, reference = serving.choose(fields.message("options"))
        pairs = fields.messages("pairs")
        least = cheapest(options, len(pairs))
        # A small one is soon read, and which line it waits in hangs on what it costs.
        if not (holder.waits or least.is_interactive):
            check_time(self._admission, serving.pool, least, holder.context)
        ids = await self._ids(fields, "pairs", n_bytes)
        answers = await self._answers(serving, holder, options, pairs, n_bytes)
        return await self._joined(
            answers, lambda: join(results=map(_result, ids, answers), model=reference)
        )

    async def rank(self, data: bytes, context: Context) -> bytes:
        """Align a question with candidates and return them, those that answer best first."""
        serving = self._serving()
        check_time(self._admission, serving.pool, _SMALLEST_RANKING, context)
        fields = await self._cut(align_pb2.RankRequest, data)
        options, reference = serving.choose(fields.message("options"))
        wanted = codec.decode_rank_options(fields.number)
        options = replace(
            options,
            rank_by=wanted.by,
            highlights=wanted.highlights,
        )
        ids = await self._ids(fields, "candidates", len(data))
        truncate = options.align.truncate
        question = self._question(fields.message("question"), truncate)
        given = fields.messages("candidates")
        messages = await off_loop(len(data), read_messages, given)
        kept = await off_loop(len(data), chosen, question, messages, wanted.shortlist)
        priors = priors_of([messages[index] for index in kept])
        ids = [ids[index] for index in kept]
        candidates = await off_loop(
            len(data),
            read_candidates,
            [given[index] for index in kept],
            self._config.limits,
            truncate=truncate,
        )
        top_k = wanted.top_k
        answers = await self._answers(
            serving,
            UnaryCall(context),
            options,
            candidates.pairs,
            len(data),
            _PAIR(target=question),
            top_k or (len(ids) if candidates.has_passages else 0),
        )
        _check_question(answers)
        answers = await off_loop(len(data), candidates.answers, answers, options.align.offsets)
        explain = options.align.explain
        answers = await off_loop(len(data), with_priors, answers, priors, explain=explain)
        ranking = _ranking(kept, ids, answers, top_k)
        return await self._joined(answers, lambda: _RANKING(ranking=ranking, model=reference))

    def _question(self, question: bytes, truncate: bool) -> bytes:
        """Return a question that is within the limits, or raise for the whole ranking."""
        limits = self._config.limits
        largest = max_sentence_bytes(limits)
        if len(question) > largest:
            raise RequestLimitError(
                f"a question of {len(question)} bytes; one within the limits has at most {largest}",
                reason=ErrorReason.LIMIT_EXCEEDED,
                field="question",
            )
        message = parse(align_pb2.Sentence, question, "question")
        if truncate:
            shorten(message, limits)
        sentence(message, side="question", limits=limits)
        return question

    async def align_texts(self, data: bytes, context: Context) -> bytes:
        """Align the sentences of two texts, and their words."""
        return self._sized(await self._texts.answer(self._serving(), data, context))

    async def align_texts_stream(self, messages: AsyncIterator[bytes], context: Context) -> None:
        """Do the same for texts that arrive in pieces; answer in parts."""
        await self._texts.stream(self._serving(), messages, context)

    async def ground(self, data: bytes, context: Context) -> bytes:
        """Show what supports an answer."""
        return self._sized(await self._grounding.answer(self._serving(), data, context))

    async def ground_stream(self, messages: AsyncIterator[bytes], context: Context) -> None:
        """Do the same for an answer that is still being written."""
        await self._grounding.stream(self._serving(), messages, context)

    async def list_models(self, data: bytes, context: Context) -> bytes:
        """Return the loaded models, the limits and the annotators."""
        parse(align_pb2.ListModelsRequest, data)
        return self._serving().listing

    async def _cut(self, kind: type[Message], data: bytes) -> RequestFields:
        return await off_loop(len(data), RequestFields, kind, data, self._config.limits.max_pairs)

    async def _ids(self, fields: RequestFields, name: str, n_bytes: int) -> list[str]:
        """Return the ids of a request's pairs or candidates, unless there are too many."""
        limit = self._config.limits.max_pairs
        if len(fields.messages(name)) > limit:
            raise RequestLimitError(
                f"more than {limit} {name}; the server takes at most {limit} per request: "
                "send several",
                reason=ErrorReason.TOO_MANY_ITEMS,
                field=name,
            )
        return await off_loop(n_bytes, fields.ids, name)

    async def _answers(
        self,
        serving: Serving,
        holder: Holder,
        options: RequestOptions,
        pairs: Sequence[bytes],
        n_bytes: int,
        shared: bytes = b"",
        n_ranked: int = 0,
    ) -> list[Answer]:
        """Return the answers to a request of `n_bytes`, once it is let in; see `costed`."""
        request = await off_loop(n_bytes, costed, options, pairs, serving.costs, shared, n_ranked)
        # Checked at the start of the call as well; since then others came, or chunks of this one.
        self._memory.check()
        return await answered(self._admission, serving.pool, holder, request, n_bytes)

    async def _joined(self, answers: Sequence[Answer], join: Callable[[], bytes]) -> bytes:
        """Return the joined answer; a thread joins it where that takes long."""
        n_bytes = sum(len(answer.alignment) + ANSWER_BYTES for answer in answers)
        return self._sized(await off_loop(n_bytes, join))

    def _sized(self, answer: bytes) -> bytes:
        """Return an answer, or raise LimitError if it is larger than it may be."""
        limit = self._config.limits.max_response_bytes
        if len(answer) > limit:
            raise too_large(limit)
        return answer

    def _serving(self) -> Serving:
        if self._loaded is None:
            raise NotServingError(
                "the server is loading its models; try again soon",
                reason=ErrorReason.SERVER_STARTING,
            )
        return self._loaded


def _check_question(answers: Iterable[Answer]) -> None:
    """Raise FailedError where the question is at fault, which fails every pair."""
    for answer in answers:
        side, _, rest = answer.field.partition(".")
        if side == "target":
            field = f"question.{rest}" if rest else "question"
            raise FailedError(answer.failure(field))


def _ranking(
    indices: Sequence[int], ids: Sequence[str], answers: Sequence[Answer], top_k: int
) -> Iterator[bytes]:
    """Yield serialised RankedCandidates; `indices` are their positions in the request."""
    order = sorted(
        range(len(answers)),
        key=lambda place: (answers[place].code != OK, -answers[place].score),
    )
    for place in order[: top_k or None]:
        answer = answers[place]
        result = _result(ids[place], answer)
        yield _RANKED(index=indices[place], result=result) + answer.judgement


def _result(pair_id: str, answer: Answer) -> bytes:
    """Return a serialised AlignResult."""
    if answer.code == OK:
        return _RESULT(id=pair_id, status=b"", alignment=answer.alignment)
    return _RESULT(id=pair_id, status=status_of(answer))
