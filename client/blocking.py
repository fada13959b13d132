"""Connection of the blocking client: what all of its calls go through.

Of a call that streams both ways, one thread sends and another one reads.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any, NamedTuple, TypeVar

import grpc
from google.protobuf.message import Message
from tokalign.client import calls
from tokalign.client.base import BaseClient
from tokalign.client.errors import closed
from tokalign.client.results import AlignResult
from tokalign.client.streams import Chunks
from tokalign.codec.options import RequestOptions
from tokalign.types import PairLike

AnswerT = TypeVar("AnswerT")
_SENT = object()


class _End(NamedTuple):
    """The end of a call's answers, and its error."""

    error: grpc.RpcError | None


def responses(
    method: Callable[[Iterator[Message]], Any],
    requests: Iterator[Message],
    remaining_s: Callable[[], float | None],
    ended: Callable[[Any], None],
    failed: Callable[[grpc.RpcError], Exception],
) -> Generator[Any, None, None]:
    """Make a call, and yield its responses; close it to end the call.

    Parameters
    ----------
    method : callable
        Of a stub.
    requests : iterator of Message
        Read by another thread. An error that it raises is raised here.
    remaining_s : callable returning float or None
        How long to wait for the next response; None is any time. Asked again whenever something
        has come or the wait is over. It raises where the wait has been too long.
    ended : callable
        Called with the call once it was answered.
    failed : callable taking grpc.RpcError
        Returns the exception for a call that failed.
    """
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def sent() -> Iterator[Message]:
        try:
            yield from requests
        except Exception as error:
            answers.put(error)  # the caller's iterable failed: raised where it is consumed
        answers.put(_SENT)

    def read() -> None:
        try:
            for response in call:
                answers.put(response)
            answers.put(_End(None))
        except grpc.RpcError as error:
            answers.put(_End(error))

    call = method(sent())
    reader = threading.Thread(target=read, name="tokalign-stream", daemon=True)
    reader.start()
    try:
        while True:
            try:
                # What has come is looked at before a wait that may be over.
                answer = answers.get(timeout=None if answers.qsize() else remaining_s())
            except queue.Empty:
                continue
            if isinstance(answer, _End):
                if answer.error is not None:
                    raise failed(answer.error) from answer.error
                ended(call)
                return
            if isinstance(answer, Exception):
                raise answer
            if answer is not _SENT:
                yield answer
    finally:
        call.cancel()
        reader.join()


class BlockingConnection(BaseClient):
    """Base of the blocking client: its channels, its state, and calls of any method."""

    def _connect(self) -> None:
        make = self._settings.channel
        self._channels = (
            make(grpc.secure_channel, grpc.insecure_channel),
            make(grpc.secure_channel, grpc.insecure_channel, balanced=False),
        )
        self._methods = calls.methods(*self._channels)

    def _responses(
        self,
        method: str,
        requests: Iterator[Message],
        remaining_s: Callable[[], float | None],
    ) -> Generator[Any, None, None]:
        """Make a call that streams both ways, and yield its responses; see `responses`."""
        if self._is_closed:
            raise closed(self.address)
        make = partial(self._methods[method], metadata=self._metadata(), wait_for_ready=self._waits)
        ended, failed = partial(self._report, method), partial(self._failed, method)
        yield from responses(make, requests, remaining_s, ended, failed)

    def _call(self, rpc: calls.Rpc[AnswerT], timeout_s: float | None) -> AnswerT:
        try:
            answer, call = self._answered(rpc, self._limit_s(timeout_s))
        except grpc.RpcError as error:
            raise self._failed(rpc.method, error) from error
        except ValueError as error:
            if not self._is_closed:
                raise
            raise closed(self.address) from error
        self._report(rpc.method, call)
        return rpc.decode(answer)

    def _answered(self, rpc: calls.Rpc[AnswerT], limit_s: float) -> tuple[Any, grpc.Call]:
        """Return the answer to a call, and the call."""
        method, metadata = self._methods[rpc.method], self._metadata()
        if rpc.is_stream:
            call = method(
                rpc.request, timeout=limit_s, metadata=metadata, wait_for_ready=self._waits
            )
            return list(call), call
        attempts = self._attempts(rpc.method, limit_s)
        while True:
            try:
                answer, call = method.with_call(rpc.request, metadata=metadata, **attempts.options)
            except grpc.RpcError as error:
                if (failure := attempts.failed(error)) is not None:
                    raise failure from None
            else:
                return answer, call

    def _stream(
        self,
        chunks: Iterator[list[PairLike]],
        options: RequestOptions,
        ordered: bool,
        max_in_flight: int,
        timeout_s: float,
    ) -> Iterator[AlignResult]:
        book = Chunks(options, ordered, self.address, timeout_s)
        room = threading.Semaphore(max_in_flight)
        stopped = threading.Event()

        def requests() -> Iterator[Message]:
            for chunk in chunks:
                room.acquire()
                if stopped.is_set():
                    return
                yield book.request(chunk)

        answers = self._responses("AlignStream", requests(), book.remaining_s)
        with contextlib.closing(answers):
            try:
                for answer in answers:
                    for results in book.accept(answer):
                        yield from results
                        room.release()
                book.check_complete()
            finally:
                stopped.set()
                room.release()
