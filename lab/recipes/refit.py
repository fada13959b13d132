"""Second passes, thresholds and maps of the neural models' styles, fitted on development pairs.

    python -m lab.recipes.refit --data DATA --unrelated build/unrelated \
        --output core/tokalign/data/second-pass.table.xz [--only-judge]

Cross-validation of an encoder asks for encoders that have not seen a half of the corpora, and they
stand in for one that has seen all. The development halves of MultiMWA show two styles, and neither
encoder nor CRF has seen them. Their numbers are fitted on these; what is printed of each pair was
fitted on the other half of them. The second pass of `free` is learned there as well, over cells and
over groups of them, and what its style is fitted on, and what is printed, is by trees that have not
seen the pair (`second_pass` and `group_choice`). The choice of a style, which reads the text alone,
is that of `en-research`. The shipped models are rewritten in place, with
`--only-judge` nothing is.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tokalign.decoding.link_decision import CELL_INPUTS, GROUP_INPUTS, GROUPS, SECOND_PASS
from tokalign.english.annotate import load_annotator
from tokalign.features.feature_groups import FeatureTable
from tokalign.files.tables import write_table
from tokalign.formats import read_gold
from tokalign.model import Model, load_model, save_model
from tokalign.model.shipped import model_path
from tokalign.model.styles import StyleHeader
from tokalign.model.training.examples import annotate_gold
from tokalign.neural.encoder import Encoder
from tokalign.types.options import AlignOptions

from lab.kernels.doors import cell_inputs_of
from lab.recipes import group_choice, second_pass
from lab.recipes.corpora import MTREF_DEV, read_unrelated
from lab.recipes.forests import forest_arrays
from lab.recipes.held_out import HeldOutPair, Reader
from lab.recipes.second_pass import LikelyCells, cross_fitted
from lab.recipes.settings import LICENSE, RESEARCH_STYLES
from lab.recipes.styles import figures_of, fit

DEVELOPMENT = {"free": MTREF_DEV, "edits": "multimwa/wiki-dev.tsv"}
"""Style -> the corpus that it is fitted on, below the folder of the corpora."""
KINDS = ("unrelated", "mined")
MODELS = {"encoder-en": "en-neural", "encoder-en-large": "en-neural-large"}
"""Encoder -> the model whose numbers are fitted."""


def development_pairs(
    model: Model, data: Path, unrelated: Path
) -> tuple[list[HeldOutPair], list[LikelyCells]]:
    """Return what a model says of development pairs without its second pass, and the likely cells
    that this would decide on; the pairs belong to two folds by turns."""
    corpora = {style: read_gold(data / path) for style, path in DEVELOPMENT.items()}
    corpora[""] = read_unrelated(unrelated, KINDS)
    groups = (name for name in model.header.feature_groups if name != "neural")
    reader = Reader(
        FeatureTable(tuple(groups)), tuple(style["name"] for style in model.header.styles)
    )
    reader.use(model)
    options = AlignOptions(style=second_pass.STYLE)
    encoder, annotator = Encoder.open_shipped(model.header.encoder), load_annotator("native")
    found, cells = [], []
    for style, pairs in corpora.items():
        annotated = annotate_gold(pairs, annotator, trees=model.header.uses_trees)
        for k, (pair, sides) in enumerate(zip(pairs, annotated, strict=True)):
            (encoded,) = encoder.encode([sides])
            whole = replace(pair, source=sides[0], target=sides[1])
            found.append(reader.read(whole, style, k % 2, encoded))
            cells.append(reader.backend.ask((sides, encoded), options, cell_inputs_of))
    return found, cells


def without_second_pass(model: Model) -> Model:
    """Return a model whose chains alone decide."""
    styles = [style.copy() for style in model.header.styles]
    for style in styles:
        style.pop("second_pass", None)
    return replace(model, header=replace(model.header, styles=tuple(styles)))


def refitted(model: Model, pairs: list[HeldOutPair], choosing: Model) -> Model:
    """Return a model whose styles are fitted on development pairs where these show them.

    Parameters
    ----------
    model : Model
    pairs : list of HeldOutPair
        Revised by second passes that have not seen them.
    choosing : Model
        Whose choice of a style it gets.
    """
    styles: list[StyleHeader] = []
    for style, known in zip(model.header.styles, choosing.header.styles, strict=True):
        name = style["name"]
        assert name == known["name"], (name, known["name"])
        fitted = (
            fit(name, RESEARCH_STYLES[name], pairs, thresholds_of(name, pairs))
            if name in DEVELOPMENT
            else style
        )
        if name == second_pass.STYLE:
            fitted = {**fitted, "second_pass": True}
        styles.append({**fitted, "choice": known["choice"]})
    return replace(model, header=replace(model.header, styles=tuple(styles)))


def thresholds_of(name: str, pairs: list[HeldOutPair]) -> tuple[float, float] | None:
    """Return the thresholds of a style where those of the choice on groups are its own."""
    is_chosen = any(name in pair.links for pair in pairs)
    return (group_choice.THRESHOLD, group_choice.THRESHOLD) if is_chosen else None


def judge(pairs: list[HeldOutPair]) -> Iterator[dict[str, object]]:
    """Yield the figures of each style; every half is judged by what was fitted on the other."""
    for name in DEVELOPMENT:
        decided = []
        for fold in (0, 1):
            rest = [pair for pair in pairs if pair.fold != fold]
            style = fit(name, RESEARCH_STYLES[name], rest, thresholds_of(name, pairs))
            decided += [
                (pair, style) for pair in pairs if pair.fold == fold and pair.style in ("", name)
            ]
        yield {"style": name, **figures_of(decided, RESEARCH_STYLES)}


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--unrelated", type=Path, required=True, help="of lab.recipes.unrelated")
    parser.add_argument("--output", type=Path, required=True, help="table of the second passes")
    parser.add_argument("--only-judge", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    arrays: dict[str, Any] = {"inputs": [*CELL_INPUTS], "group_inputs": [*GROUP_INPUTS]}
    fitted = {}
    for encoder, name in MODELS.items():
        model = without_second_pass(load_model(model_path(name)))
        pairs, cells = development_pairs(model, arguments.data, arguments.unrelated)
        revised = cross_fitted(pairs, cells, second_pass.learned, second_pass.revised)
        groups = [group_choice.groups_of(pair) for pair in revised]
        chosen = cross_fitted(revised, groups, group_choice.learned, group_choice.chosen)
        for label, some in {"none": pairs, "cells": revised, "groups": chosen}.items():
            for row in judge(some):
                print(json.dumps({"model": name, "second_pass": label, **row}), flush=True)
        fitted[name] = refitted(model, chosen, load_model(model_path("en-research")))
        arrays |= forest_arrays(encoder, second_pass.learned(pairs, cells))
        arrays |= forest_arrays(f"{encoder}{GROUPS}", group_choice.learned(revised, groups))
    if arguments.only_judge:
        return
    write_table(
        arguments.output,
        arrays,
        name=SECOND_PASS,
        version="1.0.0",
        license=LICENSE,
        source="what en-neural and en-neural-large say of MultiMWA MTRef's development pairs, and "
        "the links of these",
    )
    for name, model in fitted.items():
        save_model(model, model_path(name))


if __name__ == "__main__":
    main()
