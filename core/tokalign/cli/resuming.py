"""Runs that go on where an interrupted one stopped, if what they read and how is the same."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from tokalign.cli.pairs import InputLine
from tokalign.cli.partial import differences
from tokalign.cli.sinks import LineSink
from tokalign.errors import InputError

LINES, READ = "lines", "read"
"""Keys of a record beside the settings: lines written, and the digest of the pairs they are of."""


class RunRecord:
    """How far a run is, and a digest of all that it has read up to there.

    Parameters
    ----------
    settings : mapping
        What the output depends on besides the input, as plain values of JSON.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._digest = b""
        self._read: deque[bytes] = deque()  # the digest after each pair whose line is to come
        self._written = (0, "")

    def over(self, items: Iterator[InputLine]) -> Iterator[InputLine]:
        """Yield the items, and keep what was read."""
        for item in items:
            self._digest = hashlib.blake2b(self._digest + item.content(), digest_size=16).digest()
            self._read.append(self._digest)
            yield item

    def written(self) -> None:
        """Note that the line of one more item is written."""
        self._written = self._written[0] + 1, self._read.popleft().hex()

    def record(self) -> dict[str, Any]:
        """Return what is written down beside the unfinished output."""
        n_lines, digest = self._written
        return {**self._settings, LINES: n_lines, READ: digest}

    def resumed(self, items: Iterator[InputLine], sink: LineSink) -> Iterator[InputLine]:
        """Return the items from the one of the last line that is kept on; all if none is kept.

        Raises
        ------
        InputError
            If the settings are other ones than those of the interrupted run, or the pairs whose
            lines it wrote.
        """
        items = self.over(items)
        if sink.partial is None or not sink.n_kept:
            return items
        recorded = sink.partial.read_record()
        if changed := differences(recorded, self._settings):
            raise InputError(
                f"{sink.name} was begun otherwise: {changed}; resume with what was given then, or "
                "discard what is there with --restart"
            )
        n_written = recorded.get(LINES)
        if not isinstance(n_written, int):
            n_written = 0
        kept: list[InputLine] = []  # whose lines are still to be written
        for number in range(1, max(n_written, sink.n_kept) + 1):
            item = next(items, None)
            if item is None or (number == n_written and self._digest.hex() != recorded.get(READ)):
                raise InputError(
                    f"the input is not the one of which {sink.name} was begun: the first "
                    f"{n_written} pairs differ; discard what is there with --restart"
                )
            if number < sink.n_kept:
                self.written()
            else:
                kept.append(item)
        return _chained(kept, items)


def _chained(first: list[InputLine], rest: Iterator[InputLine]) -> Iterator[InputLine]:
    yield from first
    yield from rest
