"""Writes client/sync.py, the blocking client, from client/aio.py.

    python packaging/write_sync_client.py

The methods of both clients are the same but for ``async`` and ``await``, and for the few words of
WORDS. What differs more is written twice, in client/asynchronous.py and client/blocking.py.
"""

from __future__ import annotations

import re
from pathlib import Path

CLIENT = Path(__file__).parents[1] / "client"

WORDS = {
    '"""The asyncio client; packaging/write_sync_client.py makes the blocking one of it."""': (
        '"""The blocking client. Written by packaging/write_sync_client.py from aio.py."""'
    ),
    "import asyncio\nimport contextlib\n": "import contextlib\nimport time\n",
    "import AsyncIterable, AsyncIterator, Iterable,": "import Iterable, Iterator,",
    "from tokalign.client.asynchronous import AsyncConnection\n": "",
    "from tokalign.client.calls import": (
        "from tokalign.client.blocking import BlockingConnection\nfrom tokalign.client.calls import"
    ),
    "server for one event loop.": "server, which threads may share.",
    "    Methods are coroutines, `align_stream` and `ground_stream` asynchronous iterators. A call "
    "whose\n    task is cancelled is cancelled at the server too.\n\n": "",
    "May also be asynchronous. Read by a task of this loop, at most ``max_in_flight`` chunks\n"
    "            ahead of what was yielded.": (
        "Read by another thread, at most ``max_in_flight`` chunks ahead of what was yielded."
    ),
    "May also be asynchronous; a task\n            of this loop reads it.": (
        "Another thread reads\n            it."
    ),
}
"""What stands in aio.py once, and in sync.py in its place."""

RULES = {
    r"\basync (def|for|with)\b": r"\1",
    r"\bawait ": "",
    r" \| AsyncIterable\[\w+\]": "",
    r"\bAsync(Iterator|Client)\b": r"\1",
    r"\bAsyncConnection\b": "BlockingConnection",
    r"\b__a(enter|exit)__\b": r"__\1__",
    r"\baclosing\b": "closing",
    r"\basyncio\.sleep\b": "time.sleep",
    r"_async\b": "",
    r"for (\w+) in (.*):\n +yield \1\n": r"yield from \2\n",
}
"""Patterns, and what takes their place wherever they stand."""


def sync_client(source: str) -> str:
    """Return the source of the blocking client.

    Raises
    ------
    ValueError
        If one of WORDS does not stand there once.
    """
    for old, new in WORDS.items():
        if source.count(old) != 1:
            raise ValueError(f"client/aio.py holds {source.count(old)} times, not once: {old}")
        source = source.replace(old, new)
    for pattern, new in RULES.items():
        source = re.sub(pattern, new, source)
    return source


if __name__ == "__main__":
    written = sync_client((CLIENT / "aio.py").read_text(encoding="utf-8"))
    (CLIENT / "sync.py").write_text(written, encoding="utf-8")
