"""Reranking in the shape that Cohere and Jina gave it, which most frameworks speak."""

from __future__ import annotations

import re
import struct
import uuid
from dataclasses import replace
from functools import partial
from typing import Any, cast

from msgspec import UNSET
from tokalign.codec.options import RequestOptions
from tokalign.server.http.call import HttpCall
from tokalign.server.http.json_bodies import (
    PASSED_OVER,
    RERANK_OPTIONS,
    BodyReader,
    CheckNumber,
    RerankBody,
    RerankRequest,
)
from tokalign.server.http.problems import naming, to_json
from tokalign.server.requests.candidates import RankedAnswer
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.service import AlignService
from tokalign.server.rpc.work import off_loop
from tokalign.server.status import OK
from tokalign.types.options import Detail, OffsetUnit
from tokalign.v1 import align_pb2

_BODIES = BodyReader(RerankRequest)
_FIELDS = {
    r"question(\.text)?": "query",
    r"candidates(\[\d+\])?": r"documents\1",
}
# Scores have the precision of those of gRPC.
_SINGLE = struct.Struct("f")


class Rerank:
    """The method of /v1/rerank, /v2/rerank and /rerank.

    Parameters
    ----------
    version : str
        Of the shape.
    """

    def __init__(self, service: AlignService, version: str) -> None:
        self._service = service
        self._version = version

    async def __call__(self, data: bytes, call: HttpCall) -> bytes:
        """Rank documents as answers to a query."""
        service, context = self._service, cast(Context, call)
        body, options, documents = await service.read(
            len(data), context, _read, data, service.check_number
        )
        top_n, n_words = body.top_n or 0, body.max_tokens_per_doc or 0
        passages = [_cut(text, n_words) for text in documents] if n_words else documents
        with naming(_FIELDS):
            asked = service.asked(options, len(data), context)
            found = await service.rank_passages(asked, body.query, passages, top_n)
        written = partial(self._written, *found, asked.chosen.model.name, body, documents)
        return await off_loop(len(data), written)

    def _written(
        self,
        ranking: list[tuple[int, RankedAnswer]],
        n_left_out: int,
        model: str,
        body: RerankBody,
        documents: list[str],
    ) -> bytes:
        results: list[dict[str, Any]] = []
        warnings = _passed_over(body)
        if n_left_out:
            warnings.append(
                f"at least {n_left_out} sentences of the documents were not looked at: there are "
                "too many, and those were chosen that share the rarest words with the query; send "
                "fewer documents at once"
            )
        if any(_was_cut(found, "target") for _, found in ranking):
            warnings.append("query is too long; its end was not looked at")
        for index, found in ranking:
            answer = found.answer
            if answer.code != OK:
                warnings.append(f"documents[{index}] could not be ranked: {answer.message}")
            elif _was_cut(found, "source"):
                warnings.append(
                    f"documents[{index}] has a sentence that is too long; its end was not looked at"
                )
            (score,) = _SINGLE.unpack(_SINGLE.pack(answer.score))
            result: dict[str, Any] = {"index": index, "relevance_score": round(score, 6)}
            if body.return_documents:
                given = body.documents[index]
                result["document"] = {"text": given} if isinstance(given, str) else given
            if body.highlights:
                result["highlights"] = _highlights(found)
            results.append(result)
        meta: dict[str, Any] = {"api_version": {"version": self._version}}
        if warnings:
            meta["warnings"] = warnings
        n_words = sum(len(text.split()) for text in [body.query, *documents])
        return to_json(
            {
                "id": str(uuid.uuid4()),
                "model": model,
                "results": results,
                "meta": meta,
                "usage": {"total_tokens": n_words},
            }
        )


def _read(data: bytes, check_number: CheckNumber) -> tuple[RerankBody, RequestOptions, list[str]]:
    body = _BODIES.read(data, check_number)
    body.check_rank_fields()
    with naming({}):
        options = body.align_options(RERANK_OPTIONS, detail=Detail.SCORES, truncate=body.truncation)
    options = replace(options, rank_by=body.by, highlights=body.highlights)
    return body, options, list(map(body.text, range(len(body.documents))))


def _highlights(found: RankedAnswer) -> list[dict[str, float]]:
    """Return the spans of a document that match the query, as places in what was ranked of it."""
    if found.answer.code != OK:
        return []
    message = align_pb2.RankedCandidate.FromString(found.judgement(OffsetUnit.CODE_POINTS))
    return [
        {"start": each.start, "end": each.end, "confidence": round(each.confidence, 6)}
        for each in message.highlights
    ]


def _passed_over(body: RerankBody) -> list[str]:
    """Return a warning for each field that is given and means nothing here."""
    given = (name for name in PASSED_OVER if getattr(body, name) not in (None, UNSET))
    return [f"{name} means nothing here and was passed over" for name in given]


def _was_cut(found: RankedAnswer, side: str) -> bool:
    """Return whether the end of a side was cut off, of any pair of a document."""
    return any(
        getattr(align_pb2.Alignment.FromString(each.alignment), f"{side}_truncated")
        for each in found.answers
    )


def _cut(text: str, n_words: int) -> str:
    """Return a text up to the end of so many words, as white space has them."""
    for number, match in enumerate(re.finditer(r"\S+", text), 1):
        if number == n_words:
            return text[: match.end()]
    return text
