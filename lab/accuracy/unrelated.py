"""Links in pairs that are not parallel, and how far confidences can be believed.

Most of what users send has nothing to link; `python -m lab.recipes.unrelated` collects such pairs.
Prints a row for each model, style and kind of pair: links per 100 pairs between content words that
are unlike (tokalign.english.lexicon.likeness), of any confidence and of 0.8 and more, and the share
of content words that have a link. For styles whose corpus has a development set that no model was
trained on, one more row has the expected calibration error on it, alone and together with the
unlike links of unrelated pairs, of which all are wrong.
"""

from __future__ import annotations

import argparse
import enum
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tokalign.aligner import Aligner
from tokalign.english.lexicon.likeness import is_content, unlike_cells
from tokalign.errors import InputError, ShapeError
from tokalign.evaluate import LinkChoice
from tokalign.evaluate.metrics import Judged, judge, reliability
from tokalign.formats import read_gold
from tokalign.model.styles import AUTO
from tokalign.types import GoldPair, Sentence

from bench.program import BUILD, add_data, names, print_row

DEVELOPMENT = {
    "free": ("multimwa/mtref-dev.tsv", LinkChoice.SURE_AND_POSSIBLE),
    "edits": ("multimwa/wiki-dev.tsv", LinkChoice.SURE),
}
Confidences = Sequence[Mapping[tuple[int, int], float]]
THRESHOLDS = (0.0, 0.5, 0.8)
"""Confidences from which links are counted."""


class LinkKind(enum.StrEnum):
    """Kinds of links, by the words that they join."""

    UNLIKE = "unlike content words"
    ALIKE = "alike content words"
    MIXED = "content and other word"
    OTHER = "function words and marks"


@dataclass(frozen=True, slots=True)
class UnrelatedCounts:
    """Links of a system in unrelated pairs.

    Attributes
    ----------
    pairs : int
    content_linked : float
        Share of all content words that are linked, in [0, 1].
    links_per_100 : dict from LinkKind to tuple of float, length len(THRESHOLDS)
        Links per 100 pairs, of at least each confidence of THRESHOLDS.
    """

    pairs: int
    content_linked: float
    links_per_100: Mapping[LinkKind, tuple[float, ...]]


def count_unrelated(pairs: Sequence[GoldPair], confidences: Confidences) -> UnrelatedCounts:
    """Return the counts of a system's links in unrelated pairs.

    Parameters
    ----------
    pairs : sequence of GoldPair
        With tags and lemmas; their links are ignored.
    confidences : sequence of dict
        Confidence, in [0, 1], of each of the system's links in each pair.

    Raises
    ------
    ShapeError
        If there are not as many predictions as pairs.
    InputError
        If there are no pairs.
    """
    _check(pairs, confidences)
    counts = {kind: [0] * len(THRESHOLDS) for kind in LinkKind}
    n_content = n_linked = 0
    for pair, predicted in zip(pairs, confidences, strict=True):
        unlike = unlike_cells(pair.source, pair.target)
        source, target = _content(pair.source), _content(pair.target)
        for (i, j), confidence in predicted.items():
            kind = _kind(i in source, j in target, (i, j) in unlike)
            for k, threshold in enumerate(THRESHOLDS):
                counts[kind][k] += confidence >= threshold
        n_content += len(source) + len(target)
        n_linked += len(source & {i for i, _ in predicted}) + len(
            target & {j for _, j in predicted}
        )
    return UnrelatedCounts(
        pairs=len(pairs),
        content_linked=n_linked / n_content if n_content else 0.0,
        links_per_100={
            kind: tuple(100 * n / len(pairs) for n in each) for kind, each in counts.items()
        },
    )


def judge_unrelated(pairs: Sequence[GoldPair], confidences: Confidences) -> list[Judged]:
    """Return the confidences of wrong links in unrelated pairs, for the calibration.

    Parameters and errors are those of `count_unrelated`. Other links are not judged, and left out.
    """
    _check(pairs, confidences)
    return [
        (confidence, False)
        for pair, predicted in zip(pairs, confidences, strict=True)
        for unlike in [unlike_cells(pair.source, pair.target)]
        for link, confidence in predicted.items()
        if link in unlike
    ]


def _check(pairs: Sequence[GoldPair], confidences: Confidences) -> None:
    if len(pairs) != len(confidences):
        raise ShapeError(f"{len(confidences)} predictions for {len(pairs)} unrelated pairs")
    if not pairs:
        raise InputError("there are no unrelated pairs to look at")


def _content(sentence: Sentence) -> set[int]:
    return {k for k, token in enumerate(sentence.tokens) if is_content(token)}


def _kind(source_is_content: bool, target_is_content: bool, is_unlike: bool) -> LinkKind:
    if source_is_content and target_is_content:
        return LinkKind.UNLIKE if is_unlike else LinkKind.ALIKE
    return LinkKind.MIXED if source_is_content or target_is_content else LinkKind.OTHER


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_data(parser)
    parser.add_argument("--unrelated", type=Path, default=BUILD / "unrelated")
    parser.add_argument("--models", type=names, default=["en", "en-rte2"])
    parser.add_argument("--pairs", type=int, help="only the first so many of each kind")


def aligned(
    aligner: Aligner, style: str, gold: Sequence[GoldPair]
) -> tuple[list[GoldPair], Confidences]:
    """Return the pairs with the annotator's columns, and the confidence of each link found."""
    answers = list(aligner.pipe(((pair.source, pair.target) for pair in gold), style=style))
    annotated = [
        replace(pair, source=answer.source, target=answer.target)
        for pair, answer in zip(gold, answers, strict=True)
    ]
    return annotated, [
        {(link.source, link.target): link.confidence for link in answer.links} for answer in answers
    ]


def kind_rows(
    by_kind: Mapping[str, tuple[Sequence[GoldPair], Confidences]],
) -> Iterator[dict[str, object]]:
    """Yield the figures of each kind of pair."""
    for kind, found in by_kind.items():
        counts = count_unrelated(*found)
        unlike, _, confident = counts.links_per_100[LinkKind.UNLIKE]
        yield {
            "kind": kind,
            "pairs": counts.pairs,
            "unlike": unlike,
            "confident": confident,
            "linked": counts.content_linked,
        }


def calibration_row(
    aligner: Aligner, style: str, data: Path, unrelated: tuple[Sequence[GoldPair], Confidences]
) -> dict[str, object]:
    """Return the expected calibration error of a style on its development set."""
    path, choice = DEVELOPMENT[style]
    judged = judge(*aligned(aligner, style, read_gold(data / path)), choice)
    return {
        "kind": "calibration",
        "gold": Path(path).name,
        "expected_error": reliability(judged).expected_error,
        "expected_error_with_unrelated": reliability(
            [*judged, *judge_unrelated(*unrelated)]
        ).expected_error,
    }


def read_kinds(path: Path) -> dict[str, list[GoldPair]]:
    """Return the pairs of a file that lab.recipes.unrelated wrote, by kind."""
    by_kind = defaultdict(list)
    lines = path.read_text(encoding="utf-8").splitlines()
    for line, pair in zip(lines, read_gold(path), strict=True):
        by_kind[str(json.loads(line)["kind"])].append(pair)
    return by_kind


def run(arguments: argparse.Namespace) -> None:
    """Print rows for each model and style."""
    by_kind = read_kinds(arguments.unrelated / "dev.jsonl")
    for name in arguments.models:
        aligner = Aligner.load(name)
        styles = [each["name"] for each in aligner.header.styles]
        for style in [AUTO, *styles] if styles else [""]:
            who = {"model": aligner.header.name, "style": style}
            found = {
                kind: aligned(aligner, style, pairs[: arguments.pairs])
                for kind, pairs in by_kind.items()
            }
            for row in kind_rows(found):
                print_row({**who, **row})
            if style in DEVELOPMENT:
                row = calibration_row(aligner, style, arguments.data, found["unrelated"])
                print_row({**who, **row})
