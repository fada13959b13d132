"""Writes what was measured into the headers of models, which their training could not yet know.

    python -m recipes.headers MODEL ...

Figures come from docs/figures.json; nothing else of a model changes but its digest.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from tokalign.model import load_model, save_model
from tokalign.shipped import model_path

from recipes.figures import read_figures
from recipes.models import MODELS
from recipes.neural.__main__ import FIGURES

KEYS = {name: recipe.figures for name, recipe in MODELS.items()} | FIGURES


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m recipes.headers", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("models", nargs="+", choices=sorted(KEYS), metavar="MODEL")
    for name in parser.parse_args().models:
        path = model_path(name)
        model = load_model(path)
        header = replace(model.header, figures=read_figures(KEYS[name]))
        save_model(replace(model, header=header), path)


if __name__ == "__main__":
    main()
