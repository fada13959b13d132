"""Faults of the server: exceptions that callers did not cause, logged under an id."""

from __future__ import annotations

import logging
import os
import traceback

from tokalign.codec.servers import ErrorReason
from tokalign.server.observe.logs import Quoting
from tokalign.server.status import Failure, classify

log = logging.getLogger(__name__)


def failure_of(error: BaseException, **logged: object) -> Failure:
    """Return what the caller is told about an exception; a fault is logged with `logged`."""
    return classify(error) or report(error, ErrorReason.INTERNAL_FAULT, **logged)


def report(
    cause: BaseException | str,
    told: ErrorReason = ErrorReason.INTERNAL_FAULT,
    **logged: object,
) -> Failure:
    """Log a fault under a new error id, and return the failure that names the id alone.

    The message of an exception may quote a sentence. So the answer never holds it, and the log
    does only where it may quote sentences; the log always has the exception's type and frames.
    `told` is the reason that the caller gets.
    """
    error_id = os.urandom(6).hex()
    if isinstance(cause, BaseException):
        frames = "".join(traceback.format_tb(cause.__traceback__))
        logged = {"frames": frames, "reason": Quoting(str, cause), **logged}
        cause = type(cause).__name__
    log.error(cause, extra={"error_id": error_id, **logged})
    return Failure(
        told,
        f"internal error {error_id}; the server's log has more under this id",
        metadata={"error_id": error_id},
    )
