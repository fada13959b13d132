"""Ranking of candidate sentences by how well they answer a question, or align with a sentence."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tokalign.aligner import Aligner
from tokalign.errors import InputError
from tokalign.outcomes import unwrap
from tokalign.types import Alignment, AlignOptions, Judgement, RankBy, SentenceLike

BATCH_SIZE = 64


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its alignment, or why there is none.

    Attributes
    ----------
    index : int
        0-based position among the candidates.
    alignment : Alignment or None
        Of the candidate (source) with the question (target).
    judgement : Judgement or None
        What it is ranked by, and why; present exactly when `alignment` is.
    error : InputError or None
        Present exactly when `alignment` is not.
    """

    index: int
    alignment: Alignment | None
    judgement: Judgement | None
    error: InputError | None = None


def rank(
    aligner: Aligner,
    question: SentenceLike,
    candidates: Iterable[SentenceLike],
    options: AlignOptions | None = None,
    *,
    by: RankBy | str = RankBy.AUTO,
    top_k: int = 0,
    **changes: Any,
) -> list[Ranked]:
    """Return the candidates, those that answer best first.

    Parameters
    ----------
    aligner : Aligner
    question : str, sequence of str, or Sentence
        Annotated once; a Sentence with all columns is taken as it is.
    candidates : iterable of the same
    options, **changes
        As of Aligner.align. With `explain`, judgements hold their evidence.
    by : RankBy or str
        What to rank by. By default, a question's candidates by how likely they answer it, those
        of another sentence by alignment score.
    top_k : int
        How many to return; 0 returns all.

    Returns
    -------
    list of Ranked
        Equal scores keep the given order; candidates that cannot be aligned come last.

    Raises
    ------
    InputError
        If the question cannot be used, or an argument is out of range.
    """
    if top_k < 0:
        raise InputError(f"top_k is {top_k}; wanted 0 (all) or more", field="top_k")
    by = RankBy.of(by)
    options = AlignOptions.of(options, changes)
    (target,) = aligner.annotate([question])
    pairs = ((candidate, target) for candidate in candidates)
    ranked: list[Ranked] = []
    while batch := list(itertools.islice(pairs, BATCH_SIZE)):
        annotated = aligner.annotate_pairs(batch)
        for outcome in aligner.judge_annotated(annotated, options, by):
            if isinstance(outcome, InputError):
                ranked.append(Ranked(len(ranked), None, None, outcome))
            else:
                ranked.append(Ranked(len(ranked), *unwrap(outcome)))
    ranked.sort(key=lambda each: -each.judgement.score if each.judgement else 1.0)
    return ranked[: top_k or None]
