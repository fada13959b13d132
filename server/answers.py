"""How large an answer may be, and how large it will be at least, before any work is done."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from google.protobuf.message import DecodeError
from tokalign.errors import LimitError
from tokalign.options import AlignOptions, Detail
from tokalign.server.config import RequestLimits
from tokalign.server.requests import max_sentence_bytes
from tokalign.v1 import align_pb2

# Of a pair: tags and sizes around it, its score and its similarity.
_PAIR_BYTES = 6
# Of a token: tags and sizes of token, tag and lemma, a letter of the tag, and both offsets; less
# the space after it, which the token does not hold again.
_TOKEN_BYTES = 8
_FLOAT_BYTES = 4


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
    """Raise LimitError where the answer is certain to be too large.

    Parameters
    ----------
    pairs : sequence of bytes
        Serialised tokalign.v1.Pair messages.
    shared : bytes
        The serialised Pair.target of all pairs, or empty.
    options : AlignOptions
    limits : RequestLimits
    top_k : int
        How many of the pairs are answered, those of the smallest answers for all that is known; 0
        is all.
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
    """Return more than `least_bytes` of all pairs can be, from their sizes alone."""
    # A token is a byte and a space, or a byte, its tag and its size.
    more = len(shared) + 8
    most = 8 * (sum(map(len, pairs)) + len(pairs) * more)
    if options.posteriors:
        # With half of the bytes on either side, of two bytes a token.
        most += _FLOAT_BYTES * sum(((len(data) + more) // 4 + 1) ** 2 for data in pairs)
    return most


def least_bytes(pair: bytes, options: AlignOptions, limits: RequestLimits) -> int:
    """Return what the answer for a serialised pair takes at least."""
    if len(pair) > 2 * max_sentence_bytes(limits):
        return 0  # refused, or cut; parsing megabytes would hold the interpreter for too long
    try:
        message = align_pb2.Pair.FromString(pair)
    except DecodeError:
        return 0
    n_source, n_target = _n_words(message.source), _n_words(message.target)
    if max(n_source, n_target) > limits.max_tokens or not min(n_source, n_target):
        return 0  # refused, or cut
    if n_source * n_target > limits.max_token_product:
        return 0
    size = _PAIR_BYTES
    if options.posteriors:
        size += _FLOAT_BYTES * n_source * n_target
    if options.detail is Detail.FULL:
        size += _sentence_bytes(message.source, n_source)
        size += _sentence_bytes(message.target, n_target)
    return size


def _n_words(sentence: align_pb2.Sentence) -> int:
    return len(sentence.tokens) or len(sentence.text.split())


def _sentence_bytes(sentence: align_pb2.Sentence, n_words: int) -> int:
    """Return what a sentence takes at least: its text, and its tokens, which hold it again."""
    text = " ".join(sentence.tokens) if sentence.tokens else " ".join(sentence.text.split())
    return 2 * len(text.encode()) + _TOKEN_BYTES * n_words
