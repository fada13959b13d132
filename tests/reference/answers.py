"""Slow, obvious twin of the writer of answers: a message for every part of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tokalign.types import Alignment, FeatureContribution, LinkExplanation, Sentence
from tokalign.types.edits import Edit
from tokalign.types.links import Phrase
from tokalign.types.options import AlignOptions, Detail
from tokalign.types.ranking import Judgement
from tokalign.types.relations import Conflict, Relation
from tokalign.v1 import align_pb2


def sentence(value: Sentence) -> align_pb2.Sentence:
    return align_pb2.Sentence(
        text=value.text,
        tokens=value.tokens,
        tags=value.tags,
        lemmas=value.lemmas,
        heads=value.heads,
        relations=value.relations,
        starts=value.starts,
        ends=value.ends,
    )


def alignment(value: Alignment, options: AlignOptions) -> align_pb2.Alignment:
    message = align_pb2.Alignment(
        score=value.score,
        similarity=value.similarity,
        source_truncated=value.source_truncated,
        target_truncated=value.target_truncated,
        distance=value.distance,
        target_covered=value.target_covered,
        covered=value.covered,
        agreement=value.agreement,
        cosine=value.cosine,
        encoded=value.encoded,
    )
    if options.detail is Detail.SCORES:
        return message
    if options.detail is Detail.FULL:
        message.source.CopyFrom(sentence(value.source))
        message.target.CopyFrom(sentence(value.target))
    message.source_indices.extend([link.source for link in value.links])
    message.target_indices.extend([link.target for link in value.links])
    message.confidences.extend([link.confidence for link in value.links])
    if value.posteriors is not None:
        message.posteriors.CopyFrom(posteriors(value.posteriors))
    message.explanations.extend([explanation(each) for each in value.explanations])
    message.phrases.extend([phrase(each) for each in value.phrases])
    message.conflicts.extend([conflict(each) for each in value.conflicts])
    for link in value.links:
        if link.relation is not None:
            message.relations.append(kind_number(link.relation))
            message.relation_probabilities.extend(link.relation.probabilities)
    message.edits.extend([edit(each) for each in value.edits])
    return message


def kind_number(relation: Relation) -> align_pb2.RelationKind.ValueType:
    return align_pb2.RelationKind.Value(f"RELATION_KIND_{relation.kind.name}")


def conflict(value: Conflict) -> align_pb2.Conflict:
    return align_pb2.Conflict(
        kind=align_pb2.ConflictKind.Value(f"CONFLICT_KIND_{value.kind.name}"),
        source=value.source,
        target=value.target,
        probability=value.probability,
        source_start=value.source_span[0],
        source_end=value.source_span[1],
        target_start=value.target_span[0],
        target_end=value.target_span[1],
        reason=align_pb2.ConflictReason.Value(f"CONFLICT_REASON_{value.reason.name}"),
    )


def edit(value: Edit) -> align_pb2.Edit:
    message = align_pb2.Edit(kind=align_pb2.EditKind.Value(f"EDIT_KIND_{value.kind.name}"))
    if value.source:
        message.source_start, message.source_end = value.source[0], value.source[-1] + 1
    if value.target:
        message.target_start, message.target_end = value.target[0], value.target[-1] + 1
    if value.change is not None:
        message.change = align_pb2.Change.Value(f"CHANGE_{value.change.name}")
    return message


def posteriors(value: NDArray[np.float32]) -> align_pb2.PosteriorMatrix:
    n_source, n_target = value.shape
    return align_pb2.PosteriorMatrix(
        n_source=n_source, n_target=n_target, values=value.ravel().tolist()
    )


def explanation(value: LinkExplanation) -> align_pb2.LinkExplanation:
    return align_pb2.LinkExplanation(
        source=value.source,
        target=value.target,
        direction=align_pb2.Direction.Value(f"DIRECTION_{value.direction.name}"),
        score=value.score,
        features=[contribution(each) for each in value.features],
        runner_up=value.runner_up,
        margin=value.margin,
    )


def contribution(value: FeatureContribution) -> align_pb2.FeatureContribution:
    return align_pb2.FeatureContribution(name=value.name, value=value.value, weight=value.weight)


def phrase(value: Phrase) -> align_pb2.Phrase:
    return align_pb2.Phrase(
        source_start=value.source_start,
        source_end=value.source_end,
        target_start=value.target_start,
        target_end=value.target_end,
        confidence=value.confidence,
        relation=kind_number(value.relation) if value.relation else None,
        relation_probabilities=value.relation.probabilities if value.relation else (),
    )


def judgement(value: Judgement) -> align_pb2.RankedCandidate:
    message = align_pb2.Judgement(
        by=align_pb2.RankBy.Value(f"RANK_BY_{value.by.name}"),
        score=value.score,
        evidence=[contribution(each) for each in value.evidence],
    )
    return align_pb2.RankedCandidate(judgement=message)
