"""Reranking in the shape that Cohere and Jina gave it, which most frameworks speak."""

from __future__ import annotations

import json
import re
import uuid
from functools import partial
from typing import Any, NamedTuple, cast

from tokalign.codec import encode_options, encode_rank_options
from tokalign.formats.document import require_unicode
from tokalign.server.http.call import HttpCall
from tokalign.server.http.naming import naming
from tokalign.server.http.reading import JsonBody, checked, in_words, invalid
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.service import AlignService
from tokalign.server.rpc.work import off_loop
from tokalign.server.status import OK
from tokalign.types.options import Detail, RankBy, RankOptions
from tokalign.v1 import align_pb2

PASSED_OVER = ("max_chunks_per_doc", "priority", "rank_fields", "truncation", "user")
"""Fields that clients of others send and that change nothing here."""
_FIELDS = {
    "question": "query",
    r"candidates(\[\d+\])(\.passage)?": r"documents\1",
}
RERANK_OPTIONS = ("symmetrization", "style", "related", "effort")
_FIXED = {"detail": Detail.SCORES, "truncate": True}


class _Ranking(NamedTuple):
    """What a body asks for."""

    message: bytes
    documents: list[str]
    returns_documents: bool
    n_words: int


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
        asked = await off_loop(len(data), _read, data)
        with naming(_FIELDS):
            answer = await self._service.rank(asked.message, cast(Context, call))
        return await off_loop(len(answer), partial(self._written, answer, asked))

    def _written(self, data: bytes, asked: _Ranking) -> bytes:
        answer = align_pb2.RankResponse.FromString(data)
        results: list[dict[str, Any]] = []
        warnings = []
        for each in answer.ranking:
            index, status = each.index, each.result.status
            if status.code != OK:
                warnings.append(f"documents[{index}] could not be ranked: {status.message}")
            result: dict[str, Any] = {
                "index": index,
                "relevance_score": round(each.judgement.score, 6),
            }
            if asked.returns_documents:
                result["document"] = {"text": asked.documents[index]}
            results.append(result)
        meta: dict[str, Any] = {"api_version": {"version": self._version}}
        if warnings:
            meta["warnings"] = warnings
        value = {
            "id": str(uuid.uuid4()),
            "model": answer.model.name,
            "results": results,
            "meta": meta,
            "usage": {"total_tokens": asked.n_words},
        }
        return json.dumps(value, ensure_ascii=False).encode()


def _read(data: bytes) -> _Ranking:
    body = JsonBody(data)
    query = body.text("query")
    n_words = body.count("max_tokens_per_doc")
    documents = [_document(value, path) for path, value in body.items("documents")]
    with naming({}):
        options = body.align_options(RERANK_OPTIONS, **_FIXED)
        by = RankBy.of(body.text("by", RankBy.AUTO))
    returns_documents = body.get("return_documents", bool, False)
    top_n = body.count("top_n")
    body.some(PASSED_OVER)
    body.check_known()
    candidates = [
        align_pb2.Candidate(passage=_cut(text, n_words) if n_words else text) for text in documents
    ]
    message = align_pb2.RankRequest(
        question=align_pb2.Sentence(text=query),
        candidates=candidates,
        options=encode_options(options),
        **encode_rank_options(RankOptions(by=by, top_k=top_n)),
    )
    read_words = sum(len(text.split()) for text in [query, *documents])
    return _Ranking(message.SerializeToString(), documents, returns_documents, read_words)


def _document(value: Any, path: str) -> str:
    if isinstance(value, dict):
        value, path = value.get("text"), f"{path}.text"
    if not isinstance(value, str | dict):
        raise invalid(f"{path} is {in_words(value)}; wanted a string, or an object with text", path)
    return require_unicode(checked(value, str, path), path)


def _cut(text: str, n_words: int) -> str:
    """Return a text up to the end of so many words, as white space has them."""
    for number, match in enumerate(re.finditer(r"\S+", text), 1):
        if number == n_words:
            return text[: match.end()]
    return text
