"""`Aligner.rank`: candidates by how well they answer a question, or align with a sentence.

A candidate is a sentence, or a passage of several: then its best sentence stands for it.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self, Unpack

from tokalign.batches.outcomes import unwrap
from tokalign.errors import InputError, renewed
from tokalign.ranking.highlights import highlights_of
from tokalign.ranking.passages import Passage, decides
from tokalign.ranking.priors import shipped_weights, standardised, weighed
from tokalign.ranking.shortlist import shortlist as shortlist_of
from tokalign.types import (
    Alignment,
    AnnotatedPair,
    Highlight,
    Judgement,
    Pair,
    PairLike,
    Sentence,
    SentenceLike,
)
from tokalign.types.inputs import (
    check_priors,
    require_many,
    require_sentence,
    text_of,
)
from tokalign.types.keywords import RankKeywords
from tokalign.types.options import AlignOptions, OffsetUnit, RankBy, RankOptions
from tokalign.types.ranking import Ranked

BATCH_SIZE = 64


class Ranks(ABC):
    """Base of what aligns pairs and ranks candidates so."""

    @abstractmethod
    def annotate(
        self, sentences: Sequence[SentenceLike], *, truncate: bool = False
    ) -> list[Sentence]:
        """Return sentences with every column that the model needs."""

    @abstractmethod
    def annotate_pairs(
        self, pairs: Sequence[PairLike | Exception], *, truncate: bool = False
    ) -> list[AnnotatedPair | Exception]:
        """Return pairs annotated."""

    @abstractmethod
    def judge_annotated(
        self, pairs: Sequence[AnnotatedPair | Exception], options: AlignOptions, by: RankBy
    ) -> Iterator[tuple[Alignment, Judgement] | Exception]:
        """Yield alignments with what each pair is ranked by."""

    def rank(
        self,
        question: SentenceLike,
        candidates: Iterable[SentenceLike],
        options: AlignOptions | None = None,
        **changes: Unpack[RankKeywords],
    ) -> list[Ranked]:
        """Return the candidates, those that answer best first.

        Parameters
        ----------
        question : str, sequence of str, or Sentence
            Annotated once; a Sentence with all columns is taken as it is.
        candidates : iterable of the same
        options : AlignOptions, optional
            How each is aligned. With `explain`, judgements hold their evidence.
        **changes
            Fields of RankOptions: `by`, `top_k`, `passages`, `priors`, `shortlist` and
            `highlights`; and fields of AlignOptions, in place of those of `options`.

        Returns
        -------
        list of Ranked
            Equal scores keep the given order; candidates that cannot be aligned come last. A
            passage of which a sentence cannot be aligned is one of them.

        Raises
        ------
        InputError
            If the question cannot be used, the candidates are one text, an argument is out of
            range, or there is not one prior for each candidate.
        """
        others: dict[str, Any] = {**changes}
        wanted = RankOptions.taken_from(others)
        options = AlignOptions.of(options, others)
        (target,) = self.annotate(
            [require_sentence(question, "question")], truncate=options.truncate
        )
        decisive: list[_Outcome] = []
        spans: defaultdict[int, list[Highlight]] = defaultdict(list)
        chosen = _Chosen.of(target, require_many(candidates), wanted.priors, wanted.shortlist)
        pending = _sentences(chosen.candidates, wanted.passages)
        while batch := list(itertools.islice(pending, BATCH_SIZE)):
            pairs: list[Pair | Exception] = [
                each.source if isinstance(each.source, InputError) else (each.source, target)
                for each in batch
            ]
            annotated = self.annotate_pairs(pairs, truncate=options.truncate)
            for each, outcome in zip(
                batch, self.judge_annotated(annotated, options, wanted.by), strict=True
            ):
                found = _Outcome(
                    each, outcome if isinstance(outcome, InputError) else unwrap(outcome)
                )
                if wanted.highlights:
                    spans[each.candidate] += found.highlights(options.offsets)
                if each.candidate == len(decisive):
                    decisive.append(found)
                elif decides(found.score, decisive[each.candidate].score):
                    decisive[each.candidate] = found
        ranked = [
            chosen.ranked(each.ranked(options.offsets, spans[number]), explain=options.explain)
            for number, each in enumerate(decisive)
        ]
        ranked.sort(key=lambda each: -each.judgement.score if each.judgement else 1.0)
        return ranked[: wanted.top_k or None]


class _Chosen(NamedTuple):
    """The candidates that are looked at.

    Attributes
    ----------
    candidates : iterable of SentenceLike
    indices : list of int, or None
        Their positions among all candidates; None if they are all.
    priors : list of float or None, or None
        Their standardised priors; None without any.
    """

    candidates: Iterable[SentenceLike]
    indices: list[int] | None = None
    priors: list[float | None] | None = None

    @classmethod
    def of(
        cls,
        question: Sentence,
        candidates: Iterable[SentenceLike],
        priors: Sequence[float | None] | None,
        n: int,
    ) -> Self:
        """Return the candidates with the largest overlap, `n` of them; 0 is all."""
        if priors is None and not n:
            return cls(candidates)
        every = list(candidates)
        own = check_priors(priors, len(every))
        indices = None
        if n:
            indices = shortlist_of(question.text, list(map(text_of, every)), n)
            every = [every[index] for index in indices]
            own = own and [own[index] for index in indices]
        return cls(every, indices, None if own is None else standardised(own))

    def ranked(self, found: Ranked, *, explain: bool) -> Ranked:
        """Return a candidate with its position among all, and its prior in its judgement."""
        judgement = found.judgement
        if judgement is not None and self.priors is not None:
            judgement = weighed(
                judgement, self.priors[found.index], shipped_weights(), explain=explain
            )
        index = found.index if self.indices is None else self.indices[found.index]
        return replace(found, index=index, judgement=judgement)


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

    def highlights(self, unit: OffsetUnit) -> list[Highlight]:
        if isinstance(self.value, InputError):
            return []
        passage, number = self.sentence.passage, self.sentence.number
        start = passage.sentence(number, unit).start if passage else 0
        return highlights_of(self.value[0], start)

    def ranked(self, unit: OffsetUnit, highlights: Iterable[Highlight]) -> Ranked:
        candidate, _, passage, number = self.sentence
        if not isinstance(self.value, InputError):
            where = passage.sentence(number, unit) if passage else None
            return Ranked(candidate, *self.value, sentence=where, highlights=tuple(highlights))
        error = self.value
        if passage is not None:
            # Equal sentences of other passages share it.
            error = renewed(error, passage.fault(number, str(error)))
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
