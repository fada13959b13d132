"""Rankings: judgements of candidates, and sentences of passages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tokalign.errors import InputError
from tokalign.showing.painting import Look, Marking, TerminalPainter
from tokalign.showing.text import one_line
from tokalign.types.alignment import Alignment
from tokalign.types.display import DIGITS, Shown, plain
from tokalign.types.fields import FeatureContribution
from tokalign.types.objects import links_to_json, truncated_sides
from tokalign.types.options import RankBy

_MATCHING = Look("33", ("**", "**"))


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
        Pieces that tokalign.decoding.evidence describes, a bias, and what depends on the list of
        candidates (tokalign.ranking.judge): the caller's prior, and whether it is in other words
        than a question that the list repeats. They are sorted by falling absolute contribution.
        Empty unless asked for; only the prior unless `by` is ``answer``.
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


WORTH_SHOWING = 0.005
"""Smallest contribution of evidence that is shown, with its two decimals."""


class RankedFields(Shown):
    """What candidates of a ranking show: here, and from a server."""

    __slots__ = ()
    index: int
    alignment: Alignment | None
    judgement: Judgement | None
    error: Any
    sentence: PassageSentence | None
    highlights: tuple[Highlight, ...]
    text: str

    @property
    def score(self) -> float | None:
        """The score of the judgement, in [0, 1]; None for a candidate with an error."""
        return None if self.judgement is None else self.judgement.score

    def __repr__(self) -> str:
        score = "no score" if self.score is None else f"score {self.score:.2f}"
        said = str(self.error) if self.alignment is None else self.alignment.source.text
        return f"<Ranked candidate {self.index}: {score}, {one_line(said)!r}>"

    def lines(self, *, is_coloured: bool = False, numbers: Sequence[object] = ()) -> Iterator[str]:
        """Yield the score, numbers and the sentence, then the evidence if it was asked for.

        Without other numbers, they are the index and, of a passage, the number of its sentence.
        """
        text, start, error = self.text, 0, [str(self.error)] if self.error and not numbers else []
        if self.alignment is not None and self.sentence is not None:
            text, start = self.alignment.source.text, self.sentence.start
            numbers = numbers or [self.index, self.sentence.index + 1]
        score = "-" if self.score is None else f"{self.score:.4f}"
        spans = [(each.start - start, each.end - start) for each in self.highlights]
        here = [each for each in spans if each[0] >= 0 and each[1] <= len(text)]
        painter = TerminalPainter(is_coloured=is_coloured)
        marked = painter.nested(text, (0, len(text)), [Marking(_MATCHING, here)])
        columns = [score, *(numbers or [self.index]), " ".join(marked.split()), *error]
        yield "\t".join(map(str, columns))
        for piece in self.judgement.evidence if self.judgement else ():
            if abs(added := piece.value * piece.weight) >= WORTH_SHOWING:
                yield f"\t{added:+.2f}\t{piece.name} {piece.value:.2f}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, the same as in the command line's JSON."""
        row: dict[str, Any] = {"index": self.index, "text": self.text}
        if self.alignment is None or self.judgement is None:
            return row | {"error": str(self.error)}
        row |= {"score": round(self.judgement.score, DIGITS), "by": str(self.judgement.by)}
        if self.sentence:
            row["sentence"] = plain(self.sentence) | {"text": self.alignment.source.text}
        if self.judgement.evidence:
            row["evidence"] = plain(self.judgement.evidence)
        if self.highlights:
            row["highlights"] = plain(self.highlights)
        if self.alignment.encoded is not None:
            row["encoded"] = self.alignment.encoded
        row |= truncated_sides(self.alignment)
        row |= {"source": list(self.alignment.source.tokens)}
        row |= {"target": list(self.alignment.target.tokens)}
        return row | {"links": links_to_json(self.alignment)}

    def _table(self) -> dict[str, list[Any]]:
        return {name: [value] for name, value in self._row().items()}

    def _row(self) -> dict[str, Any]:
        row: dict[str, Any] = {"index": self.index, "score": self.score, "text": self.text}
        if self.sentence is not None and self.alignment is not None:
            row["sentence"] = self.alignment.source.text
        if self.highlights:
            row["highlights"] = [self.text[each.start : each.end] for each in self.highlights]
        return row | ({"error": str(self.error)} if self.error else {})


@dataclass(frozen=True, slots=True, repr=False)
class Ranked(RankedFields):
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
    text : str
        The candidate, also a passage; highlights are ranges of it.
    """

    index: int
    alignment: Alignment | None
    judgement: Judgement | None
    error: InputError | None = None
    sentence: PassageSentence | None = None
    highlights: tuple[Highlight, ...] = ()
    text: str = ""
