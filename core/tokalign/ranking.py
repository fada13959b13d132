"""Ranking of candidates by how well they answer a question, or align with a sentence.

A candidate is a sentence, or a passage of several: then its best sentence stands for it.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from tokalign.aligner import Aligner
from tokalign.annotate.passages import Passage, decides
from tokalign.batches.outcomes import unwrap
from tokalign.errors import InputError
from tokalign.types import Alignment, Judgement, Pair, PassageSentence, SentenceLike
from tokalign.types.inputs import require_many
from tokalign.types.options import AlignOptions, OffsetUnit, RankBy

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
    decisive: list[_Outcome] = []
    pending = _sentences(require_many(candidates), passages)
    while batch := list(itertools.islice(pending, BATCH_SIZE)):
        pairs: list[Pair | Exception] = [
            each.source if isinstance(each.source, InputError) else (each.source, target)
            for each in batch
        ]
        annotated = aligner.annotate_pairs(pairs, truncate=options.truncate)
        for each, outcome in zip(
            batch, aligner.judge_annotated(annotated, options, by), strict=True
        ):
            found = _Outcome(each, outcome if isinstance(outcome, InputError) else unwrap(outcome))
            if each.candidate == len(decisive):
                decisive.append(found)
            elif decides(found.score, decisive[each.candidate].score):
                decisive[each.candidate] = found
    ranked = [each.ranked(options.offsets) for each in decisive]
    ranked.sort(key=lambda each: -each.judgement.score if each.judgement else 1.0)
    return ranked[: top_k or None]


class _Sentence(NamedTuple):
    """A sentence of a candidate, or why it has none, and where in its passage it is."""

    candidate: int
    source: SentenceLike | InputError
    passage: Passage | None = None
    number: int = 0


class _Outcome(NamedTuple):
    """What came of a sentence."""

    sentence: _Sentence
    value: tuple[Alignment, Judgement] | InputError

    @property
    def score(self) -> float | None:
        return None if isinstance(self.value, InputError) else self.value[1].score

    def ranked(self, unit: OffsetUnit) -> Ranked:
        candidate, _, passage, number = self.sentence
        if not isinstance(self.value, InputError):
            where = passage.sentence(number, unit) if passage else None
            return Ranked(candidate, *self.value, sentence=where)
        error = self.value
        if passage is not None:
            error = copy.copy(error)  # equal sentences of other passages share it
            error.args = (passage.fault(number, str(error)),)
        return Ranked(candidate, None, None, error)


def _sentences(candidates: Iterable[SentenceLike], passages: bool) -> Iterator[_Sentence]:
    for index, candidate in enumerate(candidates):
        if not passages or not isinstance(candidate, str):
            yield _Sentence(index, candidate)
            continue
        try:
            passage = Passage.split(candidate)
        except InputError as error:
            error.field = "source"  # the candidate is a pair's source
            yield _Sentence(index, error)
            continue
        for number, sentence in enumerate(passage.sentences()):
            yield _Sentence(index, sentence, passage, number)
