"""TLS certificates, read again when their files change."""

from __future__ import annotations

import logging
import ssl
import threading
from collections.abc import Callable
from pathlib import Path
from typing import cast

import grpc
from tokalign.errors import InputError
from tokalign.server.config import Config

log = logging.getLogger(__name__)


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
        """Return a context with what the files hold; raise OSError if they cannot be used.

        The error names the file, as OpenSSL does not.
        """
        key, certificate, *authorities = self._paths
        for path in self._paths:
            path.read_bytes()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        for path in (certificate, *authorities):
            try:
                context.load_verify_locations(path)
            except ssl.SSLError as error:
                raise OSError(f"{path} holds no certificate in PEM that can be read") from error
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            # The password keeps OpenSSL from asking for one.
            context.load_cert_chain(certificate, key, password="")
        except ssl.SSLError as error:
            if error.reason == "KEY_VALUES_MISMATCH":
                why = f"key mismatch: that in {key} is not of the certificate in {certificate}"
            elif error.reason:
                why = f"{certificate}: {error.reason.replace('_', ' ').lower()}"
            else:
                why = f"{key} holds no private key in PEM that can be read without a password"
            raise OSError(why) from error
        for path in authorities:
            context.load_verify_locations(path)
            context.verify_mode = ssl.CERT_REQUIRED
        return context


def certificates(config: Config) -> Certificates | None:
    """Return the certificates that `config` asks for, or None for plain text."""
    if config.tls_certificate is None or config.tls_key is None:
        return None
    return Certificates(config.tls_certificate, config.tls_key, config.tls_client_ca)
