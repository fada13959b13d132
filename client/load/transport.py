"""Sockets of a load generator: how a server is spoken to, whatever the protocol."""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass

READ_BYTES = 1 << 18
NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


@dataclass(frozen=True, slots=True)
class Security:
    """How a server is spoken to.

    Attributes
    ----------
    tls : ssl.SSLContext or None
        Encrypts the connections; plain text without.
    token : str
        Bearer token; none where empty.
    """

    tls: ssl.SSLContext | None = None
    token: str = ""


PLAIN = Security()


def connect(authority: str, security: Security, protocol: str) -> socket.socket:
    """Return a socket, connected to HOST:PORT, that never blocks; `protocol` is ALPN's name."""
    host, _, port = authority.rpartition(":")
    host = host.strip("[]")
    connected = socket.create_connection((host, int(port)), timeout=10)
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if security.tls is not None:
        security.tls.set_alpn_protocols([protocol])
        connected = security.tls.wrap_socket(connected, server_hostname=host)
    connected.setblocking(False)
    return connected


def received(connected: socket.socket) -> tuple[bytes, bool]:
    """Return what has arrived, and whether the peer hung up after it.

    Of TLS all of it is read, for what is left in its layer wakes nobody.
    """
    pieces: list[bytes] = []
    while True:
        try:
            pieces.append(connected.recv(READ_BYTES))
        except NOT_NOW:
            return b"".join(pieces), False
        if not pieces[-1]:
            return b"".join(pieces), True
        if not isinstance(connected, ssl.SSLSocket):
            return pieces[-1], False
