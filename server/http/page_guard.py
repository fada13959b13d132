"""Which web pages may call: a guard before all paths.

A browser lets every page send requests to every address, also to a server on the same machine that
nobody else reaches. Such a request names the origin of its page. See also hosts.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from tokalign.codec.servers import ErrorReason
from tokalign.errors import quoted
from tokalign.server.config import Config
from tokalign.server.hosts import ServerNames, name_in
from tokalign.server.http.problems import Problem
from tokalign.server.status import Failure

METHODS = ("GET", "POST")
HEADERS = ("authorization", "content-type", "request-timeout", "x-request-id")

RawHeaders = Sequence[tuple[bytes, bytes]]

_NO_HOST = Failure(
    ErrorReason.MALFORMED_MESSAGE, "wanted one header host, which names the server and maybe a port"
)


class PageGuard:
    """Refuses requests of pages that may not call, before their bodies are read.

    Parameters
    ----------
    application : ASGI application
        Answers all others.
    """

    def __init__(self, application: ASGIApp, config: Config) -> None:
        self._application = application
        self._origins = frozenset(config.http_origins)
        self._takes_any_origin = "*" in self._origins
        self._names = ServerNames(config.tcp_host, config.http_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        failure = self.refusal(scope["headers"], scope["http_version"])
        if failure is None:
            await self._application(scope, receive, send)
        else:
            await problem_response(Problem(failure))(scope, receive, send)

    def refusal(self, headers: RawHeaders, http_version: str = "1.1") -> Failure | None:
        """Return why a request is refused; None if it is not."""
        hosts = [value.decode("latin1").lower() for name, value in headers if name == b"host"]
        if not hosts and http_version == "1.0":
            hosts = ["localhost"]  # no browser is so old
        called = name_in(hosts[0]) if len(hosts) == 1 else None
        if called is None:
            return _NO_HOST
        if not self._names.may_call(hosts[0]):
            return _forbidden(
                f"the server is not called {quoted(called)}; if it is, start it with "
                f"--http-host {quoted(called)}"
            )
        for header, value in headers:
            if header == b"origin" and not self._may_call(value.decode("latin1"), hosts[0]):
                origin = quoted(value.decode("latin1"))
                return _forbidden(
                    f"pages of {origin} may not call this server, {quoted(hosts[0])}; if they may, "
                    f"start it with --http-origin {origin}"
                )
        return None

    def _may_call(self, origin: str, host: str) -> bool:
        if self._takes_any_origin or origin in self._origins:
            return True
        scheme, _, own = origin.partition("://")
        # Browsers leave out the port that a scheme has by itself; proxies may not.
        port = {"http": ":80", "https": ":443"}.get(scheme)
        return port is not None and own in (host, host.removesuffix(port))


class CrossOrigin(CORSMiddleware):
    """Tells browsers which pages may call, as PageGuard decides."""

    def __init__(self, application: ASGIApp, origins: Sequence[str]) -> None:
        super().__init__(
            application,
            allow_origins=origins,
            allow_methods=METHODS,
            allow_headers=HEADERS,
            expose_headers=["retry-after", "server-timing", "x-request-id"],
        )

    def preflight_response(self, request_headers: Headers) -> Response:
        """Answer what a browser asks before it lets a page call."""
        response = super().preflight_response(request_headers)
        if response.status_code < HTTPStatus.BAD_REQUEST:
            return response
        assert isinstance(response, PlainTextResponse)
        message = f"pages may use {', '.join(METHODS)} with the headers {', '.join(HEADERS)}"
        return problem_response(Problem(_forbidden(message)))


def problem_response(problem: Problem) -> Response:
    """Return a problem as Starlette answers."""
    response = Response(problem.body, problem.status)
    response.raw_headers.extend(problem.headers)
    return response


def _forbidden(message: str) -> Failure:
    return Failure(ErrorReason.ORIGIN_FORBIDDEN, message)
