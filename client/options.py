"""Connection settings: retries, message sizes and credentials, as channel arguments."""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from types import NoneType
from typing import Any

import grpc
from tokalign.errors import InputError, quoted
from tokalign.types.options import check_count

MIB = 1 << 20
SERVICE = "tokalign.v1.AlignService"
# A failed call takes a token and an answered one returns a tenth. No call is retried while half of
# the tokens or fewer are left.
MAX_TOKENS = 40
TOKEN_RATIO = 0.1
# gRPC counts waits in whole milliseconds, and never retries a call whose wait would be 0.
MIN_BACKOFF_S = 0.01
# Some three years. What gRPC cannot count is over at once there.
LONGEST_S = 1e8
_URLS = ("http", "https", "grpc", "grpcs", "tcp")
# grpc's server ends a call as CANCELLED where too many calls wait for its event loop, or where it
# stops before the loop has taken the call. A call that its caller cancels is not retried.
RETRIED = ("UNAVAILABLE", "RESOURCE_EXHAUSTED", "CANCELLED")


def require(value: object, kind: type | tuple[type, ...], name: str, wanted: str) -> None:
    """Raise InputError unless a value is of a type; True and False are no numbers."""
    if isinstance(value, bool) or not isinstance(value, kind):
        raise InputError(f"{name} is {quoted(value)}; wanted {wanted}", field=name)


def require_seconds(value: float, name: str, least: float = 0.0) -> None:
    """Raise InputError unless a value is a number of seconds that gRPC can count."""
    wanted = f"seconds from {least:g} to {LONGEST_S:g}"
    require(value, (int, float), name, wanted)
    if not least <= value <= LONGEST_S:  # NaN is not
        raise InputError(f"{name} is {quoted(value)}; wanted {wanted}", field=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """When a failed call is sent again, within its deadline.

    Calls have no side effects, so each may be repeated. A call is repeated where a server ends it
    with one of the codes in RETRIED. The wait before each try is random, up to the backoff.

    Attributes
    ----------
    max_attempts : int
        Tries in all, 2 to 5 (what gRPC admits).
    initial_backoff_s, max_backoff_s : float
        Longest wait before the first retry and before any, in seconds, at least MIN_BACKOFF_S.
    multiplier : float
        Factor by which the longest wait grows each time.
    """

    max_attempts: int = 4
    initial_backoff_s: float = 0.05
    max_backoff_s: float = 1.0
    multiplier: float = 2.0

    def __post_init__(self) -> None:
        wanted = "2 to 5, or retry=None for no retries"
        require(self.max_attempts, int, "max_attempts", wanted)
        if not 2 <= self.max_attempts <= 5:
            raise InputError(
                f"max_attempts is {quoted(self.max_attempts)}; wanted {wanted}",
                field="max_attempts",
            )
        require_seconds(self.initial_backoff_s, "initial_backoff_s")
        require_seconds(self.max_backoff_s, "max_backoff_s")
        require(self.multiplier, (int, float), "multiplier", "a number above 0")
        if not 0 < self.multiplier <= LONGEST_S:
            raise InputError(
                f"multiplier is {quoted(self.multiplier)}; wanted a number above 0",
                field="multiplier",
            )
        if not MIN_BACKOFF_S <= self.initial_backoff_s <= self.max_backoff_s:
            raise InputError(
                f"initial_backoff_s is {self.initial_backoff_s} and max_backoff_s "
                f"{self.max_backoff_s}; wanted {MIN_BACKOFF_S} <= initial <= max",
                field="initial_backoff_s",
            )


def service_config(retry: Retry | None) -> str:
    """Return the gRPC service config, as JSON.

    Calls take turns among the servers of a name that report SERVING. Retries stop while more than a
    few of the latest calls fail, so that they do not multiply overload.
    """
    config: dict[str, Any] = {
        "loadBalancingConfig": [{"round_robin": {}}],
        "healthCheckConfig": {"serviceName": SERVICE},
    }
    if retry is not None:
        policy = {
            "maxAttempts": retry.max_attempts,
            "initialBackoff": f"{retry.initial_backoff_s:.3f}s",
            "maxBackoff": f"{retry.max_backoff_s:.3f}s",
            "backoffMultiplier": retry.multiplier,
            "retryableStatusCodes": list(RETRIED),
        }
        config["methodConfig"] = [{"name": [{"service": SERVICE}], "retryPolicy": policy}]
        config["retryThrottling"] = {"maxTokens": MAX_TOKENS, "tokenRatio": TOKEN_RATIO}
    return json.dumps(config)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Largest messages that a client sends and takes, in bytes.

    The server has limits of its own (`ServerLimits`, which `list_models` returns).
    """

    max_request_bytes: int = 32 * MIB
    max_response_bytes: int = 512 * MIB

    def __post_init__(self) -> None:
        for name in ("max_request_bytes", "max_response_bytes"):
            check_count(getattr(self, name), name, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """Encrypts the connection, and checks the server's certificate.

    Attributes
    ----------
    root_certificates : bytes or None
        PEM certificates to trust; None trusts gRPC's own list.
    private_key, certificate_chain : bytes or None
        PEM key and certificates of this client, where the server asks for them.
    server_name : str or None
        Name to expect in the server's certificate; by default the address's host.

    Raises
    ------
    InputError
        If certificates or the key are no PEM, or one of key and chain is missing. The field is
        that of the fault.
    """

    root_certificates: bytes | None = None
    private_key: bytes | None = field(default=None, repr=False)
    certificate_chain: bytes | None = None
    server_name: str | None = None

    def __post_init__(self) -> None:
        # grpc would print lines of its own and say that no server is there, or end the process.
        for name in ("root_certificates", "certificate_chain"):
            _check_certificates(name, getattr(self, name))
        if self.private_key is not None and b"PRIVATE KEY-----" not in self.private_key:
            raise InputError("private_key holds no private key in PEM", field="private_key")
        if (self.private_key is None) != (self.certificate_chain is None):
            missing = "private_key" if self.private_key is None else "certificate_chain"
            raise InputError(
                f"{missing} is missing; a private key and its certificates come together",
                field=missing,
            )


def _check_certificates(name: str, pem: bytes | None) -> None:
    """Raise InputError unless there is nothing, or certificates."""
    if pem is None:
        return
    try:
        # What stands beside certificates is no matter, and may be any text.
        text = pem.decode("ascii", "ignore")
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError) as error:
        message = f"{name} holds no certificate in PEM that can be read"
        raise InputError(message, field=name) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """All settings of a channel.

    Raises
    ------
    InputError
        If the address is none, or a token is given without TLS, which would show it to the network.
    """

    address: str
    retry: Retry | None
    limits: Limits
    tls: Tls | None
    token: str | None = field(repr=False)

    def __post_init__(self) -> None:
        require(self.address, str, "address", "text such as HOST:PORT")
        require(self.retry, (Retry, NoneType), "retry", "a Retry or None")
        require(self.limits, Limits, "limits", "Limits")
        require(self.tls, (Tls, NoneType), "tls", "a Tls or None")
        require(self.token, (str, NoneType), "token", "text or None")
        if self.token is not None and self.tls is None:
            raise InputError("a token is sent over TLS only; give tls=Tls() as well", field="token")
        scheme, is_url, rest = self.address.partition("://")
        if is_url and scheme.lower() in _URLS:
            secure = ", tls=Tls()" if scheme.lower().endswith("s") else ""
            place = quoted(rest.split("/", 1)[0])
            raise InputError(
                f"address is {quoted(self.address)}, a URL; a client speaks gRPC: give the host "
                f"and the port that tokalign serve prints, as in Client({place}{secure})",
                field="address",
            )
        host, _, port = self.address.rpartition(":")
        if not self.address.startswith("unix:") and not (host and port.isdecimal()):
            raise InputError(
                f"address is {quoted(self.address)}; wanted HOST:PORT, "
                "ipv4:ADDRESS:PORT,ADDRESS:PORT or unix:PATH",
                field="address",
            )

    def channel(
        self, secure: Callable[..., Any], insecure: Callable[..., Any], *, balanced: bool = True
    ) -> Any:
        """Return a channel made by grpc's or grpc.aio's pair of functions.

        A channel that is not `balanced` talks to the first server it can reach, whatever its
        health, and never repeats a call.
        """
        options: list[tuple[str, Any]] = [
            ("grpc.max_send_message_length", self.limits.max_request_bytes),
            ("grpc.max_receive_message_length", self.limits.max_response_bytes),
            # Notice within 2 seconds that a server has come back; gRPC's default is 2 minutes.
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.max_reconnect_backoff_ms", 2000),
            # Where a connection ends, look the name up again after 5 s; gRPC's default is 30 s.
            ("grpc.dns_min_time_between_resolutions_ms", 5000),
            # Share no connection with another client of the process, which has other settings.
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.enable_retries", int(balanced and self.retry is not None)),
        ]
        if balanced:
            options.append(("grpc.service_config", service_config(self.retry)))
        if self.tls is None:
            return insecure(self.address, options=options)
        if self.tls.server_name is not None:
            options.append(("grpc.ssl_target_name_override", self.tls.server_name))
        credentials = grpc.ssl_channel_credentials(
            self.tls.root_certificates, self.tls.private_key, self.tls.certificate_chain
        )
        if self.token is not None:
            credentials = grpc.composite_channel_credentials(
                credentials, grpc.access_token_call_credentials(self.token)
            )
        return secure(self.address, credentials, options=options)
