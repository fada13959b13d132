"""Figures of models on a part of the project's own corpus, by genre and by task.

Prints for each model a row for each genre: F1 and exact match of links; of pairs of a question and
a right answer also how many links of content words were found, and how many of those made are
right; conflicts found, and told where there is none. A last row has rankings: how often a right
answer is above a wrong one of the same question, and the mean reciprocal rank of a question's best
right answer among the right answers to all questions of its genre.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from tokalign.aligner import Aligner
from tokalign.english.lexicon.likeness import is_content
from tokalign.types import Alignment, GoldPair

from bench.program import names, print_row
from lab.recipes.corpora import OwnPair, own_marks


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument("--models", type=names, default=["en"])
    parser.add_argument("--part", choices=("train", "dev", "test"), default="dev")


def content_links(pair: GoldPair, links: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the links between content words."""
    source, target = pair.source.tokens, pair.target.tokens
    return {(i, j) for i, j in links if is_content(source[i]) and is_content(target[j])}


def link_row(pairs: Sequence[OwnPair], found: Sequence[Alignment]) -> dict[str, Any]:
    """Return the figures of links and conflicts of some pairs."""
    n_right = n_made = n_gold = n_exact = 0
    content = [0, 0, 0]
    kinds = [0, 0, 0]
    n_none = n_false = 0
    for (gold, marks), alignment in zip(pairs, found, strict=True):
        links = {(link.source, link.target) for link in alignment.links}
        n_right += len(links & gold.sure)
        n_made += len(links - gold.possible)
        n_gold += len(gold.sure)
        n_exact += links - gold.possible == gold.sure
        if OwnPair(gold, marks).is_right_answer:
            made, wanted = content_links(gold, links), content_links(gold, set(gold.sure))
            content[0] += len(made & wanted)
            content[1] += len(wanted)
            content[2] += len(made - content_links(gold, set(gold.possible)))
        if marks["task"] in ("claim", "versions", "paraphrase", "simplification"):
            told, wanted_kinds = bool(alignment.conflicts), bool(marks["conflicts"])
            kinds[0] += told and wanted_kinds
            kinds[1] += wanted_kinds
            kinds[2] += told
            n_none += not wanted_kinds
            n_false += told and not wanted_kinds
    return {
        "pairs": len(pairs),
        "f1": 200 * n_right / max(n_made + n_gold, 1),
        "exact": 100 * n_exact / len(pairs),
        "answers_found": content[0] / max(content[1], 1),
        "answers_right": content[0] / max(content[2], 1),
        "conflicts_found": kinds[0] / max(kinds[1], 1),
        "conflicts_right": kinds[0] / max(kinds[2], 1),
        "conflicts_false": n_false / max(n_none, 1),
    }


def ranking_row(aligner: Aligner, pairs: Sequence[OwnPair]) -> dict[str, Any]:
    """Return the figures of rankings."""
    questions: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for gold, marks in pairs:
        if marks["task"] == "answer":
            candidates = questions[marks["genre"], gold.source.text]
            candidates[marks["verdict"]].append(gold.target.text)
    above = []
    reciprocal = []
    rights: dict[str, list[str]] = defaultdict(list)
    for (genre, _), own in questions.items():
        rights[genre] += own["yes"]
    for (genre, question), own in questions.items():
        texts = own["yes"] + own["no"]
        if own["yes"] and own["no"]:
            place = {each.index: k for k, each in enumerate(aligner.rank(question, texts))}
            n_yes = len(own["yes"])
            above += [place[i] < place[j] for i in range(n_yes) for j in range(n_yes, len(texts))]
        if own["yes"]:
            ranked = aligner.rank(question, rights[genre])
            best = next(
                k for k, each in enumerate(ranked, 1) if rights[genre][each.index] in own["yes"]
            )
            reciprocal.append(1 / best)
    return {
        "questions": len(questions),
        "above": sum(above) / max(len(above), 1),
        "mrr": sum(reciprocal) / max(len(reciprocal), 1),
    }


def rows(aligner: Aligner, pairs: Sequence[OwnPair]) -> Iterator[dict[str, Any]]:
    """Yield the figures of each genre, then those of all."""
    found = list(aligner.pipe((each.gold.source, each.gold.target) for each in pairs))
    genres = dict.fromkeys(each.marks["genre"] for each in pairs)
    for genre in [*genres, "all"]:
        own = [k for k, each in enumerate(pairs) if genre in (each.marks["genre"], "all")]
        yield {"genre": genre, **link_row([pairs[k] for k in own], [found[k] for k in own])}
    yield {"genre": "all", **ranking_row(aligner, pairs)}


def run(arguments: argparse.Namespace) -> None:
    """Print rows for each model."""
    pairs = own_marks(arguments.part, with_ewt=True)
    for name in arguments.models:
        for row in rows(Aligner.load(name), pairs):
            print_row({"model": name, "part": arguments.part, **row})
