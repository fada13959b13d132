"""Alignments and similarities of pairs: one, many, or many as a stream of events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from tokalign.codec.alignments import decode_alignment
from tokalign.codec.options import RequestOptions
from tokalign.codec.sentences import encode_pair
from tokalign.codec.servers import ErrorReason
from tokalign.english.reading.text_reading import marks_to_json
from tokalign.errors import InputError
from tokalign.server.http.call import HttpCall, event
from tokalign.server.http.json_bodies import (
    ONE,
    AlignRequest,
    BodyReader,
    CheckNumber,
    PairsBody,
    SimilarityRequest,
    in_words,
    invalid,
    unknown,
)
from tokalign.server.http.problems import item_error, naming, to_json
from tokalign.server.observe import record
from tokalign.server.observe.faults import failure_of
from tokalign.server.requests.answers import Answer
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.service import AlignService
from tokalign.server.rpc.serving import Asked, Chosen
from tokalign.server.rpc.streams import Chunk
from tokalign.server.rpc.work import Holder, UnaryCall, off_loop
from tokalign.server.status import OK, FailedError, RequestLimitError
from tokalign.types import Alignment
from tokalign.types.inputs import require_unicode
from tokalign.types.objects import alignment_to_json, figures_to_json, pair_from_json
from tokalign.types.options import AlignOptions, Detail
from tokalign.v1 import align_pb2

# Pairs of a stream that are let in, and answered, at a time.
CHUNK_PAIRS = 32
# Of pairs that share a source: ten thousand with one of 512 tokens.
MAX_PAIRS_BYTES = 32 << 20

_ALIGN, _SIMILARITY = BodyReader(AlignRequest), BodyReader(SimilarityRequest)
_PAIR_FIELDS = {r"(source|target)\.text": r"\1", r"constraints\.": ""}

Write = Callable[[str, Alignment], dict[str, Any]]


class _Given(NamedTuple):
    """A pair of the body: its id, and its serialised message, or why it cannot be read."""

    id: str
    message: bytes
    failure: Answer | None = None


class _Request(NamedTuple):
    """What a body asks for."""

    pairs: Sequence[_Given]
    options: RequestOptions
    is_single: bool
    is_stream: bool


class PairMethods:
    """The methods of /v1/align and /v1/similarity."""

    def __init__(self, service: AlignService) -> None:
        self._service = service

    async def align(self, data: bytes, call: HttpCall) -> bytes:
        """Align one pair, or many."""
        request = await self._read(_ALIGN, data, call)
        options = request.options.align
        write = partial(_alignment, options)
        return await self._answer(request, len(data), call, write)

    async def similarity(self, data: bytes, call: HttpCall) -> bytes:
        """Say how much the sentences of one pair, or of many, say the same."""
        request = await self._read(_SIMILARITY, data, call, detail=Detail.SCORES)
        return await self._answer(request, len(data), call, _scores)

    async def _read(
        self, bodies: BodyReader[PairsBody], data: bytes, call: HttpCall, **fixed: Any
    ) -> _Request:
        service = self._service
        check = service.check_number
        return await service.read(
            len(data), cast(Context, call), _read, bodies, data, check, **fixed
        )

    async def _answer(self, request: _Request, n_bytes: int, call: HttpCall, write: Write) -> bytes:
        context = cast(Context, call)
        n_bytes = max(n_bytes, sum(len(each.message) for each in request.pairs))
        with naming(_PAIR_FIELDS):
            asked = self._service.asked(request.options, n_bytes, context)
            chosen = asked.chosen
            if request.is_stream:
                await self._stream(request.pairs, asked, write)
                return b""
            answers = await self._answers(request.pairs, asked, UnaryCall(context), n_bytes)
            if request.is_single and answers[0].code != OK:
                raise FailedError(answers[0].failure(answers[0].field))
        size = sum(len(answer.alignment) for answer in answers)
        results = await off_loop(
            size, lambda: list(_results(request.pairs, answers, chosen, write))
        )
        if request.is_single:
            return await off_loop(size, to_json, results[0])
        model = chosen.model
        value = {"model": model.name, "version": model.version, "results": results}
        return await off_loop(size, to_json, value)

    async def _answers(
        self, given: Sequence[_Given], asked: Asked, holder: Holder, n_bytes: int
    ) -> list[Answer]:
        """Return the answers to pairs, those that could not be read among them."""
        messages = [each.message for each in given if each.failure is None]
        if quota := record.current().quota:
            quota.charge(len(given) - len(messages))  # as each costs that a worker cannot read
        found = iter(await self._service.answers(asked, messages, holder, n_bytes))
        return [next(found) if each.failure is None else each.failure for each in given]

    async def _stream(self, given: Sequence[_Given], asked: Asked, write: Write) -> None:
        async def align(first: int, chunk: Chunk) -> bytes:
            pairs = given[first : first + CHUNK_PAIRS]
            n_bytes = sum(len(each.message) for each in pairs)
            try:
                answers = await self._answers(pairs, asked, chunk, n_bytes)
            except Exception as error:
                answers = [Answer.failed(failure_of(error))] * len(pairs)
            values = enumerate(_results(pairs, answers, asked.chosen, write), first)
            return b"".join(
                [event("result", to_json({"index": index} | value)) for index, value in values]
            )

        await self._service.align_chunks(_chunks(len(given)), align, asked.context)
        await asked.context.write(event("done", to_json({"results": len(given)})))


async def _chunks(n_pairs: int) -> AsyncIterator[int]:
    """Yield the index of the first pair of each chunk."""
    for first in range(0, n_pairs, CHUNK_PAIRS):
        yield first


def _read(
    bodies: BodyReader[PairsBody], data: bytes, check_number: CheckNumber, **fixed: Any
) -> _Request:
    """Return what a body asks for; some options may be fixed."""
    body = bodies.read(data, check_number)
    with naming({}):
        options = body.align_options(**fixed)
    is_single = not body.pairs and not body.targets
    pairs: list[_Given]
    if is_single:
        if body.stream:
            raise invalid("stream is true, and there is one pair; give pairs", "stream")
        value = body.some(ONE)
        for side in ("source", "target"):
            if side not in value:
                raise invalid(f"{side} is missing; wanted a sentence, or pairs", side)
        pairs = [_pair(value, "0")]
    elif body.pairs:
        for name in body.some((*ONE, "targets")):
            raise invalid(f"{name} is given beside pairs; give one of both", name)
        pairs = [_given(value, index) for index, value in enumerate(body.pairs)]
    else:
        for name in body.some(ONE).keys() - {"source"}:
            raise invalid(f"{name} is given beside targets; give one of both", name)
        source = body.some(("source",))
        if not source:
            raise invalid("source is missing; wanted one for all targets", "source")
        pairs = _beside(source, body.targets or ())
    return _Request(pairs, options, is_single, body.stream)


def _beside(source: dict[str, Any], targets: Sequence[Any]) -> list[_Given]:
    """Return the pairs of one source, which is in each: their bytes are counted one by one."""
    pairs, n_bytes = [], 0
    for index, target in enumerate(targets):
        pairs.append(_given(source | {"target": target}, index))
        n_bytes += len(pairs[-1].message)
        if n_bytes > MAX_PAIRS_BYTES:
            raise RequestLimitError(
                f"the source beside {len(targets)} targets takes more than {MAX_PAIRS_BYTES} "
                "bytes; send a shorter one, or fewer targets",
                reason=ErrorReason.LIMIT_EXCEEDED,
                field="targets",
            )
    return pairs


def _given(value: dict[str, Any], index: int) -> _Given:
    """Return a pair of many; one that cannot be read costs the others nothing."""
    try:
        for name in value:
            if name not in ONE:
                raise unknown(name, ONE, " of a pair")
        return _pair(value, str(index))
    except InputError as error:
        return _Given(str(index), b"", Answer.failed(failure_of(error)))


def _pair(value: dict[str, Any], name: str) -> _Given:
    given = value.get("id")
    if given is not None:
        if not isinstance(given, str):
            raise invalid(f"id is {in_words(given)}; wanted a string", "id")
        name = require_unicode(given, "id")
    for side in ("source", "target"):
        if value.get(side) is None:
            raise invalid(f"{side} is missing; wanted a sentence", side)
    with naming({r"constraints\.": ""}):
        return _Given(name, encode_pair(pair_from_json(value), name).SerializeToString())


def _results(
    given: Sequence[_Given], answers: Sequence[Answer], chosen: Chosen, write: Write
) -> Iterator[dict[str, Any]]:
    """Yield the objects of pairs, with their errors where they have some."""
    symmetrization = chosen.options.align.symmetrization
    for pair, answer in zip(given, answers, strict=True):
        if answer.code != OK:
            yield {"id": pair.id} | item_error(answer.failure(answer.field))
            continue
        message = align_pb2.Alignment.FromString(answer.alignment)
        yield write(pair.id, decode_alignment(message, chosen.model, symmetrization))


def _alignment(options: AlignOptions, name: str, alignment: Alignment) -> dict[str, Any]:
    value = alignment_to_json(name, alignment, phrases=options.phrases, edits=options.edits)
    if options.explain and options.detail is Detail.FULL:
        sides = {"source": alignment.source, "target": alignment.target}
        value["marks"] = marks_to_json(sides, options.markup, options.offsets)
    return value


def _scores(name: str, alignment: Alignment) -> dict[str, Any]:
    return {"id": name, **figures_to_json(alignment)}
