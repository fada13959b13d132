"""Candidates of a ranking: which are looked at, their pairs, and what came of them.

A candidate is one pair, or one for each sentence of its passage. Passages are split before
admission. So their sentences count in a request's pairs and cost, and are spread over the workers
as any pairs are. Splitting reads each character a bounded number of times, without the
interpreter's lock, and stops once there are too many sentences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, islice, pairwise
from typing import NamedTuple

from google.protobuf.message import DecodeError
from tokalign.codec.alignments import decode_judgement, encode_passage_sentence
from tokalign.codec.servers import ErrorReason
from tokalign.codec.writing import Joined, write_judgement
from tokalign.errors import InputError
from tokalign.ranking.judge import added_by_list, shipped_weights, standardised, weighed
from tokalign.ranking.passages import Passage, asked_part, decides, lacking, overlaps, shortlist
from tokalign.server.config import RequestLimits
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.wire import candidate_parts, check_id
from tokalign.server.status import OK, BadRequestError, RequestLimitError, failure_of
from tokalign.types import FeatureContribution
from tokalign.types.options import OffsetUnit
from tokalign.v1 import align_pb2

MOST_READ = 20
"""Sentences that are read of passages to be cut, for each that a request may have. The largest
request of usual text has fewer. Of others each passage is read as far as any."""

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


def plain_text(sentence: align_pb2.Sentence) -> str:
    """Return the text of a sentence, or its tokens between spaces."""
    return sentence.text or " ".join(sentence.tokens)


class RankedAnswer(NamedTuple):
    """What came of a candidate.

    Attributes
    ----------
    answer : Answer
        Of the candidate, or of the sentence that decides its passage.
    number : int
        Of the sentence that decides.
    answers : sequence of Answer
        Of all sentences of the passage.
    """

    answer: Answer
    passage: Passage | None = None
    number: int = 0
    answers: Sequence[Answer] = ()

    @property
    def repetition(self) -> float | None:
        """How far a candidate of one sentence repeats the question."""
        is_one = self.passage is None or self.passage.n_sentences == 1
        return self.answer.repetition if is_one else None

    def with_added(self, added: Sequence[FeatureContribution], *, explain: bool) -> RankedAnswer:
        """Return the candidate with the list's evidence in its score and its judgement."""
        answer = self.answer
        if not added or answer.code != OK:
            return self
        message = align_pb2.RankedCandidate.FromString(answer.judgement)
        judgement = replace(decode_judgement(message.judgement), score=answer.score)
        judgement = weighed(judgement, added, explain=explain)
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
    """A candidate as it was given: a serialised sentence, or else a passage, or a failure.

    Attributes
    ----------
    prior : float, optional
        Standardised.
    lacks : float
        What a passage lacks of the question (tokalign.ranking.passages).
    """

    sentence: bytes = b""
    passage: str | None = None
    failure: Answer | None = None
    prior: float | None = None
    lacks: float = 0.0

    @classmethod
    def read(cls, data: bytes, prior: float | None = None, lacks: float = 0.0) -> GivenCandidate:
        """Return a serialised tokalign.v1.Candidate."""
        try:
            check_id(data)
            return cls(*candidate_parts(data), prior=prior, lacks=lacks)
        except InputError as error:
            return cls(failure=Answer.failed(failure_of(error)))


def looked_at(
    given: Sequence[bytes], question: align_pb2.Sentence, n: int
) -> tuple[list[int], list[GivenCandidate]]:
    """Return the rising indices of the candidates that are looked at, and themselves; `n` of them,
    0 being all.

    Their messages, which may be many times as large, are forgotten.
    """
    messages = read_messages(given)
    asked = asked_part(question.text) if question.text else plain_text(question)
    texts = [each.passage or plain_text(each.sentence) for each in messages]
    kept = shortlist(asked, texts, n) if n else range(len(messages))
    priors = standardised(
        [messages[k].prior if messages[k].HasField("prior") else None for k in kept]
    )
    lacks = lacking(asked, [each.passage or None for each in messages])
    pairs = zip(kept, priors, strict=True)
    return list(kept), [GivenCandidate.read(given[k], prior, lacks[k]) for k, prior in pairs]


def given_passages(question: str, passages: Sequence[str]) -> list[GivenCandidate]:
    """Return passages as candidates."""
    pairs = zip(passages, lacking(question, passages), strict=True)
    return [GivenCandidate(passage=text, lacks=lacks) for text, lacks in pairs]


class CandidatePairs:
    """The candidates of a request, and the pairs that are aligned for them.

    Parameters
    ----------
    candidates : sequence of bytes, Passage or Answer
        A serialised sentence, a passage, or the answer for a candidate that is refused.

    Attributes
    ----------
    pairs : list of bytes
        Serialised tokalign.v1.Pair messages without a target.
    n_left_out : int
        How many sentences of passages are not among the pairs, at least.
    """

    def __init__(self, candidates: Sequence[bytes | Passage | Answer]) -> None:
        self._candidates = candidates
        passages = [each for each in candidates if isinstance(each, Passage)]
        self.has_passages = bool(passages)
        self.n_left_out = sum(each.n_left_out for each in passages)
        self.pairs: list[bytes] = []
        for each in candidates:
            if isinstance(each, bytes):
                self.pairs.append(_PAIR(source=each))
            elif isinstance(each, Passage):
                self.pairs += [_PAIR(source=_SENTENCE(text=text)) for text in each.sentences()]

    def ranked(self, answers: Sequence[Answer]) -> list[RankedAnswer]:
        """Return what came of each candidate, from one answer per pair."""
        pending = iter(answers)
        found = []
        for candidate in self._candidates:
            if isinstance(candidate, Answer):
                found.append(RankedAnswer(candidate))
            elif isinstance(candidate, Passage):
                found.append(_best(candidate, list(islice(pending, len(candidate.spans)))))
            else:
                found.append(RankedAnswer(_named(next(pending), "sentence")))
        return found


def split_candidates(
    question: str, candidates: Sequence[GivenCandidate], limits: RequestLimits, *, truncate: bool
) -> CandidatePairs:
    """Return the pairs of a request's candidates; a bad candidate gets its answer alone.

    Parameters
    ----------
    truncate : bool
        Whether to leave out sentences of passages where there are more than a request may have
        pairs. Of each passage the one stays that has the largest overlap with the question
        (tokalign.ranking.passages), and of all passages those after it by falling overlap.

    Raises
    ------
    LimitError
        If there are more and `truncate` is not set.
    """
    most = limits.max_pairs
    most_read = most * MOST_READ if truncate else most
    found = _split(candidates, most_read, most_read)
    if found is None and not truncate:
        raise RequestLimitError(
            f"the candidates' passages have more than {most} sentences; the server takes at most "
            f"{most} per request: send several, or ask for truncate",
            reason=ErrorReason.TOO_MANY_ITEMS,
            field="candidates",
        )
    if found is None:
        found = _split(candidates, max(1, most_read // len(candidates)))
        assert found is not None
    n_too_many = sum(map(_n_pairs, found)) - most
    return CandidatePairs(_shortened(question, found, n_too_many) if n_too_many > 0 else found)


def _split(
    candidates: Sequence[GivenCandidate], most_of_one: int, most: int | None = None
) -> list[bytes | Passage | Answer] | None:
    """Return candidates with at most so many sentences of a passage; None if there are too many."""
    found: list[bytes | Passage | Answer] = []
    n_pairs = 0
    for sentence, text, failure, *_ in candidates:
        if failure is not None:
            found.append(failure)
            continue
        if text is None:
            found.append(sentence)
            n_pairs += 1
            continue
        try:
            passage = Passage.split(text, most_of_one)
        except InputError as error:
            found.append(Answer.failed(failure_of(error)))
            continue
        found.append(passage)
        n_pairs += len(passage.spans)
        if most is not None and (passage.n_left_out or n_pairs > most):
            return None
    return found


def _n_pairs(candidate: bytes | Passage | Answer) -> int:
    return len(candidate.spans) if isinstance(candidate, Passage) else isinstance(candidate, bytes)


def _shortened(
    question: str, candidates: Sequence[bytes | Passage | Answer], n_too_many: int
) -> list[bytes | Passage | Answer]:
    """Return candidates whose passages have so many sentences less."""
    passages = [each for each in candidates if isinstance(each, Passage)]
    numbers = [number for each in passages for number in each.numbers]
    gains = overlaps(question, (text for each in passages for text in each.sentences()))
    starts = list(accumulate((len(each.spans) for each in passages), initial=0))
    kept = {max(range(start, end), key=gains.__getitem__) for start, end in pairwise(starts)}
    # Of equal ones, those stay that come first in their passages.
    for k in sorted(range(len(gains)), key=lambda k: (-gains[k], numbers[k])):
        if len(kept) == len(gains) - n_too_many:
            break
        kept.add(k)
    shorter = iter(
        passage.kept([k - start for k in range(start, end) if k in kept])
        for passage, (start, end) in zip(passages, pairwise(starts), strict=True)
    )
    return [next(shorter) if isinstance(each, Passage) else each for each in candidates]


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


def weighed_in_list(
    candidates: Sequence[GivenCandidate], found: Sequence[RankedAnswer], *, explain: bool
) -> list[RankedAnswer]:
    """Return what came of candidates with the evidence that depends on the others."""
    added = added_by_list(
        [each.answer.score for each in found],
        [each.repetition for each in found],
        [each.lacks for each in candidates],
        [each.prior for each in candidates],
        shipped_weights(),
    )
    pairs = zip(found, added, strict=True)
    return [each.with_added(pieces, explain=explain) for each, pieces in pairs]


def in_order(candidates: Sequence[RankedAnswer], top_k: int) -> Iterator[int]:
    """Yield the positions of the `top_k` best candidates, 0 being all; failed ones come last."""
    order = sorted(
        range(len(candidates)),
        key=lambda k: (candidates[k].answer.code != OK, -candidates[k].answer.score),
    )
    yield from order[: top_k or None]
