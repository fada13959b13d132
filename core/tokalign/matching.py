"""From what a system of the literature matches to alignments, as `decoding` does for models."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding._joint import coverage
from tokalign.decoding.answering import Answering
from tokalign.decoding.score import sentence_score
from tokalign.decoding.similarity import similarity, token_weight
from tokalign.errors import InputError
from tokalign.features._analysis import check_columns
from tokalign.lengths import is_cut
from tokalign.lexicon.frequencies import Frequencies
from tokalign.model import ModelHeader
from tokalign.offsets import in_unit
from tokalign.options import AlignOptions, Direction, Symmetrization
from tokalign.outcomes import AnnotatedPair
from tokalign.phrases import weakest_links
from tokalign.systems import Matches, System, check_options, summary
from tokalign.systems.words import remembered
from tokalign.types import Alignment, FeatureContribution, Link, LinkExplanation, Sentence

VERSION = "1.0.0"
"""Of all systems; changes where one of them answers otherwise."""


@dataclass(frozen=True)
class Matched:
    """A pair with its matches, whose confidences stand for the posteriors of both directions."""

    source: Sentence
    target: Sentence
    matches: Matches
    idf: Callable[[str], float]

    @cached_property
    def s2t_posterior(self) -> NDArray[np.float64]:
        """Return the confidences, shape (n_source, n_target + 1); nothing is said of NULL."""
        matches = self.matches
        posterior = np.zeros((len(self.source), len(self.target) + 1))
        posterior[matches.source, matches.target + 1] = matches.confidence
        return posterior

    @cached_property
    def t2s_posterior(self) -> NDArray[np.float64]:
        """Return the confidences, shape (n_target, n_source + 1); nothing is said of NULL."""
        matches = self.matches
        posterior = np.zeros((len(self.target), len(self.source) + 1))
        posterior[matches.target, matches.source + 1] = matches.confidence
        return posterior

    def weights(self) -> tuple[list[float], list[float]]:
        """Return what each token weighs in similarity, of the source and of the target."""
        source, target = (
            [
                token_weight(token, tag, lemma, self.idf)
                for token, tag, lemma in zip(
                    side.tokens, side.tags or (), side.lemmas or (), strict=True
                )
            ]
            for side in (self.source, self.target)
        )
        return source, target


class SystemResults(Answering[Matched]):
    """Aligns annotated pairs by a system of the literature.

    Parameters
    ----------
    system : System
    frequencies : Frequencies
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
        self._lock = threading.Lock()

    def check(self, options: AlignOptions) -> None:
        """Raise InputError where an option is only of models."""
        check_options(self.header.name, options)

    def decode(self, pair: AnnotatedPair, encoded: object, style: str) -> Matched:
        """Return the matches of one pair; no system is encoded or has styles.

        Raises
        ------
        InputError
            If the pair has constraints, or a sentence lacks a column; ShapeError if one does not
            fit.
        """
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
            return Matched(source, target, self._system.align(source, target), self._idf)

    def alignment(self, decoded: Matched, options: AlignOptions) -> Alignment:
        """Return the alignment of one matched pair, with all that is asked for."""
        source, target, matches = decoded.source, decoded.target, decoded.matches
        columns = (matches.source, matches.target, matches.confidence)
        links = tuple(
            link
            for link in map(Link, *(column.tolist() for column in columns))
            if link.confidence >= options.min_confidence
        )
        phrases = (
            weakest_links({(link.source, link.target): link.confidence for link in links})
            if options.phrases
            else ()
        )
        covered = coverage(decoded.s2t_posterior, decoded.t2s_posterior)
        return Alignment(
            source=in_unit(source, options.offsets),
            target=in_unit(target, options.offsets),
            links=links,
            score=sentence_score(covered, target),
            similarity=similarity(decoded),
            model=self.header.name,
            version=self.header.version,
            symmetrization=options.symmetrization,
            explanations=self.explanations(decoded, links, options),
            phrases=phrases,
            source_truncated=options.truncate and is_cut(source),
            target_truncated=options.truncate and is_cut(target),
            distance=matches.distance,
        )

    def explain(
        self,
        decoded: Matched,
        source_index: int,
        target_index: int,
        symmetrization: Symmetrization,
    ) -> tuple[LinkExplanation, ...]:
        """Return which rule linked two tokens; nothing where none did."""
        matches = decoded.matches
        (found,) = np.nonzero((matches.source == source_index) & (matches.target == target_index))
        return tuple(
            LinkExplanation(
                source=source_index,
                target=target_index,
                direction=Direction.SOURCE_TO_TARGET,
                score=float(matches.confidence[k]),
                features=(
                    FeatureContribution(matches.rules[k], 1.0, float(matches.confidence[k])),
                ),
                runner_up=-1,
                margin=0.0,
            )
            for k in found.tolist()
        )
