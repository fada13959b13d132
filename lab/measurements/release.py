"""The frozen row of each model and rival on a test half, measured once for a release.

    make release-figures GOLD=PATH           (ARGS=--trial measures, and writes nothing)

Test halves are kept apart: nobody who changes a model looks at them. Whoever has one runs this once
for a release. lab/figures.json then has each row with the digest of the model, the version and the
date, and `make docs` puts them into README.md and docs/results.md. A row that the version already
has is not measured again, and gold that a model was trained on is refused.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tokalign.errors import AlignError, InputError
from tokalign.formats import read_gold
from tokalign.model import ModelHeader, load_model
from tokalign.model.file import sketch_of, trained_on
from tokalign.model.shipped import model_path
from tokalign.systems import SYSTEMS

from bench.program import RTE2, names
from lab.figures import FIGURES, RELEASE
from lab.measurements.__main__ import MeasuringError, measure, write
from lab.measurements.accuracy import FRACTIONS, NEURAL_MODELS
from lab.measurements.measurement import Measurement, Row

ROWS = ("lemma", "meteor", "sultan", "en-rte2", "en", "en-research", *NEURAL_MODELS)
STYLE = "strict"
"""Of models with styles, that of RTE2."""


def header_of(name: str) -> ModelHeader | None:
    """Return the header of a model; None of a system."""
    return None if name in SYSTEMS else load_model(model_path(name)).header


def row_of(name: str, gold: Path, version: str) -> Measurement:
    """Return the measurement of a row."""
    header = header_of(name)
    style = f"--style {STYLE} " if header and header.styles else ""
    which = f"{name} {header.version}, sha256 {header.digest[:16]}" if header else name
    return Measurement(
        f"{RELEASE}{name}",
        f"RTE2 test, sure links, {which}, tokalign {version}",
        f"python -m tokalign evaluate --gold DATA/{gold.name} --model {name} {style}--json",
        (Row("", {"model": name}, FRACTIONS),),
    )


def check(rows: Iterable[str], gold: Path, version: str, figures: Path) -> None:
    """Raise InputError where a row is frozen, or a model has seen the gold."""
    known: dict[str, Any] = json.loads(figures.read_text("utf-8")) if figures.exists() else {}
    pairs = read_gold(gold)
    if RTE2.exists() and not set(sketch_of(pairs)).isdisjoint(sketch_of(read_gold(RTE2))):
        raise InputError(f"{gold.name} has pairs of the development half; --trial measures it")
    for name in rows:
        entry = known.get(f"{RELEASE}{name}.f1", {"what": ""})
        if f"tokalign {version};" in entry["what"]:
            raise InputError(f"{name} has its row of {version}, of {entry['date']}; it is frozen")
        header = header_of(name)
        if header is not None and (seen := trained_on(header, pairs, gold.name)):
            raise InputError(
                f"{name} was trained on pairs of {gold.name} ({', '.join(seen)}): this is no test "
                "half; --trial measures it, and writes nothing"
            )


def main() -> int:
    """Measure the rows, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gold", type=Path, required=True, help="pairs of RTE2's test half")
    parser.add_argument("--rows", type=names, default=ROWS, help=", ".join(ROWS))
    parser.add_argument("--trial", action="store_true", help="any gold; write nothing")
    parser.add_argument("--output", type=Path, default=FIGURES)
    arguments = parser.parse_args()
    gold = arguments.gold.resolve()
    version = importlib.metadata.version("tokalign")
    try:
        if not arguments.rows:
            raise InputError("--rows names no row")
        if not arguments.trial:
            check(arguments.rows, gold, version, arguments.output)
        found: dict[str, dict[str, Any]] = {}
        for name in arguments.rows:
            new = measure(row_of(name, gold, version), gold.parent)
            print(*(f"{key} {entry['value']}" for key, entry in new.items()), sep="  ", flush=True)
            found |= new
    except (AlignError, MeasuringError, OSError) as error:
        print(f"release-figures: {error}", file=sys.stderr)
        return 1
    if not arguments.trial:
        write(found, arguments.output)  # all rows or none
    return 0


if __name__ == "__main__":
    sys.exit(main())
