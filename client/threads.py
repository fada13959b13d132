"""Calls of the blocking client that stream both ways: one thread sends, another reads."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

import grpc
from google.protobuf.message import Message

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
