"""The choice of a style of `en-neural-open`, fitted on what it says of the pairs of `en`.

    python -m lab.recipes.neural.open_choice --data DATA

Unlike the choice of `en`, it knows where the encoder gains most. The encoder has seen these pairs,
but not their short pieces; on development pairs it chooses better than `en` (lab/experiments.md).
The shipped model is rewritten in place; `lab.recipes.neural` does the same for a new one.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tokalign.english.annotate import load_annotator
from tokalign.features.feature_groups import FeatureTable
from tokalign.model import Model, load_model, save_model
from tokalign.model.shipped import model_path
from tokalign.model.training import TrainingData
from tokalign.model.training.examples import annotate_gold
from tokalign.neural.encoder import Encoder
from tokalign.types import GoldPair

from lab.recipes.choice import fit_choice
from lab.recipes.held_out import SEED, HeldOutPair, Reader, piece_of
from lab.recipes.models import MODELS
from lab.recipes.rewritten import origin_of

NAME = "en-neural-open"
AT_ONCE = 64
"""Pairs that the encoder reads together."""


def with_own_choice(model: Model, encoder: Encoder, data: TrainingData) -> Model:
    """Return the model with a choice fitted on what it says of some pairs and pieces of them.

    Parameters
    ----------
    model : Model
        With the styles of `en`.
    encoder : Encoder
        That of the model.
    data : TrainingData
        The training examples of `en`.
    """
    recipe = MODELS["en"]
    style_of = {
        Path(corpus).name: style for style, each in recipe.styles.items() for corpus in each.corpora
    }
    groups = (name for name in model.header.feature_groups if name != "neural")
    reader = Reader(FeatureTable(tuple(groups)), tuple(recipe.styles))
    reader.use(model)
    rng = random.Random(SEED)
    data = data.in_reading_order()
    seen: list[HeldOutPair] = []
    for corpus, pairs in [*data.corpora.items(), ("", data.unrelated)]:
        wholes = _annotated([pair for pair in pairs if origin_of(pair.id) == pair.id])
        pieces = [piece.in_reading_order() for pair in wholes if (piece := piece_of(pair, rng))]
        for some, are_pieces in ((wholes, False), (pieces, True)):
            for start in range(0, len(some), AT_ONCE):
                chunk = some[start : start + AT_ONCE]
                scores = encoder.encode([(pair.source, pair.target) for pair in chunk])
                seen += [
                    replace(
                        reader.read(pair, style_of.get(corpus, ""), 0, encoded),
                        is_piece=are_pieces,
                    )
                    for pair, encoded in zip(chunk, scores, strict=True)
                ]
    styles = fit_choice(seen, model.header.styles, recipe.styles, recipe.wrong)
    return replace(model, header=replace(model.header, styles=styles))


def _annotated(pairs: Sequence[GoldPair]) -> list[GoldPair]:
    sides = annotate_gold(pairs, load_annotator("native"), trees=False)
    return [
        replace(pair, source=source, target=target)
        for pair, (source, target) in zip(pairs, sides, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.recipes.neural.open_choice", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument(
        "--unrelated", type=Path, default=Path("build/unrelated"), help="of lab.recipes.unrelated"
    )
    arguments = parser.parse_args()
    path = model_path(NAME)
    model = load_model(path)
    examples = MODELS["en"].examples(arguments.data, arguments.unrelated)
    encoder = Encoder.open_shipped(model.header.encoder)
    save_model(with_own_choice(model, encoder, examples), path)


if __name__ == "__main__":
    main()
