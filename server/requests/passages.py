"""Candidates of a ranking as pairs: one for a sentence, one for each sentence of a passage.

Passages are split before admission. So their sentences count in a request's pairs and cost, and are
spread over the workers as any pairs are. Splitting reads each character a bounded number of times,
without the interpreter's lock, and stops once there are too many sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from tokalign.codec import encode_passage_sentence
from tokalign.codec.reasons import ErrorReason
from tokalign.codec.writing import Joined
from tokalign.errors import InputError
from tokalign.ranking.passages import Passage, decides
from tokalign.server.config import RequestLimits
from tokalign.server.requests.answers import Answer
from tokalign.server.requests.wire import candidate_parts, check_id
from tokalign.server.status import OK, RequestLimitError, failure_of
from tokalign.types.options import OffsetUnit
from tokalign.v1 import align_pb2

_PAIR = Joined(align_pb2.Pair)


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

    def answers(self, answers: Sequence[Answer], unit: OffsetUnit) -> list[Answer]:
        """Return one answer per candidate; a passage gets that of its best sentence.

        Parameters
        ----------
        answers : sequence of Answer
            One per pair.
        unit : OffsetUnit
            What the offsets of a passage's sentence count.
        """
        pending = iter(answers)
        found = []
        for candidate in self._candidates:
            if isinstance(candidate, Answer):
                found.append(candidate)
            elif candidate is None:
                found.append(_named(next(pending), "sentence"))
            else:
                found.append(_best(candidate, list(islice(pending, len(candidate.spans))), unit))
        return found


def read_candidates(
    candidates: Sequence[bytes], limits: RequestLimits, *, truncate: bool
) -> CandidatePairs:
    """Return the pairs of a request's candidates; a bad candidate gets its answer alone.

    Parameters
    ----------
    candidates : sequence of bytes
        Serialised tokalign.v1.Candidate messages.
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
    read = _read(candidates, most, most)
    if read is not None:
        return read
    if not truncate:
        raise RequestLimitError(
            f"the candidates' passages have more than {most} sentences; the server takes at most "
            f"{most} per request: send several, or ask for truncate",
            reason=ErrorReason.TOO_MANY_ITEMS,
            field="candidates",
        )
    read = _read(candidates, max(1, most // len(candidates)))
    assert read is not None
    return read


def _read(
    candidates: Sequence[bytes], most_of_one: int, most: int | None = None
) -> CandidatePairs | None:
    """Return pairs with at most so many sentences of a passage; None if there are too many."""
    read = CandidatePairs()
    for data in candidates:
        try:
            check_id(data)
            sentence, text = candidate_parts(data)
            if text is None:
                read.pairs.append(_PAIR(source=sentence))
                read._candidates.append(None)
                continue
            read.has_passages = True
            passage = Passage.split(text, most_of_one)
        except InputError as error:
            read._candidates.append(Answer.failed(failure_of(error)))
            continue
        for sentence_text in passage.sentences():
            sentence = align_pb2.Sentence(text=sentence_text).SerializeToString()
            read.pairs.append(_PAIR(source=sentence))
        read._candidates.append(passage)
        if most is not None and (passage.is_cut or len(read.pairs) > most):
            return None
    return None if most is not None and len(read.pairs) > most else read


def _best(passage: Passage, answers: Sequence[Answer], unit: OffsetUnit) -> Answer:
    """Return the answer for the sentence that decides a passage."""
    scores = [answer.score if answer.code == OK else None for answer in answers]
    index = 0
    for later, score in enumerate(scores):
        if decides(score, scores[index]):
            index = later
    best = answers[index]
    if best.code != OK:
        return _named(best._replace(message=passage.fault(index, best.message)), "passage")
    ranked = align_pb2.RankedCandidate.FromString(best.judgement)
    ranked.sentence.CopyFrom(encode_passage_sentence(passage.sentence(index, unit)))
    del ranked.highlights[:]
    for number, answer in enumerate(answers):
        if answer.code == OK:
            ranked.highlights.extend(_highlights(passage, number, answer, unit))
    return best._replace(judgement=ranked.SerializeToString())


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


def _named(answer: Answer, name: str) -> Answer:
    """Return an answer whose field is one of a candidate, in place of a pair's source."""
    if not answer.field or answer.field.startswith("target"):
        return answer
    _, _, rest = answer.field.partition(".")
    is_whole = name == "passage" or not rest
    return answer._replace(field=name if is_whole else f"{name}.{rest}")
