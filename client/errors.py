"""Exceptions that the clients raise: one table from gRPC codes to classes.

::

    ServerError                  (tokalign.errors) base of all of these
    |-- InvalidInputError        the request cannot be used; names the fields
    |   `-- TooLargeError        a message above the size limit of one side
    |-- NotFoundError            the server has no such model or annotator
    |-- DeadlineError            no answer within the deadline
    |-- OverloadedError          refused because too much is waiting; says when to try again
    |-- UnavailableError         no server there, or it is starting or stopping
    |-- AccessError              credentials are missing or not accepted
    |-- CancelledError           the call was cancelled
    |-- UnsupportedError         the server does not know the call (an older version?)
    `-- InternalError            the server failed; its log has more under the id in the message
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import grpc
from google.rpc import error_details_pb2, status_pb2
from tokalign.codec.options import member_of
from tokalign.codec.servers import ERROR_DOMAIN, ErrorReason
from tokalign.errors import ServerError
from tokalign.v1 import align_pb2

_DETAILS_KEY = "grpc-status-details-bin"
_TOO_LARGE = "larger than max"


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One field of a request that cannot be used, by its path, and why."""

    field: str
    description: str


class CallError(ServerError):
    """Base of the exceptions below.

    Parameters
    ----------
    message : str
    code : str
        Name of the gRPC code, such as ``"INVALID_ARGUMENT"``.
    violations : tuple of FieldViolation
        Fields that the server complained about.
    retry_after_s : float or None
        How long the server asks to wait before the next try.
    reason : str
        Why, for programs: a member of ErrorReason, or the name of one that only a newer version
        knows; of an item of a call, whose answer has no names, as ``"UNKNOWN_35"``. Empty where it
        was not the server that failed the call.
    metadata : dict from str to str, optional
        What else the server tells programs, such as the ``error_id`` of its log.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        violations: tuple[FieldViolation, ...] = (),
        retry_after_s: float | None = None,
        reason: str = "",
        metadata: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.violations = violations
        self.retry_after_s = retry_after_s
        self.reason = reason
        self.metadata = metadata or {}


class InvalidInputError(CallError):
    """The request cannot be used; `violations` names the fields."""


class TooLargeError(InvalidInputError):
    """A message is larger than one of the sides admits."""


class NotFoundError(CallError):
    """The server has no such model or annotator."""


class DeadlineError(CallError):
    """No answer came within the deadline."""


class OverloadedError(CallError):
    """Refused because too much is waiting; `retry_after_s` says when to try again."""


class UnavailableError(CallError):
    """No server answers there, or it is starting or stopping."""


class AccessError(CallError):
    """Credentials are missing or not accepted."""


class CancelledError(CallError):
    """The call was cancelled."""


class UnsupportedError(CallError):
    """The server does not know the call."""


class InternalError(CallError):
    """The server failed; its log has more under the id in the message."""


CLASSES: dict[grpc.StatusCode, type[CallError]] = {
    grpc.StatusCode.INVALID_ARGUMENT: InvalidInputError,
    grpc.StatusCode.FAILED_PRECONDITION: InvalidInputError,
    grpc.StatusCode.OUT_OF_RANGE: InvalidInputError,
    grpc.StatusCode.NOT_FOUND: NotFoundError,
    grpc.StatusCode.DEADLINE_EXCEEDED: DeadlineError,
    grpc.StatusCode.RESOURCE_EXHAUSTED: OverloadedError,
    grpc.StatusCode.UNAVAILABLE: UnavailableError,
    grpc.StatusCode.UNAUTHENTICATED: AccessError,
    grpc.StatusCode.PERMISSION_DENIED: AccessError,
    grpc.StatusCode.CANCELLED: CancelledError,
    grpc.StatusCode.UNIMPLEMENTED: UnsupportedError,
}
"""gRPC code -> exception; every other code is an InternalError."""

_CODES = {code.value[0]: code for code in grpc.StatusCode}


def from_call(error: Any, address: str) -> CallError:
    """Return the exception for a failed call.

    Parameters
    ----------
    error : grpc.RpcError
        Of a grpc or grpc.aio call: has code(), details() and trailing_metadata().
    address : str
        Of the server, for the message.
    """
    code: grpc.StatusCode = error.code()
    details = error.details() or "no details"
    return _make(code, details, address, _rich_details(error.trailing_metadata() or ()))


def from_status(status: align_pb2.Status) -> CallError:
    """Return the exception for the status of one item (code is not 0)."""
    field, message = status.field, status.message
    return _make(
        _CODES.get(status.code, grpc.StatusCode.UNKNOWN),
        f"{field}: {message}" if field else message,
        None,
        _Details(
            (FieldViolation(field, message),) if field else (),
            reason=_reason(status.reason),
        ),
    )


def _reason(number: int) -> str:
    """Return a reason by its number; there is no name for one that only a newer server knows."""
    return member_of(ErrorReason, number) or (f"UNKNOWN_{number}" if number else "")


def closed(address: str) -> CancelledError:
    """Return the exception for a call by a client that was closed."""
    return CancelledError(f"the client of {address} is closed", code="CANCELLED")


def late(address: str, timeout_s: float, what: str) -> DeadlineError:
    """Return the exception for a part of a stream that was not answered in time."""
    return DeadlineError(
        f"{address}: {what} was not answered within {timeout_s} s", code="DEADLINE_EXCEEDED"
    )


def not_ready(address: str, timeout_s: float, seen: str) -> UnavailableError:
    """Return the exception for a server that did not get ready; `seen` is its last state."""
    return UnavailableError(
        f"{address} was not ready within {timeout_s} s: {seen}", code="UNAVAILABLE"
    )


class _Details(NamedTuple):
    """What the details of a google.rpc.Status say."""

    violations: tuple[FieldViolation, ...] = ()
    retry_after_s: float | None = None
    reason: str = ""
    metadata: dict[str, str] | None = None


def _make(code: grpc.StatusCode, message: str, address: str | None, details: _Details) -> CallError:
    kind = CLASSES.get(code, InternalError)
    if kind is OverloadedError and _TOO_LARGE in message:
        kind = TooLargeError
    if address is not None:
        where = f"no server is ready at {address}" if kind is UnavailableError else address
        message = f"{where}: {message}"
    return kind(message, code=code.name, **details._asdict())


def _rich_details(metadata: Iterable[tuple[str, Any]]) -> _Details:
    """Return what a google.rpc.Status in the trailers says, if there is one."""
    found = _Details()
    for key, value in metadata:
        if key != _DETAILS_KEY:
            continue
        for detail in status_pb2.Status.FromString(value).details:
            found = _with(found, detail)
    return found


def _with(found: _Details, detail: Any) -> _Details:
    """Return the details with those of one message."""
    bad_request = error_details_pb2.BadRequest()
    retry, info = error_details_pb2.RetryInfo(), error_details_pb2.ErrorInfo()
    if detail.Unpack(bad_request):
        violations = tuple(
            FieldViolation(each.field, each.description) for each in bad_request.field_violations
        )
        return found._replace(violations=found.violations + violations)
    if detail.Unpack(retry):
        return found._replace(retry_after_s=retry.retry_delay.ToNanoseconds() / 1e9)
    if detail.Unpack(info) and info.domain == ERROR_DOMAIN:
        reason = info.reason
        if reason in ErrorReason.__members__:
            reason = ErrorReason(reason)
        return found._replace(reason=reason, metadata=dict(info.metadata))
    return found
