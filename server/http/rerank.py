"""Reranking in the shape that Cohere and Jina gave it, which most frameworks speak."""

from __future__ import annotations

import re
import struct
import uuid
from dataclasses import replace
from functools import partial
from typing import Any, cast

from tokalign.codec import RequestOptions
from tokalign.server.http.call import HttpCall
from tokalign.server.http.json_bodies import RERANK_OPTIONS, BodyReader, RerankBody, RerankRequest
from tokalign.server.http.problems import naming, to_json
from tokalign.server.requests.answers import Answer
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.service import AlignService
from tokalign.server.rpc.work import off_loop
from tokalign.server.status import OK
from tokalign.types.options import Detail

_BODIES = BodyReader(RerankRequest)
_FIELDS = {
    "question": "query",
    r"candidates(\[\d+\])?": r"documents\1",
}
# Scores have the precision of those of gRPC.
_SINGLE = struct.Struct("f")


class Rerank:
    """The method of /v1/rerank and /v2/rerank.

    Parameters
    ----------
    service : AlignService
    version : str
        Of the path.
    """

    def __init__(self, service: AlignService, version: str) -> None:
        self._service = service
        self._version = version

    async def __call__(self, data: bytes, call: HttpCall) -> bytes:
        """Rank documents as answers to a query."""
        body, options, documents = await off_loop(len(data), _read, data)
        top_n, n_words = body.top_n or 0, body.max_tokens_per_doc or 0
        passages = [_cut(text, n_words) for text in documents] if n_words else documents
        with naming(_FIELDS):
            asked = self._service.asked(options, len(data), cast(Context, call))
            ranking = await self._service.rank_passages(asked, body.query, passages, top_n)
        written = partial(self._written, ranking, asked.chosen.model.name, body, documents)
        return await off_loop(len(data), written)

    def _written(
        self, ranking: list[tuple[int, Answer]], model: str, body: RerankBody, documents: list[str]
    ) -> bytes:
        results: list[dict[str, Any]] = []
        warnings = []
        for index, answer in ranking:
            if answer.code != OK:
                warnings.append(f"documents[{index}] could not be ranked: {answer.message}")
            (score,) = _SINGLE.unpack(_SINGLE.pack(answer.score))
            result: dict[str, Any] = {"index": index, "relevance_score": round(score, 6)}
            if body.return_documents:
                result["document"] = {"text": documents[index]}
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


def _read(data: bytes) -> tuple[RerankBody, RequestOptions, list[str]]:
    body = _BODIES.read(data)
    with naming({}):
        options = body.align_options(RERANK_OPTIONS, detail=Detail.SCORES, truncate=True)
    documents = [each if isinstance(each, str) else each.text for each in body.documents]
    return body, replace(options, rank_by=body.by), documents


def _cut(text: str, n_words: int) -> str:
    """Return a text up to the end of so many words, as white space has them."""
    for number, match in enumerate(re.finditer(r"\S+", text), 1):
        if number == n_words:
            return text[: match.end()]
    return text
