"""``tokalign serve``: run the gRPC server, or ask a running one whether it is healthy."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import click

from tokalign.errors import AlignError, InputError, ServerError, quoted
from tokalign.server.config import Config, Flag, RequestLimits

_LEVELS = ("debug", "info", "warning", "error")
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_CHECK_TIMEOUT_S = 5.0
_MOST_DIGITS = 18
Command = TypeVar("Command", bound=Callable[..., Any])


def _settings(kind: type) -> Iterator[tuple[type, Field[Any], Flag]]:
    """Yield the fields of a configuration and its limits that are flags, each with its class."""
    for each in fields(kind):
        if each.name == "limits":
            yield from _settings(RequestLimits)
        elif "flag" in each.metadata:
            yield kind, each, each.metadata["flag"]


def _flag_name(each: Field[Any], flag: Flag) -> str:
    return flag.name or each.name.replace("_", "-")


def _config_options(command: Command) -> Command:
    """Add an option for every setting of Config."""
    for owner, each, flag in reversed([*_settings(Config)]):
        kind = get_type_hints(owner)[each.name]
        name = f"--{_flag_name(each, flag)}"
        more: dict[str, Any] = {"default": flag.none}
        if each.default is not MISSING and each.default is not None:
            is_scaled = flag.unit != 1
            more = {"default": each.default // flag.unit if is_scaled else each.default}
        if kind is bool:
            name = f"{name}/--no-{name[2:]}"
        elif kind == tuple[str, ...]:
            more["multiple"] = True
        elif flag.auto is not None:
            more = {"default": "auto", "metavar": "N|auto"}
        elif kind == Path | None:
            more["type"] = _FILE
        else:
            more["type"] = float if kind is float else int if kind in (int, int | None) else str
        command = click.option(name, help=flag.help, show_default=True, **more)(command)
    return command


def _config(flags: dict[str, Any]) -> Config:
    """Return what the flags ask for; InputError where they contradict one another."""

    values: dict[type, dict[str, Any]] = {Config: {}, RequestLimits: {}}
    for owner, each, flag in _settings(Config):
        name = _flag_name(each, flag)
        values[owner][each.name] = _value(name, flag, flags[name.replace("-", "_")])
    return Config(**values[Config], limits=RequestLimits(**values[RequestLimits]))


def _value(name: str, flag: Flag, given: Any) -> Any:
    """Return a setting's value in its own unit."""
    if flag.auto is not None:
        if given == "auto":
            return flag.auto()
        if not (given.isdecimal() and len(given) <= _MOST_DIGITS):
            raise InputError(f"--{name} is {quoted(given)}; wanted a number or auto", field=name)
        return int(given)
    if flag.none is not None and given == flag.none:
        return None
    return given * flag.unit if flag.unit != 1 and given is not None else given


@click.command("serve", context_settings={"auto_envvar_prefix": "TOKALIGN_SERVE"})
@_config_options
@click.option("--log-sentences", is_flag=True, help="Let the log quote the sentences of failures.")
@click.option(
    "--log-level",
    type=click.Choice(_LEVELS),
    default="info",
    show_default=True,
    help="What goes to standard error.",
)
@click.option(
    "--check",
    metavar="HOST:PORT",
    help="Exit 0 if the server there serves, else 1; http://HOST:PORT asks its metrics port.",
)
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
    if sys.stderr is None:
        # A connection would get its number, and what grpc prints.
        raise click.UsageError("standard error is closed; the log goes there")
    # grpc's own lines are no JSON, anyone who fails at TLS causes one, and its threads would wait
    # for their reader.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # app starts the fork server, which must happen before anything imports grpc.
    from tokalign.server import app
    from tokalign.server.observe import logs
    from tokalign.server.workers import aligners

    try:
        config = _config(flags)
    except InputError as error:
        raise click.UsageError(str(error)) from error
    logs.configure(logs.Settings(getattr(logging, log_level.upper()), log_sentences))
    try:
        app.run(config, lambda address: logs.say(f"listening on {address}"), aligners.load)
    except AlignError as error:
        logs.say(f"Error: {error}")
        raise click.exceptions.Exit(1) from error


def _check(
    address: str, authorities: Path | None, certificate: Path | None, key: Path | None
) -> None:
    """Raise unless the server at `address` reports SERVING."""
    if (certificate is None) != (key is None) or (certificate and authorities is None):
        raise click.UsageError("--check-cert and --check-key come together, with --check-ca")
    if address.startswith("http://"):
        if authorities is not None:
            raise click.UsageError("the metrics port speaks no TLS; leave --check-ca out")
        _check_ready(address)
        return
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


def _check_ready(address: str) -> None:
    """Raise unless the metrics port at `address` says that calls are served.

    It answers in plain text whatever TLS, client certificates and tokens the calls need.
    """
    from http.client import HTTPException
    from urllib import error, request

    try:
        # Not through a proxy: it is this machine's server that is meant.
        opener = request.build_opener(request.ProxyHandler({}))
        with opener.open(f"{address.rstrip('/')}/readyz", timeout=_CHECK_TIMEOUT_S):
            click.echo(f"{address} is ready")
    except error.HTTPError as refusal:
        refusal.close()
        raise ServerError(f"{address} is not ready: HTTP {refusal.code}") from refusal
    except (OSError, ValueError, HTTPException) as fault:
        raise ServerError(f"{address} cannot be asked: {quoted(str(fault))}") from fault
