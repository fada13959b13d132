"""Settings, reports of calls, checked arguments, and the wait for a server: of both clients."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

import grpc
from tokalign.client.errors import (
    CallError,
    DeadlineError,
    UnavailableError,
    from_call,
    not_ready,
)
from tokalign.client.options import ChannelSettings, Limits, Retry, Tls, require_seconds
from tokalign.codec.options import RequestOptions
from tokalign.errors import InputError, quoted
from tokalign.types import Pair, SentenceLike
from tokalign.types.constraints import Constraints
from tokalign.types.inputs import text_bytes
from tokalign.types.options import AlignOptions, GroundOptions

POLL_S = 0.1
HEALTH = "Check"
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


class Attempts:
    """The attempts at one call, which waits for a server that is away, until its deadline.

    gRPC alone gives up after half a second, and a server takes longer to start again.

    Parameters
    ----------
    limit_s : float
        Of all attempts together.
    most : int
        1 waits for no server.
    """

    def __init__(self, limit_s: float, most: int) -> None:
        self._ends_at = time.monotonic() + limit_s
        self._left = most
        self._away: Any = None

    @property
    def options(self) -> dict[str, Any]:
        """Options of gRPC for the next attempt."""
        remaining_s = max(self._ends_at - time.monotonic(), 0.0)
        return {"timeout": remaining_s, "wait_for_ready": self._away is not None}

    def failed(self, error: Any) -> Any:
        """Return the error that the call failed with, or None where it is to be sent again."""
        if self._away is not None and error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            return self._away  # which says what was waited for
        self._left -= 1
        # What a server says has trailers.
        is_away = error.code() is grpc.StatusCode.UNAVAILABLE and not error.trailing_metadata()
        if not is_away or not self._left:
            return error
        self._away = error
        return None


class BaseClient:
    """The settings of a client; tokalign.client.Client describes the parameters."""

    def __init__(
        self,
        address: str,
        *,
        timeout_s: float = 10.0,
        retry: Retry | None = Retry(),  # noqa: B008 (frozen)
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        tls: Tls | None = None,
        token: str | None = None,
        request_id: Callable[[], str] | None = None,
        on_call: OnCall | None = None,
    ) -> None:
        self._settings = ChannelSettings(
            address=address, retry=retry, limits=limits, tls=tls, token=token
        )
        require_seconds(timeout_s, "timeout_s")
        for name, given in (("request_id", request_id), ("on_call", on_call)):
            if given is not None and not callable(given):
                raise InputError(f"{name} is {quoted(given)}; wanted a function", field=name)
        self.address = address
        self.timeout_s = timeout_s
        self._is_closed = False
        self._has_answered = False
        self._request_id = request_id
        self._on_call = on_call
        self._connect()

    def _connect(self) -> None:
        """Make the channel now, unless that must wait for the first call."""

    def _metadata(self) -> tuple[tuple[str, str], ...] | None:
        """Return the metadata of the next call."""
        found = self._request_id() if self._request_id is not None else ""
        return ((REQUEST_ID, found),) if found else None

    @property
    def _waits(self) -> bool:
        """Whether calls wait for a server that is away: one that never answered may be none."""
        return self._has_answered and self._settings.retry is not None

    def _attempts(self, method: str, limit_s: float) -> Attempts:
        """Return the attempts at a call of a method."""
        retry = self._settings.retry
        waits = retry is not None and self._has_answered and method != HEALTH
        return Attempts(limit_s, retry.max_attempts if retry and waits else 1)

    def _report(self, method: str, call: grpc.Call) -> None:
        """Note that a call was answered, and tell `on_call`."""
        self._has_answered = True
        if self._on_call is not None:
            self._on_call(report_of(method, call.trailing_metadata()))

    def _failed(self, method: str, error: Any) -> CallError:
        """Return the exception for a call that failed, which `on_call` is told of."""
        failure = from_call(error, self.address)
        self._has_answered |= bool(error.trailing_metadata())
        if self._on_call is not None:
            self._on_call(report_of(method, error.trailing_metadata(), failure))
        return failure

    def _limit_s(self, timeout_s: float | None) -> float:
        if timeout_s is None:
            return self.timeout_s
        require_seconds(timeout_s, "timeout_s")
        return timeout_s


def pair_of(
    source: SentenceLike, target: SentenceLike, changes: Mapping[str, Any]
) -> tuple[Pair, Mapping[str, Any]]:
    """Return a pair with the constraints found among keyword arguments, and the other arguments."""
    others = {**changes}
    constraints = Constraints.taken_from(others)
    return (source, target) if constraints is None else (source, target, constraints), others


def request_options(
    options: AlignOptions | None, model: str, annotator: str, changes: Mapping[str, Any]
) -> RequestOptions:
    """Return checked options, or raise InputError where one is unknown or out of range."""
    wanted = AlignOptions.of(options, changes)
    _check_names(model=model, annotator=annotator, style=wanted.style)
    return RequestOptions(model, annotator, wanted)


def ground_options(
    options: GroundOptions | None, model: str, annotator: str, changes: Mapping[str, Any]
) -> RequestOptions:
    """Return checked options, or raise InputError where one is unknown or out of range."""
    _check_names(model=model, annotator=annotator)
    return RequestOptions(model, annotator, ground=GroundOptions.of(options, changes))


def _check_names(**names: str) -> None:
    """Raise InputError unless names are text that can be sent."""
    for name, value in names.items():
        text_bytes(value, f"options.{name}")


class Waiting:
    """A wait until a server is serving.

    Attributes
    ----------
    seen : str
        The server's state at the last look, or the error of that look.
    """

    def __init__(self, address: str, timeout_s: float) -> None:
        require_seconds(timeout_s, "timeout_s")
        self.seen = ""
        self._address = address
        self._timeout_s = timeout_s
        self._ends_at = time.monotonic() + timeout_s

    @property
    def remaining_s(self) -> float:
        """Longest time that one more look may take."""
        return max(self._ends_at - time.monotonic(), POLL_S)

    @contextmanager
    def noting_failure(self) -> Iterator[None]:
        """Catch the error of a server that does not answer, and keep it as `seen`."""
        try:
            yield
        except UnavailableError as error:
            self.seen = str(error)
        except DeadlineError:
            self.seen = self.seen or "no answer"

    def is_over(self) -> bool:
        """Return whether the server serves, or raise UnavailableError once the time is up."""
        if self.seen == "SERVING":
            return True
        if time.monotonic() >= self._ends_at:
            raise not_ready(self._address, self._timeout_s, self.seen)
        return False
