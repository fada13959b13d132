"""Attacks by peers without a token, who meet Envoy first: connections, frames, calls, messages."""

from __future__ import annotations

import asyncio
import gzip
import http.client
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from typing import Any

from h2.errors import ErrorCodes
from h2.settings import SettingCodes
from hpack import Encoder
from hyperframe.frame import (
    ContinuationFrame,
    DataFrame,
    ExtensionFrame,
    Frame,
    HeadersFrame,
    PingFrame,
    PriorityFrame,
    RstStreamFrame,
    SettingsFrame,
    WindowUpdateFrame,
)
from tokalign.client.load.connection import grpc_headers
from tokalign.client.load.methods import METHODS

from bench.attack.flood import PREFACE, Kind, flood, header_block, headers_frame
from bench.attack.peer import message
from bench.attack.rows import Attack, row
from deploy.loopback import filter_of, listener_of, manager_of

MIB = 1 << 20
FRAME_BYTES = 16_384
CHECK = "/grpc.health.v1.Health/Check"
ROUTES = (
    METHODS["align"].rpc,
    METHODS["batch"].rpc,
    CHECK,
    "/grpc.health.v1.Health/Watch",
    "/v1/align",
    "/v1/models",
    "/ready",
    "/nothing",
    "/v1%2fmodels",
)
KINDS = (
    "application/grpc",
    "application/grpc-web+proto",
    "application/grpc-web-text",
    "application/json",
    "text/plain",
    "",
)
OTHERS = (
    "every call of the caller is answered right, the server grows by 64 MiB at most, Envoy by 128, "
    "and both end in order"
)
OLD = OTHERS.replace("every call of the caller is", "calls over the caller's old connection are")
NO_END = "36000s"
# Of the 1,000 that Envoy takes; the others are left to callers.
MOST_CONNECTIONS = 950


async def floods(attack: Attack, kinds: list[Kind], n_connections: int) -> None:
    """Flood, and note what was sent."""
    counts = await asyncio.to_thread(
        flood, attack.address, kinds, n_connections, attack.amounts.seconds
    )
    for what, count in counts.items():
        attack.note(what, count)


def no_timeouts(config: dict[str, Any]) -> None:
    """Have silent connections stay."""
    listener_of(config)["listener_filters_timeout"] = NO_END
    manager_of(config)["common_http_protocol_options"]["idle_timeout"] = NO_END


@row(
    "connections",
    "While strangers begin connections, calls over the caller's old one are answered right; while "
    "they hold more silent ones than Envoy takes, a new one is served within half a minute.",
    is_stranger=True,
    new_may_fail=True,
    ends_itself=True,
    without=no_timeouts,
)
async def connections(attack: Attack) -> None:
    """Begins connections and hangs up, then holds 3,000 that say nothing, or half a line."""
    churn = [Kind(b"", is_once=True), Kind(PREFACE[:12], is_once=True)]
    await floods(attack, churn, 200)
    await hold_and_be_served(attack, attack.address, (b"", PREFACE[:12]), "/ready")


async def hold_and_be_served(
    attack: Attack, address: str, firsts: Sequence[bytes], path: str
) -> None:
    """Hold 3,000 connections that say no more than one of `firsts`, and wait for a new one.

    It has to be answered by GET of the path within half a minute.
    """
    host, _, port = address.rpartition(":")
    held = []
    for first in islice(cycle(firsts), 3000):
        peer = socket.socket()
        peer.settimeout(5)
        held.append(peer)
        try:
            peer.connect((host, int(port)))
            peer.sendall(first)
            attack.note("held")
        except OSError:
            attack.note("refused")
    late = time.monotonic() + 30
    while not await asyncio.to_thread(_is_served, address, path):
        if time.monotonic() > late:
            attack.expect(False, "no new connection was served within half a minute")
            break
        await asyncio.sleep(0.2)


def _is_served(address: str, path: str) -> bool:
    """Tell whether a new connection is."""
    connection = http.client.HTTPConnection(address, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def any_frames(config: dict[str, Any]) -> None:
    """Have answers that nobody reads wait without a bound."""
    options = manager_of(config)["http2_protocol_options"]
    options["max_outbound_control_frames"] = 1_000_000_000
    del listener_of(config)["per_connection_buffer_high_watermark_timeout"]
    del config["overload_manager"]


@row(
    "frames",
    f"While millions of frames come that open no call, {OTHERS}, at most 50 times as slowly.",
    is_stranger=True,
    slower=50.0,
    ends_itself=True,
    without=any_frames,
)
async def frames(attack: Attack) -> None:
    """Sends PING, SETTINGS, WINDOW_UPDATE, PRIORITY and unknown frames; half never read."""
    each = (
        PingFrame(0, b"12345678"),
        SettingsFrame(0, {SettingCodes.INITIAL_WINDOW_SIZE: 65_535}),
        SettingsFrame(0, flags=["ACK"]),
        WindowUpdateFrame(0, 1),
        PriorityFrame(1, depends_on=3, stream_weight=7),
        ExtensionFrame(0xB, 0, body=b"unknown"),
    )
    kinds = [
        Kind(PREFACE, (frame.serialize() * 4096,), reads=reads)
        for frame in each
        for reads in (True, False)
    ]
    await floods(attack, kinds, 240)


def _calls(blocks: list[bytes], make: Callable[[int, bytes], bytes]) -> bytes:
    """Return 1,000 calls of a connection."""
    return b"".join(
        make(2 * index + 1, block) for index, block in zip(range(1000), cycle(blocks), strict=False)
    )


def any_resets(config: dict[str, Any]) -> None:
    """Have nobody count resets, and take all calls of a connection in one turn."""
    (layer,) = config["layered_runtime"]["layers"]
    layer["static_layer"] = {"overload.premature_reset_total_stream_count": 1_000_000_000}
    options = manager_of(config)["http2_protocol_options"]
    options["max_concurrent_streams"] = 1_000_000


@row(
    "resets",
    f"While calls are begun and reset at once, {OLD.replace('by 128', 'by 256')}, at most 50 times "
    "as slowly.",
    is_stranger=True,
    front_mib=256,
    ends_itself=True,
    without=any_resets,
    new_may_fail=True,
    slower=50.0,
)
async def resets(attack: Attack) -> None:
    """Resets calls, and makes Envoy reset them, as soon as they are begun."""
    blocks = [header_block(attack.address, path) for path in ROUTES[:4]]

    def reset(stream: int, block: bytes) -> bytes:
        frame = RstStreamFrame(stream, error_code=ErrorCodes.CANCEL)
        return headers_frame(stream, block) + frame.serialize()

    def made_to_reset(stream: int, block: bytes) -> bytes:
        # A window that grows by nothing is an error, for which the stream is reset.
        return headers_frame(stream, block) + WindowUpdateFrame(stream, 0).serialize()

    kinds = [
        Kind(PREFACE, (_calls(blocks, make),), reads=reads, is_once=True)
        for make in (reset, made_to_reset)
        for reads in (True, False)
    ]
    await floods(attack, kinds, 240)


def any_headers(config: dict[str, Any]) -> None:
    """Take as many headers as can be set, by the library that decodes all of them."""
    manager = manager_of(config)
    manager["max_request_headers_kb"] = 8192
    manager["common_http_protocol_options"]["max_headers_count"] = 1_000_000
    manager["http2_protocol_options"]["use_oghttp2_codec"] = False
    del config["overload_manager"]


@row(
    "headers",
    f"While headers are too long, too many, or without an end, {OTHERS}.",
    is_stranger=True,
    ends_itself=True,
    without=any_headers,
)
async def headers(attack: Attack) -> None:
    """Sends a field of 1 MiB, 20,000 fields, one field 10,000 times by its index, no end."""
    fields = grpc_headers(attack.address, METHODS["align"].rpc)

    def bomb(n_bytes: int) -> bytes:
        return Encoder().encode(fields + [(b"x-kept", b"k" * n_bytes)] * 10_000, huffman=False)

    def whole(block: bytes) -> bytes:
        parts = [block[at : at + FRAME_BYTES] for at in range(0, len(block), FRAME_BYTES)]
        made: list[Frame] = [HeadersFrame(1, parts[0])]
        made += [ContinuationFrame(1, part) for part in parts[1:]]
        made[-1].flags.add("END_HEADERS")
        return b"".join(frame.serialize() for frame in made)

    blocks = (
        header_block(attack.address, CHECK, more=[(b"x-large", b"l" * MIB)]),
        header_block(attack.address, CHECK, more=[(b"x", b"y")] * 20_000),
        bomb(3_900),
        bomb(1_000),
    )
    kinds = [Kind(PREFACE + whole(block)) for block in blocks]
    start = HeadersFrame(1, header_block(attack.address, CHECK)).serialize()
    kinds.append(Kind(PREFACE + start, (ContinuationFrame(1, bytes(FRAME_BYTES)).serialize(),)))
    line = b"GET / HTTP/1.1\r\nhost: localhost\r\n"
    kinds.append(Kind(line, (b"x-more: " + b"m" * 1000 + b"\r\n",)))
    await floods(attack, kinds, 120)


def no_waiting(config: dict[str, Any]) -> None:
    """Refuse strangers at once."""
    filters = manager_of(config)["http_filters"]
    filters.remove(filter_of(config, "envoy.filters.http.fault"))


@row(
    "refused",
    "While strangers call as fast as they are refused, over almost all connections that Envoy "
    f"takes, {OLD.replace('by 128', 'by 512')}, at most 20 times as slowly.",
    is_stranger=True,
    ends_itself=True,
    without=no_waiting,
    new_may_fail=True,
    front_mib=512,
    slower=20.0,
)
async def refused(attack: Attack) -> None:
    """Calls every path with every content type and no token or a wrong one, over HTTP/1.1 and 2."""
    old = [Kind(b"", (text * 16,)) for text in _http1_calls()]
    new = [Kind(PREFACE, bodies, is_once=True, answer=b"\x01\x05\0\0") for bodies in _http2(attack)]
    await floods(attack, [*old, *islice(cycle(new), len(old))], MOST_CONNECTIONS)  # half of each


def _http1_calls() -> Iterator[bytes]:
    for number, (route, kind) in enumerate((r, k) for r in ROUTES for k in KINDS):
        lines = [f"POST {route} HTTP/1.1", "host: localhost", "content-length: 0"]
        if kind:
            lines.append(f"content-type: {kind}")
        if number % 2:
            lines.append(f"authorization: Bearer {'wrong' * 90}")
        yield "\r\n".join([*lines, "", ""]).encode()
    for origin in ("http://localhost", "https://example.org"):
        asked = f"origin: {origin}\r\naccess-control-request-method: POST"
        yield f"OPTIONS /v1/align HTTP/1.1\r\nhost: localhost\r\n{asked}\r\n\r\n".encode()


def _http2(attack: Attack) -> Iterator[tuple[bytes, ...]]:
    """Yield the calls of connections: eight at once, and one for each that is answered."""
    for token in ("", "wrong" * 90):
        for route in ROUTES[:4]:
            block = header_block(attack.address, route, token)
            calls = [headers_frame(2 * n + 1, block, "END_STREAM") for n in range(5000)]
            yield (b"".join(calls[:8]), *calls[8:])


def no_refusal(config: dict[str, Any]) -> None:
    """Hand strangers' calls to the server, and hold what they send of a health check."""
    filters = manager_of(config)["http_filters"]
    filters.remove(filter_of(config, "refuse"))
    (host,) = manager_of(config)["route_config"]["virtual_hosts"]
    for route in host["routes"]:
        route.get("typed_per_filter_config", {}).pop("envoy.filters.http.buffer", None)
    options = manager_of(config)["http2_protocol_options"]
    options["max_concurrent_streams"] = 100
    options["initial_connection_window_size"] = options["initial_stream_window_size"] = 16 * MIB
    del config["overload_manager"]


@row(
    "messages",
    "While messages never get whole, or unpack to a thousandfold, over all connections that Envoy "
    f"takes, {OLD.replace('by 128', 'by 640')}.",
    is_stranger=True,
    new_may_fail=True,
    front_mib=640,
    ends_itself=True,
    without=no_refusal,
)
async def messages(attack: Attack) -> None:
    """Begins calls at every path whose messages stay unfinished, or are gzip of 31 and 256 MiB."""
    gzipped = [(b"grpc-encoding", b"gzip")]
    sent: list[tuple[bytes, list[tuple[bytes, bytes]]]] = [
        (message(bytes(32_000), announced=4 * MIB - 1024), [])
    ]
    for n_mib in (31, 256):
        bomb = gzip.compress(bytes(n_mib * MIB))
        sent.append((message(bomb, is_compressed=True)[:32_000], gzipped))
    kinds = []
    for route in ROUTES[:5]:
        for body, more in sent:
            block = header_block(attack.address, route, more=more)
            calls = [headers_frame(n, block) + _data(n, body) for n in range(1, 17, 2)]
            # What follows is never the last of it.
            rest = tuple(_data(n, bytes(FRAME_BYTES)) for n in range(1, 17, 2))
            kinds.append(Kind(PREFACE + b"".join(calls), () if more else rest))
    await floods(attack, kinds, MOST_CONNECTIONS)


def _data(stream: int, body: bytes) -> bytes:
    """Return a message in frames."""
    parts = (body[at : at + FRAME_BYTES] for at in range(0, len(body), FRAME_BYTES))
    return b"".join(DataFrame(stream, part).serialize() for part in parts)
