"""Scores of candidates for a ranking, and their explanations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tokalign.questions.encoded import ranking_score
from tokalign.questions.evidence import AnswerScorer, Weigh, evidence, is_question
from tokalign.types import Alignment, Judgement
from tokalign.types.options import RankBy


class Judge:
    """Judges aligned candidates (source) as answers to a question (target).

    Parameters
    ----------
    weigh : callable
        Lower-case lemma to idf, in [0, 1]; see tokalign.lexicon.frequencies.
    """

    def __init__(self, weigh: Weigh) -> None:
        self._weigh = weigh
        self._scorer = AnswerScorer.open_shipped()

    def judge(
        self, alignment: Alignment, posterior: NDArray[np.floating], by: RankBy, *, explain: bool
    ) -> Judgement:
        """Return the score of a candidate.

        Parameters
        ----------
        alignment : Alignment
        posterior : float array, shape (n_source, n_target)
            Probability of every link, the mean of both directions.
        by : RankBy
        explain : bool
            Whether to return the evidence.
        """
        if by is RankBy.SIMILARITY:
            return Judgement(by, alignment.similarity)
        if by is RankBy.SCORE or (by is RankBy.AUTO and not is_question(alignment.target)):
            return Judgement(RankBy.SCORE, ranking_score(alignment))
        found = evidence(
            alignment.target, alignment.source, posterior, self._weigh, alignment.agreement
        )
        pieces = self._scorer.explain(found) if explain else ()
        return Judgement(RankBy.ANSWER, self._scorer.score(found), pieces)
