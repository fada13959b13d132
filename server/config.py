"""The server's configuration: one frozen value, checked once.

Every setting is declared here, with its default, its range and what `tokalign serve --help` says
of it; the command makes its options from these fields.
"""

# ruff: noqa: RUF009 (setting and internal make the fields)

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from tokalign.batches.processes import n_processors
from tokalign.errors import InputError, quoted
from tokalign.neural.devices import DEFAULT_DEVICE, DEVICES, check_device
from tokalign.types.sentence import MAX_CHARACTERS, MAX_TOKENS

MIB = 1 << 20
UNIX = "unix:"
CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")

T = TypeVar("T")
Check = Callable[[str, Any], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """How a setting is given on the command line and in the environment.

    Attributes
    ----------
    help : str
        The text of --help.
    name : str
        Without dashes; empty is the field's name.
    unit : int
        Units of the setting in one unit of the flag.
    none : int or None
        The number that the flag takes for None.
    auto : callable or None
        Returns the number for "auto", which is then the flag's default.
    """

    help: str
    name: str = ""
    unit: int = 1
    none: int | None = None
    auto: Callable[[], int] | None = None


def setting(default: T, help: str, *, check: Check | None = None, **flag: Any) -> T:
    """Return a dataclass field with its check and its Flag; `flag` are arguments of Flag.

    An `auto` among them makes the default.
    """
    metadata = {"flag": Flag(help=help, **flag), "check": check}
    if "auto" in flag:
        made: T = field(default_factory=flag["auto"], metadata=metadata)
        return made
    return field(default=default, metadata=metadata)


def internal(default: T, check: Check) -> T:
    """Return a dataclass field that is checked but is no option of the command."""
    return field(default=default, metadata={"check": check})


def auto_workers() -> int:
    """Return the number of processors this process may use, at least 1.

    The smaller of the CPU affinity and the control group's quota (rounded up), so that a
    container with two CPUs on a large machine gets two workers.
    """
    available = n_processors()
    if CPU_QUOTA.exists():
        quota, period = CPU_QUOTA.read_text().split()
        if quota != "max":
            available = min(available, math.ceil(int(quota) / int(period)))
    return max(1, available)


def within(low: float, high: float) -> Check:
    """Return a check that raises InputError unless a value is None or from `low` to `high`."""

    def check(name: str, value: float | None) -> None:
        # Written so that NaN, which is within nothing, fails.
        if value is not None and not low <= value <= high:
            raise InputError(f"{name} is {value}; wanted {low} to {high}", field=name)

    return check


# The contract holds counts in 32 bits, grpc holds sizes and milliseconds in 31.
count = within(1, 2**31 - 1)
size = within(1, 1 << 60)
seconds = within(0, 2_000_000)
some_seconds = within(0.001, 2_000_000)
# Each worker takes three descriptors and about 70 MiB.
worker_count = within(1, 1000)
is_port = within(0, 65535)
# The process has about 70 MiB at rest.
own_memory = within(128 * MIB, 1 << 60)


def distinct(name: str, values: tuple[str, ...]) -> None:
    """Raise InputError unless there is at least one value and all differ."""
    if not values or len(set(values)) != len(values):
        raise InputError(
            f"{name} is {', '.join(values) or 'empty'}; wanted one or more, each once", field=name
        )


def are_origins(name: str, values: tuple[str, ...]) -> None:
    """Raise InputError unless each value is an origin as browsers send it, or all of them."""
    for value in values:
        if value != "*" and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s]+", value):
            raise InputError(
                f"{name} holds {quoted(value)}; wanted SCHEME://HOST, such as "
                "https://www.example.org, or *",
                field=name,
            )


def are_hosts(name: str, values: tuple[str, ...]) -> None:
    """Raise InputError unless each value is a name as requests call a server, or all of them."""
    for value in values:
        if value != "*" and not re.fullmatch(r"\[[0-9A-Fa-f:.]+\]|[\w.-]+", value, re.ASCII):
            raise InputError(
                f"{name} holds {quoted(value)}; wanted a name without a port, such as "
                "www.example.org, or *",
                field=name,
            )


def is_device(name: str, value: str) -> None:
    """Raise InputError unless encoders know a device of that name."""
    check_device(value)


def is_host(name: str, value: str) -> None:
    """Raise InputError unless a value may be a host's name or address."""
    # grpc would listen on every interface if it were empty.
    if not value or not value.isprintable() or " " in value:
        raise InputError(f"{name} is {quoted(value)}; wanted an address or a name", field=name)


def _check_fields(config: Any) -> None:
    for each in fields(config):
        check = each.metadata.get("check")
        if check is not None:
            check(each.name, getattr(config, each.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """Limits of one request; each field's help says what it counts."""

    max_tokens: int = setting(MAX_TOKENS, "Most tokens of a sentence.", check=within(1, MAX_TOKENS))
    # Time and memory grow with it.
    max_token_product: int = setting(
        MAX_TOKENS**2, "Most tokens of the source times tokens of the target.", check=count
    )
    max_characters: int = setting(
        20_000, "Most characters of a sentence.", check=within(1, MAX_CHARACTERS)
    )
    max_pairs: int = setting(
        10_000, "Most pairs, candidates, or passages of a request.", check=count
    )
    # Bytes, before parsing.
    max_request_bytes: int = setting(
        4 * MIB, "Largest request, in MiB.", check=count, name="max-request-mib", unit=MIB
    )
    # What a gRPC client takes unless told otherwise.
    max_response_bytes: int = setting(
        4 * MIB, "Largest answer, in MiB.", check=count, name="max-response-mib", unit=MIB
    )
    # Some 20,000 sentences each, which is what a text may have.
    max_text_bytes: int = setting(
        8 * MIB,
        "Largest size of both texts of AlignTextsStream, or of an answer and its passages in "
        "GroundStream, in MiB.",
        check=count,
        name="max-text-mib",
        unit=MIB,
    )

    def __post_init__(self) -> None:
        _check_fields(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings of `tokalign serve`; each field's help says what it does.

    Times are in seconds and sizes in bytes, whatever the unit of the flag.
    """

    host: str = setting(
        "127.0.0.1",
        "Address to listen on; unix:PATH is a socket for gRPC, with the other ports on loopback.",
        check=is_host,
    )
    port: int = setting(50051, "Port of the service; 0 takes a free one.", check=is_port)
    metrics_port: int | None = setting(
        9464,
        "Port of /metrics, /livez, /readyz; 0 is a free one, -1 off.",
        check=is_port,
        none=-1,
    )
    http_port: int | None = setting(
        None,
        "Port of HTTP with JSON; 0 is a free one, -1 off.",
        check=is_port,
        none=-1,
    )
    playground: bool = setting(True, "Serve a page to try the server at / of the HTTP port.")
    http_origins: tuple[str, ...] = setting(
        (),
        "Origin whose pages may call by HTTP, such as https://www.example.org, or * for all. May "
        "be repeated.",
        check=are_origins,
        name="http-origin",
    )
    http_hosts: tuple[str, ...] = setting(
        (),
        "Name of the server in requests of HTTP, such as that of a proxy before it, or * for all. "
        "Without it localhost on loopback, elsewhere all. May be repeated.",
        check=are_hosts,
        name="http-host",
    )
    workers: int = setting(
        1,
        "Worker processes; auto is one per processor.",
        check=worker_count,
        auto=auto_workers,
    )
    models: tuple[str, ...] = setting(
        ("en",),
        "Name or path of a model. May be repeated; the first is the default.",
        check=distinct,
        name="model",
    )
    annotators: tuple[str, ...] = setting(
        ("native",),
        "Annotator. May be repeated; the first is the default.",
        check=distinct,
        name="annotator",
    )
    device: str = setting(
        DEFAULT_DEVICE,
        "Device for the encoders of neural models: " + ", ".join(DEVICES) + ".",
        check=is_device,
    )
    limits: RequestLimits = field(default_factory=RequestLimits)
    queue_pairs: int = setting(
        20_000, "Most typical pairs that wait or run; requests beyond it are refused.", check=count
    )
    queue_bytes: int = setting(
        64 * MIB,
        "Most MiB of requests and unwritten answers; requests beyond it are refused.",
        check=size,
        name="queue-mib",
        unit=MIB,
    )
    queue_wait_s: float = setting(
        1.0,
        "Longest wait for a worker in seconds; requests that would wait longer are refused.",
        check=some_seconds,
        name="queue-wait",
    )
    # Cancellation and deadlines take effect between shards.
    shard_pairs: int = setting(32, "Most typical pairs given to a worker at a time.", check=count)
    shard_timeout_s: float = setting(
        30.0,
        "Seconds that a worker may be late with its work before it is killed.",
        check=some_seconds,
        name="shard-timeout",
    )
    # Looked at after every shard.
    max_worker_rss_bytes: int | None = setting(
        None,
        "MiB of memory above which a worker is replaced; 0: 304 more than when it started.",
        check=size,
        name="max-worker-rss",
        unit=MIB,
        none=0,
    )
    # See MemoryBound.
    max_server_rss_bytes: int = setting(
        512 * MIB,
        "MiB of memory for the server's own process; calls are refused at three quarters.",
        check=own_memory,
        name="max-server-rss",
        unit=MIB,
    )
    # For load balancers to notice.
    drain_delay_s: float = setting(
        0.0,
        "On SIGTERM: seconds to report NOT_SERVING before calls are refused.",
        check=seconds,
        name="drain-delay",
    )
    grace_s: float = setting(
        30.0,
        "On SIGTERM: seconds that running calls have to finish.",
        check=seconds,
        name="grace",
    )
    max_connection_age_s: float = setting(
        0.0,
        "Seconds until a client must connect again; 0 is never.",
        check=seconds,
        name="max-connection-age",
    )
    max_connection_idle_s: float = setting(
        300.0,
        "Seconds without a call after which a connection is closed.",
        check=some_seconds,
        name="max-connection-idle",
    )
    max_connections: int = setting(
        500, "Most connections at a time; further ones are closed.", check=count
    )
    # Well-behaved clients wait by themselves.
    max_streams: int = setting(24, "Most calls at a time on one connection.", check=count)
    receive_timeout_s: float = setting(
        30.0,
        "Seconds in which the message of a call must arrive.",
        check=some_seconds,
        name="receive-timeout",
    )
    admin_port: int | None = setting(
        None,
        "Port of the admin service, on loopback; 0 is a free one, -1 off.",
        check=is_port,
        none=-1,
    )
    tls_certificate: Path | None = setting(
        None, "PEM certificate chain; read again when it changes.", name="tls-cert"
    )
    tls_key: Path | None = setting(None, "PEM private key of --tls-cert.")
    tls_client_ca: Path | None = setting(
        None, "PEM file of authorities; clients need a certificate of one of them."
    )
    # See tokens.TokenFile.
    token_file: Path | None = setting(
        None, "File with the hashes of bearer tokens; clients need one of the tokens."
    )
    access_log: float = setting(
        0.0, "Share of calls that get a line in the log, 0 to 1.", check=within(0, 1)
    )
    log_refused: bool = setting(
        False, "Log all calls that are refused for lack of room or quota; 10 a second at most."
    )
    reflection: bool = setting(False, "Describe the service to tools like grpcurl.")
    channelz: bool = setting(False, "Show connections and streams on the admin port.")
    traces: bool = setting(False, "Send OpenTelemetry spans as the OTEL_* variables say.")

    # A worker that has not loaded its models after this time is killed.
    start_timeout_s: float = internal(120.0, some_seconds)
    # Chunks of one stream that are worked on at once; more are not read from the wire.
    stream_chunks: int = internal(8, count)
    # Idle time after which a connection is probed.
    keepalive_s: float = internal(60.0, some_seconds)
    # After which a connection that does not answer, or reads nothing of what is sent, is closed.
    keepalive_timeout_s: float = internal(10.0, some_seconds)
    # In which TLS and HTTP/2 must have begun.
    handshake_timeout_s: float = internal(5.0, some_seconds)

    @property
    def tcp_host(self) -> str:
        """The address of the ports of HTTP and metrics."""
        return "127.0.0.1" if self.host.startswith(UNIX) else self.host

    def __post_init__(self) -> None:
        _check_fields(self)
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise InputError("a TLS certificate and its key come together", field="tls")
        if self.tls_client_ca is not None and self.tls_certificate is None:
            raise InputError("client certificates need TLS; give a certificate", field="tls")
        if self.channelz and self.admin_port is None:
            raise InputError("channelz is on the admin port; give one", field="channelz")
        if self.queue_pairs * 9 < self.limits.max_pairs * 10:
            raise InputError(
                f"queue_pairs is {self.queue_pairs}, of which a tenth is kept for small requests: "
                f"one of max_pairs {self.limits.max_pairs} could never be queued; raise "
                "queue_pairs or lower max_pairs",
                field="queue_pairs",
            )
        if self.queue_bytes < self.limits.max_request_bytes:
            raise InputError(
                f"queue_bytes is {self.queue_bytes}, less than max_request_bytes "
                f"{self.limits.max_request_bytes}; raise one or lower the other",
                field="queue_bytes",
            )


def authority(host: str, port: int) -> str:
    """Return an address as gRPC reads it, with brackets around IPv6; a socket has no port.

    Examples
    --------
    >>> authority("::1", 50051)
    '[::1]:50051'
    """
    if host.startswith(UNIX):
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
