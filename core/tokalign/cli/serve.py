"""``tokalign serve``, ``playground`` and ``mcp``: servers, or the health of a running one."""

import difflib
import logging
import os
import sys
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, ClassVar, get_type_hints

import click

from tokalign.cli.flags import SectionedCommand, SectionedOption, flag, flagged, takes
from tokalign.cli.shared_flags import EXISTING_FILE, require
from tokalign.errors import AlignError, InputError, ServerError, quoted
from tokalign.files.shipped import DEFAULT_MODEL
from tokalign.server.config import Config, Flag, RequestLimits

_LEVELS = ("debug", "info", "warning", "error")
_CHECK_TIMEOUT_S = 5.0
_MOST_DIGITS = 18
PREFIX = "TOKALIGN_SERVE"
"""Followed by an underscore, the prefix of every environment variable that sets an option."""


_SECTIONS = {
    "host": "Addresses",
    "workers": "Models and workers",
    "max_tokens": "Limits of a request",
    "queue_pairs": "Queue and memory",
    "drain_delay_s": "Connections",
    "tls_certificate": "Security",
    "access_log": "Log and traces",
}
"""First setting of each section of the help, in order."""


def _settings(kind: type) -> Iterator[tuple[type, Field[Any], Flag]]:
    """Yield the fields of Config and its limits that are flags, each with its class."""
    for each in fields(kind):
        if each.name == "limits":
            yield from _settings(RequestLimits)
        elif "flag" in each.metadata:
            yield kind, each, each.metadata["flag"]


def _flag_name(each: Field[Any], how: Flag) -> str:
    return how.name or each.name.replace("_", "-")


def _config_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for every setting of Config."""
    section, made = "", []
    for owner, each, how in _settings(Config):
        section = _SECTIONS.get(each.name, section)
        kind = get_type_hints(owner)[each.name]
        name = f"--{_flag_name(each, how)}"
        more: dict[str, Any] = {"default": how.none}
        if each.default is not MISSING and each.default is not None:
            is_scaled = how.unit != 1
            more = {"default": each.default // how.unit if is_scaled else each.default}
        if kind is bool:
            name = f"{name}/--no-{name[2:]}"
        elif kind == tuple[str, ...]:
            more["multiple"] = True
        elif how.auto is not None:
            more = {"default": "auto", "metavar": "N|auto"}
        elif kind == Path | None:
            more["type"] = EXISTING_FILE
        else:
            more["type"] = float if kind is float else int if kind in (int, int | None) else str
        more |= {"cls": SectionedOption, "section": section}
        made.append(click.option(name, help=how.help, show_default=True, **more))
    for option in reversed(made):
        command = option(command)
    return command


def _config(flags: dict[str, Any]) -> Config:
    """Return the Config of the flags; InputError if they contradict one another."""

    values: dict[type, dict[str, Any]] = {Config: {}, RequestLimits: {}}
    for owner, each, how in _settings(Config):
        name = _flag_name(each, how)
        values[owner][each.name] = _value(name, how, flags[name.replace("-", "_")])
    return Config(**values[Config], limits=RequestLimits(**values[RequestLimits]))


def _value(name: str, how: Flag, given: Any) -> Any:
    """Return a setting's value in its own unit."""
    if how.auto is not None:
        if given == "auto":
            return how.auto()
        if not (given.isdecimal() and len(given) <= _MOST_DIGITS):
            raise InputError(f"--{name} is {quoted(given)}; wanted a number or auto", field=name)
        return int(given)
    if how.none is not None and given == how.none:
        return None
    return given * how.unit if how.unit != 1 and given is not None else given


@flagged
class LogFlags:
    """Level and format of logging."""

    section: ClassVar[str] = "Log and traces"
    sentences: bool = flag(
        "Let the log quote the sentences of failures.", "--log-sentences", default=False
    )
    level: str | None = flag(
        "Least severe messages to log, on stderr: JSON, or plain lines on a terminal.",
        "--log-level",
        type=click.Choice(_LEVELS),
        show_default="info; on a terminal, warning",
    )


@flagged
class CheckFlags:
    """A running server whose health is checked, instead of running one."""

    section: ClassVar[str] = "Asking a running server"
    address: str | None = flag(
        "Exit with 0 if the server there serves, else with 1. http://HOST:PORT asks the metrics "
        "port, whatever TLS the calls need; unix:PATH a socket.",
        "--check",
        metavar="HOST:PORT",
    )

    def run(self) -> None:
        """Raise unless the server reports SERVING."""
        address = str(self.address)
        if address.startswith("http://"):
            _check_ready(address)
            return
        from tokalign.client import Client

        with Client(address, timeout_s=_CHECK_TIMEOUT_S) as client:
            name = client.health()
        if name != "SERVING":
            raise ServerError(f"{address} is {name}")
        click.echo(f"{address} is {name}")


@click.command("serve", cls=SectionedCommand, context_settings={"auto_envvar_prefix": PREFIX})
@_config_options
@takes(log=LogFlags, check=CheckFlags)
def serve(log: LogFlags, check: CheckFlags, **flags: Any) -> None:
    """Serve alignments over gRPC. On SIGTERM, running calls are finished first.

    Once calls are answered, a terminal gets the addresses as lines; elsewhere the log gets the
    event "listening on HOST:PORT". Every option can be given in
    the environment as well: --port as TOKALIGN_SERVE_PORT, and so on.
    """
    if check.address is not None:
        check.run()
        return
    _check_environment(click.get_current_context())
    is_plain = sys.stderr is not None and sys.stderr.isatty()
    run_server(lambda: _config(flags), log, show_addresses if is_plain else None)


def show_addresses(addresses: Mapping[str, str]) -> None:
    """Print the addresses of a server for people."""
    for name, address in addresses.items():
        click.echo(f"{name:11} {address}", err=True)
    click.echo("Ctrl-C stops the server.", err=True)


def run_server(
    config: Callable[[], Config],
    log: LogFlags,
    announce: Callable[[Mapping[str, str]], None] | None = None,
) -> None:
    """Serve until told to stop.

    `config` raises InputError for what no server can have, and is called once the extra is known to
    be there. `announce` tells people the addresses, and has the log written for people, too.
    """
    if sys.stderr is None:
        # A connection would get the closed number, and grpc's messages.
        raise click.UsageError("standard error is closed; the log goes there")
    from tokalign.server import descriptors

    descriptors.hold_standard()
    # grpc's own lines are no JSON, anyone who fails at TLS causes one, and its threads would wait
    # for their reader.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    require("tokalign serve", "server")
    # The app imports grpc, which other commands need not load.
    from tokalign.server import app
    from tokalign.server.observe import logs
    from tokalign.server.workers import aligners

    try:
        settings = config()
    except InputError as error:
        raise click.UsageError(str(error)) from error
    is_plain = announce is not None
    level = log.level or ("warning" if is_plain else "info")
    logs.configure(logs.Settings(getattr(logging, level.upper()), log.sentences, is_plain))
    try:
        app.run(settings, announce or _log_address, aligners.load)
    except AlignError as error:
        logs.say(str(error), logging.ERROR)
        raise click.exceptions.Exit(1) from error


def _log_address(addresses: Mapping[str, str]) -> None:
    from tokalign.server.observe import logs

    logs.say(f"listening on {addresses['gRPC']}")


def _check_environment(context: click.Context) -> None:
    """Raise UsageError if an environment variable has the server's prefix but names no option."""
    known = [f"{PREFIX}_{each.name.upper()}" for each in context.command.params if each.name]
    for name in os.environ:
        if name.startswith(f"{PREFIX}_") and name not in known:
            (near, *_) = [*difflib.get_close_matches(name, known, 1), f"one of {known[0]}, ..."]
            raise click.UsageError(
                f"the environment has {name}, which is no setting; did you mean {near}?"
            )


def _check_ready(address: str) -> None:
    """Raise unless the metrics port at `address` says that calls are served.

    It answers in plain text whatever TLS, client certificates and tokens the calls need.
    """
    from http.client import HTTPException
    from urllib import error, request

    try:
        # Not through a proxy: the server runs on this machine.
        opener = request.build_opener(request.ProxyHandler({}))
        with opener.open(f"{address.rstrip('/')}/readyz", timeout=_CHECK_TIMEOUT_S):
            click.echo(f"{address} is ready")
    except error.HTTPError as refusal:
        refusal.close()
        raise ServerError(f"{address} is not ready: HTTP {refusal.code}") from refusal
    except (OSError, ValueError, HTTPException) as fault:
        raise ServerError(f"{address} cannot be asked: {quoted(str(fault))}") from fault


@click.command("playground")
@click.option(
    "--model",
    "models",
    multiple=True,
    default=(DEFAULT_MODEL,),
    show_default=True,
    help="Name or path of a model. May be repeated; the first is the default.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default="a free one",
    help="Port of the page.",
)
@click.option("--browser/--no-browser", default=True, help="Whether to open the page.")
def playground(models: tuple[str, ...], port: int, browser: bool) -> None:
    """Open a page to try tokalign in the browser, served on this machine alone until Ctrl-C."""
    require("tokalign playground", "server")

    def announce(addresses: Mapping[str, str]) -> None:
        click.echo(f"The playground is at {addresses['playground']}; Ctrl-C stops it.", err=True)
        if browser:
            webbrowser.open(addresses["playground"])

    run_server(
        lambda: Config(models=models, port=0, http_port=port, metrics_port=None),
        LogFlags(),
        announce,
    )


@click.command("mcp")
@click.option(
    "--model",
    default=DEFAULT_MODEL,
    show_default=True,
    help="Model or system: a name (see tokalign info) or a path.",
)
def mcp(model: str) -> None:
    """Serve the tools align, similarity, rank, ground and diff to an agent, over the Model Context
    Protocol on standard input and output, until the input ends.

    An agent starts it by itself; its configuration names the command `tokalign mcp`.
    """
    require("tokalign mcp", "mcp")
    # They bring the aligner and the packages of the extra, which other commands need not load.
    from tokalign.aligner import Aligner
    from tokalign.integrations.mcp import mcp_server

    mcp_server(Aligner.load(model)).run("stdio")
