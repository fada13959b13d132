"""A server with a protection off that has no setting: python -m bench.attack.bare ROW serve.

A row that is tried against one has to fail. Workers are started from this module as well; as they
must not import grpc, each function imports what it changes.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from typing import Any

WITHOUT = "BENCH_ATTACK_WITHOUT"
"""Variable that tells workers which row's protection is off."""
NO_END_S = 1e9
NO_BOUND = 1 << 60


def unchecked_sentences() -> None:
    """Take every sentence for sound."""
    from tokalign.server.requests import limits
    from tokalign.types import Sentence

    def decode(message: Any) -> str | Sentence:
        if not message.tokens:
            return str(message.text)
        names = ("tags", "lemmas", "heads", "relations")
        given = {name: tuple(getattr(message, name)) or None for name in names}
        n_tokens = len(message.tokens)
        offsets = tuple(range(n_tokens))
        return Sentence(message.text, tuple(message.tokens), offsets, offsets, **given)

    limits.decode_input = decode  # type: ignore[attr-defined]


def unchecked_fields() -> None:
    """Take every value of JSON for one of the type that is wanted."""
    from tokalign.server.http import json_bodies

    def read(self: Any, data: bytes, check_number: Any) -> Any:
        return self._kind(**json_bodies.json_object(data))

    json_bodies.BodyReader.read = read  # type: ignore[method-assign]


def no_search() -> None:
    """Look for no stopped or hung workers."""
    from tokalign.server.workers import supervision

    async def look(self: supervision.Supervisor) -> None:
        await asyncio.Event().wait()

    supervision.Supervisor._look = look  # type: ignore[method-assign]


def no_second_try() -> None:
    """Give up what a worker had when it ended, however it did."""
    from tokalign.codec.servers import ErrorReason
    from tokalign.server.observe.faults import report
    from tokalign.server.requests.answers import Answer
    from tokalign.server.workers import pool

    def give_up(self: pool.Pool, worker: Any, shard: Any) -> None:
        failure = report("a worker was lost", ErrorReason.PAIR_KILLS_WORKERS)
        shard.fill([Answer.failed(failure)] * len(shard))

    pool.Pool.on_lost = give_up  # type: ignore[method-assign]


def patient_http() -> None:
    """Give peers of the HTTP port all the time they want."""
    from tokalign.server.http import listener

    begin = listener.ConnectionBounds.__init__

    def endless(self: listener.ConnectionBounds, config: Any) -> None:
        begin(self, config)
        self.head_s = self.body_s = self.unread_s = NO_END_S

    listener.ConnectionBounds.__init__ = endless  # type: ignore[method-assign]


def unbounded_http() -> None:
    """Take heads of any length, and any number of bytes behind a request."""
    from tokalign.server.http import listener

    listener.MAX_HEAD_BYTES = listener.MAX_WAITING_BYTES = listener.PARSED_BYTES = NO_BOUND


def uncounted_items() -> None:
    """Make all that bodies hold, of several at once, and count it then."""
    from tokalign.server.http import json_bodies
    from tokalign.server.rpc import work

    async def read(
        self: Any, n_bytes: int, context: Any, function: Any, *args: Any, **kw: Any
    ) -> Any:
        return await work.off_loop(n_bytes, function, *args, **kw)

    json_bodies.SMALL_BYTES = NO_BOUND
    work.InTurn.read = read  # type: ignore[method-assign]


SWITCHES: dict[str, Callable[[], None]] = {
    "malformed": unchecked_sentences,
    "faults": no_search,
    "kills": no_second_try,
    "http-slow": patient_http,
    "http-flood": unbounded_http,
    "http-malformed": unchecked_fields,
    "http-tiny-align": uncounted_items,
    "http-tiny-similarity": uncounted_items,
    "http-tiny-rerank": uncounted_items,
    "http-tiny-ground": uncounted_items,
    "http-tiny-diff": uncounted_items,
    "grpc-tiny": uncounted_items,
    "envoy-tiny": uncounted_items,
}
"""Row -> what switches its protection off."""
IN_WORKERS = frozenset({"malformed"})


def command(name: str) -> tuple[str, ...]:
    """Return what takes the options of ``tokalign serve``."""
    return (sys.executable, "-m", "bench.attack.bare", name, "serve")


def run() -> None:
    """Switch the protection of the row off that the first argument names, and run the command."""
    from tokalign.cli.main import main

    name = os.environ[WITHOUT] = sys.argv.pop(1)
    SWITCHES[name]()
    main(prog_name="tokalign")


if __name__ == "__main__":
    run()
elif __name__ == "__mp_main__" and os.environ[WITHOUT] in IN_WORKERS:
    SWITCHES[os.environ[WITHOUT]]()
