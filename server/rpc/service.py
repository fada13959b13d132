"""The nine RPCs of tokalign.v1.AlignService, and the same by objects for HTTP.

Methods of gRPC take and return bytes. Requests are parsed here, so that bytes that are no request
are INVALID_ARGUMENT; answers are joined from what workers have serialised. The methods below them
check, submit and answer, and know no messages of requests: HTTP calls them as well.
"""

from __future__ import annotations

from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Sequence,
)
from dataclasses import replace
from functools import partial
from typing import ParamSpec, TypeVar

import grpc
from google.protobuf.message import Message
from tokalign.codec.options import RequestOptions, decode_rank_options
from tokalign.codec.servers import ErrorReason
from tokalign.codec.writing import Joined
from tokalign.english.reading.text_reading import reading_as
from tokalign.ranking.passages import asked_part
from tokalign.server.admission import Admission
from tokalign.server.config import Config
from tokalign.server.observe.faults import failure_of
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.requests.answers import Answer, status_of, too_large
from tokalign.server.requests.candidates import (
    GivenCandidate,
    RankedAnswer,
    given_passages,
    in_order,
    looked_at,
    plain_text,
    split_candidates,
    weighed_in_list,
)
from tokalign.server.requests.limits import max_sentence_bytes, sentence, shorten
from tokalign.server.requests.request import Request, cheapest, costed
from tokalign.server.requests.text_blocks import AlignedBlock
from tokalign.server.requests.wire import RequestFields, parse
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.ground_calls import GroundService
from tokalign.server.rpc.in_pieces import CallsInPieces
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.serving import Asked, Chosen, Serving
from tokalign.server.rpc.streams import AlignStream, Chunk
from tokalign.server.rpc.text_calls import TextService
from tokalign.server.rpc.work import (
    Holder,
    InTurn,
    UnaryCall,
    answered,
    check_soonest,
    check_time,
    off_loop,
)
from tokalign.server.status import OK, FailedError, NotServingError, RequestLimitError
from tokalign.texts.text_plan import TextPlan
from tokalign.types.grounding import SourcePassage
from tokalign.v1 import align_pb2

Data = TypeVar("Data")
P = ParamSpec("P")
Value = TypeVar("Value")

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
        self._limits = config.limits
        self._admission = admission
        self._memory = memory
        self._in_turn = InTurn(admission, memory)
        in_pieces = CallsInPieces(config.limits, admission, memory)
        self._texts = TextService(in_pieces)
        self._grounding = GroundService(in_pieces)

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
            },
            free={"ListModels": self.list_models},
            check=self.check_soonest,
            streams={"AlignStream": self.align_stream},
            pieces={"AlignTextsStream": self.align_texts_stream},
            parts={"GroundStream": self.ground_stream},
        )

    def check_soonest(self, context: Context) -> None:
        """Raise where a call would be late whatever it asks for; see work.check_soonest."""
        if self._loaded is not None:
            check_soonest(self._admission, self._loaded.pool, context)

    def serve_from(self, serving: Serving) -> None:
        """Answer new calls from a pool that has started."""
        self._loaded = serving

    async def align(self, data: bytes, context: Context) -> bytes:
        """Align one pair."""
        fields = RequestFields(align_pb2.AlignRequest, data, 0)
        serving = self._serving()
        chosen = serving.choose(fields.message("options"))
        pair = fields.message("pair")
        pair_id = fields.id_of(pair)
        (answer,) = await self._answers(
            serving, UnaryCall(context), chosen.options, [pair], len(data)
        )
        if answer.code != OK:
            field = f"pair.{answer.field}" if answer.field else ""
            raise FailedError(answer.failure(field))
        return self._sized(_ALIGN(id=pair_id, alignment=answer.alignment, model=chosen.reference))

    async def batch_align(self, data: bytes, context: Context) -> bytes:
        """Align many pairs, each with its own status."""
        fields = await self._cut(align_pb2.BatchAlignRequest, data)
        return await self._align_pairs(fields, len(data), UnaryCall(context), _BATCH)

    async def align_stream(self, messages: AsyncIterator[bytes], context: Context) -> None:
        """Align chunks as they arrive; at most `stream_chunks` of them are worked on at once."""
        await self.align_chunks(messages, self._align_chunk, context)

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
        chosen = serving.choose(fields.message("options"))
        pairs = fields.messages("pairs")
        self._check_time(serving, chosen, len(pairs), holder)
        ids = await self._ids(fields, "pairs", n_bytes)
        answers = await self._answers(serving, holder, chosen.options, pairs, n_bytes)
        return await self._joined(
            answers, lambda: join(results=map(_result, ids, answers), model=chosen.reference)
        )

    async def rank(self, data: bytes, context: Context) -> bytes:
        """Align a question with candidates and return them, those that answer best first."""
        serving = self._serving()
        check_time(self._admission, serving.pool, _SMALLEST_RANKING, context)
        fields = await self._cut(align_pb2.RankRequest, data)
        chosen = serving.choose(fields.message("options"))
        wanted = decode_rank_options(fields.number)
        options = replace(
            chosen.options,
            rank_by=wanted.by,
            highlights=wanted.highlights,
        )
        ids = await self._ids(fields, "candidates", len(data))
        question = fields.message("question")
        self._check_bytes(question)
        given_question = parse(align_pb2.Sentence, question, "question")
        given = fields.messages("candidates")
        with reading_as(options.align.markup):
            kept, candidates = await self.read(
                len(data), context, looked_at, given, given_question, wanted.shortlist
            )
        top_k = wanted.top_k
        asked = Asked(serving, chosen._replace(options=options), len(data), context)
        found, n_left_out = await self._ranked(asked, given_question, candidates, top_k)
        places = list(in_order(found, top_k))
        unit = options.align.offsets
        ranking = (
            _RANKED(index=kept[place], result=_result(ids[kept[place]], found[place].answer))
            + found[place].judgement(unit)
            for place in places
        )
        return await self._joined(
            [found[place].answer for place in places],
            lambda: _RANKING(
                ranking=ranking, model=chosen.reference, n_sentences_left_out=n_left_out
            ),
        )

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

    # By objects.

    def asked(self, options: RequestOptions, n_bytes: int, context: Context) -> Asked:
        """Return what a call asks for, with options checked; see Serving.choose."""
        serving = self._serving()
        return Asked(serving, serving.chosen(options), n_bytes, context)

    async def answers(
        self, asked: Asked, pairs: Sequence[bytes], holder: Holder, n_bytes: int
    ) -> list[Answer]:
        """Return the answers for serialised Pair messages, which hold so many bytes."""
        serving, chosen = asked.serving, asked.chosen
        self._check_time(serving, chosen, len(pairs), holder)
        return await self._answers(serving, holder, chosen.options, pairs, n_bytes)

    async def read(
        self,
        n_bytes: int,
        context: Context,
        function: Callable[P, Value],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Value:
        """Return what a function makes of a request of so many bytes, in its turn; see InTurn."""
        return await self._in_turn.read(n_bytes, context, function, *args, **kwargs)

    def check_number(self, n_items: int, name: str) -> None:
        """Raise LimitError if a request has too many pairs or candidates."""
        limit = self._limits.max_pairs
        if n_items > limit:
            raise RequestLimitError(
                f"more than {limit} {name}; the server takes at most {limit} per request: "
                "send several",
                reason=ErrorReason.TOO_MANY_ITEMS,
                field=name,
            )

    async def align_chunks(
        self,
        chunks: AsyncIterator[Data],
        align: Callable[[Data, Chunk], Awaitable[bytes]],
        context: Context,
    ) -> None:
        """Write the answers to chunks as they are done; see AlignStream.answer."""
        await AlignStream(context, self._config.stream_chunks).answer(chunks, align)

    async def rank_passages(
        self, asked: Asked, question: str, passages: Sequence[str], top_k: int
    ) -> tuple[list[tuple[int, RankedAnswer]], int]:
        """Return the `top_k` best of passages by position, with what came of them; 0 is all.

        Also return how many sentences were left out of all passages, at least.
        """
        check_time(self._admission, asked.serving.pool, _SMALLEST_RANKING, asked.context)
        self.check_number(len(passages), "documents")
        message = align_pb2.Sentence(text=question)
        self._check_bytes(message.SerializeToString())
        candidates = await off_loop(asked.n_bytes, given_passages, asked_part(question), passages)
        found, n_left_out = await self._ranked(asked, message, candidates, top_k)
        return [(place, found[place]) for place in in_order(found, top_k)], n_left_out

    async def _ranked(
        self,
        asked: Asked,
        question: align_pb2.Sentence,
        candidates: Sequence[GivenCandidate],
        top_k: int,
    ) -> tuple[list[RankedAnswer], int]:
        """Return what came of each candidate of a ranking, and how many sentences were left out."""
        serving, chosen, n_bytes, context = asked
        options = chosen.options
        truncate = options.align.truncate
        shared = _PAIR(target=question.SerializeToString())
        if truncate:
            shorten(question, self._limits)
        sentence(question, side="question", limits=self._limits)
        if question.text and not question.tokens:
            question.text = asked_part(question.text)
            shared = _PAIR(target=question.SerializeToString())
        text = plain_text(question)
        with reading_as(options.align.markup):
            split = await off_loop(
                n_bytes, split_candidates, text, candidates, self._limits, truncate=truncate
            )
        n_ranked = top_k or (len(candidates) if split.has_passages else 0)
        answers = await self._answers(
            serving, UnaryCall(context), options, split.pairs, n_bytes, shared, n_ranked
        )
        _check_question(answers)
        found = await off_loop(n_bytes, split.ranked, answers)
        explain = options.align.explain
        weighed = await off_loop(n_bytes, weighed_in_list, candidates, found, explain=explain)
        return weighed, split.n_left_out

    async def texts_aligned(
        self, asked: Asked, texts: tuple[str, str]
    ) -> tuple[TextPlan, list[AlignedBlock]]:
        """Return the plan for two texts, and its blocks, with answers of those that changed."""
        return await self._texts.align(asked, texts, only_changed=True)

    async def beside(
        self, n_bytes: int, function: Callable[P, Value], *args: P.args, **kwargs: P.kwargs
    ) -> Value:
        """Call a function that works on texts of so many bytes, large ones one at a time."""
        return await self._texts.beside(n_bytes, function, *args, **kwargs)

    async def grounded(
        self, asked: Asked, text: str, passages: Sequence[SourcePassage]
    ) -> list[bytes]:
        """Return the sentences of an answer as serialised GroundedSentence messages."""
        return await self._grounding.ground(asked, text, passages)

    def grounded_pieces(
        self, asked: Asked, pieces: AsyncIterator[str], passages: Sequence[SourcePassage]
    ) -> AsyncGenerator[list[bytes], None]:
        """Yield the same as pieces of the answer finish sentences."""
        return self._grounding.ground_pieces(asked, pieces, passages)

    def _check_time(self, serving: Serving, chosen: Chosen, n_pairs: int, holder: Holder) -> None:
        """Raise QueueFullError where many pairs would be late, however small they are."""
        least = cheapest(chosen.options, n_pairs)
        # A small one is soon read, and which line it waits in hangs on what it costs.
        if not (holder.waits or least.is_interactive):
            check_time(self._admission, serving.pool, least, holder.context)

    def _check_bytes(self, question: bytes) -> None:
        """Raise LimitError if a question is far too long, before it is parsed."""
        largest = max_sentence_bytes(self._limits)
        if len(question) > largest:
            raise RequestLimitError(
                f"a question of {len(question)} bytes; one within the limits has at most {largest}",
                reason=ErrorReason.LIMIT_EXCEEDED,
                field="question",
            )

    async def _cut(self, kind: type[Message], data: bytes) -> RequestFields:
        return await off_loop(len(data), RequestFields, kind, data, self._limits.max_pairs)

    async def _ids(self, fields: RequestFields, name: str, n_bytes: int) -> list[str]:
        """Return the ids of a request's pairs or candidates, unless there are too many."""
        self.check_number(len(fields.messages(name)), name)
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

    async def _joined(self, answers: Iterable[Answer], join: Callable[[], bytes]) -> bytes:
        """Return the joined answer; a thread joins it where that takes long."""
        n_bytes = sum(len(answer.alignment) + ANSWER_BYTES for answer in answers)
        return self._sized(await off_loop(n_bytes, join))

    def _sized(self, answer: bytes) -> bytes:
        """Return an answer, or raise LimitError if it is larger than it may be."""
        limit = self._limits.max_response_bytes
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


def _result(pair_id: str, answer: Answer) -> bytes:
    """Return a serialised AlignResult."""
    if answer.code == OK:
        return _RESULT(id=pair_id, status=b"", alignment=answer.alignment)
    return _RESULT(id=pair_id, status=status_of(answer))
