"""Ranking of candidates by how well they answer a question, or align with a sentence.

A candidate is a sentence, or a passage of several: then its best sentence stands for it.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tokalign.aligner import Aligner
from tokalign.annotate._sentences import Sentences
from tokalign.errors import InputError
from tokalign.offsets import positions
from tokalign.options import AlignOptions, OffsetUnit, RankBy
from tokalign.outcomes import require_many, unwrap
from tokalign.types import Alignment, Judgement, Pair, PassageSentence, SentenceLike

BATCH_SIZE = 64


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its alignment, or why there is none.

    Attributes
    ----------
    index : int
        0-based position among the candidates.
    alignment : Alignment or None
        Of the candidate (source) with the question (target); of a passage, of its best sentence.
    judgement : Judgement or None
        What it is ranked by, and why; present exactly when `alignment` is.
    error : InputError or None
        Present exactly when `alignment` is not.
    sentence : PassageSentence or None
        Which sentence of a passage is the best, the first of equals; None where the candidate is
        no passage, or has an error.
    """

    index: int
    alignment: Alignment | None
    judgement: Judgement | None
    error: InputError | None = None
    sentence: PassageSentence | None = None


def rank(
    aligner: Aligner,
    question: SentenceLike,
    candidates: Iterable[SentenceLike],
    options: AlignOptions | None = None,
    *,
    by: RankBy | str = RankBy.AUTO,
    top_k: int = 0,
    passages: bool = False,
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
    passages : bool
        Whether a candidate that is a str is a text of any number of sentences. Each is aligned,
        and the best one's score is the passage's.

    Returns
    -------
    list of Ranked
        Equal scores keep the given order; candidates that cannot be aligned come last. A passage
        of which a sentence cannot be aligned is one of them.

    Raises
    ------
    InputError
        If the question cannot be used, the candidates are one text, or an argument is out of range.
    """
    if top_k < 0:
        raise InputError(f"top_k is {top_k}; wanted 0 (all) or more", field="top_k")
    by = RankBy.of(by)
    options = AlignOptions.of(options, changes)
    (target,) = aligner.annotate([question], truncate=options.truncate)
    ranked: list[Ranked] = []
    pending = _sources(require_many(candidates), passages, options.offsets)
    while batch := list(itertools.islice(pending, BATCH_SIZE)):
        pairs: list[Pair | Exception] = [
            source if isinstance(source, InputError) else (source, target) for _, source, _ in batch
        ]
        annotated = aligner.annotate_pairs(pairs, truncate=options.truncate)
        outcomes = aligner.judge_annotated(annotated, options, by)
        for (index, _, sentence), outcome in zip(batch, outcomes, strict=True):
            if isinstance(outcome, InputError):
                found = Ranked(index, None, None, _of_sentence(outcome, sentence))
            else:
                found = Ranked(index, *unwrap(outcome), sentence=sentence)
            if index == len(ranked):
                ranked.append(found)
            else:
                ranked[index] = _stands_for(ranked[index], found)
    ranked.sort(key=lambda each: -each.judgement.score if each.judgement else 1.0)
    return ranked[: top_k or None]


Source = tuple[int, SentenceLike | InputError, PassageSentence | None]
"""Index of a candidate, a sentence of it or why it has none, and where in the passage that is."""


def _sources(
    candidates: Iterable[SentenceLike], passages: bool, unit: OffsetUnit
) -> Iterator[Source]:
    for index, candidate in enumerate(candidates):
        if not passages or not isinstance(candidate, str):
            yield index, candidate, None
            continue
        spans = list(Sentences(candidate))
        if not spans:
            nothing = "the passage has no sentence; give text with at least one word"
            yield index, InputError(nothing, field="source"), None
        at = positions(candidate, unit)
        for number, (start, end) in enumerate(spans):
            where = PassageSentence(number, len(spans), at[start], at[end])
            yield index, candidate[start:end], where


def _stands_for(one: Ranked, other: Ranked) -> Ranked:
    """Return which of two sentences of a passage, the second of them later, decides its rank."""
    if one.judgement is None or other.judgement is None:
        return one if one.judgement is None else other
    return other if other.judgement.score > one.judgement.score else one


def _of_sentence(error: InputError, sentence: PassageSentence | None) -> InputError:
    """Return the error of a candidate that says which sentence of a passage is at fault."""
    if sentence is None:
        return error
    error = copy.copy(error)  # equal sentences of other passages share it
    error.args = (
        f"sentence {sentence.index} of the passage, offsets {sentence.start} to {sentence.end}: "
        f"{error}",
    )
    return error
