"""Links of a system in pairs of unrelated sentences.

Nobody aligns such pairs by hand, but links between unlike content words
(`tokalign.english.lexicon.likeness.unlike_cells`) are known to be wrong. People do link identical
words and names in them, so other links are not judged.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from tokalign.english.lexicon.likeness import is_content, unlike_cells
from tokalign.errors import InputError, ShapeError
from tokalign.evaluate.calibration import Judged
from tokalign.types import GoldPair, Sentence

THRESHOLDS = (0.0, 0.5, 0.8)
"""Confidences from which links are counted."""

Confidences = Sequence[Mapping[tuple[int, int], float]]


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

    def to_json(self) -> dict[str, object]:
        """Return plain values; the links of a kind by their smallest confidence."""
        value = asdict(self)
        value["links_per_100"] = {
            kind.value: dict(zip(map(str, THRESHOLDS), counts, strict=True))
            for kind, counts in self.links_per_100.items()
        }
        return value


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
