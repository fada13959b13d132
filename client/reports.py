"""Reports of calls: trailers of the server, read for the client's user."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

from tokalign.client.errors import CallError

REQUEST_ID = "x-request-id"
_TIMING = "server-timing"
_PART = re.compile(r"(\w+);dur=([0-9.]+)")


@dataclass(frozen=True, slots=True)
class CallReport:
    """One call that has ended.

    Attributes
    ----------
    method : str
        Such as ``"Align"``.
    error : CallError or None
        Why it failed, if it did.
    queue_ms, compute_ms : float or None
        How long its pairs waited for a worker, and were worked on, in milliseconds. None where no
        worker got them, or the server does not say.
    request_id : str
        As the server got it; empty where there was none.
    """

    method: str
    error: CallError | None
    queue_ms: float | None
    compute_ms: float | None
    request_id: str


Trailers: TypeAlias = Iterable[tuple[str, Any]] | None
OnCall: TypeAlias = Callable[[CallReport], None]


def report_of(method: str, trailers: Trailers, error: CallError | None = None) -> CallReport:
    """Return what the trailers of a call say."""
    found = dict(trailers or ())
    times = {name: float(ms) for name, ms in _PART.findall(str(found.get(_TIMING, "")))}
    request_id = str(found.get(REQUEST_ID, ""))
    return CallReport(method, error, times.get("queue"), times.get("compute"), request_id)
