"""``tokalign bench``: throughput and latency of a running server under load."""

import json
import os
import platform
from typing import TYPE_CHECKING, ClassVar, TextIO

import click

from tokalign.cli.flags import INPUT, OUTPUT, SERVER, SectionedCommand, flag, flagged, group, takes
from tokalign.cli.shared_flags import ABOVE_0, AT_LEAST_1, JSON, SecureFlags
from tokalign.errors import InputError, ServerError, quoted

if TYPE_CHECKING:
    from tokalign.client.load.measure import Result, Step
    from tokalign.client.load.transport import Security

CONNECTIONS = 4
HTTP_CONNECTIONS = 64


@flagged
class CallFlags:
    """The server, and the calls to make."""

    section: ClassVar[str] = SERVER
    server: str = flag(
        "A running server: HOST:PORT of gRPC, or http://HOST:PORT.",
        metavar="ADDRESS",
        required=True,
    )
    secure: SecureFlags = group(SecureFlags)
    metrics: str | None = flag(
        "The server's page of metrics, for the times in queue and workers.", metavar="URL"
    )
    method: str = flag(
        "What the server is asked to do.",
        type=click.Choice(["align", "batch", "similarity", "rank", "ground", "align-texts"]),
        default="align",
        under="Load",
    )
    pairs: int = flag(
        "Pairs in each call but of align; of rank candidates, of ground passages, of align-texts "
        "sentences.",
        type=AT_LEAST_1,
        default=100,
        under="Load",
    )
    timeout: float | None = flag(
        "Deadline of each call, in seconds from when it is meant to start.",
        type=ABOVE_0,
        show_default="none",
        under="Load",
    )
    input: TextIO | None = flag(
        "Lines SOURCE<TAB>TARGET to send. similarity, rank and ground take a target as sentence, "
        "question or answer, and sources as the others.",
        type=click.File(),
        show_default="four built-in pairs",
        under=INPUT,
    )

    @property
    def is_http(self) -> bool:
        return "://" in self.server

    def security(self) -> "Security":
        """Return the token and the TLS settings; as in a client, a token goes over TLS only."""
        from tokalign.client.load.transport import Security

        scheme = self.server.partition("://")[0] if self.is_http else ""
        if scheme not in ("", "http", "https"):
            raise click.UsageError(
                f"--server is {quoted(self.server)}; wanted HOST:PORT, http:// or https://"
            )
        ca_path, token_path = self.secure.ca_path, self.secure.token_path
        if ca_path is None and token_path is None and scheme != "https":
            return Security()
        if scheme == "http":
            raise click.UsageError("--tls-ca and --token-file need an https:// address")
        import ssl

        try:
            tls = ssl.create_default_context(cafile=ca_path)
        except ssl.SSLError as error:
            raise InputError(
                f"{ca_path} has no PEM certificates that can be read: {error}"
            ) from error
        return Security(tls, self.secure.token() or "")


@flagged
class LoadFlags:
    """How many calls are made, for how long, and how the measurements are shown."""

    section: ClassVar[str] = "Load"
    in_flight: str = flag("Callers of each step (closed loop).", default="1,8,64")
    rate: str = flag("Calls per second of each step (open loop); replaces --in-flight.", default="")
    connections: int | None = flag(
        "Connections that the calls are spread over. Over HTTP each holds one call at a time.",
        type=AT_LEAST_1,
        show_default=f"{CONNECTIONS}; over HTTP the callers, or {HTTP_CONNECTIONS} with --rate",
    )
    duration: float = flag("Seconds of a window.", type=ABOVE_0, default=10.0)
    windows: int = flag(
        "Most windows of a step; the first stable one is reported, else the last.",
        type=AT_LEAST_1,
        default=3,
    )
    warm_up: float = flag("Seconds of load before each step is measured.", default=2.0)
    json: bool = flag(under=OUTPUT, **JSON)

    def steps(self) -> "list[Step]":
        from tokalign.client.load.measure import Step

        steps = [Step(rate=value) for value in _numbers(self.rate, "--rate")]
        callers = _numbers(self.in_flight, "--in-flight")
        return steps or [Step(in_flight=int(value)) for value in callers]

    def n_connections(self, step: "Step", *, is_http: bool) -> int:
        """Return over how many connections the calls of a step go."""
        if self.connections is not None:
            return self.connections
        return (step.in_flight or HTTP_CONNECTIONS) if is_http else CONNECTIONS


@click.command("bench", cls=SectionedCommand)
@takes(calls=CallFlags, load=LoadFlags)
def command(calls: CallFlags, load: LoadFlags) -> None:
    """Load a server in steps, and print throughput, latency and where the time went.

    Closed loop: a number of callers, each of which waits for its answer before it calls again.
    Open loop: calls arrive at random (Poisson) at a rate, whether or not the server keeps up, and
    are timed from the moment they were meant to start.

    Calls count that end in a window, whenever they began. With --timeout, "in time" are the
    answers within it, and "late" what comes after it or is given up. "refused" are calls that the
    server had no room for, "failed" the others without an answer. A window is stable if throughput
    and median latency stay within a fifth of their means over its five parts.
    """
    from tokalign.client.load import report as shown

    security = calls.security()
    results = _measure(calls, load, security)
    if load.json:
        value = {
            "method": calls.method,
            "pairs_per_call": 1 if calls.method == "align" else calls.pairs,
            "http": calls.is_http,
            "tls": security.tls is not None,
            "timeout_s": calls.timeout,
            "window_s": load.duration,
            "machine": platform.platform(),
            "cpus": os.cpu_count(),
            "steps": [result.to_json() for result in results],
        }
        click.echo(json.dumps(value))
    else:
        click.echo(shown.table(results))


def _measure(calls: CallFlags, load: LoadFlags, security: "Security") -> "list[Result]":
    from tokalign.client.load import measure, methods
    from tokalign.client.load.generator import Generator

    steps = load.steps()
    requests = methods.requests(
        methods.METHODS[calls.method],
        _texts(calls.input) or methods.BUILT_IN,
        calls.pairs,
        is_http=calls.is_http,
        timeout_s=calls.timeout or 0.0,
    )
    metrics = calls.metrics
    results = []
    try:
        for step in steps:
            connections = load.n_connections(step, is_http=calls.is_http)
            generator = Generator(calls.server, requests, connections, security=security)
            result = measure.measure(
                generator,
                step,
                duration_s=load.duration,
                warm_up_s=load.warm_up,
                max_windows=load.windows,
                read_metrics=(lambda: measure.scrape(metrics)) if metrics else dict,
            )
            generator.close()
            results.append(result)
            click.echo(f"done: {step}", err=True)
    except OSError as error:
        spoken = "without TLS" if security.tls is None else "with TLS"
        raise ServerError(f"{calls.server}: {error}; is the server running, {spoken}?") from error
    return results


def _numbers(text: str, option: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise click.UsageError(f"{option} is {quoted(text)}; wanted numbers like 1,8,64") from None
    if any(number <= 0 for number in numbers):
        raise click.UsageError(f"{option} is {quoted(text)}; wanted numbers above 0")
    return numbers


def _texts(source: TextIO | None) -> list[tuple[str, str]]:
    """Return the pairs of a file; none without one."""
    if source is None:
        return []
    texts = []
    for number, line in enumerate(source, 1):
        left, tab, right = line.rstrip("\n").partition("\t")
        if not tab:
            raise InputError(f"line {number} has no tab; wanted source<TAB>target")
        texts.append((left, right))
    if not texts:
        raise InputError("the input is empty; give at least one pair")
    return texts
