"""Aligned corpora for training, by their paths below the folder of the corpora."""

from __future__ import annotations

import json
from collections.abc import Container
from dataclasses import replace
from pathlib import Path

from tokalign.errors import FormatError
from tokalign.formats import read_gold
from tokalign.types import GoldPair

RTE2 = "msr_rte2/RTE2_dev_M.align.txt"
EDINBURGH = "edinburgh/gold.train.sure+poss.json"
"""Says of all links that they are sure; which are, EDINBURGH_SURE says."""
EDINBURGH_SURE = "edinburgh/gold.train.sure.json"
MTREF = "multimwa/mtref-train.tsv"
MTREF_DEV = "multimwa/mtref-dev.tsv"
WIKI = "multimwa/wiki-train.tsv"
UNRELATED = "train.jsonl"
UNRELATED_DEV = "dev.jsonl"
"""Below the folder that lab.recipes.unrelated writes."""


def read_corpus(data: Path, corpus: str) -> list[GoldPair]:
    """Return the pairs of a corpus; those of Edinburgh++ with possible links as such.

    Raises
    ------
    FormatError
        If the two files of Edinburgh++ do not hold the same pairs.
    """
    pairs = read_gold(data / corpus)
    if corpus != EDINBURGH:
        return pairs
    sure = read_gold(data / EDINBURGH_SURE)
    if [(p.source, p.target) for p in pairs] != [(p.source, p.target) for p in sure]:
        raise FormatError(f"holds other pairs than {EDINBURGH_SURE}", path=data / corpus)
    return [
        replace(both, sure=one.sure, possible=both.sure - one.sure)
        for both, one in zip(pairs, sure, strict=True)
    ]


def read_unrelated(folder: Path, kinds: Container[str]) -> list[GoldPair]:
    """Return the development pairs of some kinds, as lab.recipes.unrelated names them."""
    path = folder / UNRELATED_DEV
    are_of_kind = [
        json.loads(line)["kind"] in kinds for line in path.read_text("utf-8").splitlines()
    ]
    return [
        pair for pair, is_of_kind in zip(read_gold(path), are_of_kind, strict=True) if is_of_kind
    ]
