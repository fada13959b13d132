"""Evidence for an answer: its sentences, aligned with the passages' most similar sentences.

`ground_sentences` does the work; `ground_answer` and `ground_pieces` implement `Aligner.ground` and
`Aligner.ground_stream`. Offsets count code points until `in_unit` converts them to the unit asked
for.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TypeAlias, TypeVar

import numpy as np

from tokalign.batches.outcomes import annotate_each, map_batch, map_each, try_one, unwrap, values
from tokalign.decoding.backend import AT_ONCE, Extras, in_reading_order
from tokalign.decoding.engine import PairEngine
from tokalign.english.values import find_values
from tokalign.errors import InputError, quoted
from tokalign.grounding.answer_words import AlignedCandidate, AnswerWords, ValueKey, value_keys
from tokalign.grounding.grounded_sentence import ground_sentence
from tokalign.grounding.sources import Sources
from tokalign.texts.split_text import GrowingText, sentences_of
from tokalign.types import AnnotatedPair, Sentence
from tokalign.types.grounding import (
    Citation,
    CitationLink,
    GroundedSentence,
    GroundedWord,
    Grounding,
    PassageLike,
    SourceConflict,
    SourcePassage,
    UnsupportedSpan,
)
from tokalign.types.options import AlignOptions, GroundOptions, OffsetUnit
from tokalign.types.sentence import positions
from tokalign.types.texts import SentenceSpan

_DEFAULTS = AlignOptions()
_At: TypeAlias = Callable[[int], int]
"""Converts the offset of a code point to a unit."""
_Placed = TypeVar(
    "_Placed",
    GroundedSentence,
    GroundedWord,
    Citation,
    CitationLink,
    UnsupportedSpan,
    SourceConflict,
)


def ground_answer(
    engine: PairEngine, answer: str, passages: Iterable[PassageLike], options: GroundOptions
) -> Grounding:
    """Return where passages support the words of an answer; see Aligner.ground."""
    spans = sentences_of(answer, "answer")
    sources = Sources.of(passages)
    found = map(unwrap, ground_sentences(engine, spans, sources, options))
    return Grounding(
        answer,
        sources.passages,
        tuple(in_unit(found, answer, sources.passages, options.offsets)),
        engine.header.name,
        engine.header.version,
    )


def ground_pieces(
    engine: PairEngine,
    pieces: Iterable[str],
    passages: Iterable[PassageLike],
    options: GroundOptions,
) -> Iterator[GroundedSentence]:
    """Yield the sentences of an answer that grows; see Aligner.ground_stream."""
    sources = Sources.of(passages)
    text = GrowingText("answer")

    def grounded(spans: Sequence[SentenceSpan]) -> Iterable[GroundedSentence]:
        if not spans:
            return ()
        found = map(unwrap, ground_sentences(engine, spans, sources, options))
        return in_unit(found, text.text, sources.passages, options.offsets)

    for piece in pieces:
        if not isinstance(piece, str):
            raise InputError(
                f"a piece of the answer is {quoted(piece)}; wanted text", field="answer"
            )
        yield from grounded(text.add(piece))
    yield from grounded(text.end())


def ground_sentences(
    engine: PairEngine, sentences: Sequence[SentenceSpan], sources: Sources, options: GroundOptions
) -> list[GroundedSentence | Exception]:
    """Return the evidence or the error of each sentence of an answer.

    Offsets are code points for every unit; see `in_unit`. InputError is raised if a published
    system aligns.
    """
    annotate = partial(engine.annotate, markup=options.markup)
    annotated = annotate_each(annotate, [each.text for each in sentences])
    words = [try_one(partial(AnswerWords.of, sources=sources), each) for each in annotated]
    aligned = align_with_sources(engine, words, sources, options)

    def grounded(number: int) -> GroundedSentence:
        own, candidates = unwrap(words[number]), unwrap(aligned[number])
        return ground_sentence(sentences[number], own, candidates, sources, options)

    return map_each(grounded, range(len(sentences)))


def align_with_sources(
    engine: PairEngine,
    words: Sequence[AnswerWords | Exception],
    sources: Sources,
    options: GroundOptions,
) -> list[list[AlignedCandidate] | Exception]:
    """Return the candidates of each sentence of an answer, aligned with it.

    An exception, also one of a candidate, takes the place of a sentence's candidates.
    """
    numbers = [
        []
        if isinstance(each, Exception)
        else sources.candidates(each.holders, each.weights, options.candidates)
        for each in words
    ]
    every = [number for own in numbers for number in own]
    distinct = list(dict.fromkeys(every))
    texts = [sources.sentences[number].span.text for number in distinct]
    annotate = partial(engine.annotate, markup=options.markup)
    annotated = dict(zip(distinct, annotate_each(annotate, texts), strict=True))
    keys = {
        number: _keys_of(annotated[number])
        for own, each in zip(numbers, words, strict=True)
        for number in own
        if unwrap(each).values
    }
    pairs: list[AnnotatedPair | Exception] = []
    for own, each in zip(numbers, words, strict=True):
        for source in map(annotated.__getitem__, own):
            pairs.append(try_one(partial(_pair, each), source))
    aligned = iter(_aligned_rows(engine, pairs, every, keys))
    return [
        _all_or_error(each, [next(aligned) for _ in own])
        for own, each in zip(numbers, words, strict=True)
    ]


def _aligned_rows(
    engine: PairEngine,
    pairs: Sequence[AnnotatedPair | Exception],
    numbers: Sequence[int],
    keys: Mapping[int, frozenset[ValueKey]],
) -> list[AlignedCandidate | Exception]:
    """Return the alignments of pairs, with their rows of support."""
    encoded = map_batch(partial(engine.backend.encode, options=_DEFAULTS, compares=True), pairs)
    found: list[AlignedCandidate | Exception] = []
    for start in range(0, len(encoded), AT_ONCE):
        some = encoded[start : start + AT_ONCE]
        good = values(some)
        decided = engine.backend.decide(good, _DEFAULTS, Extras(supports=True))
        assert decided.support is not None
        columns = decided.columns
        rows = np.split(decided.support, np.cumsum(list(map(len, columns.targets)))[:-1])
        rest = iter(range(len(good)))
        for each, number in zip(some, numbers[start:], strict=False):
            if isinstance(each, Exception):
                found.append(each)
                continue
            index = next(rest)
            here = columns.sources[index], columns, index, rows[index]
            found.append(
                decided.errors.get(index)
                or AlignedCandidate(number, *here, keys.get(number, frozenset()))
            )
    return found


def _keys_of(source: Sentence | Exception) -> frozenset[ValueKey]:
    if isinstance(source, Exception):
        return frozenset()
    return frozenset(value_keys(find_values(source.tokens), with_years=True))


def _pair(words: AnswerWords | Exception, source: Sentence) -> AnnotatedPair:
    return in_reading_order((source, unwrap(words).sentence))


def _all_or_error(
    words: AnswerWords | Exception, candidates: Sequence[AlignedCandidate | Exception]
) -> list[AlignedCandidate] | Exception:
    """Return candidates, or the first error of a sentence and its candidates."""
    for each in (words, *candidates):
        if isinstance(each, Exception):
            return each
    return values(candidates)


def in_unit(
    sentences: Iterable[GroundedSentence],
    answer: str,
    passages: Sequence[SourcePassage],
    unit: OffsetUnit,
) -> list[GroundedSentence]:
    """Return sentences with offsets converted from code points to a unit.

    The answer may end with the last sentence. Citations name the passages.
    """
    if unit is OffsetUnit.CODE_POINTS:
        return list(sentences)
    at = positions(answer, unit).__getitem__
    texts = {each.id: each.text for each in passages}

    @cache
    def place_of(passage: str) -> _At:  # counted when it is first cited
        return positions(texts[passage], unit).__getitem__

    return [_sentence_in_unit(each, at, place_of) for each in sentences]


def _moved(each: _Placed, at: _At) -> _Placed:
    return replace(each, start=at(each.start), end=at(each.end))


def _sentence_in_unit(
    sentence: GroundedSentence, at: _At, place_of: Callable[[str], _At]
) -> GroundedSentence:
    cited = [place_of(each.passage) for each in sentence.citations]

    def word(each: GroundedWord) -> GroundedWord:
        there = at if each.citation is None else cited[each.citation]
        partners = tuple((there(start), there(end)) for start, end in each.partners)
        return replace(_moved(each, at), partners=partners)

    def citation(each: Citation, there: _At) -> Citation:
        links = tuple(_moved(link, there) for link in each.links)
        return replace(_moved(each, there), links=links)

    def conflict(each: SourceConflict) -> SourceConflict:
        there = place_of(each.passage)
        return replace(
            _moved(each, at),
            passage_start=there(each.passage_start),
            passage_end=there(each.passage_end),
        )

    return replace(
        _moved(sentence, at),
        words=tuple(map(word, sentence.words)),
        citations=tuple(map(citation, sentence.citations, cited)),
        unsupported=tuple(_moved(each, at) for each in sentence.unsupported),
        conflicts=tuple(map(conflict, sentence.conflicts)),
    )
