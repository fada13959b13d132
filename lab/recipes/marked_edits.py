"""Pairs of sentences of revised papers with the edits that people marked: the corpus arXivEdits.

Jiang, Xu and Stevens (2022), EMNLP: arXivEdits: Understanding the Human Revision Process in
Scientific Writing. Of its three sets of edits the finest is read. What a sentence keeps, and words
that moved, are not marked; case that follows from a sentence's beginning neither.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Marked: TypeAlias = tuple[tuple[int, int] | None, tuple[int, int] | None]
"""Half-open ranges of source and target tokens; None where an edit has no token of a side."""


@dataclass(frozen=True, slots=True)
class MarkedPair:
    """A pair and its edits.

    Attributes
    ----------
    part : str
    paper : str
        Which it was taken from.
    source, target : list of str
        Tokens.
    edits : frozenset of Marked
    """

    part: str
    paper: str
    source: list[str]
    target: list[str]
    edits: frozenset[Marked]

    def tokens(self) -> tuple[set[int], set[int]]:
        """Return the source and the target tokens that are part of an edit."""
        source = {i for run, _ in self.edits if run for i in range(*run)}
        return source, {j for _, run in self.edits if run for j in range(*run)}


def read_marked(data: Path, part: str) -> list[MarkedPair]:
    """Return the pairs of a part, such as ``train``."""
    text = (data / "arxivedits" / f"{part}.json").read_text(encoding="utf-8")
    return [
        MarkedPair(
            part,
            pair["arxiv-id"],
            pair["sentence-1"].split(),
            pair["sentence-2"].split(),
            frozenset(map(_edit, pair["edits-combination-0"].values())),
        )
        for pair in json.loads(text).values()
    ]


def _edit(edit: Mapping[str, Any]) -> Marked:
    source, target = (edit[f"sentence-{side}-token-indices"] for side in (1, 2))
    return (source[0], source[1]) if source else None, (target[0], target[1]) if target else None


def score_edits(
    pairs: Sequence[MarkedPair], predicted: Sequence[Collection[Marked]]
) -> dict[str, float]:
    """Return precision, recall and F1 of exact edits, and the share of whole pairs, in [0, 1]."""
    found = [set(edits) for edits in predicted]
    n_right = sum(len(pair.edits & edits) for pair, edits in zip(pairs, found, strict=True))
    n_found, n_marked = sum(map(len, found)), sum(len(pair.edits) for pair in pairs)
    n_whole = sum(pair.edits == edits for pair, edits in zip(pairs, found, strict=True))
    return {
        "precision": n_right / max(n_found, 1),
        "recall": n_right / max(n_marked, 1),
        "f1": 2 * n_right / max(n_found + n_marked, 1),
        "whole_pairs": n_whole / len(pairs),
    }
