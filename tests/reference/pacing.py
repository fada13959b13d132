"""Slow, plain twin of deploy/pacing.c: the cost of frames, and the waits of a connection."""

from __future__ import annotations

CALL, ANSWERED, SMALL = 20, 100, 256
RATE, LITTLE, MOST = 250, 32, 500
NEW, SHARED = 250, 10_000
TICK_BYTES = 1 << 15
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS = 0, 1
END_STREAM = 1


class Purse:
    """What is saved, and what time gives to it, in milliseconds."""

    def __init__(self, rate: int, now_ms: int) -> None:
        self.saved = 0
        self._rate = rate
        self._at_ms = now_ms * rate // 1000 * 1000 // rate

    def earn(self, amount: int, most: int) -> None:
        self.saved = max(self.saved, min(self.saved + amount, most))

    def pass_time(self, now_ms: int, most: int) -> None:
        amount = (now_ms - self._at_ms) * self._rate // 1000
        self._at_ms += amount * 1000 // self._rate
        self.earn(amount, most)


class Connection:
    """All that one has sent and got, as bytes; frames are read from their beginning each time."""

    def __init__(self, saved: int, now_ms: int) -> None:
        self.purse = Purse(RATE, now_ms)
        self.purse.saved = saved
        self.waits = False
        self.held = b""
        self._sent = self._answered = b""
        self._n_sent = self._n_answered = 0

    @property
    def _is_http1(self) -> bool:
        return self._sent[: len(PREFACE)] != PREFACE[: len(self._sent)]

    def send(self, data: bytes, now_ms: int) -> None:
        """Pay for what the peer sends."""
        self.purse.pass_time(now_ms, LITTLE)
        self._sent += data
        if self._is_http1:
            self.purse.saved -= len(data) < SMALL
        else:
            frames = _frames(self._sent[len(PREFACE) :])
            for size, kind, _ in frames[self._n_sent :]:
                self.purse.saved -= (kind != DATA or size < SMALL) + CALL * (kind == HEADERS)
            self._n_sent = len(frames)
        self.held += data
        self.waits = self.waits or self.purse.saved < 0
        if not self.waits:
            self.held = b""

    def answer(self, data: bytes) -> None:
        """Pay for what is sent to the peer, or be paid for it."""
        if self._is_http1:
            if data.startswith(b"HTTP/1.1 2"):
                self.purse.earn(ANSWERED, MOST)
            elif data.startswith(b"HTTP/1.1 ") and len(data) > 9:
                self.purse.saved -= CALL
            return
        self._answered += data
        frames = _frames(self._answered)
        for size, kind, flags in frames[self._n_answered :]:
            if kind == DATA and (size >= SMALL or not flags & END_STREAM):
                self.purse.earn(ANSWERED, MOST)
        self._n_answered = len(frames)


def _frames(data: bytes) -> list[tuple[int, int, int]]:
    """Return (payload bytes, kind, flags) of every frame whose head is complete."""
    found = []
    while len(data) >= 9:
        size = int.from_bytes(data[:3], "big")
        found.append((size, data[3], data[4]))
        data = data[9 + size :]
    return found


class Pacing:
    """Connections by number, in the order in which ticks look at them."""

    def __init__(self) -> None:
        self.connections: dict[int, Connection] = {}
        self._new = Purse(SHARED, 0)
        self._new.saved = 0
        self._turn = 0

    def open(self, number: int, now_ms: int) -> None:
        self._new.pass_time(now_ms, SHARED)
        share = min(self._new.saved, NEW)
        self._new.saved -= share
        self.connections[number] = Connection(max(share, LITTLE), now_ms)

    def tick(self, now_ms: int, n_places: int) -> list[int]:
        """Return whose bytes go on, in turn, until those of TICK_BYTES have."""
        freed, left = [], TICK_BYTES
        for _ in range(n_places):
            if left <= 0:
                break
            one = self.connections.get(self._turn % n_places)
            number, self._turn = self._turn % n_places, self._turn + 1
            if one is None or not one.waits:
                continue
            one.purse.pass_time(now_ms, LITTLE)
            if one.purse.saved >= 0:
                left -= len(one.held)
                one.held, one.waits = b"", False
                freed.append(number)
        return freed
