"""PassAgreement of two passes of notes on the same pairs.

python -m lab.corpus.agreement FIRST SECOND
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lab.corpus.notes import NotedPair, read_notes


class PassAgreement(NamedTuple):
    """PassAgreement of two passes; F1 takes one for the gold of the other.

    Attributes
    ----------
    n_pairs : int
    sure_f1, links_f1 : float
        Of sure links, and of sure and possible ones, over all pairs.
    exact : float
        Share of pairs with the same sure links.
    relations, verdicts : float
        Cohen's kappa of the relation of links that both made, and of the verdicts of pairs.
    conflicts_f1 : float
        Of conflicts, by kind and pair.
    unsupported_f1 : float
        Of words without support, of claims.
    """

    n_pairs: int
    sure_f1: float
    links_f1: float
    exact: float
    relations: float
    verdicts: float
    conflicts_f1: float
    unsupported_f1: float


def agreement(first: Sequence[NotedPair], second: Sequence[NotedPair]) -> PassAgreement:
    """Return how far two passes agree; the pairs are the same and in one order."""
    both = list(zip(first, second, strict=True))
    for a, b in both:
        if (a.source.text, a.target.text) != (b.source.text, b.target.text):
            raise ValueError(f"{a.id}: the passes have unlike texts")
    relations = [
        (a.relations.get(link, "same"), b.relations.get(link, "same"))
        for a, b in both
        for link in a.sure & b.sure
        if a.source.tokens[link[0]].lower() != a.target.tokens[link[1]].lower()
    ]
    judged = [(a.verdict, b.verdict) for a, b in both if a.verdict]
    claims = [(a, b) for a, b in both if a.task == "claim"]
    return PassAgreement(
        n_pairs=len(both),
        sure_f1=_f1((a.sure, b.sure) for a, b in both),
        links_f1=_f1((a.sure | a.possible, b.sure | b.possible) for a, b in both),
        exact=sum(a.sure == b.sure for a, b in both) / len(both),
        relations=kappa(relations),
        verdicts=kappa(judged),
        conflicts_f1=_f1((_kinds(a), _kinds(b)) for a, b in both),
        unsupported_f1=_f1((a.unsupported, b.unsupported) for a, b in claims),
    )


def _kinds(pair: NotedPair) -> set[str]:
    return {each.kind for each in pair.conflicts}


def _f1(sets: object) -> float:
    n_both = n_all = 0
    for a, b in sets:  # type: ignore[attr-defined]
        n_both += len(a & b)
        n_all += len(a) + len(b)
    return 2 * n_both / n_all if n_all else 1.0


def kappa(labels: Sequence[tuple[str, str]]) -> float:
    """Return Cohen's kappa of pairs of labels; 1 if there are none.

    Examples
    --------
    >>> kappa([("yes", "yes"), ("no", "no"), ("yes", "no"), ("no", "no")])
    0.5
    """
    n = len(labels)
    if not n:
        return 1.0
    agreed = sum(a == b for a, b in labels) / n
    first, second = (Counter(each[k] for each in labels) for k in (0, 1))
    chance = sum(first[label] * second[label] for label in first) / n**2
    return 1.0 if chance == 1.0 else (agreed - chance) / (1 - chance)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m lab.corpus.agreement")
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    options = parser.parse_args()
    found = agreement(read_notes(options.first), read_notes(options.second))
    for name, value in found._asdict().items():
        print(f"{name:16} {value:.3f}" if isinstance(value, float) else f"{name:16} {value}")


if __name__ == "__main__":
    main()
