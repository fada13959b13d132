"""Status codes of exceptions: one table, used by the workers and by the service.

It imports no grpc, so that workers can use it. Exceptions of the table carry messages meant for
callers. Any other exception is a fault of the server; see observe/faults.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from google.protobuf import duration_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from tokalign.errors import AlignError, InputError

MAX_MESSAGE = 1000


class ServingError(AlignError):
    """Base of the errors that arise between a call and its worker."""


class UnknownNameError(InputError):
    """A model or annotator that is not loaded."""


class QueueFullError(ServingError):
    """A request is refused because too much is waiting.

    Parameters
    ----------
    message : str
    retry_after_s : float
        After which trying again is worth it.
    """

    def __init__(self, message: str, *, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ExpiredError(ServingError):
    """The call's deadline passed before its pairs were aligned."""


class UnauthenticatedError(ServingError):
    """No token, or an unknown one."""


class RefusedError(ServingError):
    """A request of an operator that the server's state does not allow."""


class NotServingError(ServingError):
    """The server is starting or stopping."""


OK: Final = code_pb2.OK
INTERNAL: Final = code_pb2.INTERNAL

# The first row whose class matches decides. A LimitError is an InputError: trying again would not
# help, so it must not carry a code that clients retry.
CODES: Final[tuple[tuple[type[BaseException], int], ...]] = (
    (UnknownNameError, code_pb2.NOT_FOUND),
    (InputError, code_pb2.INVALID_ARGUMENT),
    (QueueFullError, code_pb2.RESOURCE_EXHAUSTED),
    (ExpiredError, code_pb2.DEADLINE_EXCEEDED),
    (NotServingError, code_pb2.UNAVAILABLE),
    (UnauthenticatedError, code_pb2.UNAUTHENTICATED),
    (RefusedError, code_pb2.FAILED_PRECONDITION),
)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call or an item failed: a google.rpc.Code, a message, and perhaps a field path."""

    code: int
    message: str
    field: str = ""
    retry_after_s: float = 0.0

    def to_proto(self) -> status_pb2.Status:
        """Return the rich status: BadRequest names the field, RetryInfo the time to wait."""
        status = status_pb2.Status(code=self.code, message=self.message)
        if self.field:
            violation = error_details_pb2.BadRequest.FieldViolation(
                field=self.field, description=self.message
            )
            status.details.add().Pack(error_details_pb2.BadRequest(field_violations=[violation]))
        if self.retry_after_s:
            delay = duration_pb2.Duration()
            delay.FromNanoseconds(round(self.retry_after_s * 1e9))
            status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
        return status


class FailedError(ServingError):
    """A call fails for a reason that a worker has already put into words."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
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


def classify(error: BaseException) -> Failure | None:
    """Return what the caller is told about an exception; None if the table does not have it."""
    if isinstance(error, FailedError):
        return error.failure
    for kind, code in CODES:
        if isinstance(error, kind):
            return Failure(
                code,
                _cut(str(error)),
                getattr(error, "field", ""),
                getattr(error, "retry_after_s", 0.0),
            )
    return None
