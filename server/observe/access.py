"""Log lines of calls: a sample of all, and those that were refused, so many a second."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping
from typing import Protocol

log = logging.getLogger(__name__)

MAX_REFUSED_PER_S = 10
_REFUSED_TOKEN = frozenset({"UNAUTHENTICATED", "PERMISSION_DENIED"})
_REFUSED = _REFUSED_TOKEN | {"RESOURCE_EXHAUSTED"}


class EndedCall(Protocol):
    """A call that has ended."""

    @property
    def code(self) -> str:
        """The name of its code."""

    def line(self) -> Mapping[str, object]:
        """Return what its line tells."""


class AccessLog:
    """Decides which calls are logged, and logs them.

    Parameters
    ----------
    share : float
        Of all calls, in [0, 1].
    all_refused : bool
        Whether all calls are logged that were refused for lack of room or quota. Those without a
        token that may make them always are.
    clock : callable returning float
        Seconds.

    Notes
    -----
    Of refused calls at most MAX_REFUSED_PER_S are logged a second, since strangers cause them; the
    next line says how many were left out.
    """

    def __init__(
        self,
        share: float = 0.0,
        *,
        all_refused: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._share = share
        self._always = _REFUSED if all_refused else _REFUSED_TOKEN
        self._clock = clock
        self._room = float(MAX_REFUSED_PER_S)
        self._at = clock()
        self._left_out = 0

    def note(self, call: EndedCall) -> None:
        """Log a call, or do not."""
        if call.code in self._always:
            self._note_refused(call)
        elif self._share and random.random() < self._share:
            log.info("call", extra=dict(call.line()))

    def _note_refused(self, call: EndedCall) -> None:
        now = self._clock()
        gained = (now - self._at) * MAX_REFUSED_PER_S
        self._room = min(MAX_REFUSED_PER_S, self._room + gained)
        self._at = now
        if self._room < 1:
            self._left_out += 1
            return
        self._room -= 1
        extra = {"left_out": self._left_out} if self._left_out else {}
        self._left_out = 0
        log.warning("call refused", extra={**call.line(), **extra})
