"""Requests as the workers get them: pairs, options, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tokalign.codec import RequestOptions
from tokalign.server.config import RequestLimits
from tokalign.server.requests import cost
from tokalign.server.requests.answers import MAX_RANKING_BYTES, check_foreseen
from tokalign.types.options import Priority

# Most that requests cost which go between the shards of larger ones, in typical pairs: of any kind,
# and of rankings or where the request says so.
SMALL_COST = 32
INTERACTIVE_COST = 256


class Request(NamedTuple):
    """Pairs to align with the same options.

    Attributes
    ----------
    options : RequestOptions
        They name a loaded model and annotator.
    pairs : sequence of bytes
        Serialised tokalign.v1.Pair messages; of an answer that is grounded its sentences, see
        grounding.encode_sentence.
    costs : sequence of int
        Of each pair, in typical pairs, at least 1.
    shared : bytes
        The serialised Pair.target of all pairs, which then have none themselves; or empty. Of an
        answer that is grounded a serialised GroundRequest with the passages.
    answer_bytes : int
        About how many bytes the answers will take, as far as they may be kept.
    max_answer_bytes : int
        Most bytes that the answers may have together.
    is_interactive : bool
        Whether somebody waits for the answer; see `interactive`.
    """

    options: RequestOptions
    pairs: Sequence[bytes]
    costs: Sequence[int]
    shared: bytes = b""
    answer_bytes: int = 0
    max_answer_bytes: int = MAX_RANKING_BYTES
    is_interactive: bool = False


def costed(
    options: RequestOptions,
    pairs: Sequence[bytes],
    limits: RequestLimits,
    shared: bytes = b"",
    n_ranked: int = 0,
) -> Request:
    """Return a request with what it costs.

    Parameters
    ----------
    options, pairs, shared
        As of Request.
    limits : RequestLimits
    n_ranked : int
        How many of the pairs a ranking answers; 0 is all.

    Raises
    ------
    LimitError
        If the answer is certain to be too large.
    """
    check_foreseen(pairs, shared, options.align, limits, n_ranked)
    most = limits.max_response_bytes
    if n_ranked:
        most = max(most, MAX_RANKING_BYTES)
    sizes = cost.sizes_of(pairs, shared, limits)
    answer_bytes = min(cost.answer_bytes(sizes, options.align), most)
    costs = cost.of_pairs(sizes, options.align)
    return Request(
        options, pairs, costs, shared, answer_bytes, most, interactive(options, sum(costs))
    )


def interactive(options: RequestOptions, cost: int) -> bool:
    """Return whether somebody waits for the answer to a request, unlike to bulk work.

    What the request says of itself decides up to INTERACTIVE_COST; otherwise rankings and answers
    that are grounded up to that, and other requests up to SMALL_COST.
    """
    priority = options.align.priority
    if priority is Priority.BULK:
        return False
    asks = options.rank_by is not None or options.ground is not None
    waits = asks or priority is Priority.INTERACTIVE
    return cost <= (INTERACTIVE_COST if waits else SMALL_COST)
