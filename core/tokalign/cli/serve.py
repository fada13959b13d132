"""``tokalign serve``: run the gRPC server, or ask a running one whether it is healthy."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from tokalign.errors import InputError, ServerError

_LEVELS = ("debug", "info", "warning", "error")
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_CHECK_TIMEOUT_S = 5.0
Command = TypeVar("Command", bound=Callable[..., Any])


def _option(name: str, default: Any, text: str, **more: Any) -> Callable[[Command], Command]:
    return click.option(name, default=default, show_default=True, help=text, **more)


@click.command("serve", context_settings={"auto_envvar_prefix": "TOKALIGN_SERVE"})
@_option("--host", "127.0.0.1", "Address to listen on.")
@_option("--port", 50051, "Port of the service; 0 takes a free one.")
@_option("--metrics-port", 9464, "Port of /metrics, /livez, /readyz; 0 is a free one, -1 off.")
@_option("--workers", "auto", "Worker processes; auto is one a processor.", metavar="N|auto")
@_option("--model", ("en",), "Name or path; repeatable, the first is the default.", multiple=True)
@_option("--annotator", ("native",), "Repeatable, the first is the default.", multiple=True)
@_option("--max-tokens", 512, "Tokens of a sentence.")
@_option("--max-token-product", 262_144, "Tokens of the source times tokens of the target.")
@_option("--max-characters", 20_000, "Characters of a sentence.")
@_option("--max-pairs", 10_000, "Pairs or candidates of a request.")
@_option("--max-request-mib", 32, "Size of one message.")
@_option("--queue-pairs", 20_000, "Pairs waiting or running; more are refused at once.")
@_option("--queue-mib", 64, "Size of the requests waiting or running.")
@_option("--queue-wait", 1.0, "Seconds; while requests wait longer for a worker, more are refused.")
@_option("--shard-pairs", 32, "Most pairs given to a worker at a time.")
@_option("--shard-timeout", 30.0, "Seconds after which a silent worker is killed and replaced.")
@_option("--max-worker-rss", None, "MiB of memory above which a worker is replaced.", type=int)
@_option("--drain-delay", 0.0, "On SIGTERM: seconds of NOT_SERVING before calls are refused.")
@_option("--grace", 30.0, "On SIGTERM: seconds that running calls are given to finish.")
@_option("--max-connection-age", 0.0, "Seconds until clients must connect anew; 0 is never.")
@_option("--admin-port", -1, "Port of the admin service, on loopback; 0 is a free one, -1 off.")
@_option("--tls-cert", None, "PEM certificate chain; read again when it changes.", type=_FILE)
@_option("--tls-key", None, "PEM private key of --tls-cert.", type=_FILE)
@_option("--tls-client-ca", None, "Demand client certificates of these authorities.", type=_FILE)
@_option("--token-file", None, "Hashes of the bearer tokens that may call.", type=_FILE)
@_option("--reflection/--no-reflection", False, "Describe the service to tools like grpcurl.")
@_option("--channelz/--no-channelz", False, "Show connections and streams on the admin port.")
@_option("--traces/--no-traces", False, "Send OpenTelemetry spans as the OTEL_* variables say.")
@_option("--log-sentences", False, "Let the log quote the sentences of failures.", is_flag=True)
@_option("--log-level", "info", "What goes to standard error.", type=click.Choice(_LEVELS))
@click.option("--check", metavar="HOST:PORT", help="Exit 0 if the server there serves, else 1.")
@click.option("--check-ca", type=_FILE, help="With --check: speak TLS, trusting this PEM file.")
@click.option("--check-cert", type=_FILE, help="With --check-ca: this client's certificate, PEM.")
@click.option("--check-key", type=_FILE, help="Private key of --check-cert.")
def command(
    check: str | None,
    check_ca: Path | None,
    check_cert: Path | None,
    check_key: Path | None,
    log_level: str,
    log_sentences: bool,
    **flags: Any,
) -> None:
    """Serve alignments over gRPC until SIGTERM, then drain.

    Prints "listening on HOST:PORT" to standard error once calls are answered. Every option can
    be given in the environment, as TOKALIGN_SERVE_PORT and so on.
    """
    if check is not None:
        _check(check, check_ca, check_cert, check_key)
        return
    # grpc's own lines are no JSON; connections that end are not worth one.
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    # app starts the fork server, which must happen before anything imports grpc.
    from tokalign.server import aligners, app, logs

    try:
        config = _config(flags)
    except InputError as error:
        raise click.UsageError(str(error)) from error
    logs.configure(logs.Settings(getattr(logging, log_level.upper()), log_sentences))
    app.run(config, lambda address: click.echo(f"listening on {address}", err=True), aligners.load)


def _config(flags: dict[str, Any]) -> Any:
    from tokalign.server.config import MIB, Config, Limits, auto_workers

    workers = flags["workers"]
    if workers != "auto" and not workers.isdecimal():
        raise InputError(f"--workers is {workers!r}; wanted a number or auto", field="workers")
    rss = flags["max_worker_rss"]
    return Config(
        host=flags["host"],
        port=flags["port"],
        metrics_port=_port(flags["metrics_port"]),
        admin_port=_port(flags["admin_port"]),
        tls_certificate=flags["tls_cert"],
        tls_key=flags["tls_key"],
        tls_client_ca=flags["tls_client_ca"],
        token_file=flags["token_file"],
        workers=auto_workers() if workers == "auto" else int(workers),
        models=flags["model"],
        annotators=flags["annotator"],
        limits=Limits(
            max_tokens=flags["max_tokens"],
            max_token_product=flags["max_token_product"],
            max_characters=flags["max_characters"],
            max_pairs=flags["max_pairs"],
            max_request_bytes=flags["max_request_mib"] * MIB,
        ),
        queue_pairs=flags["queue_pairs"],
        queue_bytes=flags["queue_mib"] * MIB,
        queue_wait_s=flags["queue_wait"],
        shard_pairs=flags["shard_pairs"],
        shard_timeout_s=flags["shard_timeout"],
        max_worker_rss_bytes=None if rss is None else rss * MIB,
        drain_delay_s=flags["drain_delay"],
        grace_s=flags["grace"],
        max_connection_age_s=flags["max_connection_age"],
        reflection=flags["reflection"],
        channelz=flags["channelz"],
        traces=flags["traces"],
    )


def _port(number: int) -> int | None:
    return None if number < 0 else number


def _check(
    address: str, authorities: Path | None, certificate: Path | None, key: Path | None
) -> None:
    """Raise unless the server at `address` reports SERVING."""
    if (certificate is None) != (key is None) or (certificate and authorities is None):
        raise click.UsageError("--check-cert and --check-key come together, with --check-ca")
    from tokalign.client import Client, Tls

    tls = None
    if authorities is not None:
        tls = Tls(
            root_certificates=authorities.read_bytes(),
            certificate_chain=certificate.read_bytes() if certificate else None,
            private_key=key.read_bytes() if key else None,
        )
    with Client(address, timeout_s=_CHECK_TIMEOUT_S, tls=tls) as client:
        name = client.health()
    if name != "SERVING":
        raise ServerError(f"{address} is {name}")
    click.echo(f"{address} is {name}")
