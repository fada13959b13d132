"""A sentence of an answer with its evidence, from the sentences of the sources aligned with it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tokalign.support.candidates import AlignedCandidate, AnswerWords
from tokalign.support.citations import choose
from tokalign.support.columns import SupportColumn
from tokalign.support.inputs import support_inputs
from tokalign.support.model import SupportModel
from tokalign.support.sources import Sources
from tokalign.support.words import SUPPORTABLE
from tokalign.types.grounding import (
    Citation,
    CitationLink,
    GroundedSentence,
    GroundedWord,
    GroundOptions,
    SourceConflict,
    UnsupportedSpan,
    WordKind,
)
from tokalign.types.texts import SentenceSpan

Range = tuple[int, int]


def ground_sentence(
    span: SentenceSpan,
    words: AnswerWords,
    candidates: Sequence[AlignedCandidate],
    sources: Sources,
    options: GroundOptions,
) -> GroundedSentence:
    """Return a sentence with its evidence; offsets count code points."""
    model = SupportModel.open_shipped()
    inputs = support_inputs(words, candidates, sources)
    supports = model.supports(words, inputs).tolist()
    evidence = model.explain(words, inputs) if options.explain else [()] * len(supports)
    cited = choose(words, candidates)
    chosen = [candidates[each.candidate] for each in cited]
    citations = tuple(
        _citation(each, cover, sources) for each, (_, cover) in zip(chosen, cited, strict=True)
    )
    starts, ends = words.sentence.starts, words.sentence.ends
    places = [
        (span.start + start, span.start + end) for start, end in zip(starts, ends, strict=True)
    ]
    found = tuple(
        GroundedWord(*place, kind, support, *_best_citation(at, citations, chosen), evidence[at])
        for at, (place, kind, support) in enumerate(zip(places, words.kinds, supports, strict=True))
    )
    return GroundedSentence(
        span.start,
        span.end,
        _mean_support(words, supports),
        found,
        citations,
        tuple(unsupported_spans(found, options.threshold)),
        tuple(_conflicts(chosen, places, sources)),
    )


def _mean_support(words: AnswerWords, supports: Sequence[float]) -> float:
    whole = float(words.weights.sum())
    return float(words.weights @ np.array(supports)) / whole if whole else 1.0


def _place_of(candidate: AlignedCandidate, token: int, sources: Sources) -> Range:
    """Return where a token of a candidate stands in its passage."""
    start = sources.sentences[candidate.number].span.start
    return start + candidate.source.starts[token], start + candidate.source.ends[token]


def _links_of(candidate: AlignedCandidate) -> list[tuple[int, int, float]]:
    """Return the links of a candidate (word of the answer, token, confidence), by word."""
    columns, index = candidate.columns, candidate.index
    part = slice(columns.offsets[index], columns.offsets[index + 1])
    return sorted(
        zip(
            columns.target[part].tolist(),
            columns.source[part].tolist(),
            columns.confidence[part].tolist(),
            strict=True,
        )
    )


def _citation(candidate: AlignedCandidate, cover: float, sources: Sources) -> Citation:
    sentence = sources.sentences[candidate.number]
    return Citation(
        sources.passages[sentence.passage].id,
        sentence.span.start,
        sentence.span.end,
        cover,
        tuple(
            CitationLink(word, *_place_of(candidate, token, sources), confidence)
            for word, token, confidence in _links_of(candidate)
        ),
    )


def _best_citation(
    at: int, citations: Sequence[Citation], chosen: Sequence[AlignedCandidate]
) -> tuple[int | None, tuple[Range, ...]]:
    """Return the citation that supports a word best, and the partners that it has there."""
    best: int | None = None
    partners: tuple[Range, ...] = ()
    most = -1.0
    for number, (citation, candidate) in enumerate(zip(citations, chosen, strict=True)):
        linked = tuple((link.start, link.end) for link in citation.links if link.word == at)
        mass = float(candidate.rows[at, int(SupportColumn.MASS)])
        if linked and mass > most:
            best, partners, most = number, linked, mass
    return best, partners


def unsupported_spans(words: Sequence[GroundedWord], threshold: float) -> list[UnsupportedSpan]:
    """Return the runs of words below a threshold, which go over function words inside."""
    runs: list[list[GroundedWord]] = []
    is_open = False
    for word in words:
        if word.kind is WordKind.FUNCTION:
            continue
        if word.kind not in SUPPORTABLE or word.support >= threshold:
            is_open = False
        elif is_open:
            runs[-1].append(word)
        else:
            runs.append([word])
            is_open = True
    return [
        UnsupportedSpan(run[0].start, run[-1].end, sum(each.support for each in run) / len(run))
        for run in runs
    ]


def _conflicts(
    chosen: Sequence[AlignedCandidate], places: Sequence[Range], sources: Sources
) -> list[SourceConflict]:
    found = [
        SourceConflict(
            conflict.kind,
            *places[conflict.target],
            sources.passages[sources.sentences[each.number].passage].id,
            *_place_of(each, conflict.source, sources),
            conflict.strength,
        )
        for each in chosen
        for conflict in each.columns.conflicts_of(each.index)
    ]
    return sorted(found, key=lambda each: (each.start, each.end))
