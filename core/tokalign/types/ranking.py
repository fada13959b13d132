"""Rankings: judgements of candidates, and sentences of passages."""

from __future__ import annotations

from dataclasses import dataclass

from tokalign.errors import InputError
from tokalign.showing.text import one_line
from tokalign.types.alignment import Alignment
from tokalign.types.fields import FeatureContribution
from tokalign.types.options import RankBy


@dataclass(frozen=True, slots=True)
class Judgement:
    """Score of a candidate in a ranking, and the evidence for it.

    Attributes
    ----------
    by : RankBy
        Kind of the score; never ``auto``.
    score : float
        In [0, 1]. For ``answer``, the probability that the candidate answers, if half of all
        candidates do: sigmoid of the sum of value * weight over all evidence.
    evidence : tuple of FeatureContribution
        Pieces that tokalign.decoding.evidence describes, a bias, and the caller's prior if there is
        one, by falling absolute contribution. Empty unless asked for; only the prior unless `by` is
        ``answer``.
    """

    by: RankBy
    score: float
    evidence: tuple[FeatureContribution, ...] = ()


@dataclass(frozen=True, slots=True)
class Highlight:
    """A span of a candidate that matches the question (tokalign.ranking.passages).

    Attributes
    ----------
    start, end : int
        Half-open range of the candidate's text, also of a passage.
    confidence : float
        Mean confidence of the best links of the span's matching words, in [0, 1].
    """

    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class PassageSentence:
    """Place of the ranked sentence in its passage.

    Attributes
    ----------
    index : int
        0-based position of the sentence in the passage.
    n_sentences : int
        Number of sentences of the passage; where a server stopped reading, one more than it read.
    start, end : int
        Half-open range of the sentence in the passage's text. A token's offset in the passage is
        `start` plus its offset in the sentence.
    passage_truncated : bool
        Whether some of its sentences were not looked at, as AlignOptions.truncate asks of a server.
    """

    index: int
    n_sentences: int
    start: int
    end: int
    passage_truncated: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Ranked:
    """A candidate with its alignment, or with its error.

    Attributes
    ----------
    index : int
        0-based position among the candidates.
    alignment : Alignment or None
        Of the candidate (source) with the question (target); for a passage, of its best sentence.
    judgement : Judgement or None
        Its score and evidence; present exactly when `alignment` is.
    error : InputError or None
        Present exactly when `alignment` is not.
    sentence : PassageSentence or None
        Best sentence of a passage, the first of equals; None if the candidate is not a passage, or
        has an error.
    highlights : tuple of Highlight
        Spans that match the question, in all sentences of a passage, in order. Empty unless asked
        for.
    """

    index: int
    alignment: Alignment | None
    judgement: Judgement | None
    error: InputError | None = None
    sentence: PassageSentence | None = None
    highlights: tuple[Highlight, ...] = ()

    def __repr__(self) -> str:
        score = "no score" if self.judgement is None else f"score {self.judgement.score:.2f}"
        return f"<Ranked candidate {self.index}: {score}, {self._text()!r}>"

    def __str__(self) -> str:
        """Return the score and the candidate's text; without a score, ``-`` and the error."""
        score = "-" if self.judgement is None else f"{self.judgement.score:.2f}"
        return f"{score} {self._text()}"

    def _text(self) -> str:
        return one_line(str(self.error) if self.alignment is None else self.alignment.source.text)
