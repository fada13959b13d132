"""Differences of two texts, and evidence for an answer, also sentence by sentence."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any, NamedTuple, cast

from tokalign.codec import (
    RequestOptions,
    decode_grounded_sentence,
    decode_grounding,
    decode_texts,
    encode_ground,
    encode_ground_head,
    encode_ground_piece,
    encode_texts,
)
from tokalign.errors import ServerError
from tokalign.grounding.evidence import grounding_to_dict
from tokalign.grounding.evidence.evidence_json import sentence_to_dict
from tokalign.server.http.call import HttpCall, event
from tokalign.server.http.naming import naming
from tokalign.server.http.reading import JsonBody, checked, in_words, invalid
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.service import AlignService
from tokalign.server.rpc.work import off_loop
from tokalign.texts.diff import diff_of, same_texts, summarize
from tokalign.types.grounding import SourcePassage
from tokalign.types.passages import check_passages
from tokalign.v1 import align_pb2

# An answer is read in pieces of so many characters where its evidence is streamed: some sentences.
PIECE_CHARACTERS = 256

DIFF_OPTIONS = ("style", "related", "effort")
_DIFF_FIELDS = {"(old|new)_text": r"\1"}


class _Answer(NamedTuple):
    """An answer to ground."""

    text: str
    passages: tuple[SourcePassage, ...]
    options: RequestOptions
    is_stream: bool


class TextMethods:
    """The methods of /v1/diff and /v1/ground.

    Parameters
    ----------
    service : AlignService
    """

    def __init__(self, service: AlignService) -> None:
        self._service = service

    async def diff(self, data: bytes, call: HttpCall) -> bytes:
        """Say what changed from one text to another."""
        body = JsonBody(data)
        texts = body.text("old"), body.text("new")
        with naming({}):
            options = body.align_options(DIFF_OPTIONS, edits=True)
        body.check_known()
        message = encode_texts(*texts, options).SerializeToString()
        with naming(_DIFF_FIELDS):
            answer = await self._service.align_texts(message, cast(Context, call))
        return await off_loop(len(answer), partial(_diff, answer, texts, options))

    async def ground(self, data: bytes, call: HttpCall) -> bytes:
        """Show where passages support the words of an answer."""
        asked = await off_loop(len(data), _read, data)
        if asked.is_stream:
            await self._stream(asked, call)
            return b""
        message = encode_ground(asked.text, asked.passages, asked.options).SerializeToString()
        with naming({}):
            answer = await self._service.ground(message, cast(Context, call))
        return await off_loop(len(answer), partial(_grounding, answer, asked))

    async def _stream(self, asked: _Answer, call: HttpCall) -> None:
        done: dict[str, Any] = {}

        def render(data: bytes) -> Iterator[str]:
            part = align_pb2.GroundStreamResponse.FromString(data)
            if part.HasField("model"):
                done.update(model=part.model.name, version=part.model.version)
            for each in part.sentences:
                sentence = sentence_to_dict(decode_grounded_sentence(each, _error))
                yield event("sentence", json.dumps(sentence, ensure_ascii=False))

        call.render = render
        with naming({}):
            await self._service.ground_stream(_messages(asked), cast(Context, call))
        await call.write_event(event("done", json.dumps(done)))


async def _messages(asked: _Answer) -> AsyncIterator[bytes]:
    for message in encode_ground_head(asked.passages, asked.options):
        yield message.SerializeToString()
    for start in range(0, len(asked.text), PIECE_CHARACTERS):
        for message in encode_ground_piece(asked.text[start : start + PIECE_CHARACTERS]):
            yield message.SerializeToString()


def _read(data: bytes) -> _Answer:
    body = JsonBody(data)
    answer = body.text("answer")
    passages = [_passage(value, path) for path, value in body.items("passages")]
    with naming({}):
        options = body.ground_options()
    is_stream = body.get("stream", bool, False)
    body.check_known()
    return _Answer(answer, check_passages(passages), options, is_stream)


def _passage(value: Any, path: str) -> str | SourcePassage:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or value.keys() != {"id", "text"}:
        raise invalid(
            f"{path} is {in_words(value)}; wanted a string, or an object with id and text",
            path,
        )
    name, text = (checked(value[name], str, f"{path}.{name}") for name in ("id", "text"))
    return SourcePassage(name, text)


def _error(status: align_pb2.Status) -> ServerError:
    return ServerError(status.message)


def _diff(data: bytes, texts: tuple[str, str], options: RequestOptions) -> bytes:
    answer = align_pb2.AlignTextsResponse.FromString(data)
    aligned = decode_texts([answer], texts, options, _error)
    old, new = texts
    if old == new:
        diff = same_texts(old, [(each.start, each.end) for each in aligned.old])
    else:
        diff = diff_of(aligned)
    value = diff.to_dict() | {"summary": summarize(diff).to_dict()}
    return json.dumps(value, ensure_ascii=False).encode()


def _grounding(data: bytes, asked: _Answer) -> bytes:
    answer = align_pb2.GroundResponse.FromString(data)
    grounding = decode_grounding([answer], asked.text, asked.passages, _error)
    return json.dumps(grounding_to_dict(grounding), ensure_ascii=False).encode()
