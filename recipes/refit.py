"""Thresholds and maps of a neural model's styles, fitted on development pairs.

    python -m recipes.refit --data DATA --unrelated build/unrelated MODEL ...

Cross-validation of an encoder asks for encoders that have not seen a half of the corpora, and they
stand in for one that has seen all. The development halves of MultiMWA show two styles, and neither
encoder nor CRF has seen them. Their numbers are fitted on these; what is printed of each pair was
fitted on the other half of them. The choice of a style, which reads the text alone, is that of the
model `en`. The shipped models are rewritten in place.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tokalign.annotate import load_annotator
from tokalign.features.table import FeatureTable
from tokalign.formats import read_gold
from tokalign.model import Model, load_model, save_model
from tokalign.model.shipped import model_path
from tokalign.model.styles import StyleHeader
from tokalign.neural.encoder import Encoder
from tokalign.training.examples import annotate_gold

from recipes.held_out import HeldOutPair, Reader
from recipes.styles import figures_of, fit

DEVELOPMENT = {"free": "multimwa/mtref-dev.tsv", "edits": "multimwa/wiki-dev.tsv"}
"""Style -> the corpus that it is fitted on, below the folder of the corpora."""
UNRELATED = "dev.jsonl"
"""Below the folder that recipes.unrelated writes."""
KINDS = ("unrelated", "mined")


def development_pairs(model: Model, data: Path, unrelated: Path) -> list[HeldOutPair]:
    """Return what a model says of development pairs, which belong to two folds by turns."""
    lines = (unrelated / UNRELATED).read_text("utf-8").splitlines()
    of_kind = {each["id"] for each in map(json.loads, lines) if each["kind"] in KINDS}
    corpora = {style: read_gold(data / path) for style, path in DEVELOPMENT.items()}
    corpora[""] = [pair for pair in read_gold(unrelated / UNRELATED) if pair.id in of_kind]
    groups = (name for name in model.header.feature_groups if name != "neural")
    reader = Reader(
        FeatureTable(tuple(groups)), tuple(style["name"] for style in model.header.styles)
    )
    reader.use(model)
    encoder, annotator = Encoder.open_shipped(model.header.encoder), load_annotator("native")
    found = []
    for style, pairs in corpora.items():
        annotated = annotate_gold(pairs, annotator, trees=model.header.uses_trees)
        for k, (pair, sides) in enumerate(zip(pairs, annotated, strict=True)):
            (encoded,) = encoder.encode([sides])
            whole = replace(pair, source=sides[0], target=sides[1])
            found.append(reader.read(whole, style, k % 2, encoded))
    return found


def refitted(model: Model, pairs: list[HeldOutPair], choosing: Model) -> Model:
    """Return a model whose styles are fitted on development pairs where these show them.

    Parameters
    ----------
    model : Model
    pairs : list of HeldOutPair
    choosing : Model
        Whose choice of a style it gets.
    """
    styles: list[StyleHeader] = []
    for style, known in zip(model.header.styles, choosing.header.styles, strict=True):
        name = style["name"]
        assert name == known["name"], (name, known["name"])
        fitted = fit(name, pairs) if name in DEVELOPMENT else style
        styles.append({**fitted, "choice": known["choice"], "related": known["related"]})
    return replace(model, header=replace(model.header, styles=tuple(styles)))


def judge(pairs: list[HeldOutPair]) -> Iterator[dict[str, object]]:
    """Yield the figures of each style; every half is judged by what was fitted on the other."""
    for name in DEVELOPMENT:
        decided = []
        for fold in (0, 1):
            style = fit(name, [pair for pair in pairs if pair.fold != fold])
            decided += [
                (pair, style) for pair in pairs if pair.fold == fold and pair.style in ("", name)
            ]
        yield {"style": name, **figures_of(decided)}


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--unrelated", type=Path, required=True, help="of recipes.unrelated")
    parser.add_argument("models", nargs="+", metavar="MODEL", help="shipped models with styles")
    arguments = parser.parse_args()
    for name in arguments.models:
        model = load_model(model_path(name))
        pairs = development_pairs(model, arguments.data, arguments.unrelated)
        for row in judge(pairs):
            print(json.dumps({"model": name, **row}), flush=True)
        save_model(refitted(model, pairs, load_model(model_path("en"))), model_path(name))


if __name__ == "__main__":
    main()
