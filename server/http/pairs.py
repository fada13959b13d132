"""Alignments and similarities of pairs: one, many, or many as a stream of events."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from tokalign.codec import RequestOptions, decode_alignment, encode_options, encode_pair
from tokalign.errors import InputError
from tokalign.formats.document import require_unicode
from tokalign.formats.jsonl import pair_from_json
from tokalign.server.http.call import HttpCall, event
from tokalign.server.http.naming import naming
from tokalign.server.http.problems import failure_of_item, item_error
from tokalign.server.http.reading import JsonBody, checked, invalid
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.service import AlignService
from tokalign.server.rpc.work import off_loop
from tokalign.server.status import OK, Failure, failure_of
from tokalign.types import Alignment
from tokalign.types.constraints import NAMES
from tokalign.types.objects import alignment_to_json, figures_to_json
from tokalign.types.options import Detail
from tokalign.v1 import align_pb2

# Pairs of a stream that are let in, and answered, at a time.
CHUNK_PAIRS = 32
ONE = ("id", "source", "target", *NAMES)
"""Fields of one pair."""

Write = Callable[[str, Alignment], dict[str, Any]]


class _Given(NamedTuple):
    """A pair of the body: its id and message, or why it cannot be read."""

    id: str
    message: align_pb2.Pair
    failure: Failure | None = None


class _Request(NamedTuple):
    """What a body asks for."""

    pairs: Sequence[_Given]
    options: RequestOptions
    is_single: bool
    is_stream: bool


class PairMethods:
    """The methods of /v1/align and /v1/similarity.

    Parameters
    ----------
    service : AlignService
    """

    def __init__(self, service: AlignService) -> None:
        self._service = service

    async def align(self, data: bytes, call: HttpCall) -> bytes:
        """Align one pair, or many."""
        request = await off_loop(len(data), _read, data)
        options = request.options.align
        write = partial(alignment_to_json, phrases=options.phrases, edits=options.edits)
        return await self._answer(request, call, write)

    async def similarity(self, data: bytes, call: HttpCall) -> bytes:
        """Say how much the sentences of one pair, or of many, say the same."""
        request = await off_loop(len(data), partial(_read, detail=Detail.SCORES), data)
        return await self._answer(request, call, _scores)

    async def _answer(self, request: _Request, call: HttpCall, write: Write) -> bytes:
        if request.is_single:
            return await self._one(request, call, write)
        if request.is_stream:
            await self._stream(request, call, write)
            return b""
        message = align_pb2.BatchAlignRequest(
            pairs=[each.message for each in request.pairs], options=encode_options(request.options)
        )
        with naming({}):
            data = await self._service.batch_align(message.SerializeToString(), cast(Context, call))
        return await off_loop(len(data), _written, data, request, write)

    async def _one(self, request: _Request, call: HttpCall, write: Write) -> bytes:
        (pair,) = request.pairs
        message = align_pb2.AlignRequest(pair=pair.message, options=encode_options(request.options))
        with naming({r"pair\.(source|target)\.text": r"\1", r"pair\.(constraints\.)?": ""}):
            data = await self._service.align(message.SerializeToString(), cast(Context, call))
        answer = align_pb2.AlignResponse.FromString(data)
        symmetrization = request.options.align.symmetrization
        alignment = decode_alignment(answer.alignment, answer.model, symmetrization)
        return json.dumps(write(pair.id, alignment), ensure_ascii=False).encode()

    async def _stream(self, request: _Request, call: HttpCall, write: Write) -> None:
        def render(data: bytes) -> Iterator[str]:
            answer = align_pb2.AlignStreamResponse.FromString(data)
            first = int(answer.chunk_id)
            given = request.pairs[first : first + CHUNK_PAIRS]
            results = answer.results or [
                align_pb2.AlignResult(id=each.id, status=answer.status) for each in given
            ]
            values = _results(given, results, answer.model, request, write)
            for index, value in enumerate(values, first):
                yield event("result", json.dumps({"index": index} | value, ensure_ascii=False))

        call.render = render
        with naming({}):
            await self._service.align_stream(_chunks(request), cast(Context, call))
        await call.write_event(event("done", json.dumps({"results": len(request.pairs)})))


async def _chunks(request: _Request) -> AsyncIterator[bytes]:
    """Yield the messages of a stream, whose ids are the index of their first pair."""
    options = encode_options(request.options)
    for first in range(0, len(request.pairs), CHUNK_PAIRS):
        pairs = request.pairs[first : first + CHUNK_PAIRS]
        yield align_pb2.AlignStreamRequest(
            chunk_id=str(first), pairs=[each.message for each in pairs], options=options
        ).SerializeToString()


def _read(data: bytes, **fixed: Any) -> _Request:
    """Return what a body asks for; some options may be fixed."""
    body = JsonBody(data)
    is_stream = body.get("stream", bool, False)
    with naming({}):
        options = body.align_options(**fixed)
    pairs: list[_Given]
    is_single = "pairs" not in body and "targets" not in body
    if is_single:
        if is_stream:
            raise invalid("stream is true, and there is one pair; give pairs", "stream")
        value = body.some(ONE)
        for side in ("source", "target"):
            if side not in value:
                raise invalid(f"{side} is missing; wanted a sentence, or pairs", side)
        pairs = [_pair(value, "0")]
    elif "pairs" in body:
        values = [checked(value, dict, path) for path, value in body.items("pairs")]
        pairs = [_given(value, index) for index, value in enumerate(values)]
    else:
        source = body.some(("source",))
        if not source:
            raise invalid("source is missing; wanted one for all targets", "source")
        targets = body.items("targets")
        pairs = [_given(source | {"target": value}, i) for i, (_, value) in enumerate(targets)]
    body.check_known()
    return _Request(pairs, options, is_single, is_stream)


def _given(value: dict[str, Any], index: int) -> _Given:
    """Return a pair of many; one that cannot be read costs the others nothing."""
    try:
        for name in value:
            if name not in ONE:
                raise invalid(f"no field of a pair is called {name!r}", name[:64])
        return _pair(value, str(index))
    except InputError as error:
        return _Given(str(index), align_pb2.Pair(), failure_of(error))


def _pair(value: dict[str, Any], name: str) -> _Given:
    given = value.get("id")
    if given is not None:
        name = require_unicode(checked(given, str, "id"), "id")
    for side in ("source", "target"):
        if value.get(side) is None:
            raise invalid(f"{side} is missing; wanted a sentence", side)
    with naming({r"constraints\.": ""}):
        return _Given(name, encode_pair(pair_from_json(value), name))


def _written(data: bytes, request: _Request, write: Write) -> bytes:
    answer = align_pb2.BatchAlignResponse.FromString(data)
    results = list(_results(request.pairs, answer.results, answer.model, request, write))
    value = {"model": answer.model.name, "version": answer.model.version, "results": results}
    return json.dumps(value, ensure_ascii=False).encode()


def _results(
    given: Sequence[_Given],
    results: Iterable[align_pb2.AlignResult],
    model: align_pb2.ModelRef,
    request: _Request,
    write: Write,
) -> Iterator[dict[str, Any]]:
    """Yield the objects of pairs, with their errors where they have some."""
    symmetrization = request.options.align.symmetrization
    for pair, result in zip(given, results, strict=True):
        status = result.status
        if pair.failure is not None:
            yield {"id": pair.id} | item_error(pair.failure)
        elif status.code != OK:
            yield {"id": pair.id} | item_error(failure_of_item(status))
        else:
            yield write(pair.id, decode_alignment(result.alignment, model, symmetrization))


def _scores(name: str, alignment: Alignment) -> dict[str, Any]:
    return {"id": name, **figures_to_json(alignment)}
