"""Connection of the blocking client: what all of its calls go through."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message
from tokalign.client import rpcs
from tokalign.client.base import BaseClient
from tokalign.client.errors import closed
from tokalign.client.threads import responses

AnswerT = TypeVar("AnswerT")


class BlockingConnection(BaseClient):
    """Base of the blocking client: its channels, its state, and calls of any method."""

    def _connect(self) -> None:
        make = self._settings.channel
        self._channel = make(grpc.secure_channel, grpc.insecure_channel)
        self._health_channel = make(grpc.secure_channel, grpc.insecure_channel, balanced=False)
        self._methods = rpcs.methods(self._channel, self._health_channel)

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
