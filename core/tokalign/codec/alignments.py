"""Answers as a client reads them; `writing` writes them, without messages."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from tokalign.codec.by_name import decode_enum, values_of
from tokalign.codec.options import decode_rank_by
from tokalign.codec.sentences import decode_sentence
from tokalign.types import (
    Alignment,
    FeatureContribution,
    Highlight,
    Judgement,
    Link,
    LinkExplanation,
    PassageSentence,
)
from tokalign.types.edits import Change, Edit, EditKind
from tokalign.types.options import Direction, Symmetrization
from tokalign.types.phrases import Phrase
from tokalign.types.relations import RELATION_KINDS, Conflict, ConflictKind, Relation
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
        links=_decode_links(message),
        score=message.score,
        similarity=message.similarity,
        model=model.name,
        version=model.version,
        symmetrization=symmetrization,
        posteriors=(
            _decode_posteriors(message.posteriors) if message.HasField("posteriors") else None
        ),
        explanations=tuple(map(_decode_explanation, message.explanations)),
        phrases=tuple(map(_decode_phrase, message.phrases)),
        source_truncated=message.source_truncated,
        target_truncated=message.target_truncated,
        distance=message.distance if message.HasField("distance") else None,
        style=message.style,
        cosine=message.cosine if message.HasField("cosine") else None,
        target_covered=message.target_covered,
        covered=message.covered,
        agreement=message.agreement,
        conflicts=tuple(map(_decode_conflict, message.conflicts)),
        edits=tuple(map(_decode_edit, message.edits)),
    )


def _decode_links(message: align_pb2.Alignment) -> tuple[Link, ...]:
    columns = message.source_indices, message.target_indices, message.confidences
    if not message.relation_probabilities:
        return tuple(map(Link, *columns))
    values = iter(message.relation_probabilities)
    kinds = len(RELATION_KINDS)
    relations = [Relation.of(list(islice(values, kinds))) for _ in message.source_indices]
    return tuple(map(Link, *columns, relations))


def _decode_phrase(message: align_pb2.Phrase) -> Phrase:
    return Phrase(
        message.source_start,
        message.source_end,
        message.target_start,
        message.target_end,
        message.confidence,
        Relation.of(message.relation_probabilities) if message.relation_probabilities else None,
    )


def _decode_conflict(message: align_pb2.Conflict) -> Conflict:
    """Return a conflict, or raise InputError if its kind is unknown."""
    kind = decode_enum(ConflictKind, message.kind, "conflicts.kind")
    return Conflict(kind, message.source, message.target, message.strength)


def _decode_edit(message: align_pb2.Edit) -> Edit:
    """Return an edit, or raise InputError if its kind or change is unknown."""
    return Edit(
        decode_enum(EditKind, message.kind, "edits.kind"),
        tuple(range(message.source_start, message.source_end)),
        tuple(range(message.target_start, message.target_end)),
        decode_enum(Change, message.change, "edits.change") if message.change else None,
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


def encode_highlight(value: Highlight) -> align_pb2.Highlight:
    """Return the message of a span that matches the question."""
    return align_pb2.Highlight(**values_of(value, Highlight))


def decode_highlights(messages: Iterable[align_pb2.Highlight]) -> tuple[Highlight, ...]:
    """Return the spans of a candidate that match the question."""
    return tuple(Highlight(**values_of(each, Highlight)) for each in messages)


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
