"""Answers of pairs, and how large they may be: what is sure is foreseen before any work."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple, Self

from tokalign.codec.options import numbers_of
from tokalign.codec.servers import ErrorReason
from tokalign.server.status import Failure, RequestLimitError
from tokalign.v1 import align_pb2

# Of all answers of a ranking together; only the best candidates are sent.
MAX_RANKING_BYTES = 32 << 20
# An estimate is refused that is larger than what is allowed by this factor, since answers of usual
# text take four fifths of it at least.
CERTAIN = 1.25

_REASONS = numbers_of(ErrorReason)


class Answer(NamedTuple):
    """The answer for one pair: a serialised tokalign.v1.Alignment, or why there is none.

    In a ranking, `score` is what the pair is ranked by, and `judgement` a serialised
    tokalign.v1.RankedCandidate that holds that score and what belongs to it. `repetition` is how
    far the source repeats a question (tokalign.ranking.judge). `reason` is the name of an
    ErrorReason; the frames of workers take no enumerations.
    """

    alignment: bytes
    score: float = 0.0
    code: int = 0
    message: str = ""
    field: str = ""
    judgement: bytes = b""
    reason: str = ""
    repetition: float | None = None

    @classmethod
    def failed(cls, failure: Failure) -> Self:
        """Return the answer for a pair that cannot be aligned."""
        return cls(
            b"",
            code=failure.code,
            message=failure.message,
            field=failure.field,
            reason=failure.reason.value,
        )

    def failure(self, field: str) -> Failure:
        """Return why there is no alignment, with the field as the whole call has it."""
        return Failure(ErrorReason(self.reason), self.message, field)


def status_of(answer: Answer) -> bytes:
    """Return the serialised tokalign.v1.Status of an item."""
    return align_pb2.Status(
        code=answer.code,
        message=answer.message,
        field=answer.field,
        reason=_REASONS[ErrorReason(answer.reason)],
    ).SerializeToString()


def too_large(limit: int, n_fitting: int | None = None) -> RequestLimitError:
    """Return the error for an answer that is, or would be, larger than `limit` bytes.

    Parameters
    ----------
    n_fitting : int, optional
        How many of the pairs, in the order given, have an answer that fits.
    """
    fewer = "fewer pairs" if n_fitting is None else f"at most {n_fitting} of these pairs at once"
    return RequestLimitError(
        f"the answer would be larger than {limit} bytes (max_response_bytes), the most that this "
        f"server sends: send {fewer}, or ask for less of each: detail DETAIL_LINKS or "
        "DETAIL_SCORES, no posteriors, no explanations, a top_k",
        reason=ErrorReason.ANSWER_TOO_LARGE,
        metadata={} if n_fitting is None else {"n_fitting": str(n_fitting)},
    )


def check_foreseen(sizes: Sequence[int], limit: int, top_k: int = 0) -> None:
    """Raise LimitError if an answer is sure to be too large, and say how much would fit.

    Parameters
    ----------
    sizes : sequence of int
        About how many bytes the answer for each pair takes; see cost.answer_bytes.
    limit : int
        Most bytes of the whole.
    top_k : int
        How many of the pairs are answered; 0 is all. Nothing is known about which, so those with
        the smallest answers are assumed.
    """
    answered = heapq.nsmallest(top_k, sizes) if top_k else sizes
    if sum(answered) > CERTAIN * limit:
        raise too_large(limit, bisect.bisect(list(accumulate(answered)), limit))
