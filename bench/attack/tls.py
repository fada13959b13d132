"""Handshakes that must fail: old TLS, no certificate, one of another authority."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import tempfile
from collections.abc import Iterator
from pathlib import Path

import trustme

from bench.attack.peer import PREFACE, message, request, settings
from bench.attack.rows import Attack, row

N_AT_A_TIME = 20
MOST_HANDSHAKES = 2_000
ANSWER_S = 2.0


def _contexts() -> Iterator[tuple[str, ssl.SSLContext]]:
    """Yield ways to connect of which none may lead to a call."""
    for name in ("no certificate", "another authority's", "TLS 1.1"):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        if name == "TLS 1.1":
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        if name == "another authority's":
            certificate = trustme.CA().issue_cert("stranger.example")
            with tempfile.TemporaryDirectory() as directory:
                path = Path(directory) / "both.pem"
                certificate.private_key_and_cert_chain_pem.write_to_path(path)
                context.load_cert_chain(path)
        yield name, context


@row(
    "tls-strangers",
    "held",
    does="handshakes of old TLS, without a certificate or with another authority's, over 20"
    " connections",
    by="mutual TLS ends before gRPC begins",
    is_stranger=True,
    is_tls=True,
    p99_ratio=2,
)
async def tls_strangers(attack: Attack) -> None:
    host, _, port = attack.address.rpartition(":")
    contexts = list(_contexts())

    async def stranger(number: int) -> None:
        for _ in range(MOST_HANDSHAKES // N_AT_A_TIME):
            name, context = contexts[number % len(contexts)]
            number += 1
            with contextlib.suppress(OSError, TimeoutError):
                reader, writer = await asyncio.open_connection(host, int(port), ssl=context)
                # With TLS 1.3 the client hears of its certificate only by the first answer.
                writer.write(PREFACE + settings() + request(attack.address) + message(b""))
                answer = await asyncio.wait_for(reader.read(100), ANSWER_S)
                attack.expect(not answer, f"{name}: the server answered")
                writer.transport.abort()
            attack.note(name)

    await asyncio.gather(*(stranger(number) for number in range(N_AT_A_TIME)))
