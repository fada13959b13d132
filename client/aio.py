"""The asyncio client; packaging/write_sync_client.py makes the blocking one of it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Sequence
from typing import Any, Self, Unpack

from google.protobuf.message import Message
from tokalign.client import calls
from tokalign.client.asynchronous import AsyncConnection
from tokalign.client.base import POLL_S, Waiting, ground_options, pair_of, request_options
from tokalign.client.calls import GroundCalls, TextCalls
from tokalign.client.errors import InvalidInputError
from tokalign.client.results import AlignResult, Ranking
from tokalign.client.streams import GrowingGround, check_sizes, chunked_async
from tokalign.codec.servers import ServerInfo
from tokalign.types import Alignment, PairLike, SentenceLike
from tokalign.types.grounding import GroundedSentence, Grounding, PassageLike
from tokalign.types.keywords import AlignKeywords, GroundKeywords, PairKeywords, RankKeywords
from tokalign.types.options import AlignOptions, GroundOptions, RankOptions
from tokalign.types.texts import TextAlignment


class AsyncClient(AsyncConnection):
    """A connection to a tokalign server for one event loop.

    Parameters
    ----------
    address : str
        ``"HOST:PORT"``, ``"ipv4:ADDRESS:PORT,ADDRESS:PORT"`` or ``"unix:PATH"``. Calls take turns
        among the addresses of the host's name whose servers are serving.
    timeout_s : float
        Deadline in seconds of every call that has none of its own.
    retry : Retry or None
        How calls are repeated where the server is away or overloaded. They wait, up to their
        deadlines, for a server that has answered before. With None, calls are sent once.
    limits : Limits
        Largest messages that the client sends and takes.
    tls : Tls, optional
        Encrypts the connection; by default it is plain.
    token : str, optional
        Bearer token; needs `tls`.
    request_id : callable returning str, optional
        Called before each call: an id by which the server's log, and your own, know it.
    on_call : callable taking CallReport, optional
        Called at the end of each call, before its result is returned, or its error raised.

    Raises
    ------
    InputError
        If an argument is out of range. Nothing is connected before the first call.

    Notes
    -----
    Methods are coroutines, `align_stream` and `ground_stream` asynchronous iterators. A call whose
    task is cancelled is cancelled at the server too.

    Every call raises the exceptions of tokalign.client.errors. Calls that align take the options of
    tokalign.Aligner.align, and the name of a model and of an annotator that the server has
    (`list_models`); the default is the server's first.
    """

    async def align(
        self,
        source: SentenceLike,
        target: SentenceLike,
        options: AlignOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[PairKeywords],
    ) -> Alignment:
        """Return the alignment of one pair.

        Parameters
        ----------
        source, target : str, sequence of str, or Sentence
            Raw text, tokens, or a sentence, whose missing columns the server fills.
        options : AlignOptions, optional
            How to align and what to return.
        model, annotator : str
            Names that `list_models` gives; empty is the server's default.
        timeout_s : float, optional
            Deadline of this call in seconds, instead of the client's.
        **changes
            Fields of AlignOptions, in place of those of `options`, and fields of Constraints:
            what must be linked and what must not.

        Raises
        ------
        InputError
            If an option is out of range, or constraints contradict one another; nothing was sent.
        CallError
            If the call failed; see tokalign.client.errors.
        """
        pair, own = pair_of(source, target, changes)
        wanted = request_options(options, model, annotator, own)
        return await self._call(calls.align(pair, wanted), timeout_s)

    async def batch_align(
        self,
        pairs: Iterable[PairLike],
        options: AlignOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> list[AlignResult]:
        """Return one result per pair, in order; a bad pair has an error and harms no other.

        The server limits how many pairs one call may hold (`list_models`); `align_stream` has
        no such limit. A pair is (source, target), or (source, target, Constraints). Parameters and
        exceptions are those of `align`.
        """
        wanted = request_options(options, model, annotator, changes)
        return await self._call(calls.batch_align(pairs, wanted), timeout_s)

    async def rank(
        self,
        question: SentenceLike,
        candidates: Sequence[SentenceLike],
        options: AlignOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[RankKeywords],
    ) -> Ranking:
        """Return the candidates, those that answer best first.

        Parameters
        ----------
        question : str, sequence of str, or Sentence
            Aligned as the target of every pair.
        candidates : sequence of the same
            Each is the source of one pair.
        **changes
            Fields of RankOptions: `by`, `top_k`, `passages`, `priors`, `shortlist` and
            `highlights`; and fields of AlignOptions, in place of those of `options`.

        Returns
        -------
        Ranking
            A list of RankedResult, whose `index` is the candidate's. Equal scores keep the given
            order; candidates that could not be aligned come last and have an error. With the
            option `explain`, judgements hold their evidence.

        Other parameters and exceptions are those of `align`.
        """
        others: dict[str, Any] = {**changes}
        ranking = RankOptions.taken_from(others)
        wanted = request_options(options, model, annotator, others)
        return await self._call(calls.rank(question, candidates, ranking, wanted), timeout_s)

    def align_stream(
        self,
        pairs: Iterable[PairLike] | AsyncIterable[PairLike],
        options: AlignOptions | None = None,
        *,
        chunk_size: int = 64,
        max_in_flight: int = 8,
        ordered: bool = True,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> AsyncIterator[AlignResult]:
        """Yield one result per pair for any number of pairs, read as they are needed.

        Parameters
        ----------
        pairs : iterable of (source, target) or (source, target, Constraints)
            May also be asynchronous. Read by a task of this loop, at most ``max_in_flight`` chunks
            ahead of what was yielded.
        chunk_size : int
            Pairs sent at a time.
        max_in_flight : int
            Chunks that may be sent before the first of them has been yielded.
        ordered : bool
            Whether results come in the order of the pairs. Otherwise chunks come as they are
            done, and `AlignResult.index` is the position of the pair.
        timeout_s : float, optional
            Longest wait for the answer to a chunk, in seconds, instead of the client's; the
            stream as a whole has no deadline.

        Notes
        -----
        A chunk that the server refuses yields its error for each of its pairs. Other parameters
        and exceptions are those of `align`; a stream is not retried. An error that `pairs` raises
        is raised here.
        """
        check_sizes(chunk_size, max_in_flight)
        wanted = request_options(options, model, annotator, changes)
        chunks = chunked_async(pairs, chunk_size)
        return self._stream(chunks, wanted, ordered, max_in_flight, self._limit_s(timeout_s))

    async def align_texts(
        self,
        old: str,
        new: str,
        options: AlignOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[AlignKeywords],
    ) -> TextAlignment:
        """Return two texts of any number of sentences, aligned by sentences and then by words.

        Parameters
        ----------
        old, new : str
            Such as two versions of one text. Long ones are sent in pieces.
        timeout_s : float, optional
            Deadline of the whole call in seconds, instead of the client's. Allow more for long
            texts.

        Notes
        -----
        A block that could not be aligned has an error and harms no other. Other parameters and
        exceptions are those of `align`.
        """
        texts = TextCalls(old, new, request_options(options, model, annotator, changes))
        if texts.is_short:
            # What one answer is too small for at this server may fit a stream. What cannot be used
            # gets the same error there.
            with contextlib.suppress(InvalidInputError):
                return await self._call(texts.at_once(), timeout_s)
        return await self._call(texts.in_pieces(), timeout_s)

    async def ground(
        self,
        answer: str,
        passages: Iterable[PassageLike],
        options: GroundOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[GroundKeywords],
    ) -> Grounding:
        """Return where passages support the words of an answer, and what has no support there.

        Parameters
        ----------
        answer : str
            Of any number of sentences.
        passages : iterable of str, (str, str) or SourcePassage
            Texts, or texts with ids; the id of a text alone is its position, as "0".
        options : GroundOptions, optional
        **changes
            Fields of GroundOptions, in place of those of `options`.

        Notes
        -----
        A sentence that could not be grounded has an error, and the others are not affected. What is
        long is sent in pieces. Other parameters and exceptions are those of `align`.
        """
        asked = GroundCalls(answer, passages, ground_options(options, model, annotator, changes))
        if asked.is_short:
            with contextlib.suppress(InvalidInputError):  # see align_texts
                return await self._call(asked.at_once(), timeout_s)
        return await self._call(asked.in_pieces(), timeout_s)

    def ground_stream(
        self,
        pieces: Iterable[str] | AsyncIterable[str],
        passages: Iterable[PassageLike],
        options: GroundOptions | None = None,
        *,
        model: str = "",
        annotator: str = "",
        timeout_s: float | None = None,
        **changes: Unpack[GroundKeywords],
    ) -> AsyncIterator[GroundedSentence]:
        """Yield the sentences of an answer that is still being written, each once it is finished.

        Parameters
        ----------
        pieces : iterable of str
            The answer in order, cut between any two characters. May also be asynchronous; a task
            of this loop reads it. The server ends a stream without a piece for longer than its
            receive timeout, usually 30 seconds.
        timeout_s : float, optional
            Longest wait for what is left once the pieces have ended, in seconds, instead of the
            client's. Until then there is no deadline.

        Notes
        -----
        Other parameters are those of `ground`, and exceptions those of `align`; a stream is not
        retried. An error that `pieces` raises is raised here.
        """
        wanted = ground_options(options, model, annotator, changes)
        growing = GrowingGround(passages, wanted, self.address, self._limit_s(timeout_s))
        return self._ground_stream(growing, growing.requests_async(pieces))

    async def _ground_stream(
        self, growing: GrowingGround, requests: AsyncIterator[Message]
    ) -> AsyncIterator[GroundedSentence]:
        answers = self._responses("GroundStream", requests, growing.remaining_s)
        async with contextlib.aclosing(answers):
            async for answer in answers:
                for sentence in growing.accept(answer):
                    yield sentence

    async def list_models(self, *, timeout_s: float | None = None) -> ServerInfo:
        """Return the server's models, annotators, limits and version."""
        return await self._call(calls.list_models(), timeout_s)

    async def health(self, *, timeout_s: float | None = None) -> str:
        """Return the state of one server, the first that the client reaches.

        ``"SERVING"``, ``"NOT_SERVING"``, ``"UNKNOWN"`` or ``"SERVICE_UNKNOWN"``.
        """
        return await self._call(calls.health(), timeout_s)

    async def wait_ready(self, timeout_s: float = 30.0) -> None:
        """Return once the server is serving.

        Raises
        ------
        UnavailableError
            If it is not serving after `timeout_s` seconds; the message says what was seen last.
        """
        waiting = Waiting(self.address, timeout_s)
        while True:
            with waiting.noting_failure():
                waiting.seen = await self.health(timeout_s=waiting.remaining_s)
            if waiting.is_over():
                return
            await asyncio.sleep(POLL_S)

    async def close(self) -> None:
        """Close the connection; running calls end with CancelledError."""
        self._is_closed = True
        for channel in self._channels:
            await channel.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()
