"""Requests as the workers get them: pairs, options, and what they cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tokalign.codec import RequestOptions
from tokalign.server.requests.answers import MAX_RANKING_BYTES, check_foreseen
from tokalign.server.requests.cost import CostModel, answer_bytes
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
    costs: CostModel,
    shared: bytes = b"",
    n_ranked: int = 0,
) -> Request:
    """Return a request with what it costs.

    Parameters
    ----------
    options, pairs, shared
        As of Request.
    costs : CostModel
    n_ranked : int
        How many of the pairs a ranking answers; 0 is all.

    Raises
    ------
    LimitError
        If the answer is sure to be too large.
    """
    sizes = costs.sizes(pairs, shared)
    n_bytes = answer_bytes(sizes, options.align)
    most = costs.limits.max_response_bytes
    check_foreseen(n_bytes, most, n_ranked)
    if n_ranked:
        most = max(most, MAX_RANKING_BYTES)
    of_each = costs.of_pairs(sizes, options)
    return Request(
        options,
        pairs,
        of_each,
        shared,
        min(sum(n_bytes), most),
        most,
        interactive(options, sum(of_each)),
    )


def cheapest(options: RequestOptions, n_pairs: int) -> Request:
    """Return a request without its pairs, each of which costs as little as one can."""
    is_interactive = interactive(options, n_pairs)
    return Request(options, (), (1,) * n_pairs, is_interactive=is_interactive)


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
