"""Answers that are grounded: the pairs of a request are its sentences, shared are the passages.

A sentence of the answer takes the place of a pair, so that it is let in, given to a worker, timed
and answered as a pair is, and fails alone. What it costs is known from the lengths of the passages'
sentences: those that may be its candidates are the longest at worst.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

from tokalign.codec.grounding import decode_passages
from tokalign.codec.options import RequestOptions
from tokalign.codec.servers import ErrorReason
from tokalign.codec.writing import Joined
from tokalign.english.annotate.sentence_splitter import Sentences
from tokalign.server.config import RequestLimits
from tokalign.server.requests.answers import Answer, status_of, too_large
from tokalign.server.requests.cost import CostModel
from tokalign.server.requests.request import Request, Sized, interactive
from tokalign.server.requests.wire import encode_answer_sentence, parse
from tokalign.server.status import OK, FailedError, RequestLimitError, failure_of
from tokalign.texts.split_text import MOST_TOKENS, GrowingText, sentences_of
from tokalign.types.grounding import SourcePassage, check_passages
from tokalign.types.options import GroundOptions, OffsetUnit
from tokalign.types.sentence import place
from tokalign.types.texts import SentenceSpan
from tokalign.v1 import align_pb2

_REQUEST = Joined(align_pb2.GroundRequest)
_RESPONSE = Joined(align_pb2.GroundResponse)
_SENTENCE = Joined(align_pb2.GroundedSentence)
_PASSAGE = Joined(align_pb2.SourcePassage)

# Of a token, with the space after it.
TOKEN_CHARACTERS = 5
# Bytes of an answer, measured: of a sentence with its citations, and of each of its words.
SENTENCE_BYTES = 256
WORD_BYTES = 64
EXPLAIN_WORD_BYTES = 1_200
# Of a sentence that does not end, pieces are joined once it is long, until they are such a part of
# it: each piece has it looked through for its end.
LONG_CHARACTERS, PIECE_SHARE = 4096, 64
# Of a sentence: its offsets, a status, and the tags and sizes of all.
_LOCATED_BYTES = 32


def passages_of(shared: bytes) -> list[SourcePassage]:
    """Return the passages that the sentences of a request share."""
    return decode_passages(align_pb2.GroundRequest.FromString(shared))


def check_number(passages: Sequence[object], limits: RequestLimits) -> None:
    """Raise LimitError if there are more passages than a request may have."""
    most = limits.max_pairs
    if len(passages) > most:
        raise RequestLimitError(
            f"more than {most} passages; the server takes at most {most} per request: join some, "
            "or leave out what is not to the point",
            reason=ErrorReason.TOO_MANY_ITEMS,
            field="passages",
        )


class Passages(NamedTuple):
    """The passages of a request, and what a sentence of an answer costs with them.

    Attributes
    ----------
    shared : bytes
        As Request.shared: a serialised GroundRequest that has them alone.
    n_sources : int
        Most sentences that one of the answer is aligned with.
    n_tokens, n_squares : float
        About how many tokens these have together at most, and the sum of their squares.
    """

    shared: bytes
    n_passages: int
    n_sources: int
    n_tokens: float
    n_squares: float

    @classmethod
    def read(cls, messages: Sequence[bytes], options: GroundOptions, limits: RequestLimits) -> Self:
        """Return the passages of serialised SourcePassage messages.

        Raises
        ------
        InputError
            If one is no message, or two have the same id.
        LimitError
            If there are too many.
        """
        check_number(messages, limits)
        parsed = [
            parse(align_pb2.SourcePassage, data, f"passages[{number}]")
            for number, data in enumerate(messages)
        ]
        given = [SourcePassage(each.id, each.text) for each in parsed]
        check_passages(given)
        return cls._of(messages, given, options)

    @classmethod
    def of(
        cls, given: Sequence[SourcePassage], options: GroundOptions, limits: RequestLimits
    ) -> Self:
        """Return passages that are checked; LimitError if there are too many."""
        check_number(given, limits)
        return cls._of([_PASSAGE(id=each.id, text=each.text) for each in given], given, options)

    @classmethod
    def _of(
        cls, messages: Sequence[bytes], given: Sequence[SourcePassage], options: GroundOptions
    ) -> Self:
        sizes = [size for each in given for size in _longest(each.text, options.candidates)]
        return cls(
            _REQUEST(passages=messages),
            len(messages),
            len(sizes),
            sum(sizes),
            sum(size * size for size in sizes),
        )

    def cost(
        self, n_words: int, n_shared_by: int, costs: CostModel, options: RequestOptions
    ) -> int:
        """Return what a sentence of an answer costs, in typical pairs.

        Parameters
        ----------
        n_shared_by : int
            Sentences that share the work on the passages themselves.
        """
        return costs.of_grounding(
            (self.n_sources, self.n_tokens, self.n_squares),
            n_words,
            self.n_passages,
            len(self.shared) / n_shared_by,
            options,
        )


def _longest(text: str, n: int) -> list[float]:
    """Return about how many tokens the longest sentences of a text have."""
    lengths = heapq.nlargest(n, (end - start for start, end in Sentences(text)))
    return [min(length / TOKEN_CHARACTERS + 1, MOST_TOKENS) for length in lengths]


class Located:
    """Sentences of an answer with offsets in a unit, each character being counted once."""

    def __init__(self, unit: OffsetUnit) -> None:
        self._unit = unit
        self._offset = 0
        self._place = 0

    def next(self, text: str, spans: Iterable[SentenceSpan]) -> list[SentenceSpan]:
        """Return the next sentences of a text in their order."""
        return [
            SentenceSpan(self._at(text, each.start), self._at(text, each.end), each.text)
            for each in spans
        ]

    def _at(self, text: str, offset: int) -> int:
        between = text[self._offset : offset]
        self._place += place(between, len(between), self._unit)
        self._offset = offset
        return self._place


class GrowingAnswer:
    """An answer that grows, and its sentences with offsets in a unit.

    Attributes
    ----------
    n_open : int
        Characters in no sentence yet.
    """

    def __init__(self, unit: OffsetUnit) -> None:
        self.n_open = 0
        self._text = GrowingText("answer")
        self._located = Located(unit)
        self._held: list[str] = []
        self._n_held = 0

    def add(self, piece: str) -> list[SentenceSpan]:
        """Return the sentences that a piece finishes."""
        self._held.append(piece)
        self._n_held += len(piece)
        self.n_open += len(piece)
        if not piece or self._n_held * PIECE_SHARE < self.n_open - LONG_CHARACTERS:
            return []
        return self._found(self._taken())

    def end(self) -> list[SentenceSpan]:
        """Return the sentences that the end of the answer finishes."""
        return self._found([*self._taken(), *self._text.end()])

    def _taken(self) -> list[SentenceSpan]:
        piece, self._held, self._n_held = "".join(self._held), [], 0
        return self._text.add(piece)

    def _found(self, spans: list[SentenceSpan]) -> list[SentenceSpan]:
        if spans:
            self.n_open = len(self._text.text) - spans[-1].end
        return self._located.next(self._text.text, spans)


def answer_sentences(answer: str, unit: OffsetUnit, limits: RequestLimits) -> list[SentenceSpan]:
    """Return the sentences of a whole answer, with offsets in a unit.

    Raises
    ------
    LimitError
        If there are more than a request may have.
    """
    spans = sentences_of(answer, "answer")
    if len(spans) > limits.max_pairs:
        raise RequestLimitError(
            f"the answer has {len(spans)} sentences; the server takes at most {limits.max_pairs} "
            "per request: ground parts of it",
            reason=ErrorReason.TOO_MANY_ITEMS,
            field="answer",
        )
    return Located(unit).next(answer, spans)


def sized(
    sentences: Sequence[SentenceSpan], passages: Passages, options: RequestOptions, costs: CostModel
) -> Iterator[Sized[SentenceSpan]]:
    """Yield sentences of an answer as pairs, with what they cost."""
    assert options.ground is not None
    word_bytes = WORD_BYTES + (EXPLAIN_WORD_BYTES if options.ground.explain else 0)
    for each in sentences:
        pair = encode_answer_sentence(each)
        n_words = len(each.text) // TOKEN_CHARACTERS + 1
        yield Sized(
            each,
            pair,
            passages.cost(n_words, len(sentences), costs, options),
            len(pair) + SENTENCE_BYTES + word_bytes * n_words,
        )


def whole(
    sentences: Sequence[SentenceSpan],
    passages: Passages,
    options: RequestOptions,
    costs: CostModel,
) -> Request:
    """Return the request for all sentences of an answer."""
    items = list(sized(sentences, passages, options, costs))
    most = costs.limits.max_response_bytes
    of_each = [each.cost for each in items]
    return Request(
        options,
        [each.pair for each in items if each.pair is not None],
        of_each,
        passages.shared,
        min(sum(each.n_bytes for each in items), most),
        most,
        interactive(options, sum(of_each)),
    )


def written(
    sentences: Iterable[SentenceSpan], answers: Iterable[Answer], limit: int
) -> list[bytes]:
    """Return sentences as serialised GroundedSentence messages.

    Parameters
    ----------
    limit : int
        Most bytes of a sentence; a larger one has a status in place of its evidence.

    Raises
    ------
    FailedError
        If the passages or the options are at fault, which fail every sentence.
    """
    return [_sentence(each, answer, limit) for each, answer in zip(sentences, answers, strict=True)]


def _sentence(span: SentenceSpan, answer: Answer, limit: int) -> bytes:
    if answer.field.partition(".")[0].partition("[")[0] in ("passages", "options"):
        raise FailedError(answer.failure(answer.field))
    if answer.code == OK and len(answer.alignment) + _LOCATED_BYTES > limit:
        answer = Answer.failed(failure_of(too_large(limit)))
    if answer.code == OK:
        return answer.alignment
    return _SENTENCE(start=span.start, end=span.end, status=status_of(answer))


def heading(model: bytes) -> bytes:
    """Return the field of a GroundResponse that names the model, a serialised ModelRef."""
    return _RESPONSE(model=model)


def fields_of(sentences: Sequence[bytes]) -> list[bytes]:
    """Return serialised GroundedSentence messages as fields of a GroundResponse."""
    return [_RESPONSE(sentences=[each]) for each in sentences]
