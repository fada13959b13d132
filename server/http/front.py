"""The HTTP side of the server: its port, and the paths behind it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from tokalign.server.config import Config
from tokalign.server.http.listener import Listener
from tokalign.server.http.routes import application
from tokalign.server.rpc.frontend import Frontend

log = logging.getLogger(__name__)


class HttpFrontend:
    """Answers HTTP by the methods of a gRPC frontend.

    Parameters
    ----------
    config : Config
        Has an `http_port`.
    front : Frontend
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
