"""Requests for each method, of the same texts over gRPC and over HTTP."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from google.protobuf.message import Message
from tokalign.client.load.calls import LoadRequest
from tokalign.v1 import align_pb2

Texts: TypeAlias = Sequence[tuple[str, str]]

MOST_PAIRS = 20_000
"""Of all requests together, each of which holds all of its texts."""
BUILT_IN = (
    ("The old bridge over the river was rebuilt after the flood of 1997.", "Who rebuilt it?"),
    ("A man in a red jacket is repairing a bicycle.", "A man wearing red fixes a bike."),
    ("Prices rose by 3.5% in May, the bank said on Monday.", "In May, prices went up 3.5%."),
    ("The committee did not approve the plan.", "The plan was rejected by the committee."),
)
"""Pairs to send where there are no others."""


@dataclass(frozen=True, slots=True)
class Method:
    """One method of the server.

    Attributes
    ----------
    rpc, path : str
        Its names in gRPC and in HTTP.
    message, body : callable
        Return gRPC's message and HTTP's JSON for some pairs of texts.
    is_single : bool
        Whether a request holds one pair, however many are asked for.
    """

    rpc: str
    path: str
    message: Callable[[Texts], Message]
    body: Callable[[Texts], dict[str, Any]]
    is_single: bool = False


def requests(
    method: Method, texts: Texts, n_pairs: int, *, is_http: bool = False, timeout_s: float = 0.0
) -> list[LoadRequest]:
    """Return requests of `n_pairs` pairs, each from another pair on, in turn.

    Of rankings and evidence the first target is the question or the answer, and the sources are
    the candidates or the passages.
    """
    if method.is_single:
        n_pairs = 1
    made = []
    for first in range(min(len(texts), max(1, MOST_PAIRS // n_pairs))):
        chosen = [texts[(first + each) % len(texts)] for each in range(n_pairs)]
        if is_http:
            body = json.dumps(method.body(chosen), ensure_ascii=False).encode()
            made.append(LoadRequest(method.path, body, timeout_s, n_pairs))
        else:
            message = method.message(chosen).SerializeToString()
            made.append(LoadRequest.of(method.rpc, message, timeout_s, n_pairs))
    return made


def _pair(source: str, target: str) -> align_pb2.Pair:
    return align_pb2.Pair(source={"text": source}, target={"text": target})


def _pairs(texts: Texts) -> list[align_pb2.Pair]:
    return list(itertools.starmap(_pair, texts))


def _rank(texts: Texts) -> align_pb2.RankRequest:
    candidates = [align_pb2.Candidate(sentence={"text": source}) for source, _ in texts]
    return align_pb2.RankRequest(question={"text": texts[0][1]}, candidates=candidates)


def _similarity(texts: Texts) -> align_pb2.BatchAlignRequest:
    pairs = [_pair(texts[0][1], source) for source, _ in texts]
    return align_pb2.BatchAlignRequest(pairs=pairs, options={"detail": align_pb2.DETAIL_SCORES})


def _ground(texts: Texts) -> align_pb2.GroundRequest:
    passages = [
        align_pb2.SourcePassage(id=str(number), text=source)
        for number, (source, _) in enumerate(texts)
    ]
    return align_pb2.GroundRequest(answer=texts[0][1], passages=passages)


def _old_and_new(texts: Texts) -> tuple[str, str]:
    sources, targets = zip(*texts, strict=True)
    return " ".join(sources), " ".join(targets)


def _align_texts(texts: Texts) -> align_pb2.AlignTextsRequest:
    old, new = _old_and_new(texts)
    return align_pb2.AlignTextsRequest(old_text=old, new_text=new)


def _json_pairs(texts: Texts) -> list[dict[str, str]]:
    return [{"source": source, "target": target} for source, target in texts]


_SERVICE = "/tokalign.v1.AlignService"
METHODS = {
    "align": Method(
        f"{_SERVICE}/Align",
        "/v1/align",
        lambda texts: align_pb2.AlignRequest(pair=_pair(*texts[0])),
        lambda texts: _json_pairs(texts)[0],
        is_single=True,
    ),
    "batch": Method(
        f"{_SERVICE}/BatchAlign",
        "/v1/align",
        lambda texts: align_pb2.BatchAlignRequest(pairs=_pairs(texts)),
        lambda texts: {"pairs": _json_pairs(texts)},
    ),
    "similarity": Method(
        f"{_SERVICE}/BatchAlign",
        "/v1/similarity",
        _similarity,
        lambda texts: {"source": texts[0][1], "targets": [source for source, _ in texts]},
    ),
    "rank": Method(
        f"{_SERVICE}/Rank",
        "/v1/rerank",
        _rank,
        lambda texts: {"query": texts[0][1], "documents": [source for source, _ in texts]},
    ),
    "ground": Method(
        f"{_SERVICE}/Ground",
        "/v1/ground",
        _ground,
        lambda texts: {"answer": texts[0][1], "passages": [source for source, _ in texts]},
    ),
    "align-texts": Method(
        f"{_SERVICE}/AlignTexts",
        "/v1/diff",
        _align_texts,
        lambda texts: dict(zip(("old", "new"), _old_and_new(texts), strict=True)),
    ),
}
"""Methods by the names that users give."""
