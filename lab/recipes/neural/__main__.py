"""Train the neural models and their encoders.

    python -m lab.recipes.neural --data DIR --unrelated DIR --work DIR --output DIR [MODEL ...]

`lab.recipes.neural.models` says how.
"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from tokalign.model import save_model

from lab.recipes.neural.encoders import Encoders
from lab.recipes.neural.models import MODELS, encoder_name, write_renamed


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.recipes.neural", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument(
        "--unrelated", type=Path, default=Path("build/unrelated"), help="of lab.recipes.unrelated"
    )
    parser.add_argument("--work", type=Path, required=True, help="folder of the encoders")
    parser.add_argument("--output", type=Path, required=True, help="folder of the models")
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    arguments = parser.parse_args()
    unknown = set(arguments.models) - MODELS.keys()
    if unknown:
        parser.error(f"no model {sorted(unknown)}; choose out of {', '.join(MODELS)}")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    for name in arguments.models or MODELS:
        train_model, base = MODELS[name]
        encoders = Encoders(arguments.data, arguments.work, arguments.unrelated, base)
        model, encoder = train_model(encoders, name)
        save_model(model, arguments.output / f"{name}.tokalign")
        for suffix in (".table", ".table.xz"):
            path = arguments.output / f"{encoder_name(name)}{suffix}"
            write_renamed(encoder, encoder_name(name), path)


if __name__ == "__main__":
    main()
