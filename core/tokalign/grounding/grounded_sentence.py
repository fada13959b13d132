"""A sentence of an answer with its evidence, from the sentences of the sources aligned with it.

Candidates are cited for what they add to those already cited::

    cover      = sum of idf(j) * MASS(j) / sum of idf(j)
    told(j)    = (2 * MASS(j) + 2 * SAME(j) + held(j)) / 5
    weight(j)  = tokalign.grounding.sources.local_weights among the sentences of all passages
    gain       = sum of weight(j) * what told(j) has beyond those cited / sum of weight(j)

A word in many sentences says little about which of them to cite, so its weight is small. The
candidate of the largest gain is cited first, then the one that adds most, as long as it adds
LEAST_GAIN. Where fewer than MOST_ALSO are cited so, others that say the same follow, by the weight
of what they tell, at least ALSO of the most. The cover of a candidate does not depend on the
others.

The weighting was chosen on the training and development claims of WiCE, among some forty variants
within two points of one another, and ALSO on the training claims (python -m lab.accuracy ground).
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.evidence import SupportColumn
from tokalign.grounding.answer_words import AlignedCandidate, AnswerWords
from tokalign.grounding.sources import Sources, local_weights
from tokalign.grounding.support_inputs import support_inputs
from tokalign.grounding.support_model import SupportModel
from tokalign.grounding.value_support import (
    OTHERS,
    SaidWith,
    conflicts_with,
    contribution,
    said_with,
    with_values,
)
from tokalign.types import FeatureContribution, Sentence
from tokalign.types.grounding import (
    Citation,
    CitationLink,
    GroundedSentence,
    GroundedWord,
    SourceConflict,
    UnsupportedSpan,
    WordKind,
)
from tokalign.types.options import GroundOptions
from tokalign.types.relations import ConflictKind
from tokalign.types.texts import SentenceSpan

LEAST_GAIN = 0.02
ALSO, MOST_ALSO = 0.4, 3
_MASS, _SAME = int(SupportColumn.MASS), int(SupportColumn.SAME)


class Cited(NamedTuple):
    """A candidate that is cited, its cover, and whether it adds nothing to those before it."""

    candidate: int
    cover: float
    says_also: bool = False


def choose_citations(words: AnswerWords, candidates: Sequence[AlignedCandidate]) -> list[Cited]:
    """Return the citations, the best first; ties go to the first candidate."""
    if not candidates or not words.weights.any():
        return []
    rows = np.array([each.rows for each in candidates], np.float64)
    mass, same = rows[:, :, _MASS], rows[:, :, _SAME]
    covers = np.minimum(mass @ words.weights / words.weights.sum(), 1.0).tolist()
    held = words.holders[:, [each.number for each in candidates]].T
    weights = local_weights(words.weights, words.holders)
    told = (2.0 * mass + 2.0 * same + held) / 5.0 * (weights / weights.sum())
    cited: list[Cited] = []
    covered = np.zeros(told.shape[1])
    while len(cited) < len(candidates):
        gains = np.maximum(told - covered, 0.0).sum(axis=1)
        gains[[each.candidate for each in cited]] = -1.0
        best = int(gains.argmax())
        if gains[best] < LEAST_GAIN:
            break
        cited.append(Cited(best, covers[best]))
        covered = np.maximum(covered, told[best])
    if not cited:
        return []
    relevance = told.sum(axis=1)
    relevance[[each.candidate for each in cited]] = -1.0
    others = np.argsort(-relevance, kind="stable")[: max(MOST_ALSO - len(cited), 0)].tolist()
    least = ALSO * told.sum(axis=1).max()
    return [*cited, *(Cited(k, covers[k], True) for k in others if relevance[k] >= least)]


Range = tuple[int, int]
LEAST_CLAUSE, LEAST_PREDICATE, LEAST_ALONE = 0.33, 0.25, 0.7
"""Least cover of the rest of a clause, and of its predicate, by a sentence that contradicts it, or
of the rest whatever its predicate; set on made cases, and the last one on the corpus as well."""


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
    alone = model.supports(words, inputs)
    said = said_with(words, candidates, sources)
    supports = with_values(words, said, alone).tolist()
    evidence: list[tuple[FeatureContribution, ...]] = [()] * len(supports)
    if options.explain:
        evidence = [
            (*own, *contribution(before, after))
            for own, before, after in zip(
                model.explain(words, inputs), alone.tolist(), supports, strict=True
            )
        ]
    cited = choose_citations(words, candidates)
    chosen = [candidates[each.candidate] for each in cited]
    citations = tuple(
        _citation(own, each, sources) for own, each in zip(chosen, cited, strict=True)
    )
    starts, ends = words.sentence.starts, words.sentence.ends
    places = [
        (span.start + start, span.start + end) for start, end in zip(starts, ends, strict=True)
    ]
    best = _best_citations(len(places), citations, chosen)
    found = tuple(
        GroundedWord(*place, kind, support, *cited_best, why)
        for place, kind, support, cited_best, why in zip(
            places, words.kinds, supports, best, evidence, strict=True
        )
    )
    return GroundedSentence(
        span.start,
        span.end,
        _mean_support(words, supports),
        found,
        citations,
        tuple(unsupported_spans(found, options.threshold)),
        tuple(_conflicts(cited, candidates, said, words, places, sources)),
    )


def _mean_support(words: AnswerWords, supports: Sequence[float]) -> float | None:
    whole = float(words.weights.sum())
    return float(words.weights @ np.array(supports)) / whole if whole else None


def _places_of(candidate: AlignedCandidate, sources: Sources) -> list[Range]:
    span = sources.sentences[candidate.number].span
    return list(map(span.range_of, candidate.source.starts, candidate.source.ends))


def _links_of(candidate: AlignedCandidate) -> list[tuple[int, int, float]]:
    """Return the links of a candidate (word of the answer, token, confidence), by word."""
    columns, pair = candidate.columns, candidate.pair
    part = slice(columns.offsets[pair], columns.offsets[pair + 1])
    return sorted(
        zip(
            columns.target[part].tolist(),
            columns.source[part].tolist(),
            columns.confidence[part].tolist(),
            strict=True,
        )
    )


def _citation(candidate: AlignedCandidate, cited: Cited, sources: Sources) -> Citation:
    sentence = sources.sentences[candidate.number]
    places = _places_of(candidate, sources)
    return Citation(
        sources.passages[sentence.passage].id,
        sentence.span.start,
        sentence.span.end,
        cited.cover,
        tuple(
            CitationLink(word, *places[token], confidence)
            for word, token, confidence in _links_of(candidate)
        ),
        cited.says_also,
    )


def _best_citations(
    n_words: int, citations: Sequence[Citation], chosen: Sequence[AlignedCandidate]
) -> list[tuple[int | None, tuple[Range, ...]]]:
    """Return, for each word, the citation that supports it best, and its partners there."""
    found: list[tuple[int | None, tuple[Range, ...]]] = [(None, ())] * n_words
    most = [-1.0] * n_words
    for number, (citation, candidate) in enumerate(zip(citations, chosen, strict=True)):
        mass = candidate.rows[:, int(SupportColumn.MASS)].tolist()
        partners: dict[int, list[Range]] = {}
        for link in citation.links:
            partners.setdefault(link.word, []).append((link.start, link.end))
        for word, ranges in partners.items():
            if mass[word] > most[word]:
                found[word], most[word] = (number, tuple(ranges)), mass[word]
    return found


def unsupported_spans(words: Sequence[GroundedWord], threshold: float) -> list[UnsupportedSpan]:
    """Return the runs of words below a threshold; they include function words inside."""
    runs: list[list[GroundedWord]] = []
    is_open = False
    function, mark = WordKind.FUNCTION, WordKind.MARK
    for word in words:
        if word.kind is function:
            continue
        if word.kind is mark or word.support >= threshold:
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
    cited: Iterable[Cited],
    candidates: Sequence[AlignedCandidate],
    said: Sequence[SaidWith],
    words: AnswerWords,
    places: Sequence[Range],
    sources: Sources,
) -> list[SourceConflict]:
    """Return the strongest conflict of each kind and word of the answer.

    None is a value that a sentence states and no other passage disputes, a word on which one of the
    passage that says as much agrees, or one whose clause and predicate are not said, or mostly.
    """
    best: dict[tuple[int, ConflictKind], SourceConflict] = {}
    stated = {at: own for own in said for at in own.words if own.stated >= 0.0}
    told = {one: candidates[one.candidate] for one in cited}
    conflicts = {one: conflicts_with(each, sources) for one, each in told.items()}
    unlike = {one: {conflict.target for conflict in found} for one, found in conflicts.items()}
    for one, each in told.items():
        source = sources.sentences[each.number]
        agreeing = [
            unlike[other]
            for other, its in told.items()
            if other.cover >= one.cover and sources.sentences[its.number].passage == source.passage
        ]
        for conflict in conflicts[one]:
            at, kind = conflict.target, conflict.kind
            if kind in OTHERS:
                own = stated.get(at)
                is_said = own is not None and one.candidate not in {*own.denied, *own.disputed}
            else:
                is_said = any(at not in targets for targets in agreeing)
            there = _shown(_places_of(each, sources), conflict.source_span)
            if is_said or (source.span.is_row and there[0] < source.span.start):  # of a header
                continue
            if not _says_clause(each.rows[:, _MASS], words, at, unlike[one]):
                continue
            known = best.get((at, kind))
            if known is None or conflict.probability > known.probability:
                here = _shown(places, conflict.target_span)
                passage = sources.passages[source.passage].id
                there = max(there[0], source.span.start), there[1]
                if there[0] >= there[1]:  # of an item's lead alone
                    there = source.span.start, source.span.end
                best[at, kind] = SourceConflict(kind, *here, passage, *there, conflict.probability)
    return sorted(best.values(), key=lambda each: (each.start, each.end))


def _shown(places: Sequence[Range], span: Range) -> Range:
    """Return the characters from the first to the last token of a span."""
    return places[span[0]][0], places[span[1] - 1][1]


def _predicates(sentence: Sentence) -> list[int]:
    """Return the nearest verb of each word, the last of verbs in a row; 0 without a verb."""
    tags = sentence.tags or ()
    verbs = [at for at, tag in enumerate(tags) if tag.startswith("VB")]
    last = [at for at in verbs if at + 1 not in verbs]
    return [min(last, key=lambda at: abs(at - word), default=0) for word in range(len(tags))]


def _says_clause(mass: NDArray[np.float32], words: AnswerWords, at: int, unlike: set[int]) -> bool:
    """Return whether a sentence says a word's clause, but for the words that clash."""
    predicates = _predicates(words.sentence)
    own = predicates[at]
    rest = [
        word
        for word, other in enumerate(predicates)
        if other == own and word not in unlike and words.weights[word] > 0.0
    ]
    weights = words.weights[rest]
    least = LEAST_CLAUSE
    if own in rest and mass[own] < LEAST_PREDICATE:
        least = LEAST_ALONE
    return bool(mass[rest] @ weights >= least * weights.sum())
