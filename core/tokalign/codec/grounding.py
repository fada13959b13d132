"""Messages of answers with their passages, and of the evidence for their sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tokalign.codec.by_name import NUMBERS, decode_enum
from tokalign.codec.options import RequestOptions
from tokalign.errors import ServerError
from tokalign.types import FeatureContribution
from tokalign.types.grounding import (
    Citation,
    CitationLink,
    GroundedSentence,
    GroundedWord,
    Grounding,
    SourceConflict,
    SourcePassage,
    UnsupportedSpan,
    WordKind,
)
from tokalign.types.options import GroundOptions, Markup, OffsetUnit
from tokalign.types.relations import ConflictKind
from tokalign.v1 import align_pb2

# Keeps each message far below the servers' limit.
PIECE_CHARACTERS = 128 << 10


def encode_ground_options(options: RequestOptions) -> align_pb2.GroundOptions:
    """Return the message of options whose `ground` is given."""
    ground = options.ground or GroundOptions()
    return align_pb2.GroundOptions(
        model=options.model,
        annotator=options.annotator,
        candidates=ground.candidates,
        threshold=ground.threshold,
        explain=ground.explain,
        offsets=NUMBERS[OffsetUnit][ground.offsets],
        markup=NUMBERS[Markup][ground.markup],
    )


def decode_ground_options(
    message: align_pb2.GroundOptions, *, model: str = "", annotator: str = ""
) -> RequestOptions:
    """Return checked options; `model` and `annotator` are the defaults.

    InputError is raised if the unit of offsets is unknown, or another option is out of range.
    """
    default = GroundOptions()
    ground = GroundOptions(
        candidates=message.candidates or default.candidates,
        threshold=message.threshold if message.HasField("threshold") else default.threshold,
        explain=message.explain,
        offsets=(
            decode_enum(OffsetUnit, message.offsets, "options.offsets")
            if message.offsets
            else default.offsets
        ),
        markup=(
            decode_enum(Markup, message.markup, "options.markup")
            if message.markup
            else default.markup
        ),
    )
    return RequestOptions(message.model or model, message.annotator or annotator, ground=ground)


def encode_ground(
    answer: str, passages: Iterable[SourcePassage], options: RequestOptions
) -> align_pb2.GroundRequest:
    """Return the message for a whole answer."""
    return align_pb2.GroundRequest(
        answer=answer,
        passages=map(_encode_passage, passages),
        options=encode_ground_options(options),
    )


def encode_ground_head(
    passages: Sequence[SourcePassage], options: RequestOptions
) -> Iterator[align_pb2.GroundStreamRequest]:
    """Yield the messages that come before the first piece of an answer, at least one.

    Each has passages of about PIECE_CHARACTERS, or a single one.
    """
    message = align_pb2.GroundStreamRequest(options=encode_ground_options(options))
    n_characters = 0
    for passage in passages:
        size = len(passage.id) + len(passage.text)
        if message.passages and n_characters + size > PIECE_CHARACTERS:
            yield message
            message, n_characters = align_pb2.GroundStreamRequest(), 0
        message.passages.append(_encode_passage(passage))
        n_characters += size
    yield message


def encode_ground_piece(piece: str) -> Iterator[align_pb2.GroundStreamRequest]:
    """Yield the messages of a piece of an answer; an empty piece has none."""
    for start in range(0, len(piece), PIECE_CHARACTERS):
        yield align_pb2.GroundStreamRequest(answer=piece[start : start + PIECE_CHARACTERS])


def _encode_passage(passage: SourcePassage) -> align_pb2.SourcePassage:
    return align_pb2.SourcePassage(id=passage.id, text=passage.text)


def decode_passages(message: align_pb2.GroundRequest) -> list[SourcePassage]:
    """Return the passages of a request, unchecked."""
    return [SourcePassage(each.id, each.text) for each in message.passages]


def encode_grounded_sentence(value: GroundedSentence, start: int) -> align_pb2.GroundedSentence:
    """Return the message of a sentence, with offsets in the whole answer.

    Parameters
    ----------
    start : int
        Where the sentence starts in the answer, in the unit of its offsets.
    """
    by = start - value.start
    return align_pb2.GroundedSentence(
        start=start,
        end=value.end + by,
        support=1.0 if value.support is None else value.support,
        has_no_claim=value.support is None,
        words=[_encode_word(each, by) for each in value.words],
        citations=map(_encode_citation, value.citations),
        unsupported=[
            align_pb2.UnsupportedSpan(
                start=each.start + by, end=each.end + by, support=each.support
            )
            for each in value.unsupported
        ],
        conflicts=[_encode_conflict(each, by) for each in value.conflicts],
    )


def _encode_word(value: GroundedWord, by: int) -> align_pb2.GroundedWord:
    message = align_pb2.GroundedWord(
        start=value.start + by,
        end=value.end + by,
        kind=NUMBERS[WordKind][value.kind],
        support=value.support,
        partners=[align_pb2.TextRange(start=start, end=end) for start, end in value.partners],
        evidence=[
            align_pb2.FeatureContribution(name=each.name, value=each.value, weight=each.weight)
            for each in value.evidence
        ],
    )
    if value.citation is not None:
        message.citation = value.citation
    return message


def _encode_citation(value: Citation) -> align_pb2.Citation:
    return align_pb2.Citation(
        passage=value.passage,
        start=value.start,
        end=value.end,
        cover=value.cover,
        links=[
            align_pb2.CitationLink(
                word=each.word, start=each.start, end=each.end, confidence=each.confidence
            )
            for each in value.links
        ],
        says_also=value.says_also,
    )


def _encode_conflict(value: SourceConflict, by: int) -> align_pb2.SourceConflict:
    return align_pb2.SourceConflict(
        kind=NUMBERS[ConflictKind][value.kind],
        start=value.start + by,
        end=value.end + by,
        passage=value.passage,
        passage_start=value.passage_start,
        passage_end=value.passage_end,
        probability=value.probability,
    )


def decode_grounding(
    parts: Iterable[align_pb2.GroundResponse | align_pb2.GroundStreamResponse],
    answer: str,
    passages: tuple[SourcePassage, ...],
    error_of: Callable[[align_pb2.Status], ServerError],
) -> Grounding:
    """Return the evidence for an answer.

    Parameters
    ----------
    parts : iterable of messages
        The evidence; its fields may be spread over several messages.
    passages : tuple of SourcePassage
        As they were sent.
    error_of : callable
        Returns the exception for a sentence without evidence.

    InputError is raised if the kind of a word or of a conflict is unknown.
    """
    parts = list(parts)
    model = next((part.model for part in parts if part.HasField("model")), align_pb2.ModelRef())
    return Grounding(
        answer=answer,
        passages=passages,
        sentences=tuple(
            decode_grounded_sentence(each, error_of) for part in parts for each in part.sentences
        ),
        model=model.name,
        version=model.version,
    )


def decode_grounded_sentence(
    message: align_pb2.GroundedSentence, error_of: Callable[[align_pb2.Status], ServerError]
) -> GroundedSentence:
    """Return a sentence; see `decode_grounding`."""
    return GroundedSentence(
        start=message.start,
        end=message.end,
        support=None if message.has_no_claim else message.support,
        words=tuple(map(_decode_word, message.words)),
        citations=tuple(map(_decode_citation, message.citations)),
        unsupported=tuple(
            [UnsupportedSpan(each.start, each.end, each.support) for each in message.unsupported]
        ),
        conflicts=tuple(map(_decode_conflict, message.conflicts)),
        error=error_of(message.status) if message.status.code else None,
    )


def _decode_word(message: align_pb2.GroundedWord) -> GroundedWord:
    return GroundedWord(
        start=message.start,
        end=message.end,
        kind=decode_enum(WordKind, message.kind, "words.kind"),
        support=message.support,
        citation=message.citation if message.HasField("citation") else None,
        partners=tuple([(each.start, each.end) for each in message.partners]),
        evidence=tuple(
            [FeatureContribution(each.name, each.value, each.weight) for each in message.evidence]
        ),
    )


def _decode_citation(message: align_pb2.Citation) -> Citation:
    return Citation(
        passage=message.passage,
        start=message.start,
        end=message.end,
        cover=message.cover,
        links=tuple(
            [
                CitationLink(each.word, each.start, each.end, each.confidence)
                for each in message.links
            ]
        ),
        says_also=message.says_also,
    )


def _decode_conflict(message: align_pb2.SourceConflict) -> SourceConflict:
    return SourceConflict(
        kind=decode_enum(ConflictKind, message.kind, "conflicts.kind"),
        start=message.start,
        end=message.end,
        passage=message.passage,
        passage_start=message.passage_start,
        passage_end=message.passage_end,
        probability=message.probability,
    )
