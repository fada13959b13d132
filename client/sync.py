"""The blocking client."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Self, Unpack

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tokalign.client import translate
from tokalign.client.chunks import Chunks, check_sizes, chunked
from tokalign.client.errors import (
    DeadlineError,
    UnavailableError,
    closed,
    from_call,
    late,
    not_ready,
)
from tokalign.client.options import Connection, Limits, Retry, Tls
from tokalign.client.results import AlignResult, ServerInfo
from tokalign.client.translate import AlignOptions, Options, Pair
from tokalign.types import Alignment, SentenceLike
from tokalign.v1 import align_pb2, align_pb2_grpc

POLL_S = 0.1


class Client:
    """A connection to a tokalign server. Safe to share by threads.

    Parameters
    ----------
    address : str
        ``"HOST:PORT"`` or ``"unix:PATH"``.
    timeout_s : float
        Deadline of every call that names none of its own.
    retry : Retry or None
        How calls are repeated where the server is away or overloaded; None never repeats.
    limits : Limits
        Largest messages.
    tls : Tls, optional
        Encrypts the connection; by default it is plain.
    token : str, optional
        Bearer token; needs `tls`.

    Raises
    ------
    InputError
        If an argument is out of range. Nothing is connected before the first call.

    Notes
    -----
    Every call raises the exceptions of tokalign.client.errors, and takes the keyword options of
    tokalign.client.AlignOptions.
    """

    def __init__(
        self,
        address: str,
        *,
        timeout_s: float = 10.0,
        retry: Retry | None = Retry(),  # noqa: B008 (frozen)
        limits: Limits = Limits(),  # noqa: B008 (frozen)
        tls: Tls | None = None,
        token: str | None = None,
    ) -> None:
        connection = Connection(address=address, retry=retry, limits=limits, tls=tls, token=token)
        self.address = address
        self.timeout_s = timeout_s
        self._is_closed = False
        self._channel = connection.channel(grpc.secure_channel, grpc.insecure_channel)
        self._stub = align_pb2_grpc.AlignServiceStub(self._channel)
        self._health = health_pb2_grpc.HealthStub(self._channel)

    def align(
        self,
        source: SentenceLike,
        target: SentenceLike,
        *,
        timeout_s: float | None = None,
        **options: Unpack[AlignOptions],
    ) -> Alignment:
        """Return the alignment of one pair.

        Parameters
        ----------
        source, target : str, sequence of str, or Sentence
            Raw text, tokens, or a sentence of which missing columns are filled by the server.
        timeout_s : float, optional
            Deadline of this call in seconds, instead of the client's.
        **options
            How to align and what to return; see AlignOptions.

        Raises
        ------
        InputError
            If an option is out of range; nothing was sent.
        CallError
            If the call failed; see tokalign.client.errors.
        """
        checked = Options.checked(**options)
        pair = (source, target)
        response = self._call(self._stub.Align, translate.align_request(pair, checked), timeout_s)
        return translate.alignment(response.alignment, response.model, pair, checked)

    def batch_align(
        self,
        pairs: Iterable[Pair],
        *,
        timeout_s: float | None = None,
        **options: Unpack[AlignOptions],
    ) -> list[AlignResult]:
        """Return one result a pair, in order; a bad pair has an error and costs the others nothing.

        The server limits how many pairs one call may hold (`list_models`); `align_stream` has
        no such limit. Parameters and exceptions are those of `align`.
        """
        checked = Options.checked(**options)
        pairs = list(pairs)
        request = translate.batch_request(pairs, checked)
        response = self._call(self._stub.BatchAlign, request, timeout_s)
        return translate.batch_results(response, pairs, checked)

    def rank(
        self,
        question: SentenceLike,
        candidates: Sequence[SentenceLike],
        *,
        top_k: int = 0,
        timeout_s: float | None = None,
        **options: Unpack[AlignOptions],
    ) -> list[AlignResult]:
        """Return the candidates by falling alignment score with the question.

        Parameters
        ----------
        question : str, sequence of str, or Sentence
            Aligned as the target of every pair.
        candidates : sequence of the same
            Each is the source of one pair.
        top_k : int
            How many to return; 0 returns all.

        Returns
        -------
        list of AlignResult
            `index` is the candidate's. Equal scores keep the given order; candidates that could
            not be aligned come last and have an error.

        Other parameters and exceptions are those of `align`.
        """
        checked = Options.checked(**options)
        request = translate.rank_request(question, candidates, top_k, checked)
        response = self._call(self._stub.Rank, request, timeout_s)
        return translate.ranking(response, question, candidates, checked)

    def align_stream(
        self,
        pairs: Iterable[Pair],
        *,
        chunk_size: int = 64,
        max_in_flight: int = 8,
        ordered: bool = True,
        timeout_s: float | None = None,
        **options: Unpack[AlignOptions],
    ) -> Iterator[AlignResult]:
        """Yield one result a pair for any number of pairs, which are read as they are needed.

        Parameters
        ----------
        pairs : iterable of (source, target)
            Read by another thread, at most ``max_in_flight`` chunks ahead of what was yielded.
        chunk_size : int
            Pairs sent at a time.
        max_in_flight : int
            Chunks that may be sent before the first of them has been yielded.
        ordered : bool
            Whether results come in the order of the pairs. Otherwise chunks come as they are
            done; `AlignResult.index` tells which pair it is.
        timeout_s : float, optional
            Longest wait for the answer to a chunk, in seconds, instead of the client's; the
            stream as a whole has no deadline.

        A chunk that the server refuses yields its error for each of its pairs. Other parameters
        and exceptions are those of `align`; a stream is not retried. What `pairs` raises is
        raised here.
        """
        check_sizes(chunk_size, max_in_flight)
        checked = Options.checked(**options)
        limit_s = self.timeout_s if timeout_s is None else timeout_s
        return self._stream(chunked(pairs, chunk_size), checked, ordered, max_in_flight, limit_s)

    def _stream(
        self,
        chunks: Iterator[list[Pair]],
        options: Options,
        ordered: bool,
        max_in_flight: int,
        timeout_s: float,
    ) -> Iterator[AlignResult]:
        book = Chunks(options, ordered)
        room = threading.Semaphore(max_in_flight)
        stopped = threading.Event()
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def requests() -> Iterator[align_pb2.AlignStreamRequest]:
            try:
                for chunk in chunks:
                    room.acquire()
                    if stopped.is_set():
                        return
                    yield book.request(chunk)
            except Exception as error:
                answers.put(error)  # the caller's iterable failed: raised where it is consumed

        def read() -> None:
            try:
                for response in call:
                    answers.put(response)
                answers.put(None)
            except grpc.RpcError as error:
                answers.put(from_call(error, self.address))

        if self._is_closed:
            raise closed(self.address)
        call = self._stub.AlignStream(requests())
        reader = threading.Thread(target=read, name="tokalign-stream", daemon=True)
        reader.start()
        try:
            while True:
                try:
                    answer = answers.get(timeout=max(book.remaining_s(timeout_s), 0.0))
                except queue.Empty:
                    if book.remaining_s(timeout_s) > 0:
                        continue
                    raise late(self.address, timeout_s) from None
                if answer is None:
                    book.check_complete()
                    return
                if isinstance(answer, Exception):
                    raise answer
                for results in book.accept(answer):
                    yield from results
                    room.release()
        finally:
            stopped.set()
            room.release()
            call.cancel()
            reader.join()

    def list_models(self, *, timeout_s: float | None = None) -> ServerInfo:
        """Return the server's models, annotators, limits and version."""
        request = align_pb2.ListModelsRequest()
        return translate.server_info(self._call(self._stub.ListModels, request, timeout_s))

    def health(self, *, timeout_s: float | None = None) -> str:
        """Return ``"SERVING"``, ``"NOT_SERVING"``, ``"UNKNOWN"`` or ``"SERVICE_UNKNOWN"``."""
        request = health_pb2.HealthCheckRequest()
        check = self._health.Check  # type: ignore[attr-defined]
        response = self._call(check, request, timeout_s)
        return health_pb2.HealthCheckResponse.ServingStatus.Name(response.status)

    def wait_ready(self, timeout_s: float = 30.0) -> None:
        """Return once the server is serving.

        Raises
        ------
        UnavailableError
            If it is not after `timeout_s` seconds; says what was seen last.
        """
        deadline = time.monotonic() + timeout_s
        seen = ""
        while True:
            remaining_s = max(deadline - time.monotonic(), POLL_S)
            try:
                seen = self.health(timeout_s=remaining_s)
            except UnavailableError as error:
                seen = str(error)
            except DeadlineError:
                seen = seen or "no answer"
            if seen == "SERVING":
                return
            if time.monotonic() >= deadline:
                raise not_ready(self.address, timeout_s, seen)
            time.sleep(POLL_S)

    def close(self) -> None:
        """Close the connection; running calls end with CancelledError."""
        self._is_closed = True
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _call(self, method: Any, request: Any, timeout_s: float | None) -> Any:
        try:
            return method(request, timeout=self.timeout_s if timeout_s is None else timeout_s)
        except grpc.RpcError as error:
            raise from_call(error, self.address) from error
        except ValueError as error:
            if not self._is_closed:
                raise
            raise closed(self.address) from error
