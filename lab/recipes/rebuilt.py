"""Trains models again and compares them with those that ship.

    python -m lab.recipes.rebuilt --data DATA --output build/rebuilt MODEL ...

Headers have to be equal, and weights within TOLERANCE; on one machine they are equal to the digit.
Exits with 1 where a model differs. A model whose corpora are not there is skipped, and said to be.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tokalign.model import Model, load_model
from tokalign.model.shipped import model_path

from lab.recipes import models

TOLERANCE = 0.01
"""Of a weight, in nats. Other processors round sums differently, and L-BFGS carries that on."""


def missing(name: str, data: Path) -> list[Path]:
    """Return the corpora of a model that are not below a folder."""
    recipe = models.MODELS[name]
    return [data / each for each in recipe.corpora if not (data / each).exists()]


def difference(shipped: Model, rebuilt: Model) -> str:
    """Return how a model differs from the one that ships; empty if it does not."""
    if replace(shipped.header, digest="") != replace(rebuilt.header, digest=""):
        return f"the headers differ: {shipped.header} ships, {rebuilt.header} was rebuilt"
    if shipped.own or rebuilt.own:
        return "it has styles, whose weights are not compared here"
    for what, ours, theirs in (
        ("weights", shipped.weights, rebuilt.weights),
        ("transitions", shipped.transitions, rebuilt.transitions),
    ):
        most = float(np.abs(ours - theirs).max())
        if most > TOLERANCE:
            return f"the {what} differ by up to {most:.4f}; wanted at most {TOLERANCE}"
    return ""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.recipes.rebuilt", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--output", type=Path, required=True, help="folder of the rebuilt models")
    parser.add_argument("models", nargs="+", metavar="MODEL", choices=sorted(models.MODELS))
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    is_different = False
    for name in options.models:
        if absent := missing(name, options.data):
            print(f"{name}: skipped, since there is no {absent[0]}")
            continue
        models.main(["--data", str(options.data), "--output", str(options.output), name])
        path = options.output / f"{name}.tokalign"
        found = difference(load_model(model_path(name)), load_model(path))
        is_same_file = path.read_bytes() == model_path(name).read_bytes()
        print(f"{name}: {found or ('the same bytes' if is_same_file else 'within the tolerance')}")
        is_different |= bool(found)
    sys.exit(1 if is_different else 0)


if __name__ == "__main__":
    main()
