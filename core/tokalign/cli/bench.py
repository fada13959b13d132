"""``tokalign bench``: load a running server and report latency against throughput."""

from __future__ import annotations

import json
import os
import platform
from pathlib import Path
from typing import TextIO

import click

from tokalign.errors import InputError, ServerError, quoted


@click.command("bench")
@click.option("--server", required=True, metavar="HOST:PORT", help="A server without TLS.")
@click.option("--metrics", metavar="URL", help="Its /metrics, for queue and compute times.")
@click.option("--method", type=click.Choice(["align", "batch"]), default="align")
@click.option("--pairs", default=100, show_default=True, help="Pairs per call, for --method batch.")
@click.option("--input", "source", type=click.File(), help="source<TAB>target lines to send.")
@click.option("--in-flight", default="1,8,64", show_default=True, help="Closed loop steps.")
@click.option("--rate", default="", help="Open loop steps in calls per second, instead.")
@click.option("--connections", default=4, show_default=True)
@click.option("--duration", default=10.0, show_default=True, help="Seconds per window.")
@click.option(
    "--windows",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Most windows per step; the first stable one, else the last, is reported.",
)
@click.option("--warm-up", default=2.0, show_default=True, help="Seconds before each step.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
@click.option("--html", "page", type=click.Path(dir_okay=False, path_type=Path), help="Plot.")
def command(
    server: str,
    metrics: str | None,
    method: str,
    pairs: int,
    source: TextIO | None,
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
    from tokalign.load.generator import Generator

    steps = [measure.Step(rate=value) for value in _numbers(rate, "--rate")]
    steps = steps or [
        measure.Step(in_flight=int(value)) for value in _numbers(in_flight, "--in-flight")
    ]
    n_pairs = pairs if method == "batch" else 1
    results = []
    try:
        generator = Generator(
            server, measure.METHODS[method], _bodies(source, n_pairs), connections
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
        raise ServerError(f"{server}: {error}; is the server running, without TLS?") from error
    title = f"{method} at {server} ({platform.processor() or platform.machine()})"
    if as_json:
        steps_json = [result.to_json() for result in results]
        machine = {"machine": platform.platform(), "cpus": os.cpu_count()}
        what = {"method": method, "pairs_per_call": n_pairs, "window_s": duration}
        click.echo(json.dumps(what | machine | {"steps": steps_json}))
    else:
        click.echo(report.table(results))
    if page is not None:
        page.write_text(report.page(results, title))


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


def _bodies(source: TextIO | None, n_pairs: int) -> list[bytes]:
    """Return serialised requests; without input, over four built-in pairs."""
    from tokalign.v1 import align_pb2

    texts = list(_BUILT_IN)
    if source is not None:
        texts = []
        for number, line in enumerate(source, 1):
            left, tab, right = line.rstrip("\n").partition("\t")
            if not tab:
                raise InputError(f"line {number} has no tab; wanted source<TAB>target")
            texts.append((left, right))
    pairs = [
        align_pb2.Pair(source=align_pb2.Sentence(text=left), target=align_pb2.Sentence(text=right))
        for left, right in texts
    ]
    if not pairs:
        raise InputError("the input is empty; give at least one pair")
    if n_pairs == 1:
        return [align_pb2.AlignRequest(pair=pair).SerializeToString() for pair in pairs]
    repeated = [pairs[index % len(pairs)] for index in range(n_pairs)]
    return [align_pb2.BatchAlignRequest(pairs=repeated).SerializeToString()]
