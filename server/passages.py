"""Candidates of a ranking as pairs: a sentence is one, a passage one for each of its sentences.

Passages are split before admission, so that their sentences count in a request's pairs and cost,
and are spread over the workers as any pairs are. Splitting reads each character a bounded number of
times, without the interpreter's lock, and stops once there are too many sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from tokalign.annotate._sentences import Sentences
from tokalign.codec import encode_passage_sentence
from tokalign.codec._joining import Joined
from tokalign.errors import InputError, LimitError
from tokalign.offsets import place
from tokalign.options import OffsetUnit
from tokalign.server.config import RequestLimits
from tokalign.server.requests import Item, candidate_parts, check_id
from tokalign.server.status import OK, classify
from tokalign.server.workers.frames import Answer
from tokalign.types import PassageSentence
from tokalign.v1 import align_pb2

_PAIR = Joined(align_pb2.Pair)


@dataclass(slots=True)
class _Passage:
    """A passage, where the sentences of it stand that are aligned, and whether there are more."""

    text: str
    spans: list[tuple[int, int]]
    is_cut: bool = False


@dataclass(slots=True)
class Candidates:
    """The candidates of a request.

    Attributes
    ----------
    pairs : list of bytes
        Serialised tokalign.v1.Pair messages without a target.
    has_passages : bool
    """

    pairs: list[bytes] = field(default_factory=list)
    has_passages: bool = False
    _candidates: list[_Passage | Answer | None] = field(default_factory=list)
    """A passage, why a candidate cannot be aligned, or None where it is a sentence."""

    def answers(self, answers: Sequence[Answer], unit: OffsetUnit) -> list[Answer]:
        """Return one answer per candidate, of a passage that of its best sentence.

        Parameters
        ----------
        answers : sequence of Answer
            One per pair.
        unit : OffsetUnit
            What the offsets of a passage's sentence are to count.
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


def read_candidates(items: Sequence[Item], limits: RequestLimits, *, truncate: bool) -> Candidates:
    """Return the candidates of a request; what is wrong with one is its own answer.

    Parameters
    ----------
    items : sequence of Item
        Serialised tokalign.v1.Candidate messages.
    limits : RequestLimits
    truncate : bool
        Whether, where there are more sentences than a request may have pairs, as many of each
        passage are taken as there would be if all had the same number.

    Raises
    ------
    LimitError
        If there are more and `truncate` is not set.
    """
    most = limits.max_pairs
    candidates = _read(items, most, most)
    if len(candidates.pairs) <= most:
        return candidates
    if not truncate:
        raise LimitError(
            f"the candidates' passages have more than {most} sentences; the server takes at most "
            f"{most} per request: send several, or ask for truncate",
            field="candidates",
        )
    return _read(items, max(1, most // len(items)), None)


def _read(items: Sequence[Item], most_of_one: int, most: int | None) -> Candidates:
    """Return candidates with up to so many sentences of each; give up above so many pairs."""
    candidates = Candidates()
    for item in items:
        try:
            check_id(item)
            sentence, passage = candidate_parts(item.data)
            if passage is None:
                candidates.pairs.append(_PAIR(source=sentence))
                candidates._candidates.append(None)
                continue
            candidates.has_passages = True
            spans = list(islice(Sentences(passage), most_of_one + 1))
            if not spans:
                raise InputError(
                    "the passage has no sentence; give text with at least one word", field="passage"
                )
        except InputError as error:
            candidates._candidates.append(_refusal(error))
            continue
        found = _Passage(passage, spans[:most_of_one], len(spans) > most_of_one)
        for start, end in spans if most else found.spans:
            sentence = align_pb2.Sentence(text=passage[start:end]).SerializeToString()
            candidates.pairs.append(_PAIR(source=sentence))
        candidates._candidates.append(found)
        if most and len(candidates.pairs) > most:
            break
    return candidates


def _refusal(error: InputError) -> Answer:
    failure = classify(error)
    assert failure is not None
    return Answer(b"", code=failure.code, message=failure.message, field=failure.field)


def _best(passage: _Passage, answers: list[Answer], unit: OffsetUnit) -> Answer:
    """Return the first of the best answers, or the first failure."""
    for index, answer in enumerate(answers):
        if answer.code != OK:
            start, end = passage.spans[index]
            message = (
                f"sentence {index} of the passage, code points {start} to {end}: {answer.message}"
            )
            return _named(answer._replace(message=message), "passage")
    index = max(range(len(answers)), key=lambda each: answers[each].score)  # the first of equals
    start, end = passage.spans[index]
    where = PassageSentence(
        index=index,
        n_sentences=len(passage.spans),
        start=place(passage.text, start, unit),
        end=place(passage.text, end, unit),
        passage_truncated=passage.is_cut,
    )
    named = align_pb2.RankedCandidate(best_sentence=encode_passage_sentence(where))
    best = answers[index]
    # Joined messages are one message with the fields of both.
    return best._replace(judgement=best.judgement + named.SerializeToString())


def _named(answer: Answer, name: str) -> Answer:
    """Return an answer whose field is that of a candidate, in place of a pair's source."""
    if not answer.field or answer.field.startswith("target"):
        return answer
    _, _, rest = answer.field.partition(".")
    is_whole = name == "passage" or not rest
    return answer._replace(field=name if is_whole else f"{name}.{rest}")
