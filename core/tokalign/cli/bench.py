"""``tokalign bench``: load a running server and report latency against throughput."""

from __future__ import annotations

import itertools
import json
import os
import platform
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from tokalign.cli.files import OutputPath
from tokalign.cli.options import read_token, secure_options
from tokalign.errors import InputError, ServerError, quoted

if TYPE_CHECKING:
    import ssl

MOST_QUESTIONS = 50
"""Requests of --method rank that are made, for each holds all of its candidates."""


@click.command("bench", short_help="Measure a server under load.")
@click.option("--server", required=True, metavar="HOST:PORT", help="A running server.")
@click.option("--metrics", metavar="URL", help="Its /metrics, for queue and compute times.")
@click.option(
    "--method",
    type=click.Choice(["align", "batch", "rank"]),
    default="align",
    show_default=True,
    help="What is called: Align, BatchAlign or Rank.",
)
@click.option(
    "--pairs",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Pairs per call of --method batch, candidates of rank.",
)
@click.option(
    "--input",
    "source",
    type=click.File(),
    help="source<TAB>target lines to send; rank takes sources for candidates, targets for queries.",
)
@secure_options
@click.option("--in-flight", default="1,8,64", show_default=True, help="Closed loop steps.")
@click.option("--rate", default="", help="Open loop steps in calls per second, instead.")
@click.option(
    "--connections",
    type=click.IntRange(1),
    default=4,
    show_default=True,
    help="Connections that the calls are spread over.",
)
@click.option(
    "--duration",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="Seconds per window.",
)
@click.option(
    "--windows",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Most windows per step; the first stable one, else the last, is reported.",
)
@click.option("--warm-up", default=2.0, show_default=True, help="Seconds before each step.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
@click.option("--html", "page", type=OutputPath(), help="Plot.")
def command(
    server: str,
    metrics: str | None,
    method: str,
    pairs: int,
    source: TextIO | None,
    tls_ca: Path | None,
    token_file: Path | None,
    in_flight: str,
    rate: str,
    connections: int,
    duration: float,
    windows: int,
    warm_up: float,
    as_json: bool,
    page: Path | None,
) -> None:
    """Load a server in steps and print throughput, percentiles and where the time went.

    A window is stable where throughput and median latency stay within a fifth of their means over
    its five parts. Closed loop: so many callers, each waiting for its answer. Open loop: calls
    arrive at random (Poisson) at a rate, whether or not the server keeps up, and are timed from
    the moment they were meant to start.
    """
    from tokalign.load import measure, report
    from tokalign.load.connection import Security
    from tokalign.load.generator import Generator

    steps = [measure.Step(rate=value) for value in _numbers(rate, "--rate")]
    steps = steps or [
        measure.Step(in_flight=int(value)) for value in _numbers(in_flight, "--in-flight")
    ]
    n_pairs = 1 if method == "align" else pairs
    texts = _texts(source)
    security = Security(_tls(tls_ca, token_file), read_token(token_file) or "")
    results = []
    try:
        generator = Generator(
            server,
            measure.METHODS[method],
            BODIES[method](texts, n_pairs),
            connections,
            security=security,
        )
        for step in steps:
            result = measure.measure(
                generator,
                step,
                duration_s=duration,
                warm_up_s=warm_up,
                max_windows=windows,
                pairs_per_call=n_pairs,
                read_metrics=(lambda: measure.scrape(metrics)) if metrics else dict,
            )
            results.append(result)
            click.echo(f"done: {step}", err=True)
        generator.close()
    except OSError as error:
        spoken = "without TLS" if security.tls is None else "with TLS"
        raise ServerError(f"{server}: {error}; is the server running, {spoken}?") from error
    title = f"{method} at {server} ({platform.processor() or platform.machine()})"
    if as_json:
        steps_json = [result.to_json() for result in results]
        machine = {"machine": platform.platform(), "cpus": os.cpu_count()}
        what = {
            "method": method,
            "pairs_per_call": n_pairs,
            "tls": security.tls is not None,
            "window_s": duration,
        }
        click.echo(json.dumps(what | machine | {"steps": steps_json}))
    else:
        click.echo(report.table(results))
    if page is not None:
        page.write_text(report.page(results, title), encoding="utf-8")


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
    """Return one serialised BatchAlignRequest of so many pairs, in turn."""
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
    """Return how to encrypt; as of a client, a token is sent over TLS alone."""
    if ca_path is None and token_path is None:
        return None
    import ssl

    try:
        return ssl.create_default_context(cafile=ca_path)
    except ssl.SSLError as error:
        raise InputError(f"{ca_path} has no PEM certificates that can be read: {error}") from error
