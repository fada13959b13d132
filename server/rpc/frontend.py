"""The gRPC side of the server: its port, health and reflection."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2
from tokalign.errors import InputError
from tokalign.server.admission import Admission
from tokalign.server.config import UNIX, Config, authority
from tokalign.server.observe import tracing
from tokalign.server.observe.memory import MemoryBound
from tokalign.server.observe.metrics import Metrics
from tokalign.server.observe.record import AccessLog
from tokalign.server.rpc import admin, channelz, reflection, security, tokens
from tokalign.server.rpc.calls import Calls
from tokalign.server.rpc.health import HealthService
from tokalign.server.rpc.receiving import UnknownMethods
from tokalign.server.rpc.service import SERVICE, AlignService
from tokalign.server.rpc.serving import Serving
from tokalign.server.workers.pool import Pool

log = logging.getLogger(__name__)

# Calls whose headers grpc has read and that the event loop has not taken yet, 15 KiB each. Above
# this number grpc ends calls as CANCELLED, which tells the client nothing. A hundred connections
# may have as many calls, and their clients wait by themselves; otherwise admission refuses.
MAX_PENDING = 2_500
# Bytes that grpc takes of a message that nobody has asked for yet. Once it is read, its window
# grows to its size. Usual requests fit; a stranger's are bounded even while the loop stands still.
WINDOW_BYTES = 8_192
# A server that stops has no call left once it had none so many times in a row: a call may have been
# read and not begun, or answered and not sent.
IDLE_LOOKS = 10
IDLE_LOOK_S = 0.1


class Frontend:
    """A grpc.aio server with AlignService and grpc.health.v1.

    It listens before the models are loaded. Until then health checks are answered NOT_SERVING and
    calls are refused as UNAVAILABLE, so that none of them hangs.
    """

    def __init__(
        self, config: Config, metrics: Metrics, admission: Admission, memory: MemoryBound
    ) -> None:
        self._tracing = tracing.Tracing(tracing.otlp_provider()) if config.traces else None
        self._tokens = known = tokens.token_file(config)
        self.calls = Calls(
            metrics,
            known.check if known else None,
            self._tracing,
            memory.check,
            config.receive_timeout_s,
            AccessLog(config.access_log, all_refused=config.log_refused),
        )
        if known:
            help_text = "1 while the token file is missing, empty or cannot be used."
            metrics.gauge("tokalign_token_file_faulty", help_text, lambda: bool(known.fault))
        self._config = config
        self._memory = memory
        self.service = AlignService(config, admission, memory)
        self._health = HealthService()
        self._server = grpc.aio.server(options=_channel_options(config))
        self._admin_server: grpc.aio.Server | None = None
        self._server.add_generic_rpc_handlers((self.service.handler(self.calls),))
        self._server.add_generic_rpc_handlers((self._health.handler(),))
        if config.reflection:
            self._server.add_generic_rpc_handlers(reflection.handlers(self.calls))
        self._server.add_generic_rpc_handlers((UnknownMethods(),))

    async def start(self, operated: admin.Operated) -> str:
        """Listen, NOT_SERVING, and return the bound "HOST:PORT".

        Parameters
        ----------
        operated : admin.Operated
            The app, for the admin service.

        Raises
        ------
        InputError
            If the port cannot be bound.
        """
        await self._set_health(health_pb2.HealthCheckResponse.NOT_SERVING)
        host = self._config.host
        address = authority(host, self._config.port)
        certificates = security.certificates(self._config)
        try:
            if host.startswith(UNIX):
                _check_unused(host.removeprefix(UNIX))
            if certificates is None:
                port = self._server.add_insecure_port(address)
            else:
                port = self._server.add_secure_port(address, certificates.credentials)
        except RuntimeError as error:
            is_socket = host.startswith(UNIX)
            doubt = (
                "is there such a folder, which may be written?"
                if is_socket
                else "is the port taken?"
            )
            raise InputError(f"cannot listen on {address}; {doubt}", field="port") from error
        if self._tokens is not None:
            self._tokens.watch()
        await self._server.start()
        if self._config.admin_port is not None:
            await self._start_admin(operated, self._config.admin_port)
        return authority(host, port)

    async def _start_admin(self, operated: admin.Operated, port: int) -> None:
        """Listen for operators on loopback, whatever the service's host."""
        server = grpc.aio.server(options=_channel_options(self._config))
        known = self._tokens
        service = admin.AdminService(
            operated, self.calls.metrics.usage, lambda: known.quotas if known else {}
        )
        server.add_generic_rpc_handlers((service.handler(self.calls),))
        if self._config.channelz:
            server.add_generic_rpc_handlers((channelz.handler(self.calls),))
        server.add_generic_rpc_handlers((UnknownMethods(),))
        try:
            bound = server.add_insecure_port(f"127.0.0.1:{port}")
        except RuntimeError as error:
            raise InputError(
                f"cannot listen on 127.0.0.1:{port}; is the port taken?", field="admin_port"
            ) from error
        await server.start()
        self._admin_server = server
        log.info("admin", extra={"port": bound})

    def prepared(self, pool: Pool) -> Serving:
        """Return what calls need to know of a pool that has started; it does not serve yet."""
        return Serving(pool, self._config)

    async def serve_from(self, serving: Serving) -> None:
        """Answer calls from a prepared pool, and report SERVING."""
        self.service.serve_from(serving)
        await self.report()

    async def report(self) -> None:
        """Report SERVING, or while memory is short NOT_SERVING."""
        health = health_pb2.HealthCheckResponse
        await self._set_health(health.NOT_SERVING if self._memory.is_short else health.SERVING)

    async def refuse(self) -> None:
        """Report NOT_SERVING from now on. Calls are still answered."""
        await self._health.refuse()

    async def stop(self, grace_s: float) -> None:
        """Refuse new calls, and give running ones a time to finish.

        Clients that watch the health never hang up, so the stop does not wait for their calls.
        """
        if self._admin_server is not None:
            await self._admin_server.stop(0)
        all_ended = asyncio.ensure_future(self._server.stop(grace_s))
        n_idle = 0
        while not all_ended.done() and n_idle < IDLE_LOOKS:
            n_idle = 0 if self.calls.running else n_idle + 1
            await asyncio.wait({all_ended}, timeout=IDLE_LOOK_S)
        if not all_ended.done():
            await self._server.stop(0)
        await all_ended

    def close(self) -> None:
        """Send the last spans; blocks."""
        if self._tokens is not None:
            self._tokens.close()
        if self._tracing is not None:
            self._tracing.close()

    async def _set_health(self, status: int) -> None:
        for name in ("", SERVICE):
            await self._health.set(name, status)


def _check_unused(path: str) -> None:
    """Raise InputError if a server listens on a socket, whose calls grpc would take over."""
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.connect(path)
        raise InputError(f"cannot listen on {UNIX}{path}; another server does", field="host")


def _channel_options(config: Config) -> list[tuple[str, int]]:
    options = {
        # Off, so that a second server on the same port fails instead of taking half the calls.
        "grpc.so_reuseport": 0,
        "grpc.max_receive_message_length": config.limits.max_request_bytes,
        "grpc.max_send_message_length": -1,
        "grpc.max_concurrent_streams": config.max_streams,
        # Otherwise grpc resets calls (REFUSED_STREAM) of clients that keep to this number, because
        # it counts ended calls until they are freed: two in five of a client with more waiting.
        "grpc.http.overload_protection": 0,
        # grpc writes a PING for each call that its client resets. That slows down clients that open
        # and reset calls without pause; they would fill the queue and end the calls of others.
        "grpc.http2.ping_on_rst_stream_percent": 100,
        "grpc.max_allowed_incoming_connections": config.max_connections,
        "grpc.server.max_pending_requests": MAX_PENDING,
        "grpc.server.max_pending_requests_hard_limit": MAX_PENDING,
        "grpc.keepalive_time_ms": round(config.keepalive_s * 1000),
        "grpc.keepalive_permit_without_calls": 1,
        "grpc.http2.min_ping_interval_without_data_ms": 5000,
        "grpc.keepalive_timeout_ms": round(config.keepalive_timeout_s * 1000),
        "grpc.max_connection_idle_ms": round(config.max_connection_idle_s * 1000),
        "grpc.server_handshake_timeout_ms": round(config.handshake_timeout_s * 1000),
        # No compression: a message of some kilobytes could be unpacked to the largest allowed.
        "grpc.compression_enabled_algorithms_bitset": 1,
        # The window is fixed; otherwise grpc would grow it for a stranger who sends fast.
        "grpc.http2.lookahead_bytes": WINDOW_BYTES,
        "grpc.http2.bdp_probe": 0,
        "grpc.enable_channelz": int(config.channelz),
    }
    if config.max_connection_age_s:
        options["grpc.max_connection_age_ms"] = round(config.max_connection_age_s * 1000)
        options["grpc.max_connection_age_grace_ms"] = round(config.grace_s * 1000)
    return list(options.items())
