"""Connection of the blocking client: what all of its calls go through."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any, Self, TypeVar

import grpc
from google.protobuf.message import Message
from tokalign.client import rpcs
from tokalign.client.base import POLL_S, BaseClient, Waiting
from tokalign.client.errors import closed
from tokalign.client.threads import responses
from tokalign.codec import ServerInfo

AnswerT = TypeVar("AnswerT")


class BlockingConnection(BaseClient):
    """Base of the blocking client: its channels, its state, and calls of any method."""

    def _connect(self) -> None:
        make = self._settings.channel
        self._channel = make(grpc.secure_channel, grpc.insecure_channel)
        self._health_channel = make(grpc.secure_channel, grpc.insecure_channel, balanced=False)
        self._methods = rpcs.methods(self._channel, self._health_channel)

    def list_models(self, *, timeout_s: float | None = None) -> ServerInfo:
        """Return the server's models, annotators, limits and version."""
        return self._call(rpcs.list_models(), timeout_s)

    def health(self, *, timeout_s: float | None = None) -> str:
        """Return the state of one server, the first that the client reaches.

        ``"SERVING"``, ``"NOT_SERVING"``, ``"UNKNOWN"`` or ``"SERVICE_UNKNOWN"``.
        """
        return self._call(rpcs.health(), timeout_s)

    def wait_ready(self, timeout_s: float = 30.0) -> None:
        """Return once the server is serving.

        Raises
        ------
        UnavailableError
            If it is not serving after `timeout_s` seconds; the message says what was seen last.
        """
        waiting = Waiting(self.address, timeout_s)
        while True:
            with waiting.noting_failure():
                waiting.seen = self.health(timeout_s=waiting.remaining_s)
            if waiting.is_over():
                return
            time.sleep(POLL_S)

    def close(self) -> None:
        """Close the connection; running calls end with CancelledError."""
        self._is_closed = True
        self._channel.close()
        self._health_channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _responses(
        self,
        method: str,
        requests: Iterator[Message],
        remaining_s: Callable[[], float | None],
    ) -> Generator[Any, None, None]:
        """Make a call that streams both ways, and yield its responses; see threads.responses."""
        make = partial(self._methods[method], metadata=self._metadata())
        ended, failed = partial(self._report, method), partial(self._failed, method)
        return responses(make, requests, remaining_s, ended, failed)

    def _call(self, rpc: rpcs.Rpc[AnswerT], timeout_s: float | None) -> AnswerT:
        method = self._methods[rpc.method]
        limit_s, metadata = self._limit_s(timeout_s), self._metadata()
        try:
            if rpc.is_stream:
                call = method(rpc.request, timeout=limit_s, metadata=metadata)
                answer = list(call)
            else:
                answer, call = method.with_call(rpc.request, timeout=limit_s, metadata=metadata)
        except grpc.RpcError as error:
            raise self._failed(rpc.method, error) from error
        except ValueError as error:
            if not self._is_closed:
                raise
            raise closed(self.address) from error
        self._report(rpc.method, call)
        return rpc.decode(answer)
