"""A load generator light enough to fill a server.

A grpc client in Python costs more for a call than the server does, so it measures itself; see
connection.py and http_connection.py for what is used here.
"""

from __future__ import annotations

import itertools
import random
import selectors
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tokalign.client.load.calls import NO_ANSWER, LoadRequest, Outcome
from tokalign.client.load.connection import LoadConnection
from tokalign.client.load.transport import PLAIN, Security

if TYPE_CHECKING:
    from tokalign.client.load.http_connection import HttpConnection

SEND_GAP_S = 0.0005

Extend = Callable[[Sequence[Outcome]], float]


def never(outcomes: Sequence[Outcome]) -> float:
    """Return 0: the load ends with its time."""
    return 0.0


class Generator:
    """Calls over several connections, in an open or a closed loop.

    Parameters
    ----------
    address : str
        HOST:PORT of gRPC, or ``http://HOST:PORT``.
    requests : sequence of LoadRequest
        Used in turn.
    connections : int
        Over HTTP each has one call at a time, and more calls wait for the next that is free.
    is_patient : bool
        See LoadConnection.

    Attributes
    ----------
    lag_s : float
        By how much the latest call of all open loops was started after it was due, because the
        generator could not keep up. Latencies have it in them.
    """

    def __init__(
        self,
        address: str,
        requests: Sequence[LoadRequest],
        connections: int = 4,
        is_patient: bool = True,
        security: Security = PLAIN,
    ) -> None:
        self._requests = itertools.cycle(requests)
        self._selector = selectors.DefaultSelector()
        self._connections: list[LoadConnection | HttpConnection] = [
            _connection(address, is_patient, security) for _ in range(connections)
        ]
        for connection in self._connections:
            self._selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.flush()
        self._turn = 0
        self.lag_s = 0.0

    def close(self) -> None:
        """Close the connections."""
        for connection in self._connections:
            connection.socket.close()
        self._selector.close()

    def open_loop(
        self, rate: float, duration_s: float, seed: int = 0, extend: Extend = never
    ) -> list[Outcome]:
        """Return the calls of Poisson arrivals, each timed from its intended start.

        Calls that are due within SEND_GAP_S go together over one connection: what each costs the
        generator is taken from a server on the same machine.

        Parameters
        ----------
        rate : float
            Calls per second.
        extend : callable
            Asked at the end of the time, with the outcomes so far, for how many seconds to go on.
        """
        rng = random.Random(seed)
        outcomes: list[Outcome] = []
        stop = time.perf_counter() + duration_s
        arrival = time.perf_counter() + rng.expovariate(rate)
        send_at = 0.0
        while True:
            now = time.perf_counter()
            if now >= stop <= arrival:
                more_s = extend(outcomes)
                if not more_s:
                    break
                stop += more_s
            if max(arrival, send_at) <= now:
                self._take_turn()
                self.lag_s = max(self.lag_s, now - arrival)
                while arrival <= now and arrival < stop:
                    if not self._connections[self._turn].has_room:
                        self._take_turn()
                    self._start_call(arrival)
                    arrival += rng.expovariate(rate)
                self._flush()
                send_at = now + SEND_GAP_S
            wake_at = max(min(arrival, stop), send_at)
            self._poll(max(0.0, wake_at - time.perf_counter()), outcomes)
        self._finish(outcomes)
        return outcomes

    def closed_loop(
        self, in_flight: int, duration_s: float, extend: Extend = never
    ) -> list[Outcome]:
        """Return the calls of `in_flight` callers that each wait for their answer.

        `extend` is as in open_loop.
        """
        outcomes: list[Outcome] = []
        stop = time.perf_counter() + duration_s
        for _ in range(in_flight):
            self._take_turn()
            self._start_call(time.perf_counter())
        self._flush()
        while True:
            now = time.perf_counter()
            if now >= stop:
                more_s = extend(outcomes)
                if not more_s:
                    break
                stop += more_s
            n_before = len(outcomes)
            self._poll(max(0.0, stop - now), outcomes)
            for _ in range(len(outcomes) - n_before):
                self._take_turn()
                self._start_call(time.perf_counter())
            self._flush()
        self._finish(outcomes)
        return outcomes

    def _take_turn(self) -> None:
        """Go on to the next connection, or to the next that has room for a call."""
        for _ in self._connections:
            self._turn = (self._turn + 1) % len(self._connections)
            if self._connections[self._turn].has_room:
                return
        self._turn = (self._turn + 1) % len(self._connections)

    def _flush(self) -> None:
        for connection in self._connections:
            if connection.wants_to_write:
                connection.flush()

    def _start_call(self, intended_at: float) -> None:
        self._connections[self._turn].call(next(self._requests), intended_at)

    def _poll(self, timeout_s: float, outcomes: list[Outcome]) -> None:
        for connection in self._connections:
            events = selectors.EVENT_READ
            if connection.wants_to_write:
                events |= selectors.EVENT_WRITE
            if self._selector.get_key(connection.socket).events != events:
                self._selector.modify(connection.socket, events, connection)
        for key, events in self._selector.select(timeout_s):
            connection = key.data
            if events & selectors.EVENT_WRITE:
                connection.flush()
            if events & selectors.EVENT_READ:
                outcomes += connection.receive(time.perf_counter())
                if connection.socket is not key.fileobj:  # it has connected again
                    self._selector.unregister(key.fileobj)
                    self._selector.register(connection.socket, selectors.EVENT_READ, connection)

    def _finish(self, outcomes: list[Outcome], timeout_s: float = 30.0) -> None:
        """Wait for the calls in flight; those that never end count as failed."""
        stop = time.perf_counter() + timeout_s
        while any(connection.is_busy for connection in self._connections):
            now = time.perf_counter()
            if now >= stop:
                for connection in self._connections:
                    outcomes += [
                        Outcome(
                            call.intended_at,
                            now - call.intended_at,
                            False,
                            call.request,
                            reason=NO_ANSWER,
                        )
                        for call in connection.pending
                    ]
                    connection.forget()
                return
            self._poll(stop - now, outcomes)


def _connection(
    address: str, is_patient: bool, security: Security
) -> LoadConnection | HttpConnection:
    if "://" not in address:
        return LoadConnection(address, is_patient, security)
    from tokalign.client.load.http_connection import HttpConnection

    return HttpConnection(address, security)
