"""Requests as the workers get them: pairs, options, and what they cost.

What long texts are aligned by is many times as large as the texts. So it is made when it is needed,
in windows, of which one is held at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from tokalign.codec.options import RequestOptions
from tokalign.server.requests.answers import MAX_RANKING_BYTES, check_foreseen
from tokalign.server.requests.cost import CostModel, answer_bytes
from tokalign.types.options import Priority

Item = TypeVar("Item")

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
        wire.encode_answer_sentence.
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


class Bounds(NamedTuple):
    """The most that a window may hold, unless it holds a single pair.

    Attributes
    ----------
    cost : int
        In typical pairs.
    n_bytes : int
        Of its pairs, and about what their answers take.
    """

    items: int
    cost: int
    n_bytes: int


class Sized(NamedTuple, Generic[Item]):
    """An item, and what it takes.

    Attributes
    ----------
    pair : bytes or None
        As Request.pairs has it; None where nothing is to be aligned for it.
    cost : int
        In typical pairs; 0 without a pair.
    n_bytes : int
        Of the pair, and about what the answer takes.
    """

    item: Item
    pair: bytes | None
    cost: int
    n_bytes: int


class Window(NamedTuple, Generic[Item]):
    """Consecutive items, and the request for the pairs of those that have one."""

    items: list[Item]
    request: Request


def windows(
    items: Iterable[Sized[Item]], options: RequestOptions, bounds: Bounds, shared: bytes = b""
) -> Iterator[Window[Item]]:
    """Yield items in windows within the bounds, each made when it is asked for."""
    held: list[Item] = []
    pairs: list[bytes] = []
    costs: list[int] = []
    total = n_bytes = 0
    for item, pair, pair_cost, pair_bytes in items:
        if held and (
            len(held) >= bounds.items
            or total + pair_cost > bounds.cost
            or n_bytes + pair_bytes > bounds.n_bytes
        ):
            yield Window(held, Request(options, pairs, costs, shared))
            held, pairs, costs, total, n_bytes = [], [], [], 0, 0
        held.append(item)
        n_bytes += pair_bytes
        if pair is not None:
            pairs.append(pair)
            costs.append(pair_cost)
            total += pair_cost
    if held:
        yield Window(held, Request(options, pairs, costs, shared))
