"""Rewrites the golden files from the shipped default model.

python tests/golden/refresh.py        (then review the difference)
"""

from __future__ import annotations

import json
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.formats import read_gold
from tokalign.model.shipped import DEFAULT_MODEL
from tokalign.types.options import Symmetrization

FOLDER = Path(__file__).parent
DATA = FOLDER.parent / "data"


def alignments(aligner: Aligner) -> dict[str, list[str]]:
    """Return, by symmetrization, the Pharaoh line of every pair of the sample, read as raw text."""
    pairs = [(pair.source.text, pair.target.text) for pair in read_gold(DATA / "sample.jsonl")]
    return {
        symmetrization.value: [
            answer.to_pharaoh() for answer in aligner.pipe(pairs, symmetrization=symmetrization)
        ]
        for symmetrization in Symmetrization
    }


def ranks(aligner: Aligner) -> list[dict[str, object]]:
    """Return each ranking question's candidates, best first, with their scores to 3 digits."""
    lines = (DATA / "rank.jsonl").read_text(encoding="utf-8").splitlines()
    result: list[dict[str, object]] = []
    for row in map(json.loads, lines):
        ranking = aligner.rank(row["question"], row["candidates"])
        scores = {each.index: round(each.judgement.score, 3) for each in ranking if each.judgement}
        result.append(
            {
                "id": row["id"],
                "order": [each.index for each in ranking],
                "scores": [scores[k] for k in sorted(scores)],
            }
        )
    return result


def main() -> None:
    """Write one Pharaoh file for each symmetrization, the ranks, and the model they come from."""
    aligner = Aligner.load(DEFAULT_MODEL)
    for symmetrization, lines in alignments(aligner).items():
        (FOLDER / f"sample.{symmetrization}.pharaoh").write_text("\n".join(lines) + "\n")
    rows = "".join(json.dumps(row) + "\n" for row in ranks(aligner))
    (FOLDER / "rank.jsonl").write_text(rows)
    (FOLDER / "model.txt").write_text(f"{aligner.header.name} {aligner.header.version}\n")


if __name__ == "__main__":
    main()
