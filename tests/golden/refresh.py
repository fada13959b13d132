"""Rewrites the golden files from the shipped default model.

python tests/golden/refresh.py        (then review the difference)
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.formats import read_gold
from tokalign.model.shipped import DEFAULT_MODEL
from tokalign.types.options import Symmetrization

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parents[1]))  # of a script, only its own folder is there

from bench.server_process import running_server  # noqa: E402

DATA = FOLDER.parent / "data"
FROZEN = FOLDER.parent / "frozen"


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


def frozen_answers(address: str, *client: object) -> list[list[object]]:
    """Return what a server answers to a client of the frozen contract, by default Python's.

    Of ListModels only the names of fields, since each new model changes the rest.
    """
    command = client or (sys.executable, FROZEN / "client.py", address)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, timeout=120)
    *answers, models = json.loads(done.stdout)
    return [*answers, names_of(models)]


def names_of(value: object) -> object:
    """Return JSON with lists as their first item, and values as the names of their types."""
    if isinstance(value, dict):
        return {name: names_of(each) for name, each in sorted(value.items())}
    if isinstance(value, list):
        return [names_of(each) for each in value[:1]]
    return type(value).__name__


def rounded(value: object) -> object:
    """Return JSON with numbers of two decimals."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return round(value, 2) if isinstance(value, float) else value


def main() -> None:
    """Write one Pharaoh file for each symmetrization, the ranks, the answers to clients of the
    frozen contract, and the model they come from.
    """
    aligner = Aligner.load(DEFAULT_MODEL)
    for symmetrization, lines in alignments(aligner).items():
        (FOLDER / f"sample.{symmetrization}.pharaoh").write_text("\n".join(lines) + "\n")
    rows = "".join(json.dumps(row) + "\n" for row in ranks(aligner))
    (FOLDER / "rank.jsonl").write_text(rows)
    with running_server("--metrics-port", "-1", "--workers", "1") as server:
        answers = frozen_answers(server.address)
    lines = ",\n".join(json.dumps(rounded(each)) for each in answers)
    (FOLDER / "frozen.json").write_text(f"[\n{lines}\n]\n")
    (FOLDER / "model.txt").write_text(f"{aligner.header.name} {aligner.header.version}\n")


if __name__ == "__main__":
    main()
