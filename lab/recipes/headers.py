"""Figures measured after the training, written into the headers of shipped models.

    python -m lab.recipes.headers MODEL ...

Figures come from lab/figures.json; nothing else of a model changes but its digest.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from tokalign.model import load_model, save_model
from tokalign.model.shipped import model_path

from lab.figures import KEYS, read_figures


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.recipes.headers", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("models", nargs="+", choices=sorted(KEYS), metavar="MODEL")
    for name in parser.parse_args().models:
        path = model_path(name)
        model = load_model(path)
        header = replace(model.header, figures=read_figures(KEYS[name]))
        save_model(replace(model, header=header), path)


if __name__ == "__main__":
    main()
