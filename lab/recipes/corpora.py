"""Readers of the corpora of sentence pairs and questions that tasks are measured on."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tokalign.errors import FormatError
from tokalign.types import SentenceLike

PARAPHRASES = "paraphrase/pairs.tsv.gz"
"""Below the folder of the corpora."""


@dataclass
class Question:
    """A question and its candidates, each with whether it answers the question."""

    tokens: list[str]
    candidates: list[tuple[list[str], bool]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two sentences and what people said of them.

    Attributes
    ----------
    source, target : SentenceLike
    gold : float
        1 for a paraphrase and 0 for none, or a similarity of 0 to 5.
    """

    source: SentenceLike
    target: SentenceLike
    gold: float


def read_questions(path: Path) -> Iterator[Question]:
    """Yield the questions of a file of TrecQA (Wang, Smith and Mitamura 2007).

    Blocks <question>, <positive> and <negative>, whose first line holds tab-separated tokens. The
    text is not escaped, so it is read line by line.
    """
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


def read_msrp(path: Path) -> Iterator[JudgedPair]:
    """Yield the pairs of a parsed file of MSRP (Dolan, Quirk and Brockett 2004), as tokens.

    Tab-separated: n, then five columns of n fields (tokens first), two more fields, the same of
    the second sentence, and 1 for a paraphrase or 0.

    Raises
    ------
    FormatError
        If a line holds another number of fields.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        fields = line.split("\t")
        n_source = int(fields[0])
        second = 1 + 5 * n_source + 2
        n_target = int(fields[second])
        wanted = second + 1 + 5 * n_target + 2 + 1
        if len(fields) != wanted:
            raise FormatError(f"{len(fields)} fields; wanted {wanted}", path=path, line=number)
        yield JudgedPair(
            fields[1 : 1 + n_source],
            fields[second + 1 : second + 1 + n_target],
            float(fields[-1]),
        )


def read_sts(path: Path) -> Iterator[JudgedPair]:
    """Yield the pairs of a file of STS 2012 (Agirre et al. 2012) that were judged."""
    for line in path.read_text(encoding="utf-8").splitlines():
        gold, source, target, *_ = (field.strip() for field in line.split("\t"))
        if gold:
            yield JudgedPair(source, target, float(gold))


def read_paraphrases(data: Path) -> Iterator[tuple[str, str, str]]:
    """Yield id and texts of the pairs without links that mean much the same; `data` is the folder
    of the corpora. The first word of an id, before a hyphen, says which corpus a pair is of."""
    with gzip.open(data / PARAPHRASES, "rt", encoding="utf-8", newline="") as file:
        rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        yield from ((name, source, target) for name, source, target in rows)
