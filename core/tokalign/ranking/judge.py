"""Scores of candidates for a ranking, and their explanations."""

from __future__ import annotations

from collections.abc import Sequence

from tokalign.ranking.encoded import with_cosine
from tokalign.ranking.expected import is_question
from tokalign.ranking.weights import AnswerWeights
from tokalign.types import Alignment, Judgement, Sentence
from tokalign.types.options import RankBy


def needs_evidence(question: Sentence, by: RankBy) -> bool:
    """Whether candidates are judged by tokalign.decoding.evidence."""
    return by in (RankBy.AUTO, RankBy.ANSWER) and is_question(question)


class Judge:
    """Judges aligned candidates (source) as answers to a question (target)."""

    def __init__(self) -> None:
        self._weights = AnswerWeights.open_shipped()
        self._encoded = with_cosine(self._weights.question)

    def judge(
        self,
        alignment: Alignment,
        evidence: Sequence[float] | None,
        by: RankBy,
        *,
        explain: bool,
    ) -> Judgement:
        """Return the score of a candidate.

        Parameters
        ----------
        alignment : Alignment
        evidence : sequence of float, or None
            In the order of EVIDENCE; None where `needs_evidence` says so.
        by : RankBy
        explain : bool
            Whether to return the evidence.
        """
        if by is RankBy.SIMILARITY:
            return Judgement(by, alignment.similarity)
        if evidence is not None:
            regression, values = self._weights.question, evidence
            if alignment.cosine is not None:
                regression, values = self._encoded, (*evidence, alignment.cosine)
        elif by is RankBy.ANSWER:
            regression, values = self._weights.claim, (alignment.score, alignment.similarity)
        else:
            return Judgement(RankBy.SCORE, alignment.score)
        pieces = regression.explain(values) if explain else ()
        return Judgement(RankBy.ANSWER, regression.score(values), pieces)
