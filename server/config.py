"""The server's configuration: one frozen value, checked once."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path

from tokalign.errors import InputError

MIB = 1 << 20
CPU_QUOTA = Path("/sys/fs/cgroup/cpu.max")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one request may hold.

    Attributes
    ----------
    max_tokens : int
        Tokens of one sentence.
    max_token_product : int
        Tokens of the source times tokens of the target; time and memory grow with it.
    max_characters : int
        Characters of one sentence.
    max_pairs : int
        Pairs, or candidates, of one request or chunk.
    max_request_bytes : int
        Bytes of one message, before parsing.
    """

    max_tokens: int = 512
    max_token_product: int = 512 * 512
    max_characters: int = 20_000
    max_pairs: int = 10_000
    max_request_bytes: int = 32 * MIB

    def __post_init__(self) -> None:
        for name in self.__slots__:
            _positive(name, getattr(self, name))
        if self.max_tokens > 512:
            raise InputError(
                f"max_tokens is {self.max_tokens}; the aligner takes at most 512",
                field="max_tokens",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything `tokalign serve` can be told.

    Attributes
    ----------
    host, port : str, int
        Address of the gRPC service; port 0 takes a free one.
    metrics_port : int or None
        Port of /metrics, /livez and /readyz on the same host; 0 takes a free one, None is off.
    workers : int
        Worker processes.
    models : tuple of str
        Shipped names or paths; the first serves requests that name none.
    annotators : tuple of str
        Annotators that requests may name; the first is the default.
    limits : Limits
    queue_pairs, queue_bytes : int
        Pairs and request bytes that may be waiting or running; more are refused at once.
    queue_wait_s : float
        While the head of the queue waits longer for a worker, requests are refused.
    shard_pairs : int
        Largest number of pairs sent to a worker at a time. Cancellation and deadlines take
        effect between shards.
    shard_timeout_s : float
        A worker that has not answered after this time is killed and replaced.
    start_timeout_s : float
        A worker that has not loaded its models after this time is killed.
    drain_delay_s : float
        Time between reporting NOT_SERVING and refusing calls, for load balancers to notice.
    grace_s : float
        Time that running calls are given to finish when the server stops.
    stream_chunks : int
        Chunks of one stream that are worked on at once; more are not read from the wire.
    keepalive_s : float
        Idle time after which a connection is probed.
    max_connection_age_s : float
        Age at which clients are asked to connect anew; 0 is never.
    max_worker_rss_bytes : int or None
        A worker that holds more resident memory after a shard is replaced.
    admin_port : int or None
        Port of the admin service, on loopback only; 0 takes a free one, None is off.
    tls_certificate, tls_key : Path or None
        PEM files; both or neither. Read again when they change.
    tls_client_ca : Path or None
        PEM file; only clients with a certificate of these authorities may connect.
    token_file : Path or None
        Hashes of the bearer tokens that may call (see security.TokenFile).
    reflection : bool
        Whether the service describes itself to tools such as grpcurl.
    channelz : bool
        Whether the admin port shows grpc's connections and streams.
    traces : bool
        Whether OpenTelemetry spans are sent, as the OTEL_* variables say.
    """

    host: str = "127.0.0.1"
    port: int = 50051
    metrics_port: int | None = None
    workers: int = 1
    models: tuple[str, ...] = ("en",)
    annotators: tuple[str, ...] = ("native",)
    limits: Limits = field(default_factory=Limits)
    queue_pairs: int = 20_000
    queue_bytes: int = 64 * MIB
    queue_wait_s: float = 1.0
    shard_pairs: int = 32
    shard_timeout_s: float = 30.0
    start_timeout_s: float = 120.0
    drain_delay_s: float = 0.0
    grace_s: float = 30.0
    stream_chunks: int = 8
    keepalive_s: float = 60.0
    max_connection_age_s: float = 0.0
    max_worker_rss_bytes: int | None = None
    admin_port: int | None = None
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    tls_client_ca: Path | None = None
    token_file: Path | None = None
    reflection: bool = False
    channelz: bool = False
    traces: bool = False

    def __post_init__(self) -> None:
        counts = ("workers", "queue_pairs", "queue_bytes", "shard_pairs", "stream_chunks")
        for name in (*counts, "queue_wait_s", "shard_timeout_s", "start_timeout_s", "keepalive_s"):
            _positive(name, getattr(self, name))
        for name in ("drain_delay_s", "grace_s", "max_connection_age_s"):
            if not 0 <= getattr(self, name) < math.inf:
                raise InputError(f"{name} is {getattr(self, name)}; wanted 0 or more", field=name)
        for name in ("port", "metrics_port", "admin_port"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 65535:
                raise InputError(f"{name} is {value}; wanted 0 to 65535", field=name)
        for name in ("models", "annotators"):
            values = getattr(self, name)
            if not values or len(set(values)) != len(values):
                raise InputError(
                    f"{name} is {', '.join(values) or 'empty'}; wanted one or more, each once",
                    field=name,
                )
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
    """Return an address as gRPC reads it, with brackets around IPv6.

    Examples
    --------
    >>> authority("::1", 50051)
    '[::1]:50051'
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def auto_workers() -> int:
    """Return the number of processors this process may use, at least 1.

    The smaller of the CPU affinity and the control group's quota (rounded up), so that a
    container with two CPUs on a large machine gets two workers.
    """
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    if CPU_QUOTA.exists():
        quota, period = CPU_QUOTA.read_text().split()
        if quota != "max":
            available = min(available, math.ceil(int(quota) / int(period)))
    return max(1, available)


def _positive(name: str, value: float) -> None:
    if not 0 < value < math.inf:
        raise InputError(f"{name} is {value}; wanted more than 0", field=name)
