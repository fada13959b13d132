"""Alignments by a published system."""

from collections.abc import Collection, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.backend import (
    NO_EXTRAS,
    Backend,
    Decided,
    EncodedPair,
    Extras,
    edits_of,
    truncated,
)
from tokalign.decoding.decoder import weakest_links
from tokalign.decoding.evidence import EVIDENCE, pair_evidence
from tokalign.decoding.link_decision import covered_shares
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.english.lexicon.word_lists import content_weight, remembered, token_weight
from tokalign.errors import InputError
from tokalign.features.extract import Extractor, check_columns
from tokalign.features.feature_groups import Lexicons
from tokalign.features.templates import TEMPLATES
from tokalign.model.file import ModelHeader
from tokalign.ranking.answer_types import Expected
from tokalign.systems import Matches, System, check_options, refuse_grounding, summary
from tokalign.types import AnnotatedPair, FeatureContribution, LinkExplanation, Sentence
from tokalign.types.columns import CONFLICT, AlignmentColumns
from tokalign.types.locks import ForkLock, cached_property
from tokalign.types.options import AlignOptions, Direction

VERSION = "1.0.0"
"""Version of all systems; changes when one of them changes its answers."""


class SystemBackend(Backend):
    """Aligns annotated pairs by a published system.

    Its confidences stand for the posteriors of both directions; NULL has none.
    """

    def __init__(self, system: System, frequencies: Frequencies) -> None:
        self.header = ModelHeader(
            name=system.name,
            version=VERSION,
            description=summary(system),
            license="",
            corpora=(),
            feature_groups=(),
            annotator="",
            uses_trees=system.uses_trees,
        )
        self._system = system
        self._idf = remembered(frequencies.idf)
        self._lock = ForkLock()  # of the system
        self._extracting = ForkLock()

    def check(self, options: AlignOptions) -> None:
        check_options(self.header.name, options)

    def decide(
        self, pairs: Sequence[EncodedPair], options: AlignOptions, extras: Extras = NO_EXTRAS
    ) -> Decided:
        if extras.supports:
            refuse_grounding(self.header.name)
        nothing = Matches.of([])
        errors: dict[int, Exception] = {}
        n_pairs = len(pairs)
        matched: list[Matches] = []
        figures: list[tuple[float, float]] = []
        confidences: list[NDArray[np.float64]] = []
        for number, (pair, _) in enumerate(pairs):
            try:
                found = self._matches(pair)
                confidence = _confidence(found, len(pair[0]), len(pair[1]))
                figures.append(self._figures(pair[0], pair[1], confidence))
            except Exception as error:
                errors[number] = error
                found, confidence = nothing, np.empty((0, 0))
                figures.append((0.0, 0.0))
            matched.append(_at_least(found, options.min_confidence))
            confidences.append(confidence)
        sources, targets = [pair[0] for pair, _ in pairs], [pair[1] for pair, _ in pairs]
        columns = AlignmentColumns(
            sources=sources,
            targets=targets,
            offsets=np.array([0, *accumulate(len(each.source) for each in matched)], np.int64),
            source=np.concatenate([nothing.source, *(each.source for each in matched)]),
            target=np.concatenate([nothing.target, *(each.target for each in matched)]),
            confidence=np.concatenate(
                [nothing.confidence, *(each.confidence for each in matched)]
            ).astype(np.float64),
            score=np.array([score for score, _ in figures]),
            aligned_similarity=np.array([similarity for _, similarity in figures]),
            target_covered=np.array([score for score, _ in figures]),
            covered=np.array([similarity for _, similarity in figures]),
            agreement=np.ones(n_pairs),
            conflict_offsets=np.zeros(n_pairs + 1, np.int64),
            conflicts=np.empty(0, CONFLICT),
            model=self.header.name,
            version=self.header.version,
            symmetrization=options.symmetrization,
            explanations=[_explanations(each) for each in matched] if options.explain else (),
            distance=[each.distance for each in matched],
            unit=options.offsets,
            truncated=truncated(sources, targets) if options.truncate else (),
        )
        if options.phrases:
            columns.phrases = [weakest_links(columns.confidences_of(k)) for k in range(n_pairs)]
        if options.edits:
            columns.edits = edits_of(columns, errors)
        evidence = None
        if extras.expected:
            evidence = self._evidence(columns, errors, confidences, extras.expected)
        return Decided(columns, errors, evidence)

    def _evidence(
        self,
        columns: AlignmentColumns,
        errors: Collection[int],
        confidences: Sequence[NDArray[np.float64]],
        expected: Sequence[Expected],
    ) -> NDArray[np.float64]:
        """Return the evidence that each source answers its target; zeros for a pair that failed."""
        rows = np.zeros((len(expected), len(EVIDENCE)))
        with self._extracting as is_left:
            if is_left:
                self._extractor.forget()
            for number, wanted in enumerate(expected):
                if number not in errors:
                    rows[number] = pair_evidence(
                        self._extractor,
                        columns.sources[number],
                        columns.targets[number],
                        confidences[number],
                        wanted,
                        float(columns.score[number]),
                        1.0,
                    )
        return rows

    @cached_property
    def _extractor(self) -> Extractor:
        """Analyses candidates and questions; opened on first use."""
        lexicons = Lexicons.for_groups(["vectors"])
        return Extractor(
            lexicons.wordnet,
            np.full(len(TEMPLATES), -1, np.int32),
            lexicons.vectors,
            frequencies=lexicons.frequencies,
        )

    def explain(
        self, pair: EncodedPair, source_index: int, target_index: int, options: AlignOptions
    ) -> tuple[LinkExplanation, ...]:
        """Return the rule that linked two tokens; empty if they are not linked."""
        link = source_index, target_index
        return tuple(
            each
            for each in _explanations(self._matches(pair[0]))
            if (each.source, each.target) == link
        )

    def _matches(self, pair: AnnotatedPair) -> Matches:
        """Return the system's matches of a pair, or raise InputError or ShapeError."""
        if any(pair[2:]):
            raise InputError(
                f"{self.header.name} decides by rules and obeys no constraints; ask a model",
                field="constraints",
            )
        source, target = pair[:2]
        for field, sentence in (("source", source), ("target", target)):
            check_columns(sentence, field)
            if self._system.uses_trees and sentence.heads is None:
                raise InputError(f"{field} has no heads; annotate it first", field=field)
        with self._lock:
            return self._system.align(source, target)

    def _figures(
        self, source: Sentence, target: Sentence, confidence: NDArray[np.float64]
    ) -> tuple[float, float]:
        return covered_shares(
            _behind_null(confidence),
            _behind_null(confidence.T),
            list(map(content_weight, target.tags or ())),
            self._weights(source),
            self._weights(target),
        )

    def _weights(self, side: Sentence) -> list[float]:
        rows = zip(side.tokens, side.tags or (), side.lemmas or (), strict=True)
        return [token_weight(token, tag, self._idf(lemma.lower())) for token, tag, lemma in rows]


def _confidence(matches: Matches, n_source: int, n_target: int) -> NDArray[np.float64]:
    found = np.zeros((n_source, n_target))
    found[matches.source, matches.target] = matches.confidence
    return found


def _behind_null(confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a matrix with a column of zeros before it, for no partner."""
    found = np.zeros((confidence.shape[0], confidence.shape[1] + 1))
    found[:, 1:] = confidence
    return found


def _at_least(matches: Matches, min_confidence: float) -> Matches:
    kept = np.flatnonzero(matches.confidence.astype(np.float64) >= min_confidence)
    if len(kept) == len(matches.source):
        return matches
    return Matches(
        matches.source[kept],
        matches.target[kept],
        matches.confidence[kept],
        tuple(matches.rules[k] for k in kept.tolist()),
        matches.distance,
    )


def _explanations(matches: Matches) -> tuple[LinkExplanation, ...]:
    columns = (each.tolist() for each in (matches.source, matches.target, matches.confidence))
    return tuple(
        LinkExplanation(
            source=source,
            target=target,
            direction=Direction.SOURCE_TO_TARGET,
            score=confidence,
            features=(FeatureContribution(rule, 1.0, confidence),),
            runner_up=-1,
            margin=0.0,
        )
        for source, target, confidence, rule in zip(*columns, matches.rules, strict=True)
    )
