"""Messages of answers with their passages, and of the evidence for their sentences."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from tokalign.codec.alignments import decode_contribution
from tokalign.codec.options import (
    RequestOptions,
    decode_enum,
    encode_ground_options,
    numbers_of,
    values_of,
)
from tokalign.codec.texts import PIECE_CHARACTERS
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
from tokalign.types.relations import ConflictKind
from tokalign.v1 import align_pb2


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
    """Return the message of a sentence that starts there in the answer; offsets are moved so."""
    by = start - value.start
    return align_pb2.GroundedSentence(
        start=start,
        end=value.end + by,
        support=1.0 if value.support is None else value.support,
        has_no_claim=value.support is None,
        words=[_encode_word(each, by) for each in value.words],
        citations=map(_encode_citation, value.citations),
        unsupported=[align_pb2.UnsupportedSpan(**_moved(each, by)) for each in value.unsupported],
        conflicts=[
            align_pb2.SourceConflict(
                **_moved(each, by) | {"kind": numbers_of(ConflictKind)[each.kind]}
            )
            for each in value.conflicts
        ],
    )


def _moved(value: Any, by: int) -> dict[str, Any]:
    """Return the fields of a value by name, with its place in the answer moved."""
    return values_of(value, type(value)) | {"start": value.start + by, "end": value.end + by}


def _encode_word(value: GroundedWord, by: int) -> align_pb2.GroundedWord:
    values = _moved(value, by) | {"kind": numbers_of(WordKind)[value.kind]}
    values["partners"] = [
        align_pb2.TextRange(start=start, end=end) for start, end in value.partners
    ]
    values["evidence"] = [
        align_pb2.FeatureContribution(**values_of(each, FeatureContribution))
        for each in value.evidence
    ]
    return align_pb2.GroundedWord(**values)


def _encode_citation(value: Citation) -> align_pb2.Citation:
    links = [align_pb2.CitationLink(**values_of(each, CitationLink)) for each in value.links]
    return align_pb2.Citation(**values_of(value, Citation) | {"links": links})


def decode_grounding(
    parts: Iterable[align_pb2.GroundResponse | align_pb2.GroundStreamResponse],
    answer: str,
    passages: tuple[SourcePassage, ...],
    error_of: Callable[[align_pb2.Status], ServerError],
) -> Grounding:
    """Return the evidence for an answer.

    `parts`: the evidence; its fields may be spread over several messages. `passages`: as they were
    sent. `error_of`: returns the exception for a sentence without evidence.

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
    values = values_of(message, GroundedWord)
    values["kind"] = decode_enum(WordKind, message.kind, "words.kind")
    values["citation"] = message.citation if message.HasField("citation") else None
    values["partners"] = tuple([(each.start, each.end) for each in message.partners])
    values["evidence"] = tuple(map(decode_contribution, message.evidence))
    return GroundedWord(**values)


def _decode_citation(message: align_pb2.Citation) -> Citation:
    links = tuple([CitationLink(**values_of(each, CitationLink)) for each in message.links])
    return Citation(**values_of(message, Citation) | {"links": links})


def _decode_conflict(message: align_pb2.SourceConflict) -> SourceConflict:
    kind = decode_enum(ConflictKind, message.kind, "conflicts.kind")
    return SourceConflict(**values_of(message, SourceConflict) | {"kind": kind})
