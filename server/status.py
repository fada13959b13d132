"""Statuses of exceptions: one table, used by the workers and by the service.

It imports no grpc, so that workers can use it. Exceptions that it knows carry messages meant for
callers. Any other exception is a fault of the server; see observe/faults.py.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from google.protobuf import duration_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from tokalign.codec.servers import ERROR_DOMAIN, ErrorReason
from tokalign.errors import AlignError, InputError, LimitError

MAX_MESSAGE = 1000
MAX_NAME = 64

OK: Final = code_pb2.OK

# Trying again does not help where a request is too large, so its reasons must not have a code that
# clients retry.
CODES: Final[Mapping[ErrorReason, int]] = {
    ErrorReason.INVALID_INPUT: code_pb2.INVALID_ARGUMENT,
    ErrorReason.MALFORMED_MESSAGE: code_pb2.INVALID_ARGUMENT,
    ErrorReason.LIMIT_EXCEEDED: code_pb2.INVALID_ARGUMENT,
    ErrorReason.TOO_MANY_ITEMS: code_pb2.INVALID_ARGUMENT,
    ErrorReason.TEXT_TOO_LARGE: code_pb2.INVALID_ARGUMENT,
    ErrorReason.REQUEST_TOO_COSTLY: code_pb2.INVALID_ARGUMENT,
    ErrorReason.ANSWER_TOO_LARGE: code_pb2.INVALID_ARGUMENT,
    ErrorReason.MODEL_NOT_FOUND: code_pb2.NOT_FOUND,
    ErrorReason.ANNOTATOR_NOT_FOUND: code_pb2.NOT_FOUND,
    ErrorReason.SERVICE_NOT_FOUND: code_pb2.NOT_FOUND,
    ErrorReason.CHANNEL_NOT_FOUND: code_pb2.NOT_FOUND,
    ErrorReason.METHOD_UNKNOWN: code_pb2.UNIMPLEMENTED,
    ErrorReason.QUEUE_FULL: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.QUEUE_BYTES_FULL: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.WAIT_TOO_LONG: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.DEADLINE_TOO_SHORT: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.MEMORY_SHORT: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.TOO_MANY_WATCHERS: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.DEADLINE_PASSED: code_pb2.DEADLINE_EXCEEDED,
    ErrorReason.MESSAGE_TIMEOUT: code_pb2.DEADLINE_EXCEEDED,
    ErrorReason.MESSAGE_INCOMPLETE: code_pb2.CANCELLED,
    ErrorReason.CALLER_GONE: code_pb2.CANCELLED,
    ErrorReason.SERVER_STARTING: code_pb2.UNAVAILABLE,
    ErrorReason.SERVER_STOPPING: code_pb2.UNAVAILABLE,
    ErrorReason.TOKEN_MISSING: code_pb2.UNAUTHENTICATED,
    ErrorReason.TOKEN_UNKNOWN: code_pb2.UNAUTHENTICATED,
    ErrorReason.RELOAD_REFUSED: code_pb2.FAILED_PRECONDITION,
    ErrorReason.VERSION_MISMATCH: code_pb2.FAILED_PRECONDITION,
    ErrorReason.INTERNAL_FAULT: code_pb2.INTERNAL,
    ErrorReason.PAIR_KILLS_WORKERS: code_pb2.INTERNAL,
    ErrorReason.TOKEN_EXPIRED: code_pb2.UNAUTHENTICATED,
    ErrorReason.SCOPE_MISSING: code_pb2.PERMISSION_DENIED,
    ErrorReason.ORIGIN_FORBIDDEN: code_pb2.PERMISSION_DENIED,
    ErrorReason.QUOTA_EXCEEDED: code_pb2.RESOURCE_EXHAUSTED,
    ErrorReason.TOO_MUCH_AT_ONCE: code_pb2.RESOURCE_EXHAUSTED,
}
"""Reason -> the google.rpc.Code that it is sent with."""


class Missing(NamedTuple):
    """What a caller named and the server does not have: its kind, such as "model", and its name."""

    kind: str
    name: str


class ReasonedError(AlignError):
    """Base of the errors of the server, each of which has a reason."""

    def __init__(self, message: str, *, reason: ErrorReason) -> None:
        super().__init__(message)
        self.reason = reason


class BadRequestError(ReasonedError, InputError):
    """A request that the server cannot use.

    Parameters
    ----------
    field : str
        Path of the field.
    metadata : mapping from str to str
        What the message says in words, for programs.
    """

    def __init__(
        self,
        message: str,
        *,
        reason: ErrorReason,
        field: str = "",
        metadata: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        super().__init__(message, reason=reason)
        self.field = field
        self.metadata = metadata


class RequestLimitError(BadRequestError, LimitError):
    """A request that is larger than a limit of the server."""


class UnknownNameError(BadRequestError):
    """A request names what the server does not have.

    Parameters
    ----------
    field : str
        Path of the field.
    """

    def __init__(
        self, message: str, missing: Missing, *, reason: ErrorReason, field: str = ""
    ) -> None:
        super().__init__(message, reason=reason, field=field)
        self.missing = missing


class QueueFullError(ReasonedError):
    """A request is refused because too much is waiting.

    Parameters
    ----------
    retry_after_s : float
        After which trying again is worth it.
    """

    def __init__(self, message: str, *, reason: ErrorReason, retry_after_s: float) -> None:
        super().__init__(message, reason=reason)
        self.retry_after_s = retry_after_s


class ExpiredError(ReasonedError):
    """The call's deadline passed before its pairs were aligned."""

    def __init__(self, message: str) -> None:
        super().__init__(message, reason=ErrorReason.DEADLINE_PASSED)


class UnauthenticatedError(ReasonedError):
    """No token, or one that is unknown or has expired."""


class ForbiddenError(ReasonedError):
    """A call that the caller's token does not allow."""


class RefusedError(ReasonedError):
    """A request of an operator that the server's state does not allow."""


class NotServingError(ReasonedError):
    """The server is stopping, or starting."""

    def __init__(self, message: str, *, reason: ErrorReason = ErrorReason.SERVER_STOPPING) -> None:
        super().__init__(message, reason=reason)


@dataclasses.dataclass(frozen=True, slots=True)
class Failure:
    """Why a call or an item failed.

    Attributes
    ----------
    field : str
        Path of a field of the request, if one is at fault.
    retry_after_s : float
        After which trying again is worth it; 0 says nothing.
    metadata : mapping from str to str
        What the message says in words, for programs.
    """

    reason: ErrorReason
    message: str
    field: str = ""
    retry_after_s: float = 0.0
    missing: Missing | None = None
    metadata: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def code(self) -> int:
        """The google.rpc.Code."""
        return CODES[self.reason]

    def to_proto(self) -> status_pb2.Status:
        """Return the rich status.

        ErrorInfo has the reason, BadRequest the field, ResourceInfo what is not there, RetryInfo
        the time to wait.
        """
        status = status_pb2.Status(code=self.code, message=self.message)
        info = error_details_pb2.ErrorInfo(
            reason=self.reason, domain=ERROR_DOMAIN, metadata=self.metadata
        )
        status.details.add().Pack(info)
        if self.field:
            violation = error_details_pb2.BadRequest.FieldViolation(
                field=self.field, description=self.message
            )
            status.details.add().Pack(error_details_pb2.BadRequest(field_violations=[violation]))
        if self.missing is not None:
            kind, name = self.missing
            resource = error_details_pb2.ResourceInfo(
                resource_type=f"{ERROR_DOMAIN}/{kind}", resource_name=name[:MAX_NAME]
            )
            status.details.add().Pack(resource)
        if self.retry_after_s:
            delay = duration_pb2.Duration()
            delay.FromNanoseconds(round(self.retry_after_s * 1e9))
            status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
        return status


class FailedError(ReasonedError):
    """A call fails for a reason that a worker has already put into words."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message, reason=failure.reason)
        self.failure = failure


def code_name(code: int) -> str:
    """Return a google.rpc.Code's name, such as "OK"."""
    return str(code_pb2.Code.Name(code))


def code_number(name: str) -> int:
    """Return a google.rpc.Code by its name."""
    return int(code_pb2.Code.Value(name))


def _cut(message: str) -> str:
    """Return a message that fits into a call's trailers, whatever made it."""
    return message if len(message) <= MAX_MESSAGE else f"{message[:MAX_MESSAGE]}..."


def failure_of(error: InputError | ReasonedError) -> Failure:
    """Return what the caller is told about an error that the server is not to blame for."""
    if isinstance(error, FailedError):
        return error.failure
    if isinstance(error, ReasonedError):
        reason = error.reason
    elif isinstance(error, LimitError):
        reason = ErrorReason.LIMIT_EXCEEDED
    else:
        reason = ErrorReason.INVALID_INPUT
    return Failure(
        reason,
        _cut(str(error)),
        getattr(error, "field", ""),
        getattr(error, "retry_after_s", 0.0),
        getattr(error, "missing", None),
        getattr(error, "metadata", {}),
    )


def classify(error: BaseException) -> Failure | None:
    """Return what the caller is told about an exception; None if it is a fault of the server."""
    return failure_of(error) if isinstance(error, (InputError, ReasonedError)) else None
