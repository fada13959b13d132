"""AlignTexts and AlignTextsStream: two texts are read, planned, aligned, and answered in order.

Sentences are compared first, then blocks of them aligned. A text in one call is compared at once
and aligned at once, so the limits of a request hold for each of both. A streamed one goes in
windows.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from functools import partial
from typing import ParamSpec, TypeVar

from tokalign.codec.options import RequestOptions
from tokalign.codec.servers import ErrorReason
from tokalign.english.reading.text_reading import reading_as
from tokalign.server.observe import record
from tokalign.server.requests import text_blocks
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.cost import Size, answer_bytes, plan_cost
from tokalign.server.requests.request import Window, windows
from tokalign.server.requests.text_blocks import AlignedBlock, Comparisons, ItemTexts, heading
from tokalign.server.requests.wire import RequestFields
from tokalign.server.rpc.in_pieces import CallsInPieces, Incoming, write_parts
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.serving import Asked, Serving
from tokalign.server.rpc.streams import STREAM_BYTES
from tokalign.server.rpc.work import LOOP_BYTES, UnaryCall, naming_the_stream, off_loop
from tokalign.server.status import RequestLimitError
from tokalign.texts.text_plan import TextPlan
from tokalign.types.options import AlignOptions, Markup
from tokalign.v1 import align_pb2

Item = TypeVar("Item")
P = ParamSpec("P")

TEXTS = ("old_text", "new_text")
# Bytes that are held of each byte of a text: itself, its sentences, and the plan.
HELD = 6
# Of a token, with the space after it.
_TOKEN_CHARACTERS = 5


class TextService:
    """Answers the calls that align texts."""

    def __init__(self, calls: CallsInPieces) -> None:
        self._calls = calls
        # Large texts are planned one at a time, so that the event loop shares the interpreter with
        # one of them alone.
        self._planner = ThreadPoolExecutor(1, "tokalign-texts")

    async def answer(self, serving: Serving, data: bytes, context: Context) -> bytes:
        """Return the answer of AlignTexts; see `align`."""
        fields = await off_loop(len(data), RequestFields, align_pb2.AlignTextsRequest, data, 0)
        chosen = serving.choose(fields.message("options"))
        for name in TEXTS:
            fields.check_text(name)
        old, new = map(fields.text, TEXTS)
        plan, blocks = await self.align(Asked(serving, chosen, len(data), context), (old, new))
        unit = chosen.options.align.offsets
        return await off_loop(
            len(data),
            lambda: b"".join(
                [heading(plan, unit, chosen.reference), *text_blocks.fields_of(blocks)]
            ),
        )

    async def align(
        self, asked: Asked, texts: tuple[str, str], *, only_changed: bool = False
    ) -> tuple[TextPlan, list[AlignedBlock]]:
        """Return the plan for two texts, and its blocks.

        With `only_changed`, blocks whose sides have the same words are not aligned.

        Raises
        ------
        LimitError
            If the texts are too long for one call; it names the stream.
        """
        serving, chosen, n_bytes, context = asked
        options, limits = chosen.options, self._calls.limits
        answered = min(_answer_bytes(n_bytes, options.align), limits.max_response_bytes)
        held_bytes = HELD * n_bytes + answered
        held = await self._calls.hold(serving.pool, held_bytes, context, waits=False)
        UnaryCall(context).hold(held)
        plan = await self._plan(*texts, n_bytes, chosen.options.align.markup, waits=False)
        work = TextWork(self._calls, asked, in_windows=False, only_changed=only_changed)
        with serving.pool.in_use(), naming_the_stream("AlignTextsStream"):
            work.check(plan)
            return plan, [block async for part in work.blocks(plan) for block in part]

    async def stream(
        self, serving: Serving, messages: AsyncIterator[bytes], context: Context
    ) -> None:
        """Read the texts of AlignTextsStream and write the answer."""
        with serving.pool.in_use():
            incoming = Incoming(
                align_pb2.AlignTextsStreamRequest,
                TEXTS,
                self._calls.limits,
                "both texts",
                "align parts of them",
            )
            options: bytes | None = None
            pieces: list[list[str]] = [[], []]
            async with aclosing(self._calls.received(incoming, messages, context)) as received:
                async for fields in received:
                    if options is None:
                        options = fields.message("options")
                    for name, text in zip(TEXTS, pieces, strict=True):
                        text.append(fields.text(name))
            chosen = serving.choose(options or b"")
            asked = Asked(serving, chosen, incoming.n_bytes, context)
            held_bytes = HELD * incoming.n_bytes + STREAM_BYTES
            held = await self._calls.hold(serving.pool, held_bytes, context, waits=True)
            try:
                # From now on the plan alone holds the texts.
                texts, pieces = ["".join(text) for text in pieces], []
                align = chosen.options.align
                plan = await self._plan(
                    texts.pop(0), texts.pop(), incoming.n_bytes, align.markup, waits=True
                )
                unit = align.offsets
                first = await asyncio.to_thread(heading, plan, unit, chosen.reference)
                work = TextWork(self._calls, asked, in_windows=True)
                await write_parts(context, first, _written(work.blocks(plan)))
            finally:
                held.release()

    async def beside(
        self, n_bytes: int, function: Callable[P, Item], *args: P.args, **kwargs: P.kwargs
    ) -> Item:
        """Call a function that works on texts of so many bytes, large ones one at a time."""
        planner = self._planner if n_bytes > LOOP_BYTES else None
        called = partial(function, *args, **kwargs)
        return await asyncio.get_running_loop().run_in_executor(planner, called)

    async def _plan(
        self, old: str, new: str, n_bytes: int, markup: Markup, *, waits: bool
    ) -> TextPlan:
        """Return the plan for two texts, charged to the quota, for no worker makes it.

        Raises
        ------
        QueueFullError
            If the caller's quota is used up, and it does not wait.
        """
        quota = record.current().quota
        if quota is not None and not waits:
            refusal = quota.lack(plan_cost(n_bytes))
            if refusal is not None:
                raise refusal
        plan = await self.beside(n_bytes, _plan_read_as, markup, old, new)
        if quota is not None:
            quota.charge(plan_cost(n_bytes, len(plan.old) + len(plan.new)))
        return plan


async def _written(parts: AsyncIterator[list[AlignedBlock]]) -> AsyncGenerator[list[bytes], None]:
    async for blocks in parts:
        yield await asyncio.to_thread(text_blocks.fields_of, blocks)


class TextWork:
    """The work on one pair of texts.

    Parameters
    ----------
    in_windows : bool
        Whether comparisons and blocks go in windows. Otherwise all comparisons are one request, and
        all blocks another.
    only_changed : bool
        Whether blocks whose sides have the same words are not aligned.
    """

    def __init__(
        self,
        calls: CallsInPieces,
        asked: Asked,
        *,
        in_windows: bool,
        only_changed: bool = False,
    ) -> None:
        self._limits = calls.limits
        self._bounds = calls.bounds
        self._costs = asked.serving.costs
        self._options = asked.chosen.options
        self._in_windows = in_windows
        self._only_changed = only_changed
        self._work = calls.work(asked.serving.pool, asked.context)

    def check(self, plan: TextPlan) -> None:
        """Raise LimitError if there is more to compare than a request may have."""
        limit = self._limits.max_pairs
        if len(plan.candidates) > limit:
            raise RequestLimitError(
                f"{len(plan.candidates)} pairs of sentences to compare; the server takes at most "
                f"{limit} per request: align shorter texts",
                reason=ErrorReason.TOO_MANY_ITEMS,
            )

    async def blocks(self, plan: TextPlan) -> AsyncIterator[list[AlignedBlock]]:
        """Yield the blocks of each window in order."""
        compared = Comparisons()
        compare = text_blocks.comparing(self._options)
        candidates = zip(plan.candidates, plan.pairs(), strict=True)
        async for some, answers in self._answered(candidates, compare, has_begun=False):
            compared.add(some, answers)
        decided = await asyncio.to_thread(plan.decide, compared.similarities)
        items = text_blocks.block_items(plan, decided, only_changed=self._only_changed)
        async for blocks, answers in self._answered(items, self._options, has_begun=True):
            limit = self._limits.max_response_bytes
            yield text_blocks.with_answers(blocks, answers, compared, limit)

    async def _answered(
        self, items: ItemTexts[Item], options: RequestOptions, *, has_begun: bool
    ) -> AsyncIterator[tuple[list[Item], list[Answer]]]:
        """Yield the items of each window with the answers for their pairs."""
        pending = self._windows(items, options)
        while (window := await asyncio.to_thread(next, pending, None)) is not None:
            if self._in_windows:
                answers = await self._work.of_window(window.request)
            else:
                # A call that was let in is not refused any more: half of its work is done.
                answers = await self._work.answers(window.request, waits=has_begun)
            yield window.items, answers

    def _windows(self, items: ItemTexts[Item], options: RequestOptions) -> Iterator[Window[Item]]:
        if self._in_windows:
            sized = text_blocks.sized(items, options, self._costs)
            return windows(sized, options, self._bounds)
        # Made when it is asked for, beside the event loop.
        return (text_blocks.whole(each, options, self._costs) for each in (items,))


def _answer_bytes(n_bytes: int, options: AlignOptions) -> int:
    """Return about how many bytes the answer for texts of so many takes."""
    n_tokens = n_bytes // (2 * _TOKEN_CHARACTERS)
    return sum(answer_bytes([Size.usual(n_tokens, n_tokens)], options))


def _plan_read_as(markup: Markup, old: str, new: str) -> TextPlan:
    """Return the plan for two texts; it is made in another thread, which has no context."""
    with reading_as(markup):
        return TextPlan.of(old, new)
