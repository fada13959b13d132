"""Pairs of several corpora for benchmarks, each once and in random order, as fresh text is.

An aligner that remembers words and pairs of words meets others in such text than in one corpus that
is aligned again and again. The corpora are in the folder that TOKALIGN_DATA names.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.errors import ResourceError
from tokalign.formats import read_gold

from bench.pairs import Tokens

GOLD = (
    "multimwa/mtref-dev.tsv",
    "multimwa/wiki-dev.tsv",
    "msr_rte2/RTE2_dev_M.align.txt",
)
"""Aligned pairs."""
TEXT = (
    "similarity/sts2012.MSRpar.test.tsv",
    "similarity/sts2012.SMTeuroparl.test.tsv",
    "similarity/sick.train.tsv",
)
"""Tables whose second and third columns are sentences."""
OF_EACH = 500


def fresh_pairs(folder: Path) -> list[tuple[Tokens, Tokens]]:
    """Return at most OF_EACH pairs of each corpus, shuffled, the same ones each time.

    Parameters
    ----------
    folder : Path
        Of the corpora.

    Raises
    ------
    ResourceError
        If one of them is not there; the message says which.
    """
    missing = [name for name in (*GOLD, *TEXT) if not (folder / name).exists()]
    if missing:
        raise ResourceError(f"{folder} has no {', '.join(missing)}; TOKALIGN_DATA names the folder")
    drawn = random.Random(1)
    found = []
    for name in (*GOLD, *TEXT):
        pairs = list((_of_gold if name in GOLD else _of_text)(folder / name))
        found += drawn.sample(pairs, min(OF_EACH, len(pairs)))
    drawn.shuffle(found)
    texts = Aligner.load("en").annotate([side for pair in found for side in pair])
    tokens = [list(each.tokens) for each in texts]
    return list(zip(tokens[::2], tokens[1::2], strict=True))


def _of_gold(path: Path) -> Iterator[tuple[str, str]]:
    for pair in read_gold(path):
        yield " ".join(pair.source.tokens), " ".join(pair.target.tokens)


def _of_text(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        columns = line.split("\t")
        if all(map(str.strip, columns[1:3])):
            yield columns[1], columns[2]
