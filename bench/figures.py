"""Measures figures and writes them to docs/figures.json, from which the pages take them.

    python bench/figures.py [--all | --only PREFIX...] [--data DIR] [--output FILE]

Without options it runs what takes seconds; bench/measurements.py lists what there is. Each figure
is written with its unit, what it is, the command, the date and the machine. Afterwards `make docs`
puts them into the pages. A measurement that fails leaves its old figures as they are, and the exit
code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from measured.shapes import DIGITS, Measurement, Row, Value, key
from measurements import MEASUREMENTS

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "figures.json"
DATA = Path(os.environ.get("TOKALIGN_DATA", ROOT.parent / "shared" / "data"))
ACCURACIES = {"percent", "points", "links per 100 pairs", "mean average precision", "count"}
"""Units of figures that do not depend on how busy the machine is."""


class MeasuringError(Exception):
    """A command failed, or printed something else than its measurement says."""


def objects(output: str) -> list[dict[str, Any]]:
    """Return the JSON objects among the lines of an output."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def row_of(found: Sequence[dict[str, Any]], where: Mapping[str, object]) -> dict[str, Any]:
    """Return the one object that holds the given values."""
    rows = [
        each
        for each in found
        if all(name in each and each[name] == value for name, value in where.items())
    ]
    if len(rows) != 1:
        raise MeasuringError(f"{len(rows)} of {len(found)} objects have {dict(where)}; wanted one")
    return rows[0]


def rounded(value: float, unit: str) -> float | int:
    """Return a number with the digits that are kept of its unit.

    >>> rounded(90.26, "percent"), rounded(5387.4, "pairs per second"), rounded(1234, "count")
    (90.3, 5390, 1234)
    """
    if unit in DIGITS:
        return round(value, DIGITS[unit]) + 0.0  # no -0.0
    if unit == "count":
        return int(value)
    short = float(f"{value:.3g}")
    return int(short) if short >= 100 else short


def read(row: Mapping[str, Any], value: Value) -> float | int:
    """Return one figure of a JSON object."""
    found: Any = row
    for part in value.path:
        if not isinstance(found, Mapping) or part not in found:
            raise MeasuringError(f"no {' / '.join(value.path)} in the object with {sorted(row)}")
        found = found[part]
    return rounded(float(found) * value.times, value.unit)


def entries(measurement: Measurement, output: str) -> dict[str, dict[str, Any]]:
    """Return the entries of docs/figures.json that a command's output gives."""
    found = objects(output)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, CPython {platform.python_version()}"
    loaded = f"{machine}, load average {os.getloadavg()[0]:.1f}"
    written = {}
    for row in measurement.rows:
        shown = row_of(found, row.where)
        for name, value in row.values.items():
            written[key(measurement, row, name)] = {
                "value": read(shown, value),
                "unit": value.unit,
                "what": described(measurement, row, value),
                "command": measurement.command,
                "date": f"{datetime.now(UTC):%Y-%m-%d}",
                "machine": machine if value.unit in ACCURACIES else loaded,
            }
    return written


def described(measurement: Measurement, row: Row, value: Value) -> str:
    """Return what a figure is, in words."""
    return "; ".join(part for part in (measurement.what, row.name, value.what) if part)


def write(new: Mapping[str, Mapping[str, Any]], path: Path = FIGURES) -> None:
    """Put entries into the file, one per line, sorted; readers see all of the change or none."""
    old = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    lines = [
        f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}"
        for name, entry in sorted({**old, **new}.items())
    ]
    beside = path.with_suffix(".new")
    beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    beside.replace(path)


def measure(measurement: Measurement, data: Path) -> dict[str, dict[str, Any]]:
    """Run a measurement's command and return its entries."""
    folder = ROOT / measurement.environment / "bin"
    if not measurement.environment:
        folder = Path(sys.executable).parent
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
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--all", action="store_true", help="measure everything; takes hours")
    chosen.add_argument(
        "--only", nargs="+", default=[], metavar="PREFIX", help="measure what has such a name"
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the corpora")
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
    (ROOT / "build").mkdir(exist_ok=True)
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
