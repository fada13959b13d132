"""Calls of a load: what is sent, and how each one ended."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Self

DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
REFUSALS = frozenset({"RESOURCE_EXHAUSTED", "UNAVAILABLE"})
"""Codes of calls that the server had no room for."""
NO_ANSWER = "NO_ANSWER"
"""Reason of a call that had not ended long after the load was over."""


@dataclass(frozen=True, slots=True, eq=False)
class LoadRequest:
    """A request that is sent many times.

    Attributes
    ----------
    path : str
        Of the method, such as ``"/tokalign.v1.AlignService/Align"``.
    body : bytes
        The serialised message, with gRPC's prefix; over HTTP the JSON.
    timeout_s : float
        Deadline of a call; 0 is none.
    pairs : int
        That it holds.
    """

    path: str
    body: bytes
    timeout_s: float = 0.0
    pairs: int = 1

    @classmethod
    def of(cls, path: str, message: bytes, timeout_s: float = 0.0, pairs: int = 1) -> Self:
        """Return the request for a serialised message of gRPC."""
        return cls(path, b"\0" + struct.pack(">I", len(message)) + message, timeout_s, pairs)


@dataclass(slots=True)
class Outcome:
    """One call.

    Attributes
    ----------
    intended_at, latency_s : float
        When it was meant to start, and how long it took from then.
    is_ok : bool
        Whether it was answered.
    code, reason : str
        Of a call without an answer: the name of its code in gRPC, and the server's reason, or
        what else is known.
    """

    intended_at: float
    latency_s: float
    is_ok: bool
    kind: LoadRequest
    code: str = ""
    reason: str = ""

    @property
    def ended_at(self) -> float:
        """When it ended."""
        return self.intended_at + self.latency_s

    @property
    def is_late(self) -> bool:
        """Whether it was answered after its deadline, or given up at it."""
        if self.is_ok:
            return 0 < self.kind.timeout_s < self.latency_s
        return self.code == DEADLINE_EXCEEDED

    @property
    def is_refused(self) -> bool:
        """Whether the server had no room for it."""
        return self.code in REFUSALS


@dataclass(slots=True)
class IntendedCall:
    """A call that was meant to start, sent or not."""

    request: LoadRequest
    intended_at: float

    def timeout_s(self, now: float) -> float:
        """Return how much of its time is left, at most 0 if none is; 0 without a deadline."""
        timeout_s = self.request.timeout_s
        return timeout_s - (now - self.intended_at) if timeout_s else 0.0

    def given_up(self, now: float) -> Outcome | None:
        """Return how it ends where its deadline has passed: as grpc's clients end it, unsent."""
        timeout_s = self.request.timeout_s
        if not timeout_s or self.timeout_s(now) > 0:
            return None
        return Outcome(
            self.intended_at, timeout_s, False, self.request, DEADLINE_EXCEEDED, "NEVER_SENT"
        )
