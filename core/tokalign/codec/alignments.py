"""Answers as a client reads them; `writing` writes them as bytes."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tokalign.codec.options import decode_enum, decode_rank_by, values_of
from tokalign.codec.sentences import decode_sentence
from tokalign.errors import InputError
from tokalign.types import Alignment, FeatureContribution, Link, LinkExplanation
from tokalign.types.edits import Change, Edit, EditKind
from tokalign.types.links import Phrase, Sides
from tokalign.types.options import Direction, Symmetrization
from tokalign.types.ranking import Highlight, Judgement, PassageSentence
from tokalign.types.relations import Conflict, ConflictKind, ConflictReason, Relation
from tokalign.v1 import align_pb2

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def decode_alignment(
    message: align_pb2.Alignment, model: align_pb2.ModelRef, symmetrization: Symmetrization
) -> Alignment:
    """Return an alignment.

    `message`: its sentences are empty where the request asked for links or scores alone. `model`:
    the model that the same response names. `symmetrization`: the one that the request asked for.

    A field with a value that this version does not know raises InputError when it is read.
    """
    return Alignment.of(_Received(message, model, symmetrization), 0)


class _Received(NamedTuple):
    """An answer whose fields are decoded when they are asked for; most callers read a few."""

    message: align_pb2.Alignment
    model: align_pb2.ModelRef
    symmetrization: Symmetrization

    def field(self, index: int, name: str) -> Any:
        if name in _DECODED:
            return _DECODED[name](self)
        if name in _PARTS:
            return tuple(map(_PARTS[name], getattr(self.message, name)))
        if name in _OPTIONAL and not self.message.HasField(name):
            return None
        return getattr(self.message, name)


def _decode_links(message: align_pb2.Alignment) -> tuple[Link, ...]:
    """Return the links, or raise InputError unless the fields of links are parallel."""
    columns = {name: getattr(message, name) for name in _LINK_FIELDS}
    n_links = len(message.source_indices)
    kinds, probabilities = message.relations, message.relation_probabilities
    if kinds or probabilities:
        columns["relations"] = kinds
        # The server may know more kinds than this version, or fewer.
        n_kinds, rest = divmod(len(probabilities), n_links or 1)
        if rest:
            raise InputError(
                f"the answer has {len(probabilities)} relation_probabilities for {n_links} links; "
                "wanted one of each kind for each link",
                field="relation_probabilities",
            )
    for name, column in columns.items():
        if len(column) != n_links:
            raise InputError(
                f"the answer has {len(column)} {name} for {n_links} source_indices; wanted one of "
                "each link",
                field=name,
            )
    if "relations" in columns:
        columns["relations"] = [
            _decode_relation(kind, probabilities[k * n_kinds : (k + 1) * n_kinds])
            for k, kind in enumerate(kinds)
        ]
    return tuple(map(Link, *columns.values()))


_LINK_FIELDS = ("source_indices", "target_indices", "confidences")


def _decode_relation(kind: int, probabilities: Sequence[float]) -> Relation:
    """Return a relation; its kind may be one that only a newer server knows.

    InputError is raised if the kind is not the one with the highest probability.
    """
    if not 0 < kind <= len(probabilities) or probabilities[kind - 1] != max(probabilities):
        raise InputError(
            f"relation kind {kind} is not the likeliest of its {len(probabilities)} probabilities; "
            "wanted those of each kind in the order of tokalign.v1.RelationKind",
            field="relations",
        )
    return Relation.of(probabilities)


def _decode_phrase(message: align_pb2.Phrase) -> Phrase:
    probabilities = message.relation_probabilities
    has_relation = message.relation or probabilities
    return Phrase(
        message.source_start,
        message.source_end,
        message.target_start,
        message.target_end,
        message.confidence,
        _decode_relation(message.relation, probabilities) if has_relation else None,
    )


def _decode_conflict(message: align_pb2.Conflict) -> Conflict:
    """Return a conflict, or raise InputError if its kind or reason is unknown."""
    return Conflict(
        decode_enum(ConflictKind, message.kind, "conflicts.kind"),
        message.source,
        message.target,
        message.probability,
        (message.source_start, message.source_end),
        (message.target_start, message.target_end),
        decode_enum(ConflictReason, message.reason, "conflicts.reason"),
    )


def _decode_edit(message: align_pb2.Edit) -> Edit:
    """Return an edit, or raise InputError if its kind or change is unknown."""
    return Edit(
        decode_enum(EditKind, message.kind, "edits.kind"),
        tuple(range(message.source_start, message.source_end)),
        tuple(range(message.target_start, message.target_end)),
        decode_enum(Change, message.change, "edits.change") if message.change else None,
    )


def _decode_posteriors(message: align_pb2.Alignment) -> "NDArray[np.float32] | None":
    """Return the matrix, of shape (n_source, n_target), or None without one."""
    if not message.HasField("posteriors"):
        return None
    import numpy as np  # slow to import, and seldom asked for

    matrix = message.posteriors
    if len(matrix.values) != matrix.n_source * matrix.n_target:
        raise InputError(
            f"the answer has {len(matrix.values)} posteriors; wanted {matrix.n_source} x "
            f"{matrix.n_target}",
            field="posteriors",
        )
    return np.array(matrix.values, dtype=np.float32).reshape(matrix.n_source, matrix.n_target)


def _decode_explanation(message: align_pb2.LinkExplanation) -> LinkExplanation:
    """Return why one token got its label, or raise InputError if its direction is unknown."""
    values = values_of(message, LinkExplanation)
    values["direction"] = decode_enum(Direction, message.direction, "direction")
    values["features"] = tuple(map(decode_contribution, message.features))
    return LinkExplanation(**values)


def decode_judgement(message: align_pb2.Judgement) -> Judgement:
    """Return the score of a candidate, and its evidence; raise InputError if the kind of ranking is
    unknown."""
    return Judgement(
        by=decode_rank_by(message.by),
        score=message.score,
        evidence=tuple(map(decode_contribution, message.evidence)),
    )


def encode_highlight(value: Highlight) -> align_pb2.Highlight:
    return align_pb2.Highlight(**values_of(value, Highlight))


def decode_highlights(messages: Iterable[align_pb2.Highlight]) -> tuple[Highlight, ...]:
    """Return the spans of a candidate that match the question."""
    return tuple(Highlight(**values_of(each, Highlight)) for each in messages)


def encode_passage_sentence(value: PassageSentence) -> align_pb2.PassageSentence:
    return align_pb2.PassageSentence(**values_of(value, PassageSentence))


def decode_passage_sentence(message: align_pb2.RankedCandidate) -> PassageSentence | None:
    """Return the ranked sentence of a passage, or None where the candidate is not a passage."""
    if not message.HasField("sentence"):
        return None
    return PassageSentence(**values_of(message.sentence, PassageSentence))


def decode_contribution(message: align_pb2.FeatureContribution) -> FeatureContribution:
    """Return a feature, or a piece of evidence."""
    return FeatureContribution(message.name, message.value, message.weight)


_DECODED: dict[str, Callable[[_Received], Any]] = {
    "source": lambda it: decode_sentence(it.message.source),
    "target": lambda it: decode_sentence(it.message.target),
    "links": lambda it: Sides.of(it, 0).placed(_decode_links(it.message)),
    "model": lambda it: it.model.name,
    "version": lambda it: it.model.version,
    "symmetrization": lambda it: it.symmetrization,
    "posteriors": lambda it: _decode_posteriors(it.message),
}
_PARTS: dict[str, Callable[[Any], Any]] = {
    "explanations": _decode_explanation,
    "phrases": _decode_phrase,
    "conflicts": _decode_conflict,
    "edits": _decode_edit,
}
"""Decoders of the fields that are lists of messages."""

_OPTIONAL = {
    each.name for each in align_pb2.Alignment.DESCRIPTOR.fields if each.containing_oneof is not None
}
"""Optional fields of an answer."""
