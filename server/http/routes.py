"""The HTTP side of the server: its port, the paths behind it, and what answers each.

Unknown paths get an error of the same shape as all others.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, cast

from google.protobuf import json_format
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp
from tokalign.codec.servers import ErrorReason
from tokalign.errors import quoted
from tokalign.server.config import Config
from tokalign.server.http.align_pairs import PairMethods
from tokalign.server.http.call import PAGE, HttpCall, JsonEndpoint, JsonMethod
from tokalign.server.http.ground_and_diff import TextMethods
from tokalign.server.http.listener import Listener
from tokalign.server.http.openapi import openapi
from tokalign.server.http.page_guard import CrossOrigin, PageGuard, problem_response
from tokalign.server.http.playground.playground_page import playground_page
from tokalign.server.http.problems import Problem, to_json
from tokalign.server.http.rerank import Rerank
from tokalign.server.observe.faults import failure_of
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.frontend import Frontend
from tokalign.server.rpc.receiving import Context
from tokalign.server.rpc.service import AlignService
from tokalign.server.status import Failure
from tokalign.v1 import align_pb2

log = logging.getLogger(__name__)


class HttpFrontend:
    """Answers HTTP by the methods of a gRPC frontend.

    Parameters
    ----------
    config : Config
        Has an `http_port`.
    is_serving : callable returning bool
        What the health says.
    """

    def __init__(self, config: Config, front: Frontend, is_serving: Callable[[], bool]) -> None:
        self._config = config
        self._listener = Listener(
            config, application(config, front.service, front.calls, is_serving)
        )

    async def start(self) -> int:
        """Listen, and return the bound port; InputError if it is taken."""
        assert self._config.http_port is not None
        port = await self._listener.start(self._config.http_port)
        log.info("http", extra={"port": port})
        return port

    async def stop(self, grace_s: float) -> None:
        """Take no new requests, and give running ones a time to finish."""
        await self._listener.stop(grace_s)


def application(
    config: Config, service: AlignService, calls: Calls, is_serving: Callable[[], bool]
) -> ASGIApp:
    """Return the application of all paths.

    Parameters
    ----------
    service : AlignService
        Has the methods.
    calls : Calls
        Counts and checks each.
    is_serving : callable returning bool
        What the health says.
    """
    pairs, texts = PairMethods(service), TextMethods(service)
    posts: dict[str, JsonMethod] = {
        "/v1/rerank": Rerank(service, "1"),
        "/v2/rerank": Rerank(service, "2"),
        "/rerank": Rerank(service, "1"),  # as LiteLLM asks servers of vLLM
        "/v1/align": pairs.align,
        "/v1/similarity": pairs.similarity,
        "/v1/ground": texts.ground,
        "/v1/diff": texts.diff,
    }
    max_bytes = config.limits.max_request_bytes

    async def models(data: bytes, call: HttpCall) -> bytes:
        listing = align_pb2.ListModelsResponse.FromString(
            await service.list_models(b"", cast(Context, call))
        )
        return to_json(models_to_dict(listing))

    async def health(request: Request) -> Response:
        if is_serving():
            return JSONResponse({"status": "SERVING"})
        return JSONResponse({"status": "NOT_SERVING"}, 503, {"retry-after": "1"})

    check = service.check_soonest
    routes: list[BaseRoute] = [
        Route(path, JsonEndpoint(calls, path, method, max_bytes, check), methods=["POST"])
        for path, method in posts.items()
    ]
    routes.append(
        Route("/v1/models", JsonEndpoint(calls, "/v1/models", models, max_bytes), methods=["GET"])
    )
    document = to_json(openapi())

    async def described(request: Request) -> Response:
        return Response(document, media_type="application/json")

    routes.append(Route("/healthz", health, methods=["GET"]))
    routes.append(Route("/openapi.json", described, methods=["GET"]))
    if config.playground:
        page = playground_page().encode()

        async def playground(request: Request) -> Response:
            headers = {name.decode(): value.decode() for name, value in PAGE}
            return Response(page, headers=headers)

        routes.append(Route("/", playground, methods=["GET"]))
    origins = config.http_origins
    app = Starlette(
        routes=routes,
        middleware=[Middleware(CrossOrigin, origins)] if origins else [],
        exception_handlers={HTTPException: _wrong_path, Exception: _fault},
    )
    # A redirection would lead wherever the header Host says.
    app.router.redirect_slashes = False
    return PageGuard(app, config)


def models_to_dict(listing: align_pb2.ListModelsResponse) -> dict[str, Any]:
    """Return the models, annotators and limits of a server as JSON has them."""
    value: dict[str, Any] = json_format.MessageToDict(
        listing, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    # protobuf writes 64 bits as text, for the sake of numbers above 2**53.
    value["limits"] = {name: int(number) for name, number in value["limits"].items()}
    return value


async def _wrong_path(request: Request, error: Exception) -> Response:
    """Answer what no route takes."""
    assert isinstance(error, HTTPException)
    paths = sorted(route.path for route in request.app.routes if isinstance(route, Route))
    method, path = request.method, request.url.path
    if error.status_code == 405:
        message = f"{path} takes no {method}; see the header allow"
    else:
        message = f"no path {quoted(path)} here; there are {', '.join(paths)}"
    failure = Failure(ErrorReason.METHOD_UNKNOWN, message)
    return problem_response(Problem(failure, error.status_code, (error.headers or {}).items()))


async def _fault(request: Request, error: Exception) -> Response:
    return problem_response(Problem(failure_of(error)))
