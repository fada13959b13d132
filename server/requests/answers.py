"""Answers of pairs, and how large they may be: what is certain is foreseen before any work."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from tokalign.codec.sizes import least_tokens
from tokalign.errors import LimitError
from tokalign.server.config import RequestLimits
from tokalign.server.requests.limits import max_sentence_bytes
from tokalign.server.status import Failure
from tokalign.types.options import AlignOptions, Detail
from tokalign.v1 import align_pb2

# Of all answers of a ranking together; only the best candidates are sent.
MAX_RANKING_BYTES = 32 << 20
# Of a pair: tags and sizes around it, its score and its similarity.
_PAIR_BYTES = 6
# Of a token: tags and sizes of token, tag and lemma, a letter of the tag, and both offsets; less
# the space after it, which the token does not hold again.
_TOKEN_BYTES = 8
_FLOAT_BYTES = 4


class Answer(NamedTuple):
    """The answer for one pair: a serialised tokalign.v1.Alignment, or why there is none.

    In a ranking, `score` is what the pair is ranked by, and `judgement` a serialised
    tokalign.v1.RankedCandidate that holds that score and what belongs to it.
    """

    alignment: bytes
    score: float = 0.0
    code: int = 0
    message: str = ""
    field: str = ""
    judgement: bytes = b""

    @classmethod
    def failed(cls, failure: Failure) -> Self:
        """Return the answer for a pair that cannot be aligned."""
        return cls(b"", code=failure.code, message=failure.message, field=failure.field)


def status_of(failure: Failure | Answer) -> bytes:
    """Return the serialised tokalign.v1.Status of an item."""
    return align_pb2.Status(
        code=failure.code, message=failure.message, field=failure.field
    ).SerializeToString()


def too_large(limit: int) -> LimitError:
    """Return the error for an answer that is, or would be, larger than `limit` bytes."""
    return LimitError(
        f"the answer would be larger than {limit} bytes (max_response_bytes), the most that this "
        "server sends: send fewer pairs, or ask for less of each: detail DETAIL_LINKS or "
        "DETAIL_SCORES, no posteriors, no explanations, a top_k"
    )


def check_foreseen(
    pairs: Sequence[bytes],
    shared: bytes,
    options: AlignOptions,
    limits: RequestLimits,
    top_k: int = 0,
) -> None:
    """Raise LimitError if the answer is certain to be too large.

    Parameters
    ----------
    pairs : sequence of bytes
        Serialised tokalign.v1.Pair messages.
    shared : bytes
        The serialised Pair.target of all pairs, or empty.
    options : AlignOptions
    limits : RequestLimits
    top_k : int
        How many of the pairs are answered; 0 is all. Nothing is known about which, so those with
        the smallest answers are assumed.
    """
    limit = limits.max_response_bytes
    if _most(pairs, shared, options) <= limit:
        return
    least = (least_bytes(shared + data, options, limits) for data in pairs)
    if _sum(least, top_k) > limit:
        raise too_large(limit)


def _sum(sizes: Iterable[int], top_k: int) -> int:
    return sum(heapq.nsmallest(top_k, sizes) if top_k else sizes)


def _most(pairs: Sequence[bytes], shared: bytes, options: AlignOptions) -> int:
    """Return a number that `least_bytes` of all pairs cannot exceed, from their sizes alone."""
    # A token is a byte and a space, or a byte, its tag and its size.
    more = len(shared) + 8
    most = 8 * (sum(map(len, pairs)) + len(pairs) * more)
    if options.posteriors:
        # With half of the bytes on either side, of two bytes a token.
        most += _FLOAT_BYTES * sum(((len(data) + more) // 4 + 1) ** 2 for data in pairs)
    return most


def least_bytes(pair: bytes, options: AlignOptions, limits: RequestLimits) -> int:
    """Return the bytes that the answer for a serialised pair takes at least."""
    if len(pair) > 2 * max_sentence_bytes(limits):
        return 0  # refused, or cut
    n_source, n_target, n_bytes = least_tokens(pair)
    if max(n_source, n_target) > limits.max_tokens or not min(n_source, n_target):
        return 0  # refused, or cut
    if n_source * n_target > limits.max_token_product:
        return 0
    size = _PAIR_BYTES
    if options.posteriors:
        size += _FLOAT_BYTES * n_source * n_target
    if options.detail is Detail.FULL:
        # Both texts, of which spaces between the tokens are the least, and their tokens.
        n_tokens = n_source + n_target
        size += 2 * (n_bytes + n_tokens - 2) + _TOKEN_BYTES * n_tokens
    return size
