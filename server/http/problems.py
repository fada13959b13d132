"""Errors as JSON: one shape for all of them, that of RFC 9457."""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from google.rpc import code_pb2
from tokalign.codec.servers import ErrorReason
from tokalign.errors import InputError
from tokalign.server.status import FailedError, Failure, code_name

CONTENT_TYPE = "application/problem+json"
Headers = list[tuple[bytes, bytes]]

STATUSES = {
    code_pb2.CANCELLED: 499,
    code_pb2.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    code_pb2.FAILED_PRECONDITION: HTTPStatus.BAD_REQUEST,
    code_pb2.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    code_pb2.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    code_pb2.NOT_FOUND: HTTPStatus.NOT_FOUND,
    code_pb2.UNIMPLEMENTED: HTTPStatus.NOT_FOUND,
    code_pb2.RESOURCE_EXHAUSTED: HTTPStatus.TOO_MANY_REQUESTS,
    code_pb2.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    code_pb2.DEADLINE_EXCEEDED: HTTPStatus.GATEWAY_TIMEOUT,
}
"""google.rpc.Code -> status of HTTP; others are 500."""
STATUSES_OF_REASONS = {
    ErrorReason.MESSAGE_TIMEOUT: HTTPStatus.REQUEST_TIMEOUT,
    ErrorReason.MEMORY_SHORT: HTTPStatus.SERVICE_UNAVAILABLE,
}
"""Where it is not that of the code. Proxies try another server after 503."""
# Envoy sends nothing to a server that answered so, until a check finds it healthy again.
_UNHEALTHY = ("x-envoy-immediate-health-check-fail", "1")
_STARTING_S = 1.0


class Problem:
    """Why a request failed, as HTTP tells it.

    Parameters
    ----------
    status : int, optional
        Where it is not that of the failure's code.
    headers : iterable of (str, str)
        More of them.
    """

    def __init__(
        self, failure: Failure, status: int = 0, headers: Iterable[tuple[str, str]] = ()
    ) -> None:
        self.status = int(status or status_of(failure.code, failure.reason))
        self._failure = failure
        self._headers = headers

    def to_dict(self) -> dict[str, Any]:
        """Return the object."""
        failure = self._failure
        value: dict[str, Any] = {
            "title": _title(self.status),
            "status": self.status,
            "detail": failure.message,
            "code": code_name(failure.code),
            "reason": failure.reason.value,
        }
        if failure.field:
            value["field"] = failure.field
        if failure.metadata:
            value["metadata"] = dict(failure.metadata)
        if self.retry_after_s:
            value["retry_after_s"] = self.retry_after_s
        return value

    @property
    def retry_after_s(self) -> float:
        """After how many seconds trying again is worth it; 0 says nothing."""
        if self._failure.retry_after_s or self.status != HTTPStatus.SERVICE_UNAVAILABLE:
            return self._failure.retry_after_s
        return _STARTING_S

    @property
    def body(self) -> bytes:
        """The object as JSON."""
        return to_json(self.to_dict())

    @property
    def headers(self) -> Headers:
        """All headers of the response but its length."""
        made = [("content-type", CONTENT_TYPE), *self._headers]
        if self.retry_after_s:
            made.append(("retry-after", str(math.ceil(self.retry_after_s))))
        if self._failure.reason is ErrorReason.MEMORY_SHORT:
            made.append(_UNHEALTHY)
        if self.status == HTTPStatus.UNAUTHORIZED:
            made.append(("www-authenticate", "Bearer"))
        return [(name.encode("latin1"), value.encode("latin1")) for name, value in made]


def status_of(code: int, reason: str) -> HTTPStatus | int:
    """Return the status of HTTP for a google.rpc.Code and a reason."""
    found = STATUSES_OF_REASONS.get(ErrorReason(reason)) if reason else None
    return found or STATUSES.get(code, HTTPStatus.INTERNAL_SERVER_ERROR)


@contextlib.contextmanager
def naming(names: Mapping[str, str]) -> Iterator[None]:
    """Have errors name the field of the body.

    Parameters
    ----------
    names : mapping from str to str
        Pattern of how a path begins in the contract -> how it does in the body. The first that
        matches decides. Options are fields of the body itself.
    """
    try:
        yield
    except InputError as error:
        error.field = _renamed(error.field, names)
        raise
    except FailedError as error:
        failure = error.failure
        raise FailedError(replace(failure, field=_renamed(failure.field, names))) from error


def _renamed(field: str, names: Mapping[str, str]) -> str:
    for pattern, name in {r"options\.": "", **names}.items():
        if (match := re.match(pattern, field)) is not None:
            return match.expand(name) + field[match.end() :]
    return field


def to_json(value: Any) -> bytes:
    """Return the JSON of a value; halves of surrogate pairs, which are no text, become "?"."""
    return json.dumps(value, ensure_ascii=False).encode(errors="replace")


def item_error(failure: Failure) -> dict[str, Any]:
    """Return what an item says that failed alone, as a bad line of the command line does."""
    value: dict[str, Any] = {
        "error": failure.message,
        "code": code_name(failure.code),
        "reason": failure.reason.value,
    }
    if failure.field:
        value["field"] = failure.field
    return value


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Client Closed Request"
