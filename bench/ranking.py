"""Mean average precision and reciprocal rank of ranking answers by alignment score alone.

    python bench/ranking.py --questions FILE [--model en]

FILE is in the format of the TrecQA answer selection data (Wang, Smith and Mitamura 2007): blocks
<question>, <positive> and <negative>, whose first line holds tab-separated tokens. Questions
without both a right and a wrong candidate say nothing about a ranking and are left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tokalign.aligner import Aligner


@dataclass
class Question:
    """A question and its candidates, each with whether it answers the question."""

    tokens: list[str]
    candidates: list[tuple[list[str], bool]] = field(default_factory=list)


def read_questions(path: Path) -> Iterator[Question]:
    """Yield the questions of a file. Its text is not escaped, so it is read line by line."""
    question: Question | None = None
    kind = ""
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        if line in ("<question>", "<positive>", "<negative>"):
            kind = line[1:-1]
        elif kind:
            tokens = [token for token in line.split("\t") if token]
            if kind == "question":
                question = Question(tokens)
                yield question
            elif question is not None and tokens:
                question.candidates.append((tokens, kind == "positive"))
            kind = ""


def average_precision(relevant: list[bool]) -> float:
    """Return the mean, over the right candidates, of the precision down to their ranks."""
    precisions = [
        sum(relevant[: rank + 1]) / (rank + 1) for rank, right in enumerate(relevant) if right
    ]
    return sum(precisions) / len(precisions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--model", default="en")
    arguments = parser.parse_args()
    aligner = Aligner.load(arguments.model)
    precisions, reciprocals = [], []
    for question in list(read_questions(arguments.questions)):
        labels = [right for _, right in question.candidates]
        if all(labels) or not any(labels):
            continue
        pairs = ((tokens, question.tokens) for tokens, _ in question.candidates)
        scores = [alignment.score for alignment in aligner.pipe(pairs)]
        order = sorted(range(len(scores)), key=lambda k: -scores[k])
        ranked = [labels[k] for k in order]
        precisions.append(average_precision(ranked))
        reciprocals.append(1 / (1 + ranked.index(True)))
    figures = {
        "model": arguments.model,
        "questions": len(precisions),
        "mean_average_precision": round(sum(precisions) / len(precisions), 4),
        "mean_reciprocal_rank": round(sum(reciprocals) / len(reciprocals), 4),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
