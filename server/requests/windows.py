"""Windows: items in requests of a bounded size, of which one is held at a time.

What long texts are aligned by is many times as large as the texts, so it is made when it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from tokalign.codec import RequestOptions
from tokalign.server.requests.request import Request

Item = TypeVar("Item")


class Bounds(NamedTuple):
    """The most that a window may hold, unless it holds a single pair.

    Attributes
    ----------
    items : int
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
    item : Item
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
