"""Answers as a client reads them; `writing` writes them, without messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokalign.codec.by_name import decode_enum, values_of
from tokalign.codec.options import decode_rank_by
from tokalign.codec.sentences import decode_sentence
from tokalign.types import (
    Alignment,
    FeatureContribution,
    Judgement,
    Link,
    LinkExplanation,
    PassageSentence,
)
from tokalign.types.options import Direction, Symmetrization
from tokalign.types.phrases import Phrase
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
        Its sentences are empty where the request asked for links or scores alone.
    model : align_pb2.ModelRef
        The model that the same response names.
    symmetrization : Symmetrization
        The one that the request asked for.
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
            _decode_posteriors(message.posteriors) if message.HasField("posteriors") else None
        ),
        explanations=tuple(map(_decode_explanation, message.explanations)),
        phrases=tuple(Phrase(**values_of(each, Phrase)) for each in message.phrases),
        source_truncated=message.source_truncated,
        target_truncated=message.target_truncated,
        distance=message.distance if message.HasField("distance") else None,
        style=message.style,
    )


def _decode_posteriors(message: align_pb2.PosteriorMatrix) -> NDArray[np.float32]:
    """Return the matrix, of shape (n_source, n_target)."""
    import numpy as np  # slow to import, and seldom asked for

    return np.array(message.values, dtype=np.float32).reshape(message.n_source, message.n_target)


def _decode_explanation(message: align_pb2.LinkExplanation) -> LinkExplanation:
    """Return why one token got its label, or raise InputError if its direction is unknown."""
    return LinkExplanation(
        source=message.source,
        target=message.target,
        direction=decode_enum(Direction, message.direction, "direction"),
        score=message.score,
        features=tuple(map(_decode_contribution, message.features)),
        runner_up=message.runner_up,
        margin=message.margin,
    )


def decode_judgement(message: align_pb2.Judgement) -> Judgement:
    """Return what a candidate got, and why.

    Raises
    ------
    InputError
        If what it was ranked by is unknown.
    """
    return Judgement(
        by=decode_rank_by(message.by),
        score=message.score,
        evidence=tuple(map(_decode_contribution, message.evidence)),
    )


def encode_passage_sentence(value: PassageSentence) -> align_pb2.PassageSentence:
    """Return the message of which sentence of a passage was ranked."""
    return align_pb2.PassageSentence(**values_of(value, PassageSentence))


def decode_passage_sentence(message: align_pb2.RankedCandidate) -> PassageSentence | None:
    """Return which sentence of a passage was ranked, or None where the candidate is no passage."""
    if not message.HasField("sentence"):
        return None
    return PassageSentence(**values_of(message.sentence, PassageSentence))


def _decode_contribution(message: align_pb2.FeatureContribution) -> FeatureContribution:
    return FeatureContribution(message.name, message.value, message.weight)
