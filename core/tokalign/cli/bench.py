"""``tokalign bench``: throughput and latency of a running server under load."""

from __future__ import annotations

import itertools
import json
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TextIO

import click

from tokalign.cli.flags import INPUT, OUTPUT, SERVER, SectionedCommand, flag, group, takes
from tokalign.cli.lines.file_flags import OutputPath
from tokalign.cli.shared_flags import ABOVE_0, AT_LEAST_1, JSON, SecureFlags
from tokalign.errors import InputError, ServerError, quoted

if TYPE_CHECKING:
    import ssl

    from tokalign.client.load.connection import Security
    from tokalign.client.load.measure import Result, Step

MOST_QUESTIONS = 50
"""Distinct requests of --method rank, each of which holds all of its candidates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFlags:
    """The server, and the calls to make."""

    section: ClassVar[str] = SERVER
    server: str = flag("A running server.", metavar="HOST:PORT", required=True)
    secure: SecureFlags = group(SecureFlags)
    metrics: str | None = flag(
        "The server's page of metrics, for the times in queue and workers.", metavar="URL"
    )
    method: str = flag(
        "Method to call: Align, BatchAlign or Rank.",
        type=click.Choice(["align", "batch", "rank"]),
        default="align",
        under="Load",
    )
    pairs: int = flag(
        "Pairs in each call of --method batch, or candidates of rank.",
        type=AT_LEAST_1,
        default=100,
        under="Load",
    )
    input: TextIO | None = flag(
        "Lines SOURCE<TAB>TARGET to send. rank takes the targets as questions and the sources as "
        "candidates.",
        type=click.File(),
        show_default="four built-in pairs",
        under=INPUT,
    )

    @property
    def n_pairs(self) -> int:
        """Pairs in each call."""
        return 1 if self.method == "align" else self.pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFlags:
    """How many calls are made, and for how long."""

    section: ClassVar[str] = "Load"
    in_flight: str = flag("Callers of each step (closed loop).", default="1,8,64")
    rate: str = flag("Calls per second of each step (open loop); replaces --in-flight.", default="")
    connections: int = flag(
        "Connections that the calls are spread over.", type=AT_LEAST_1, default=4
    )
    duration: float = flag("Seconds of a window.", type=ABOVE_0, default=10.0)
    windows: int = flag(
        "Most windows of a step; the first stable one is reported, else the last.",
        type=AT_LEAST_1,
        default=3,
    )
    warm_up: float = flag("Seconds of load before each step is measured.", default=2.0)

    def steps(self) -> list[Step]:
        """Return the steps in order."""
        from tokalign.client.load.measure import Step

        steps = [Step(rate=value) for value in _numbers(self.rate, "--rate")]
        callers = _numbers(self.in_flight, "--in-flight")
        return steps or [Step(in_flight=int(value)) for value in callers]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFlags:
    """How the measurements are shown."""

    section: ClassVar[str] = OUTPUT
    json: bool = flag(**JSON)
    html: Path | None = flag("Write a page with a plot.", type=OutputPath())


@click.command("bench", cls=SectionedCommand)
@takes(calls=CallFlags, load=LoadFlags, report=ReportFlags)
def command(calls: CallFlags, load: LoadFlags, report: ReportFlags) -> None:
    """Load a server in steps, and print throughput, latency and where the time went.

    Closed loop: a number of callers, each of which waits for its answer before it calls again.
    Open loop: calls arrive at random (Poisson) at a rate, whether or not the server keeps up, and
    are timed from the moment they were meant to start.

    A window is stable if throughput and median latency stay within a fifth of their means over its
    five parts.
    """
    from tokalign.client.load import report as shown
    from tokalign.client.load.connection import Security

    tls = _tls(calls.secure.ca_path, calls.secure.token_path)
    results = _measure(calls, load, Security(tls, calls.secure.token() or ""))
    if report.json:
        value = {
            "method": calls.method,
            "pairs_per_call": calls.n_pairs,
            "tls": tls is not None,
            "window_s": load.duration,
            "machine": platform.platform(),
            "cpus": os.cpu_count(),
            "steps": [result.to_json() for result in results],
        }
        click.echo(json.dumps(value))
    else:
        click.echo(shown.table(results))
    if report.html is not None:
        machine = platform.processor() or platform.machine()
        title = f"{calls.method} at {calls.server} ({machine})"
        report.html.write_text(shown.page(results, title), encoding="utf-8")


def _measure(calls: CallFlags, load: LoadFlags, security: Security) -> list[Result]:
    """Return what each step measured."""
    from tokalign.client.load import measure
    from tokalign.client.load.connection import LoadRequest
    from tokalign.client.load.generator import Generator

    steps = load.steps()
    bodies = BODIES[calls.method](_texts(calls.input), calls.n_pairs)
    metrics = calls.metrics
    results = []
    try:
        method = measure.METHODS[calls.method]
        requests = [LoadRequest.of(method, body) for body in bodies]
        generator = Generator(calls.server, requests, load.connections, security=security)
        for step in steps:
            result = measure.measure(
                generator,
                step,
                duration_s=load.duration,
                warm_up_s=load.warm_up,
                max_windows=load.windows,
                pairs_per_call=calls.n_pairs,
                read_metrics=(lambda: measure.scrape(metrics)) if metrics else dict,
            )
            results.append(result)
            click.echo(f"done: {step}", err=True)
        generator.close()
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


_BUILT_IN = (
    ("The old bridge over the river was rebuilt after the flood of 1997.", "Who rebuilt it?"),
    ("A man in a red jacket is repairing a bicycle.", "A man wearing red fixes a bike."),
    ("Prices rose by 3.5% in May, the bank said on Monday.", "In May, prices went up 3.5%."),
    ("The committee did not approve the plan.", "The plan was rejected by the committee."),
)


Texts = list[tuple[str, str]]


def _texts(source: TextIO | None) -> Texts:
    """Return the pairs of a file; without one, four built-in ones."""
    if source is None:
        return list(_BUILT_IN)
    texts = []
    for number, line in enumerate(source, 1):
        left, tab, right = line.rstrip("\n").partition("\t")
        if not tab:
            raise InputError(f"line {number} has no tab; wanted source<TAB>target")
        texts.append((left, right))
    if not texts:
        raise InputError("the input is empty; give at least one pair")
    return texts


def single_bodies(texts: Texts, n_pairs: int = 1) -> list[bytes]:
    """Return a serialised AlignRequest for every pair."""
    from tokalign.v1 import align_pb2

    return [
        align_pb2.AlignRequest(
            pair={"source": {"text": left}, "target": {"text": right}}
        ).SerializeToString()
        for left, right in texts
    ]


def batch_bodies(texts: Texts, n_pairs: int) -> list[bytes]:
    """Return serialised BatchAlignRequests of `n_pairs` consecutive pairs each."""
    from tokalign.v1 import align_pb2

    repeated = itertools.islice(itertools.cycle(texts), n_pairs)
    pairs = [{"source": {"text": left}, "target": {"text": right}} for left, right in repeated]
    return [align_pb2.BatchAlignRequest(pairs=pairs).SerializeToString()]


def rank_bodies(texts: Texts, n_candidates: int) -> list[bytes]:
    """Return serialised RankRequests: targets as questions, each over sources from its own on."""
    from tokalign.v1 import align_pb2

    return [
        align_pb2.RankRequest(
            question={"text": question},
            candidates=[
                {"sentence": {"text": texts[(first + each) % len(texts)][0]}}
                for each in range(n_candidates)
            ],
        ).SerializeToString()
        for first, (_, question) in enumerate(texts[:MOST_QUESTIONS])
    ]


BODIES = {"align": single_bodies, "batch": batch_bodies, "rank": rank_bodies}


def _tls(ca_path: Path | None, token_path: Path | None) -> ssl.SSLContext | None:
    """Return the settings of TLS; as in a client, a token is sent over TLS alone."""
    if ca_path is None and token_path is None:
        return None
    import ssl

    try:
        return ssl.create_default_context(cafile=ca_path)
    except ssl.SSLError as error:
        raise InputError(f"{ca_path} has no PEM certificates that can be read: {error}") from error
