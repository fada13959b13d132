"""deploy/pacing.wasm, run outside of Envoy, against its slow twin."""

import struct
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.pacing import PREFACE, Pacing

wasmtime = pytest.importorskip("wasmtime", reason="wasmtime is not installed")

MODULE = Path(__file__).resolve().parents[2] / "deploy" / "pacing.wasm"
N_PLACES = 4096
FILTER = 1
DOWNSTREAM, UPSTREAM = 2, 3
WAIT = 1
ENGINE = wasmtime.Engine()


class Host:
    """What of Envoy the filter calls: buffers, a clock, and who goes on."""

    def __init__(self):
        self.now_ms = 1_000_000
        self.buffers = {}
        self.freed = []
        self._effective = 0
        self._store = wasmtime.Store(ENGINE)
        linker = wasmtime.Linker(ENGINE)
        i32, i64 = wasmtime.ValType.i32(), wasmtime.ValType.i64()
        for module, name, kinds, function in (
            ("env", "proxy_get_buffer_bytes", [i32] * 5, self._get_bytes),
            ("env", "proxy_set_tick_period_milliseconds", [i32], lambda period: 0),
            ("env", "proxy_set_effective_context", [i32], self._set_effective),
            ("env", "proxy_continue_stream", [i32], self._go_on),
            ("wasi_snapshot_preview1", "clock_time_get", [i32, i64, i32], self._clock),
        ):
            linker.define_func(module, name, wasmtime.FuncType(kinds, [i32]), function)
        module = wasmtime.Module.from_file(ENGINE, MODULE)
        self._exports = linker.instantiate(self._store, module).exports(self._store)
        self._memory = self._exports["memory"]
        self.call("context_create", FILTER, 0)
        assert self.call("configure", FILTER, 0) == 1

    def call(self, event, *arguments):
        return self._exports[f"proxy_on_{event}"](self._store, *arguments)

    def sent(self, number, size):
        """Tell of what a connection has in the buffer; return whether it waits."""
        return self.call("downstream_data", number, size, 0) == WAIT

    def _get_bytes(self, buffer, start, most, to_bytes, to_size):
        data = self.buffers[buffer][start : start + most]
        place = self.call("memory_allocate", len(data))
        assert place or not data
        self._memory.write(self._store, data, place)
        self._memory.write(self._store, struct.pack("<I", place), to_bytes)
        self._memory.write(self._store, struct.pack("<I", len(data)), to_size)
        return 0

    def _set_effective(self, number):
        self._effective = number
        return 0

    def _go_on(self, buffer):
        assert buffer == DOWNSTREAM
        self.freed.append(self._effective)
        return 0

    def _clock(self, clock, _, to_time):
        self._memory.write(self._store, struct.pack("<Q", self.now_ms * 1_000_000 + 7), to_time)
        return 0


class Both:
    """The filter and its twin, told the same."""

    def __init__(self):
        self.host, self.twin = Host(), Pacing()
        self.n_opened = FILTER

    def open(self):
        self.n_opened += 1
        self.host.call("context_create", self.n_opened, FILTER)
        self.twin.open(self.n_opened, self.host.now_ms)
        return self.n_opened

    def send(self, number, data):
        one = self.twin.connections[number]
        self.host.buffers[DOWNSTREAM] = one.held + data
        waits = self.host.sent(number, len(one.held) + len(data))
        one.send(data, self.host.now_ms)
        assert waits == one.waits, one.purse.saved
        return waits

    def answer(self, number, data):
        self.host.buffers[UPSTREAM] = data
        assert self.host.call("upstream_data", number, len(data), 0) == 0
        self.twin.connections[number].answer(data)

    def tick(self, milliseconds):
        self.host.now_ms += milliseconds
        self.host.freed = []
        self.host.call("tick", FILTER)
        assert self.host.freed == self.twin.tick(self.host.now_ms, N_PLACES)
        return self.host.freed

    def spend(self, number):
        """Send frames of cost 1 until it waits, which tells what it had saved to the last."""
        while not self.send(number, PING):
            pass

    def close(self, number):
        self.host.call("delete", number)
        del self.twin.connections[number]


def frame(size, kind, flags):
    return struct.pack(">I", size)[1:] + struct.pack(">BBI", kind, flags, 1) + bytes(size)


PING = frame(8, 6, 0)
FRAMES = st.builds(
    frame, st.sampled_from([0, 4, 8, 255, 256, 5000]), st.integers(0, 9), st.sampled_from([0, 1, 5])
)
MANY = st.builds(
    lambda frames, n: b"".join(frames) * n, st.lists(FRAMES, max_size=4), st.integers(1, 9)
)
HTTP1 = st.sampled_from([b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 401 No\r\n", b"HTTP/1.1 ", b"body"])
BEGIN = st.sampled_from([PREFACE, PREFACE[:7], b"GET / HTTP/1.1\r\n\r\n", b"P"])
WHO = st.integers(0, 4)
STEPS = st.one_of(
    st.tuples(st.just("open"), BEGIN),
    st.tuples(st.just("send"), WHO, MANY, st.lists(st.integers(0, 9000), max_size=3)),
    st.tuples(st.just("answer"), WHO, MANY | HTTP1),
    st.tuples(st.just("tick"), st.integers(0, 900)),
    st.tuples(st.just("close"), WHO),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(STEPS, max_size=30))
def test_the_filter_is_its_twin(steps):
    both, numbers = Both(), []
    for name, *arguments in steps:
        if name == "open":
            numbers.append(both.open())
            both.send(numbers[-1], arguments[0])
        elif name == "tick":
            both.tick(arguments[0])
        elif numbers:
            number = numbers[arguments[0] % len(numbers)]
            if name == "close":
                both.close(number)
                numbers.remove(number)
            elif name == "answer":
                both.answer(number, arguments[1])
            else:
                data, places = arguments[1:]
                cuts = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
                for start, end in pairwise(cuts):
                    both.send(number, data[start:end])
    for number in numbers:
        both.spend(number)
    both.tick(1)
    both.tick(2_345)
    for number in numbers:
        both.spend(number)


CALL = frame(60, 1, 4) + frame(100, 0, 1)
REFUSAL = frame(60, 1, 5)
ANSWER = frame(20, 1, 4) + frame(300, 0, 0) + frame(20, 1, 5)


def test_calls_that_are_answered_never_wait():
    both = Both()
    number = both.open()
    assert not both.send(number, PREFACE + CALL * 8)
    for _ in range(500):
        both.answer(number, ANSWER)
        assert not both.send(number, CALL)
    both.spend(number)


def test_calls_that_are_refused_wait_until_time_has_paid():
    both = Both()
    number = both.open()
    assert not both.send(number, PREFACE)
    n_at_once = 0
    while not both.send(number, CALL):
        both.answer(number, REFUSAL)
        n_at_once += 1
    assert n_at_once == 250 // 22
    n_freed = 0
    for _ in range(500):
        if both.tick(20):
            n_freed += 1
            both.send(number, CALL)
    # 10 s at 250 a second, 22 a call.
    assert abs(n_freed - 2500 / 22) < 3


def test_new_connections_share_what_they_begin_with():
    both = Both()
    n_calls = []
    for _ in range(60):
        number = both.open()
        both.send(number, PREFACE)
        n_calls.append(next(n for n in range(100) if both.send(number, frame(60, 1, 5))))
        both.close(number)
    assert n_calls == [11] * 40 + [1] * 20


def test_what_waits_goes_on_in_turns_of_some_bytes():
    both = Both()
    numbers = [both.open() for _ in range(20)]
    for number in numbers:
        assert both.send(number, PREFACE + PING * 1000)
    freed = [both.tick(20) for _ in range(400)]
    assert sorted(chain.from_iterable(freed)) == numbers
    assert max(len(each) for each in freed) == 2


def test_more_connections_than_places_pass():
    host = Host()
    for number in range(2, N_PLACES + 10):
        host.call("context_create", number, FILTER)
    host.buffers[DOWNSTREAM] = PREFACE + PING * 1000
    size = len(host.buffers[DOWNSTREAM])
    assert host.sent(N_PLACES, size)
    assert not host.sent(N_PLACES + 9, size)
    host.call("delete", 2)
    host.call("context_create", N_PLACES + 10, FILTER)
    assert host.sent(N_PLACES + 10, size)
