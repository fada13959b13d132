"""Records of calls, for their trailers, metrics, spans, and lines of the log.

The log has a sample of all calls, and those that were refused, so many a second.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tokalign.server.observe.tracing import CallTrace
    from tokalign.server.quotas import Quota

log = logging.getLogger(__name__)

MAX_REFUSED_PER_S = 10
_REFUSED_TOKEN = frozenset({"UNAUTHENTICATED", "PERMISSION_DENIED"})
_REFUSED = _REFUSED_TOKEN | {"RESOURCE_EXHAUSTED"}


class CallRecord:
    """One call. Its handler makes it current; the tasks of its requests add to it.

    Attributes
    ----------
    caller : str
        Name of its token; empty where tokens are not asked for, or its token is refused.
    peer : str
        The connection that it came by, as grpc writes it.
    principal : str
        Whom it counts for where callers share the server: the caller, or else an address.
    quota : Quota or None
        The caller's.
    model : str
        That it has asked for, if it has come so far.
    reason : str
        Of its error, if it has failed.
    pairs, cost : int
        Of what workers were given or wait for, in typical pairs.
    trace : CallTrace or None
        Its spans, if it is traced.
    queue_s, compute_s : float
        Of its requests together: the wait for their first pair to be given to a worker, and from
        then on until their last pair is answered.
    has_worked : bool
        Whether a request of it got to a worker.
    """

    __slots__ = (
        "caller",
        "compute_s",
        "cost",
        "has_worked",
        "model",
        "pairs",
        "peer",
        "principal",
        "queue_s",
        "quota",
        "reason",
        "trace",
    )

    def __init__(self) -> None:
        self.caller = self.peer = self.principal = self.model = self.reason = ""
        self.quota: Quota | None = None
        self.pairs = self.cost = 0
        self.trace: CallTrace | None = None
        self.queue_s = 0.0
        self.compute_s = 0.0
        self.has_worked = False

    def give_back(self, n_pairs: int, cost: int) -> None:
        """Take back what a request has queued and no worker was given; its quota has it again."""
        self.pairs -= n_pairs
        self.cost -= cost
        if self.quota is not None:
            self.quota.give_back(cost)

    def timing(self) -> str:
        """Return the times in the form of HTTP's Server-Timing, in milliseconds."""
        queue_ms, compute_ms = 1e3 * self.queue_s, 1e3 * self.compute_s
        return f"queue;dur={queue_ms:.3f}, compute;dur={compute_ms:.3f}"

    def make_current(self) -> None:
        """Have what this asyncio task does, and the tasks that it starts, belong to the call."""
        _current.set(self)


_current: ContextVar[CallRecord] = ContextVar("tokalign_call", default=CallRecord())  # noqa: B039


current: Callable[[], CallRecord] = _current.get
"""Return the record of the call being handled; outside of one, a record that nobody reads."""


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
