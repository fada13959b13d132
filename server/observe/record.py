"""The record of one call, for its trailers, metrics, spans and line of the log."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokalign.server.observe.tracing import CallTrace
    from tokalign.server.quotas import Quota


class CallRecord:
    """One call. Its handler makes it current; the tasks of its requests add to it.

    Attributes
    ----------
    caller : str
        Name of its token; empty where tokens are not asked for, or its token is refused.
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
        "queue_s",
        "quota",
        "reason",
        "trace",
    )

    def __init__(self) -> None:
        self.caller = self.model = self.reason = ""
        self.quota: Quota | None = None
        self.pairs = self.cost = 0
        self.trace: CallTrace | None = None
        self.queue_s = 0.0
        self.compute_s = 0.0
        self.has_worked = False

    def queued(self, n_pairs: int, cost: int) -> None:
        """Add a request that waits for a worker."""
        self.pairs += n_pairs
        self.cost += cost

    def give_back(self, n_pairs: int, cost: int) -> None:
        """Take back what a request has queued and no worker was given; its quota has it again."""
        self.pairs -= n_pairs
        self.cost -= cost
        if self.quota is not None:
            self.quota.give_back(cost)

    def waited(self, seconds: float) -> None:
        """Add a request's wait."""
        self.queue_s += seconds
        self.has_worked = True

    def timing(self) -> str:
        """Return the times in the form of HTTP's Server-Timing, in milliseconds."""
        queue_ms, compute_ms = 1e3 * self.queue_s, 1e3 * self.compute_s
        return f"queue;dur={queue_ms:.3f}, compute;dur={compute_ms:.3f}"

    def make_current(self) -> None:
        """Have what this asyncio task does, and the tasks that it starts, belong to the call."""
        _current.set(self)


_current: ContextVar[CallRecord] = ContextVar("tokalign_call", default=CallRecord())  # noqa: B039


def current() -> CallRecord:
    """Return the record of the call being handled; outside of one, a record that nobody reads."""
    return _current.get()
