"""The texts of a request's pairs, for a log that may quote sentences."""

from __future__ import annotations

from tokalign.codec import RequestOptions
from tokalign.server.requests import grounding
from tokalign.v1 import align_pb2


def texts(options: RequestOptions, shared: bytes, pair: bytes) -> dict[str, str]:
    """Return both texts of a pair, or that of an answer's sentence."""
    if options.ground is not None:
        return {"answer": grounding.decode_sentence(pair)[1]}
    message = align_pb2.Pair.FromString(shared + pair)
    return {
        side: sentence.text or " ".join(sentence.tokens)
        for side, sentence in (("source", message.source), ("target", message.target))
    }
