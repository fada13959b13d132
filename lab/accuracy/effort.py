"""F1 and exact match of the neural models by the share of pairs that their encoder reads.

Prints a row for each corpus, model and effort: F1, exact match, the share of pairs that the model's
own encoder read, and pairs for each second of a processor, annotation included; first a row of the
model that aligns the others. Each corpus is aligned in its style. The pairs are development parts
that no neural model was trained on: of MTRef, Wiki, and a fifth of RTE2. `en-research` has seen
that fifth, so take --first, a model `en-research` that has not (`lab.recipes.gates` trains it). The
second pass of `free` has learned from MTRef's part, so it is left out, and its style has FIRST_PASS
for thresholds.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.decoding import cascade
from tokalign.evaluate import evaluate
from tokalign.model import load_model, save_model
from tokalign.model.shipped import model_path
from tokalign.types import GoldPair

from bench.program import BUILD, DATA, names, print_row
from lab.recipes.gates import PARTS, part
from lab.recipes.refit import MODELS, without_second_pass
from lab.recipes.second_pass import STYLE
from lab.recipes.settings import RESEARCH_STYLES

EFFORTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
SEEN = "strict"
"""The style whose part `en-research` has seen."""
FIRST_PASS = 0.5, 0.3
"""Between those that the halves of MTRef's part choose for either model without a second pass."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--models", type=names, default=list(MODELS.values()))
    parser.add_argument(
        "--first", type=Path, default=BUILD / "en-first.tokalign", help="en that has not seen RTE2"
    )


def run(arguments: argparse.Namespace) -> None:
    """Print rows for each corpus."""
    shipped = dict(cascade.FIRST)
    names = {load_model(model_path(name)).header.encoder: name for name in arguments.models}
    with tempfile.TemporaryDirectory() as folder:
        for style in PARTS:
            pairs = part(DATA, style)
            plain = {
                name: _without_second_pass(name, Path(folder)) if style == STYLE else name
                for name in MODELS.values()
            }
            unseen = {"en-research": str(arguments.first)} if style == SEEN else {}
            cascade.FIRST.update({k: {**plain, **unseen}.get(v, v) for k, v in shipped.items()})
            for first in dict.fromkeys(map(_without_encoder, names)):
                print_row(_figures(Aligner.load(first), pairs, style, 1.0))
            for name in arguments.models:
                aligner = Aligner.load(plain.get(name, name))
                for effort in EFFORTS:
                    print_row(_figures(aligner, pairs, style, effort))
        cascade.FIRST.update(shipped)


def _without_encoder(encoder: str) -> str:
    """Return the model that aligns before all encoders."""
    first = cascade.FIRST[encoder]
    before = load_model(model_path(first)).header.encoder
    return _without_encoder(before) if before else first


def _without_second_pass(name: str, folder: Path) -> str:
    """Write a model whose chains alone decide, and return its path."""
    path = folder / f"{name}.tokalign"
    if not path.exists():
        model = without_second_pass(load_model(model_path(name)))
        for style in model.header.styles:
            if style["name"] == STYLE:
                style["threshold"], style["beside"] = FIRST_PASS
        save_model(model, path)
    return str(path)


def _figures(
    aligner: Aligner, pairs: list[GoldPair], style: str, effort: float
) -> dict[str, object]:
    """Return the row of a model at an effort."""
    texts = [(pair.source.tokens, pair.target.tokens) for pair in pairs]
    aligner.align(*texts[0], style=style, effort=effort)  # what is loaded late is loaded
    began = time.process_time()
    found = list(aligner.pipe(texts, style=style, effort=effort))
    seconds = time.process_time() - began
    links = [frozenset((link.source, link.target) for link in each.links) for each in found]
    scores = evaluate(pairs, links, choice=RESEARCH_STYLES[style].choice, n_samples=1).scores
    return {
        "corpus": Path(PARTS[style]).name,
        "style": style,
        "model": aligner.header.name,
        "effort": effort,
        "pairs": len(pairs),
        "f1": scores.f1,
        "exact_match": scores.exact_match,
        "read": sum(bool(each.encoded) for each in found) / len(found),
        "pairs_per_s": len(found) / seconds,
    }
