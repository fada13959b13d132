"""Measures figures, and writes those that something shows to lab/figures.json.

    python -m lab.measurements [--all | --only PREFIX...] [--data DIR] [--output FILE]

Without options it runs what takes seconds. Each figure is written with its unit, what it is, the
command, the date and the machine. Afterwards `make docs` puts them into the pages. A measurement
that fails leaves its old figures as they are, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.program import BUILD, ROOT, add_data
from lab.figures import FIGURES, keys_read
from lab.measurements import MEASUREMENTS
from lab.measurements.measurement import Measurement

ACCURACIES = {"percent", "points", "area", "links per 100 pairs", "mean average precision", "count"}
"""Units of figures that do not depend on how busy the machine is."""


class MeasuringError(Exception):
    """A command failed, or printed something else than its measurement says."""


def objects(output: str) -> list[dict[str, Any]]:
    """Return the JSON objects among the lines of an output."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def entries(measurement: Measurement, output: str) -> dict[str, dict[str, Any]]:
    """Return the entries of lab/figures.json that a command's output gives."""
    found = objects(output)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, CPython {platform.python_version()}"
    loaded = f"{machine}, load average {os.getloadavg()[0]:.1f}"
    written: dict[str, dict[str, Any]] = {}
    for row in measurement.rows:
        fitting = [item for item in found if row.fits(item)]
        if not fitting:
            wanted = f"{dict(row.where)} and {', '.join(row.values)}"
            raise MeasuringError(f"none of {len(found)} objects has {row.name!r}, {wanted}")
        for item in fitting:
            name = row.name_of(item)
            for last, value in row.values.items():
                key = ".".join(part for part in (measurement.name, name, last) if part)
                if key in written:
                    raise MeasuringError(f"two objects give {key}")
                number = value.find(item)
                assert number is not None
                written[key] = {
                    "value": value.rounded(number),
                    "unit": value.unit,
                    "what": "; ".join(filter(None, (measurement.what, name, value.what))),
                    "command": measurement.command,
                    "date": f"{datetime.now(UTC):%Y-%m-%d}",
                    "machine": machine if value.unit in ACCURACIES else loaded,
                }
    return written


def write(new: Mapping[str, Mapping[str, Any]], path: Path = FIGURES) -> None:
    """Put the entries that something shows into the file, one per line, sorted, or none of them."""
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    read = keys_read()
    lines = [
        f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}"
        for name, entry in sorted({**old, **new}.items())
        if name in read
    ]
    beside = path.with_suffix(".new")
    beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    beside.replace(path)


def measure(measurement: Measurement, data: Path) -> dict[str, dict[str, Any]]:
    """Run a measurement's command and return its entries."""
    folder = ROOT / measurement.environment / "bin"
    if not measurement.environment:
        folder = Path(sys.executable).parent
    if not folder.is_dir():
        raise MeasuringError(f"there is no {measurement.environment}; the Makefile makes it")
    done = subprocess.run(
        ["bash", "-c", f"set -eo pipefail; {measurement.command.replace('DATA/', f'{data}/')}"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "TOKALIGN_DATA": str(data),
        },
        check=False,
    )
    if done.returncode:
        raise MeasuringError(f"exit code {done.returncode} of {measurement.command}")
    return entries(measurement, done.stdout)


def main() -> int:
    """Measure what is asked for, and return the exit code."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--all", action="store_true", help="measure everything; takes hours")
    chosen.add_argument(
        "--only", nargs="+", default=[], metavar="PREFIX", help="measure what has such a name"
    )
    add_data(parser)
    parser.add_argument("--output", type=Path, default=FIGURES)
    arguments = parser.parse_args()
    wanted = [
        each
        for each in MEASUREMENTS
        if arguments.all
        or (each.name.startswith(tuple(arguments.only)) if arguments.only else each.is_quick)
    ]
    if not wanted:
        names = ", ".join(each.name for each in MEASUREMENTS)
        parser.error(f"nothing is called {arguments.only}...; there are {names}")
    BUILD.mkdir(exist_ok=True)
    failed = 0
    for measurement in wanted:
        print(f"{measurement.name}: {measurement.command}", flush=True)
        try:
            write(measure(measurement, arguments.data), arguments.output)
        except MeasuringError as error:
            failed += 1
            print(f"{measurement.name}: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
