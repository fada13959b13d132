"""Which candidates of a ranking are looked at, and their priors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from google.protobuf.message import DecodeError
from tokalign.codec import decode_judgement
from tokalign.codec.reasons import ErrorReason
from tokalign.codec.writing import write_judgement
from tokalign.ranking.priors import shipped_weights, standardised, weighed
from tokalign.ranking.shortlist import shortlist
from tokalign.server.requests.answers import Answer
from tokalign.server.status import OK, BadRequestError
from tokalign.v1 import align_pb2


def read_messages(candidates: Sequence[bytes]) -> list[align_pb2.Candidate]:
    """Return candidates as messages, an empty one for bytes that are none.

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


def chosen(question: bytes, candidates: Sequence[align_pb2.Candidate], n: int) -> list[int]:
    """Return the rising indices of the candidates that are looked at, `n` of them; 0 is all.

    Parameters
    ----------
    question : bytes
        A serialised tokalign.v1.Sentence.
    candidates : sequence of Candidate
    n : int
    """
    if not n:
        return list(range(len(candidates)))
    texts = [each.passage or _text(each.sentence) for each in candidates]
    return shortlist(_text(align_pb2.Sentence.FromString(question)), texts, n)


def priors_of(candidates: Sequence[align_pb2.Candidate]) -> list[float | None]:
    """Return the standardised priors of the candidates that are looked at."""
    return standardised([each.prior if each.HasField("prior") else None for each in candidates])


def with_priors(
    answers: Sequence[Answer], priors: Sequence[float | None], *, explain: bool
) -> list[Answer]:
    """Return the answers of candidates with their priors in scores and judgements."""
    return [
        answer if prior is None or answer.code != OK else _weighed(answer, prior, explain=explain)
        for answer, prior in zip(answers, priors, strict=True)
    ]


def _weighed(answer: Answer, prior: float, *, explain: bool) -> Answer:
    message = align_pb2.RankedCandidate.FromString(answer.judgement)
    judgement = replace(decode_judgement(message.judgement), score=answer.score)
    judgement = weighed(judgement, prior, shipped_weights(), explain=explain)
    message.ClearField("judgement")
    # Joined messages are one message with the fields of both.
    joined = message.SerializeToString() + write_judgement(judgement)
    return answer._replace(score=judgement.score, judgement=joined)


def _text(sentence: align_pb2.Sentence) -> str:
    return sentence.text or " ".join(sentence.tokens)
