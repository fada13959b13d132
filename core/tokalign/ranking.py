"""Ranking of candidate sentences by how well they align with a question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import InputError
from tokalign.types import Alignment, AlignOptions, SentenceLike


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its alignment, or why there is none.

    Attributes
    ----------
    index : int
        0-based position among the candidates.
    alignment : Alignment or None
        Of the candidate (source) with the question (target).
    error : InputError or None
        Present exactly when `alignment` is not.
    """

    index: int
    alignment: Alignment | None
    error: InputError | None = None


def rank(
    aligner: Aligner,
    question: SentenceLike,
    candidates: Iterable[SentenceLike],
    options: AlignOptions | None = None,
    *,
    top_k: int = 0,
    **changes: Any,
) -> list[Ranked]:
    """Return the candidates by falling alignment score with the question.

    Parameters
    ----------
    aligner : Aligner
    question : str, sequence of str, or Sentence
        Annotated once; a Sentence with all columns is taken as it is.
    candidates : iterable of the same
    options, **changes
        As of Aligner.align.
    top_k : int
        How many to return; 0 returns all.

    Returns
    -------
    list of Ranked
        Equal scores keep the given order; candidates that cannot be aligned come last.

    Raises
    ------
    InputError
        If the question cannot be used or `top_k` is negative.
    """
    if top_k < 0:
        raise InputError(f"top_k is {top_k}; wanted 0 (all) or more", field="top_k")
    (target,) = aligner.annotate([question])
    pairs = ((candidate, target) for candidate in candidates)
    ranked = [
        Ranked(index, None, outcome) if isinstance(outcome, InputError) else Ranked(index, outcome)
        for index, outcome in enumerate(aligner.pipe(pairs, options, errors="return", **changes))
    ]
    ranked.sort(key=lambda each: -each.alignment.score if each.alignment else 1.0)
    return ranked[: top_k or None]
