"""Candidates of a ranking: which are looked at, their pairs, and what came of them.

A candidate is one pair, or one for each sentence of its passage. Passages are split before
admission. So their sentences count in a request's pairs and cost, and are spread over the workers
as any pairs are. Splitting reads each character a bounded number of times, without the
interpreter's lock, and stops once there are too many sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from google.protobuf.message import DecodeError
from tokalign.codec import decode_judgement, encode_passage_sentence
from tokalign.codec.reasons import ErrorReason
from tokalign.codec.writing import Joined, write_judgement
from tokalign.errors import InputError
from tokalign.ranking.judge import shipped_weights, standardised, weighed
from tokalign.ranking.passages import Passage, decides, shortlist
from tokalign.server.config import RequestLimits
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.wire import candidate_parts, check_id
from tokalign.server.status import OK, BadRequestError, RequestLimitError, failure_of
from tokalign.types.options import OffsetUnit
from tokalign.v1 import align_pb2

_PAIR = Joined(align_pb2.Pair)
_SENTENCE = Joined(align_pb2.Sentence)


def read_messages(candidates: Sequence[bytes]) -> list[align_pb2.Candidate]:
    """Return candidates as messages, an empty one for bytes that are no message.

    Such a candidate gets an error of its own where its sentence is read.

    Raises
    ------
    InputError
        If a prior is not finite.
    """
    found = []
    for number, data in enumerate(candidates):
        try:
            message = align_pb2.Candidate.FromString(data)
        except DecodeError:
            message = align_pb2.Candidate()
        if not math.isfinite(message.prior):
            raise BadRequestError(
                f"the prior is {message.prior}; wanted a finite number",
                reason=ErrorReason.INVALID_INPUT,
                field=f"candidates[{number}].prior",
            )
        found.append(message)
    return found


def shortlisted(
    question: align_pb2.Sentence, candidates: Sequence[align_pb2.Candidate], n: int
) -> list[int]:
    """Return the rising indices of the candidates that are looked at, `n` of them; 0 is all."""
    if not n:
        return list(range(len(candidates)))
    texts = [each.passage or _text(each.sentence) for each in candidates]
    return shortlist(_text(question), texts, n)


def _text(sentence: align_pb2.Sentence) -> str:
    return sentence.text or " ".join(sentence.tokens)


def priors_of(candidates: Sequence[align_pb2.Candidate]) -> list[float | None]:
    """Return the standardised priors of the candidates that are looked at."""
    return standardised([each.prior if each.HasField("prior") else None for each in candidates])


class RankedAnswer(NamedTuple):
    """What came of a candidate.

    Attributes
    ----------
    answer : Answer
        Of the candidate, or of the sentence that decides its passage.
    passage : Passage or None
    number : int
        Of the sentence that decides.
    answers : sequence of Answer
        Of all sentences of the passage.
    """

    answer: Answer
    passage: Passage | None = None
    number: int = 0
    answers: Sequence[Answer] = ()

    def with_prior(self, prior: float | None, *, explain: bool) -> RankedAnswer:
        """Return the candidate with its prior in its score and its judgement."""
        answer = self.answer
        if prior is None or answer.code != OK:
            return self
        message = align_pb2.RankedCandidate.FromString(answer.judgement)
        judgement = replace(decode_judgement(message.judgement), score=answer.score)
        judgement = weighed(judgement, prior, shipped_weights(), explain=explain)
        message.ClearField("judgement")
        # Joined messages are one message with the fields of both.
        joined = message.SerializeToString() + write_judgement(judgement)
        return self._replace(answer=answer._replace(score=judgement.score, judgement=joined))

    def judgement(self, unit: OffsetUnit) -> bytes:
        """Return the fields of a RankedCandidate that say why it stands where it does.

        `unit` is what the offsets of a passage's sentence count.
        """
        if self.passage is None or self.answer.code != OK:
            return self.answer.judgement
        ranked = align_pb2.RankedCandidate.FromString(self.answer.judgement)
        ranked.sentence.CopyFrom(encode_passage_sentence(self.passage.sentence(self.number, unit)))
        del ranked.highlights[:]
        for number, answer in enumerate(self.answers):
            if answer.code == OK:
                ranked.highlights.extend(_highlights(self.passage, number, answer, unit))
        return ranked.SerializeToString()


def _highlights(
    passage: Passage, number: int, answer: Answer, unit: OffsetUnit
) -> Sequence[align_pb2.Highlight]:
    """Return what of a passage's sentence matches the question, as places in the passage."""
    found = align_pb2.RankedCandidate.FromString(answer.judgement).highlights
    if found:
        start = passage.sentence(number, unit).start
        for each in found:
            each.start += start
            each.end += start
    return found


class GivenCandidate(NamedTuple):
    """A candidate as it was given: a serialised sentence, or else a passage, or a failure."""

    sentence: bytes = b""
    passage: str | None = None
    failure: Answer | None = None

    @classmethod
    def read(cls, data: bytes) -> GivenCandidate:
        """Return a serialised tokalign.v1.Candidate."""
        try:
            check_id(data)
            return cls(*candidate_parts(data))
        except InputError as error:
            return cls(failure=Answer.failed(failure_of(error)))


@dataclass(slots=True)
class CandidatePairs:
    """The candidates of a request, and the pairs that are aligned for them.

    Attributes
    ----------
    pairs : list of bytes
        Serialised tokalign.v1.Pair messages without a target.
    has_passages : bool
    """

    pairs: list[bytes] = field(default_factory=list)
    has_passages: bool = False
    _candidates: list[Passage | Answer | None] = field(default_factory=list)
    """A passage, the answer for a candidate that is refused, or None for a sentence."""

    def ranked(self, answers: Sequence[Answer]) -> list[RankedAnswer]:
        """Return what came of each candidate, from one answer per pair."""
        pending = iter(answers)
        found = []
        for candidate in self._candidates:
            if isinstance(candidate, Answer):
                found.append(RankedAnswer(candidate))
            elif candidate is None:
                found.append(RankedAnswer(_named(next(pending), "sentence")))
            else:
                found.append(_best(candidate, list(islice(pending, len(candidate.spans)))))
        return found


def split_candidates(
    candidates: Sequence[GivenCandidate], limits: RequestLimits, *, truncate: bool
) -> CandidatePairs:
    """Return the pairs of a request's candidates; a bad candidate gets its answer alone.

    Parameters
    ----------
    candidates : sequence of GivenCandidate
    limits : RequestLimits
    truncate : bool
        Whether passages are cut where there are more sentences than a request may have pairs. Then
        each keeps as many as it could have if all passages had the same number.

    Raises
    ------
    LimitError
        If there are more and `truncate` is not set.
    """
    most = limits.max_pairs
    split = _split(candidates, most, most)
    if split is not None:
        return split
    if not truncate:
        raise RequestLimitError(
            f"the candidates' passages have more than {most} sentences; the server takes at most "
            f"{most} per request: send several, or ask for truncate",
            reason=ErrorReason.TOO_MANY_ITEMS,
            field="candidates",
        )
    split = _split(candidates, max(1, most // len(candidates)))
    assert split is not None
    return split


def _split(
    candidates: Sequence[GivenCandidate], most_of_one: int, most: int | None = None
) -> CandidatePairs | None:
    """Return pairs with at most so many sentences of a passage; None if there are too many."""
    found = CandidatePairs()
    for sentence, text, failure in candidates:
        if failure is not None:
            found._candidates.append(failure)
            continue
        if text is None:
            found.pairs.append(_PAIR(source=sentence))
            found._candidates.append(None)
            continue
        found.has_passages = True
        try:
            passage = Passage.split(text, most_of_one)
        except InputError as error:
            found._candidates.append(Answer.failed(failure_of(error)))
            continue
        found.pairs += [_PAIR(source=_SENTENCE(text=each)) for each in passage.sentences()]
        found._candidates.append(passage)
        if most is not None and (passage.is_cut or len(found.pairs) > most):
            return None
    return None if most is not None and len(found.pairs) > most else found


def _best(passage: Passage, answers: Sequence[Answer]) -> RankedAnswer:
    """Return what came of the sentence that decides a passage."""
    scores = [answer.score if answer.code == OK else None for answer in answers]
    index = 0
    for later, score in enumerate(scores):
        if decides(score, scores[index]):
            index = later
    best = answers[index]
    if best.code != OK:
        best = _named(best._replace(message=passage.fault(index, best.message)), "passage")
    return RankedAnswer(best, passage, index, answers)


def _named(answer: Answer, name: str) -> Answer:
    """Return an answer whose field is one of a candidate, in place of a pair's source."""
    if not answer.field or answer.field.startswith("target"):
        return answer
    _, _, rest = answer.field.partition(".")
    is_whole = name == "passage" or not rest
    return answer._replace(field=name if is_whole else f"{name}.{rest}")


def in_order(candidates: Sequence[RankedAnswer], top_k: int) -> Iterator[int]:
    """Yield the positions of the `top_k` best candidates, 0 being all; failed ones come last."""
    order = sorted(
        range(len(candidates)),
        key=lambda k: (candidates[k].answer.code != OK, -candidates[k].answer.score),
    )
    yield from order[: top_k or None]
