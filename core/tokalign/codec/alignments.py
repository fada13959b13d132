"""Answers, read; they are written without messages (_writing)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokalign.codec.options import FROM_NUMBER, decode_rank_by, values_of
from tokalign.codec.sentences import decode_sentence
from tokalign.options import Direction, RankBy, Symmetrization
from tokalign.phrases import Phrase
from tokalign.types import (
    Alignment,
    FeatureContribution,
    Judgement,
    Link,
    LinkExplanation,
    PassageSentence,
)
from tokalign.v1 import align_pb2

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def decode_alignment(
    message: align_pb2.Alignment, model: align_pb2.ModelRef, symmetrization: Symmetrization
) -> Alignment:
    """Return an alignment.

    Parameters
    ----------
    message : align_pb2.Alignment
        Sentences that it was asked to leave out are empty.
    model : align_pb2.ModelRef
        Of the same response.
    symmetrization : Symmetrization
        That was asked for.
    """
    return Alignment(
        source=decode_sentence(message.source),
        target=decode_sentence(message.target),
        links=tuple(map(Link, message.source_indices, message.target_indices, message.confidences)),
        score=message.score,
        similarity=message.similarity,
        model=model.name,
        version=model.version,
        symmetrization=symmetrization,
        posteriors=(
            decode_posteriors(message.posteriors) if message.HasField("posteriors") else None
        ),
        explanations=tuple(map(decode_explanation, message.explanations)),
        phrases=tuple(Phrase(**values_of(each, Phrase)) for each in message.phrases),
        source_truncated=message.source_truncated,
        target_truncated=message.target_truncated,
        distance=message.distance if message.HasField("distance") else None,
    )


def decode_posteriors(message: align_pb2.PosteriorMatrix) -> NDArray[np.float32]:
    """Return the matrix, of shape (n_source, n_target)."""
    import numpy as np  # slow to import, and seldom asked for

    return np.array(message.values, dtype=np.float32).reshape(message.n_source, message.n_target)


def decode_explanation(message: align_pb2.LinkExplanation) -> LinkExplanation:
    """Return why one token got its label."""
    return LinkExplanation(
        source=message.source_index,
        target=message.target_index,
        direction=Direction(FROM_NUMBER[message.direction]),
        score=message.score,
        features=tuple(map(_decode_contribution, message.features)),
        runner_up=message.runner_up,
        margin=message.margin,
    )


def decode_judgement(message: align_pb2.RankedCandidate) -> Judgement:
    """Return what a candidate is ranked by; its score, where the server is of an earlier version
    that ranks by nothing else."""
    if message.rank_by == align_pb2.RANK_BY_UNSPECIFIED:
        return Judgement(RankBy.SCORE, message.result.alignment.score)
    return Judgement(
        decode_rank_by(message.rank_by),
        message.score,
        tuple(map(_decode_contribution, message.evidence)),
    )


def encode_passage_sentence(value: PassageSentence) -> align_pb2.PassageSentence:
    """Return the message of which sentence of a passage was ranked."""
    return align_pb2.PassageSentence(**values_of(value, PassageSentence))


def decode_passage_sentence(message: align_pb2.RankedCandidate) -> PassageSentence | None:
    """Return which sentence of a passage was ranked, None where the candidate is none."""
    if not message.HasField("best_sentence"):
        return None
    return PassageSentence(**values_of(message.best_sentence, PassageSentence))


def _decode_contribution(message: align_pb2.FeatureContribution) -> FeatureContribution:
    return FeatureContribution(message.name, message.value, message.weight)
