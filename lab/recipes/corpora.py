"""Readers of the corpora: aligned pairs, pairs and questions that people judged, marked spans.

Corpora are named by their paths below the folder that holds them all.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from tokalign.errors import FormatError
from tokalign.formats import read_gold
from tokalign.types import GoldPair, Sentence, SentenceLike
from tokalign.types.relations import TokenChunk

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
OWN = Path(__file__).parents[2] / "corpus"
"""The project's own corpus."""
OWN_CLAIMS, OWN_PARAPHRASES = "tokalign-claims", "tokalign-paraphrases"
OWN_VERSIONS, OWN_QUESTIONS = "tokalign-versions", "tokalign-questions"
OWN_ENTAILMENT, OWN_TRANSLATIONS = "tokalign-entailment", "tokalign-translations"
OWN_MADE_VERSIONS = "tokalign-made-versions"
OWN_TASKS = {
    OWN_CLAIMS: ("train", ("claim", "topic", "frame")),
    OWN_PARAPHRASES: ("train", ("paraphrase", "simplification")),
    OWN_VERSIONS: ("train", ("versions",)),
    OWN_QUESTIONS: ("train", ("answer", "question")),
    OWN_ENTAILMENT: ("styles", ("entailment",)),
    OWN_TRANSLATIONS: ("styles", ("translations",)),
}
"""Its training pairs by part and task; each name stands for a corpus."""
PARAPHRASES = "paraphrase/pairs.tsv.gz"


def read_corpus(data: Path, corpus: str) -> list[GoldPair]:
    """Return the pairs of a corpus; those of Edinburgh++ with possible links as such.

    Raises
    ------
    FormatError
        If the two files of Edinburgh++ do not hold the same pairs.
    """
    if corpus in OWN_TASKS:
        part, tasks = OWN_TASKS[corpus]
        return [pair for pair, _ in own_pairs(part, tasks=tasks)]
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


class OwnPair(NamedTuple):
    """A pair of the project's own corpus: its links, and the object with its other marks."""

    gold: GoldPair
    marks: dict[str, Any]

    @property
    def topic(self) -> str:
        """The topic, which is whole in one part."""
        return f"{self.marks['genre']}/{self.marks['topic']}"

    @property
    def is_right_answer(self) -> bool:
        """Whether the target answers the source."""
        return bool(self.marks["task"] == "answer" and self.marks["verdict"] == "yes")

    @property
    def relations(self) -> dict[tuple[int, int], str]:
        """The kind of each link that does not say the same."""
        return {(i, j): kind for i, j, kind in self.marks["relations"]}


def own_marks(part: str = "train", folder: Path = OWN, *, with_ewt: bool = False) -> list[OwnPair]:
    """Return the pairs of a part of the project's own corpus.

    Those with sentences of EWT, which are under another licence, are left out unless `with_ewt`.
    """
    paths = [folder / f"{part}.jsonl", folder / f"ewt/{part}.jsonl"][: 1 + with_ewt]
    return [
        OwnPair(gold, json.loads(line))
        for path in paths
        for gold, line in zip(
            read_gold(path), path.read_text(encoding="utf-8").splitlines(), strict=True
        )
    ]


def own_pairs(
    part: str = "train", folder: Path = OWN, tasks: Container[str] | None = None
) -> list[tuple[GoldPair, str]]:
    """Return the pairs of own_marks with the topic of each, without those of other tasks than the
    named ones."""
    return [
        (pair.gold, pair.topic)
        for pair in own_marks(part, folder)
        if tasks is None or pair.marks["task"] in tasks
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


_SPAN_MARK = re.compile(r"\{\{|\}\}")


def read_spans(
    path: Path,
) -> Iterator[tuple[Sentence, Sentence, list[tuple[TokenChunk, TokenChunk]], list[bool]]]:
    """Yield the pairs of SSD (LREC 2026): sentences, pairs of spans, and which are similar."""
    from tokalign.english.annotate import load_annotator
    from tokalign.english.annotate.prepared import annotate

    annotator = load_annotator("native")
    for row in path.read_text(encoding="utf-8").splitlines()[1:]:
        columns = row.split("\t")
        if len(columns) < 3:
            continue
        sides = []
        for text in columns[:2]:
            plain, ranges = _unmarked(text)
            (sentence,) = annotate(annotator, [plain], trees=False, truncate=False)
            sides.append((sentence, [_tokens_of(sentence, each) for each in ranges]))
        labels = [each.strip() == "1" for each in columns[2].split(",")]
        units = list(zip(sides[0][1], sides[1][1], strict=False))
        chosen = [k for k, (one, other) in enumerate(units) if one and other and k < len(labels)]
        yield (
            sides[0][0],
            sides[1][0],
            [units[k] for k in chosen],
            [labels[k] for k in chosen],
        )


def _unmarked(text: str) -> tuple[str, list[tuple[int, int]]]:
    """Return a text without its braces, and the ranges of characters that they held."""
    parts = _SPAN_MARK.split(text)
    plain, ranges = "", []
    for number, part in enumerate(parts):
        if number % 2:
            ranges.append((len(plain), len(plain) + len(part)))
        plain += part
    return plain, ranges


def _tokens_of(sentence: Sentence, span: tuple[int, int]) -> TokenChunk:
    return tuple(
        k
        for k, (start, end) in enumerate(zip(sentence.starts, sentence.ends, strict=True))
        if start < span[1] and end > span[0]
    )
