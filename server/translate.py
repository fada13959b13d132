"""Translation between protobuf messages and tokalign's types; the only such place here.

Imported by the workers, so it must not import grpc.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from tokalign.errors import InputError, LimitError
from tokalign.server.config import RequestLimits
from tokalign.types import Alignment, Sentence, SentenceLike, Symmetrization
from tokalign.v1 import align_pb2

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


class Options(NamedTuple):
    """How to align: the request's options with the names checked and defaults filled in.

    Attributes
    ----------
    model, annotator : str
    symmetrization : Symmetrization or None
        None is the aligner's default.
    min_confidence : float
        In [0, 1].
    posteriors, explain, phrases : bool
    """

    model: str
    annotator: str
    symmetrization: Symmetrization | None = None
    min_confidence: float = 0.0
    posteriors: bool = False
    explain: bool = False
    phrases: bool = False


def options(message: align_pb2.AlignOptions, *, model: str, annotator: str) -> Options:
    """Return checked options; `model` and `annotator` are the defaults.

    Raises
    ------
    InputError
        If the direction is unknown or the confidence not in [0, 1].
    """
    symmetrization = None
    if message.direction != align_pb2.DIRECTION_UNSPECIFIED:
        symmetrization = _FROM_PROTO.get(message.direction)
        if symmetrization is None:
            raise InputError(
                f"direction {int(message.direction)} is unknown; wanted a value of "
                "tokalign.v1.Direction",
                field="options.direction",
            )
    confidence = message.min_confidence
    if math.isnan(confidence) or not 0 <= confidence <= 1:
        raise InputError(
            f"min_confidence is {confidence}; wanted 0 to 1", field="options.min_confidence"
        )
    return Options(
        model=message.model or model,
        annotator=message.annotator or annotator,
        symmetrization=symmetrization,
        min_confidence=confidence,
        posteriors=message.return_posteriors,
        explain=message.return_explanations,
        phrases=message.return_phrases,
    )


def directions() -> list[align_pb2.Direction]:
    """Return every direction as its protobuf number."""
    return list(_FROM_PROTO)


def sentence(message: align_pb2.Sentence, *, side: str, limits: RequestLimits) -> SentenceLike:
    """Return a sentence from the wire: its text, or a checked sentence where tokens are given.

    Parameters
    ----------
    message : align_pb2.Sentence
    side : str
        Path of the sentence, such as ``"source"``; errors name fields below it.
    limits : RequestLimits

    Raises
    ------
    InputError
        If it is empty, or its columns contradict one another (see Sentence.from_tokens).
    LimitError
        If it is too long.
    """
    given = {
        name: getattr(message, name)
        for name in ("tags", "lemmas", "heads", "relations")
        if len(getattr(message, name))
    }
    n_characters = len(message.text)
    if not message.tokens:
        if given:
            raise InputError(
                f"{', '.join(given)} given without tokens", field=f"{side}.{next(iter(given))}"
            )
        if not n_characters or message.text.isspace():
            raise InputError("the sentence is empty; give text or tokens", field=f"{side}.text")
        _limit(n_characters, limits.max_characters, "characters", f"{side}.text")
        return message.text
    _limit(len(message.tokens), limits.max_tokens, "tokens", f"{side}.tokens")
    n_characters = max(n_characters, sum(map(len, message.tokens)))
    _limit(n_characters, limits.max_characters, "characters", f"{side}.tokens")
    try:
        return Sentence.from_tokens(
            list(message.tokens),
            text=message.text or None,
            **{name: list(column) for name, column in given.items()},
        )
    except InputError as error:
        error.field = f"{side}.{error.field}" if error.field else side
        raise


def texts(data: bytes) -> dict[str, str]:
    """Return both texts of a serialised pair, for a log that may quote them."""
    pair = align_pb2.Pair.FromString(data)
    return {
        side: sentence.text or " ".join(sentence.tokens)
        for side, sentence in (("source", pair.source), ("target", pair.target))
    }


def _limit(seen: int, limit: int, unit: str, field: str) -> None:
    if seen > limit:
        raise LimitError(
            f"{seen} {unit}; the server takes at most {limit}: shorten or split the sentence",
            field=field,
        )


def alignment(value: Alignment, *, phrases: bool = False) -> align_pb2.Alignment:
    """Return an alignment as its message, with or without its phrases."""
    message = align_pb2.Alignment(
        source=_sentence_message(value.source),
        target=_sentence_message(value.target),
        source_indices=[link.source for link in value.links],
        target_indices=[link.target for link in value.links],
        confidences=[link.confidence for link in value.links],
        score=value.score,
    )
    if value.posteriors is not None:
        n_source, n_target = value.posteriors.shape
        message.posteriors.n_source = n_source
        message.posteriors.n_target = n_target
        message.posteriors.values.extend(value.posteriors.ravel().tolist())
    if phrases:
        for block in value.phrases():
            message.phrases.add(
                source_start=block.source_start,
                source_end=block.source_end,
                target_start=block.target_start,
                target_end=block.target_end,
                confidence=block.confidence,
            )
    for link in value.explanations:
        explanation = message.explanations.add(
            source_index=link.source,
            target_index=link.target,
            direction=_TO_PROTO[Symmetrization(link.direction)],
            score=link.score,
            runner_up=link.runner_up,
            margin=link.margin,
        )
        for feature in link.features:
            explanation.features.add(name=feature.name, value=feature.value, weight=feature.weight)
    return message


def _sentence_message(value: Sentence) -> align_pb2.Sentence:
    return align_pb2.Sentence(
        text=value.text,
        tokens=value.tokens,
        tags=_column(value.tags),
        lemmas=_column(value.lemmas),
        heads=() if value.heads is None else value.heads,
        relations=_column(value.relations),
        starts=value.starts,
        ends=value.ends,
    )


def _column(column: Sequence[str] | None) -> Sequence[str]:
    return () if column is None else column
