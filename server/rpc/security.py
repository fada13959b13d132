"""Security: TLS certificates and bearer tokens, both read again when their files change."""

from __future__ import annotations

import hashlib
import hmac
import logging
import ssl
import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast

import grpc
from tokalign.codec.reasons import ErrorReason
from tokalign.errors import InputError
from tokalign.server.config import Config
from tokalign.server.status import UnauthenticatedError

log = logging.getLogger(__name__)

_BEARER = "bearer "
_HEX_DIGITS = 64
_LOOK_S = 0.5


class Certificates:
    """TLS credentials out of files, looked at again at every handshake.

    Files that cannot be used are logged, and the last good ones stay. So a certificate that is
    being replaced never stops the service.

    Parameters
    ----------
    certificate, key : Path
        PEM files: the chain, and its private key.
    client_ca : Path or None
        PEM file of the authorities that must have signed the client's certificate; None asks for
        no certificate.

    Raises
    ------
    InputError
        If a file cannot be used at the start.
    """

    def __init__(self, certificate: Path, key: Path, client_ca: Path | None) -> None:
        self._paths = [path for path in (key, certificate, client_ca) if path is not None]
        self._lock = threading.Lock()
        self._complaint = ""
        try:
            self._seen = self._stamps()
            self._first = self._configuration()
        except OSError as error:
            raise InputError(f"cannot use the TLS files: {error}", field="tls") from error
        self.credentials: grpc.ServerCredentials = grpc.dynamic_ssl_server_credentials(
            self._first,
            # None is grpc's way to say that nothing has changed; its stubs do not know it.
            cast(Callable[[], grpc.ServerCertificateConfiguration], self._changed),
            require_client_authentication=client_ca is not None,
        )

    def _stamps(self) -> list[tuple[int, int]]:
        return [(stat.st_mtime_ns, stat.st_ino) for stat in (path.stat() for path in self._paths)]

    def _configuration(self) -> grpc.ServerCertificateConfiguration:
        """Return what the files hold; raise OSError (SSLError is one) if they cannot be used."""
        self._context()  # grpc would only log what is wrong
        key, certificate, *client_ca = (path.read_bytes() for path in self._paths)
        return grpc.ssl_server_certificate_configuration(
            [(key, certificate)], root_certificates=client_ca[0] if client_ca else None
        )

    def _changed(self) -> grpc.ServerCertificateConfiguration | None:
        """Return new certificates, or None if they are as before; called by grpc's threads."""
        with self._lock:
            try:
                stamps = self._stamps()
                if stamps == self._seen:
                    return None
                configuration = self._configuration()
            except OSError as error:
                # Handshakes are many; the log has one line for each fault.
                if str(error) != self._complaint:
                    self._complaint = str(error)
                    log.error("cannot use the TLS files", extra={"reason": self._complaint})
                return None
            self._seen = stamps
            self._complaint = ""
        log.info("certificates reloaded")
        return configuration

    def context(self) -> ssl.SSLContext:
        """Return a context for asyncio's servers, whose handshakes follow the files as well."""
        context = latest = self._context()

        def follow(connection: ssl.SSLObject, name: str | None, first: ssl.SSLContext) -> None:
            nonlocal latest
            if self._changed() is not None:
                latest = self._context()
            connection.context = latest

        context.sni_callback = follow
        return context

    def _context(self) -> ssl.SSLContext:
        """Return a context with what the files hold; raise OSError if they cannot be used."""
        # The password keeps OpenSSL from asking for one.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._paths[1], self._paths[0], password="")
        for authorities in self._paths[2:]:
            context.load_verify_locations(authorities)
            context.verify_mode = ssl.CERT_REQUIRED
        return context


def certificates(config: Config) -> Certificates | None:
    """Return the certificates that `config` asks for, or None for plain text."""
    if config.tls_certificate is None or config.tls_key is None:
        return None
    return Certificates(config.tls_certificate, config.tls_key, config.tls_client_ca)


class TokenFile:
    """Bearer tokens, kept as SHA-256 hashes in a file that is read again when it changes.

    Each line is a name, a blank, and the hash in hexadecimal; ``#`` starts a comment. Tokens must
    be long and random (32 bytes of ``openssl rand -hex``), because a fast hash protects no others.

    If the file is emptied or deleted, no token is valid. If it has a bad line, as in the middle of
    a change, the last good tokens stay valid. Calls never read the file: look() does, which watch()
    calls in a thread of its own.

    Attributes
    ----------
    fault : str
        Why the file cannot be used as it is now; empty if it can.

    Raises
    ------
    InputError
        If the file cannot be read or holds no token, or a line is bad.
    """

    def __init__(self, path: Path) -> None:
        self.fault = ""
        self._path = path
        self._closed = threading.Event()
        self._stamp = self._stamped()
        try:
            self._hashes = self._read()
        except OSError as error:
            raise InputError(f"cannot read the token file: {error}", field="token_file") from error
        if not self._hashes:
            raise InputError(f"{path} holds no token", field="token_file")

    def watch(self) -> None:
        """Look for changes every half second until close()."""

        def run() -> None:
            while not self._closed.wait(_LOOK_S):
                self.look()

        # A daemon, because a file system may hang.
        threading.Thread(target=run, name="tokens", daemon=True).start()

    def close(self) -> None:
        """Look no more."""
        self._closed.set()

    def check(self, authorization: str) -> str:
        """Return the name of the token in an authorization header.

        Raises
        ------
        UnauthenticatedError
            If there is none, or it is not in the file.
        """
        if authorization[: len(_BEARER)].lower() != _BEARER:
            raise UnauthenticatedError(
                "no bearer token; send the metadata 'authorization: Bearer TOKEN'",
                reason=ErrorReason.TOKEN_MISSING,
            )
        digest = hashlib.sha256(authorization[len(_BEARER) :].strip().encode()).digest()
        found = ""
        # Every hash is compared, so that the time tells nothing about a match.
        for name, known in self._hashes:
            if hmac.compare_digest(known, digest):
                found = name
        if not found:
            raise UnauthenticatedError(
                "the bearer token is unknown", reason=ErrorReason.TOKEN_UNKNOWN
            )
        return found

    def look(self) -> None:
        """Read the file again if it has changed; the log has one line for each change."""
        stamp = self._stamped()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self._hashes = self._read()
            self.fault = "" if self._hashes else "it holds no token"
        except OSError as error:
            self._hashes = []
            self.fault = str(error)
        except InputError as error:
            self.fault = f"{error}; the tokens before stay"
        if self.fault:
            log.error("the token file cannot be used", extra=self._state())
        else:
            log.info("tokens reloaded", extra=self._state())

    def _state(self) -> dict[str, object]:
        return {"tokens": len(self._hashes), **({"reason": self.fault} if self.fault else {})}

    def _stamped(self) -> tuple[int, int, int] | None:
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_ino, stat.st_size

    def _read(self) -> list[tuple[str, bytes]]:
        """Return names and hashes; raise OSError or InputError."""
        try:
            lines = self._path.read_text().splitlines()
        except UnicodeDecodeError as error:
            raise InputError(f"{self._path} is no text: {error}", field="token_file") from error
        hashes = []
        for number, line in enumerate(lines, 1):
            fields = line.partition("#")[0].split()
            if not fields:
                continue
            try:
                name, digits = fields
                if len(digits) != _HEX_DIGITS:
                    raise ValueError
                hashes.append((name, bytes.fromhex(digits)))
            except ValueError:
                raise InputError(
                    f"{self._path}:{number}: wanted a name and a SHA-256 in 64 hexadecimal digits",
                    field="token_file",
                ) from None
        return hashes


def token_file(config: Config) -> TokenFile | None:
    """Return the file that authorization headers are checked with; None if everyone may call."""
    return None if config.token_file is None else TokenFile(config.token_file)
