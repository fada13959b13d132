"""Translation between tokalign's types and protobuf messages; the only such place here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict, Unpack

from tokalign.client.errors import InternalError, from_status
from tokalign.client.results import AlignResult, ModelInfo, ServerInfo, ServerLimits
from tokalign.errors import InputError
from tokalign.types import (
    DEFAULT_SYMMETRIZATION,
    Alignment,
    Direction,
    FeatureContribution,
    Link,
    LinkExplanation,
    Sentence,
    SentenceLike,
    Symmetrization,
)
from tokalign.v1 import align_pb2

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Pair = tuple[SentenceLike, SentenceLike]

_TO_PROTO = {
    Symmetrization.SOURCE_TO_TARGET: align_pb2.DIRECTION_SOURCE_TO_TARGET,
    Symmetrization.TARGET_TO_SOURCE: align_pb2.DIRECTION_TARGET_TO_SOURCE,
    Symmetrization.INTERSECTION: align_pb2.DIRECTION_INTERSECTION,
    Symmetrization.UNION: align_pb2.DIRECTION_UNION,
    Symmetrization.GROW_DIAG: align_pb2.DIRECTION_GROW_DIAG,
    Symmetrization.GROW_DIAG_FINAL: align_pb2.DIRECTION_GROW_DIAG_FINAL,
    Symmetrization.GROW_DIAG_FINAL_AND: align_pb2.DIRECTION_GROW_DIAG_FINAL_AND,
    Symmetrization.JOINT: align_pb2.DIRECTION_JOINT,
}
_FROM_PROTO = {number: direction for direction, number in _TO_PROTO.items()}


class AlignOptions(TypedDict, total=False):
    """Keyword options of every call; the defaults are those of tokalign.Aligner.align.

    Attributes
    ----------
    model, annotator : str
        Names that Client.list_models gives; by default the server's first.
    symmetrization : Symmetrization or str
        One direction, or how both are combined.
    min_confidence : float
        Links of a lower posterior are left out. In [0, 1].
    posteriors : bool
        Whether to return the matrix of link posteriors.
    explain : bool
        Whether to explain every link.
    """

    model: str
    annotator: str
    symmetrization: Symmetrization | str
    min_confidence: float
    posteriors: bool
    explain: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """AlignOptions, checked and complete."""

    model: str = ""
    annotator: str = ""
    symmetrization: Symmetrization = DEFAULT_SYMMETRIZATION
    min_confidence: float = 0.0
    posteriors: bool = False
    explain: bool = False

    @classmethod
    def checked(cls, **given: Unpack[AlignOptions]) -> Options:
        """Return the options with defaults, or raise InputError where one is out of range."""
        symmetrization = given.get("symmetrization", DEFAULT_SYMMETRIZATION)
        if symmetrization not in _TO_PROTO:
            raise InputError(
                f"no symmetrization {symmetrization!r}; wanted one of {', '.join(Symmetrization)}",
                field="options.symmetrization",
            )
        min_confidence = given.get("min_confidence", 0.0)
        if not 0.0 <= min_confidence <= 1.0:
            raise InputError(
                f"min_confidence is {min_confidence}; wanted a number in [0, 1]",
                field="options.min_confidence",
            )
        return cls(
            model=given.get("model", ""),
            annotator=given.get("annotator", ""),
            symmetrization=Symmetrization(symmetrization),
            min_confidence=min_confidence,
            posteriors=given.get("posteriors", False),
            explain=given.get("explain", False),
        )

    def to_proto(self) -> align_pb2.AlignOptions:
        """Return the message."""
        return align_pb2.AlignOptions(
            model=self.model,
            annotator=self.annotator,
            direction=_TO_PROTO[self.symmetrization],
            min_confidence=self.min_confidence,
            return_posteriors=self.posteriors,
            return_explanations=self.explain,
        )


def sentence(value: SentenceLike) -> align_pb2.Sentence:
    """Return the message for raw text, tokens or a sentence.

    The text of a sentence whose tokens were rewritten (Penn quotes) is not sent, since the server
    looks the tokens up in it; `alignment` puts it back.
    """
    if isinstance(value, str):
        return align_pb2.Sentence(text=value)
    if not isinstance(value, Sentence):
        return align_pb2.Sentence(tokens=value)
    return align_pb2.Sentence(
        text=value.text if _is_verbatim(value) else "",
        tokens=value.tokens,
        tags=value.tags or (),
        lemmas=value.lemmas or (),
        heads=value.heads or (),
        relations=value.relations or (),
    )


def _is_verbatim(value: Sentence) -> bool:
    spans = zip(value.tokens, value.starts, value.ends, strict=True)
    return all(value.text[start:end] == token for token, start, end in spans)


def pair(value: Pair, index: int) -> align_pb2.Pair:
    """Return the message for (source, target); its id is the index."""
    source, target = value
    return align_pb2.Pair(id=str(index), source=sentence(source), target=sentence(target))


def align_request(value: Pair, options: Options) -> align_pb2.AlignRequest:
    """Return the request for one pair."""
    return align_pb2.AlignRequest(pair=pair(value, 0), options=options.to_proto())


def batch_request(pairs: Iterable[Pair], options: Options) -> align_pb2.BatchAlignRequest:
    """Return the request for many pairs."""
    return align_pb2.BatchAlignRequest(
        pairs=[pair(each, index) for index, each in enumerate(pairs)], options=options.to_proto()
    )


def rank_request(
    question: SentenceLike, candidates: Iterable[SentenceLike], top_k: int, options: Options
) -> align_pb2.RankRequest:
    """Return the request to rank candidates."""
    return align_pb2.RankRequest(
        question=sentence(question),
        candidates=[
            align_pb2.Candidate(id=str(index), sentence=sentence(each))
            for index, each in enumerate(candidates)
        ],
        top_k=top_k,
        options=options.to_proto(),
    )


def alignment(
    message: align_pb2.Alignment, model: align_pb2.ModelRef, sent: Pair, options: Options
) -> Alignment:
    """Return an alignment from its message.

    Parameters
    ----------
    message : align_pb2.Alignment
    model : align_pb2.ModelRef
        Of the same response.
    sent : (SentenceLike, SentenceLike)
        The pair as it was given; where it was a Sentence, its text and offsets are kept.
    options : Options
        That the pair was sent with.
    """
    return Alignment(
        source=_sentence(message.source, sent[0]),
        target=_sentence(message.target, sent[1]),
        links=tuple(map(Link, message.source_indices, message.target_indices, message.confidences)),
        score=message.score,
        model=model.name,
        version=model.version,
        symmetrization=options.symmetrization,
        posteriors=_posteriors(message.posteriors) if options.posteriors else None,
        explanations=tuple(map(_explanation, message.explanations)),
    )


def _sentence(message: align_pb2.Sentence, sent: SentenceLike) -> Sentence:
    value = Sentence(
        text=message.text,
        tokens=tuple(message.tokens),
        starts=tuple(message.starts),
        ends=tuple(message.ends),
        tags=tuple(message.tags) or None,
        lemmas=tuple(message.lemmas) or None,
        heads=tuple(message.heads) or None,
        relations=tuple(message.relations) or None,
    )
    if isinstance(sent, Sentence):
        return replace(value, text=sent.text, starts=sent.starts, ends=sent.ends)
    return value


def _posteriors(message: align_pb2.PosteriorMatrix) -> NDArray[np.float32]:
    import numpy as np  # slow to import, and seldom asked for

    return np.array(message.values, dtype=np.float32).reshape(message.n_source, message.n_target)


def _explanation(message: align_pb2.LinkExplanation) -> LinkExplanation:
    return LinkExplanation(
        source=message.source_index,
        target=message.target_index,
        direction=Direction(_FROM_PROTO[message.direction]),
        score=message.score,
        features=tuple(
            FeatureContribution(each.name, each.value, each.weight) for each in message.features
        ),
        runner_up=message.runner_up,
        margin=message.margin,
    )


def result(
    message: align_pb2.AlignResult,
    model: align_pb2.ModelRef,
    index: int,
    sent: Pair,
    options: Options,
) -> AlignResult:
    """Return the result of one pair of many."""
    if message.status.code:
        status = message.status
        return AlignResult(index, None, from_status(status.code, status.message, status.field))
    return AlignResult(index, alignment(message.alignment, model, sent, options), None)


def batch_results(
    message: align_pb2.BatchAlignResponse, pairs: Sequence[Pair], options: Options
) -> list[AlignResult]:
    """Return the results of a batch, in order."""
    return results(message.results, message.model, 0, pairs, options)


def results(
    messages: Sequence[align_pb2.AlignResult],
    model: align_pb2.ModelRef,
    first: int,
    pairs: Sequence[Pair],
    options: Options,
) -> list[AlignResult]:
    """Return the results of consecutive pairs, the first of which has index `first`.

    Raises
    ------
    InternalError
        If the server gave more or fewer results than there are pairs.
    """
    if len(messages) != len(pairs):
        raise InternalError(
            f"the server gave {len(messages)} results for {len(pairs)} pairs", code="INTERNAL"
        )
    return [
        result(message, model, first + offset, sent, options)
        for offset, (message, sent) in enumerate(zip(messages, pairs, strict=True))
    ]


def ranking(
    message: align_pb2.RankResponse,
    question: SentenceLike,
    candidates: Sequence[SentenceLike],
    options: Options,
) -> list[AlignResult]:
    """Return ranked results, the best first; each index is a candidate's."""
    return [
        result(each.result, message.model, each.index, (candidates[each.index], question), options)
        for each in message.ranking
    ]


def server_info(message: align_pb2.ListModelsResponse) -> ServerInfo:
    """Return what a server offers."""
    return ServerInfo(
        version=message.server_version,
        models=tuple(
            ModelInfo(
                name=model.name,
                version=model.version,
                digest=model.digest,
                description=model.description,
                corpora=tuple(model.corpora),
                feature_groups=tuple(model.feature_groups),
                # A newer server may offer directions that this client has no name for.
                directions=tuple(
                    _FROM_PROTO[number] for number in model.directions if number in _FROM_PROTO
                ),
                uses_trees=model.uses_trees,
                is_default=model.is_default,
            )
            for model in message.models
        ),
        annotators=tuple(message.annotators),
        limits=ServerLimits(
            max_tokens=message.limits.max_tokens,
            max_characters=message.limits.max_characters,
            max_pairs=message.limits.max_pairs,
            max_request_bytes=message.limits.max_request_bytes,
        ),
    )
