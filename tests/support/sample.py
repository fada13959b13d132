"""Gold data for tests: the sample, which is always there, and corpora, which may not be."""

from __future__ import annotations

from pathlib import Path

import pytest
from tokalign.formats import read_gold
from tokalign.types import GoldPair

DATA = Path(__file__).parents[1] / "data"
PAIR_FILES = ("sample.jsonl", "pairs.jsonl")


def find(request: pytest.FixtureRequest, path: str) -> Path:
    """Return a file of the sample, or, where the path has a folder, of the corpora.

    The test is skipped where it asks for a corpus and there are none.
    """
    folder = "data_dir" if "/" in path else "sample_dir"
    return request.getfixturevalue(folder) / path


def sample_pairs() -> list[GoldPair]:
    """Return every pair of the sample."""
    return [pair for name in PAIR_FILES for pair in read_gold(DATA / name)]


def read_all(request: pytest.FixtureRequest, paths: str) -> list[GoldPair]:
    """Return the pairs of one or more files, whose names are separated by spaces."""
    return [pair for path in paths.split() for pair in read_gold(find(request, path))]


def kind_of(pair: GoldPair) -> str:
    """Return the kind of a pair of the sample: its id without the number."""
    return pair.id.rpartition("-")[0]
