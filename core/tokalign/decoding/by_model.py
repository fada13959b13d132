"""Alignments by a model, under its styles.

A sentence encoder knows the topic of a sentence; an alignment knows which words have no
counterpart. If a model has an encoder, similarity combines both,

    share      = ALIGNED * covered + (1 - ALIGNED) * max(0, cosine)
    similarity = share, lowered by conflicts

as tokalign.decoding.link_decision lowers covered shares.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from tokalign.decoding.backend import (
    AT_ONCE,
    NO_EXTRAS,
    Backend,
    Decided,
    EncodedPair,
    Extras,
    Unit,
    as_given,
    edits_of,
    truncated,
)
from tokalign.decoding.batch import EncoderGains, decide_batch
from tokalign.decoding.decoder import Conventions, DecodedPair, Decoder, phrases_of
from tokalign.decoding.evidence import EvidenceRows, SupportRows
from tokalign.decoding.explain import explain_link
from tokalign.decoding.link_decision import SecondPass, lowered_shares
from tokalign.decoding.symmetrize import (
    ONE_DIRECTION,
    link_posteriors,
    links_by_label,
    missing_links,
    pinned,
)
from tokalign.english.questions import asks
from tokalign.features.feature_groups import FeatureTable, Lexicons
from tokalign.model.file import Model, style_names
from tokalign.model.styles import AUTO, DEFAULT_THRESHOLD, MAX_STYLES, RELATED_NO_LINK, StyleHeader
from tokalign.relations.conflicts import ConflictJudge
from tokalign.relations.related_units import RelationModel
from tokalign.types import LinkExplanation
from tokalign.types.columns import AlignmentColumns, EncoderFigures
from tokalign.types.links import LinkTuple, Phrase
from tokalign.types.locks import cached_property
from tokalign.types.options import AlignOptions, Detail, Symmetrization

PLAIN_STYLE: StyleHeader = {"name": "plain", "links": "", "threshold": DEFAULT_THRESHOLD}
"""The style of a model without styles."""
_AS_IT_IS = Conventions([PLAIN_STYLE])
_NOTHING = np.empty((0, 0), np.float32)


class PairDetails:
    """Details to compute for each pair of a batch besides the links of the joint decision.

    A list is empty unless its detail is asked for, else it has one entry per pair.
    """

    def __init__(
        self,
        options: AlignOptions,
        conventions: Conventions,
        table: FeatureTable,
        relations: RelationModel | None,
        n_pairs: int,
    ) -> None:
        self._options = options
        # The maps apply to the mean of both directions.
        is_one = options.symmetrization in ONE_DIRECTION
        self._conventions = _AS_IT_IS.each * MAX_STYLES if is_one else conventions.each
        self._table = table
        self._relations = relations
        self.posteriors: list[NDArray[np.float32]] = [_NOTHING] * (n_pairs * options.posteriors)
        self.explanations: list[tuple[LinkExplanation, ...]] = [()] * (n_pairs * options.explain)
        self.phrases: list[tuple[Phrase, ...]] = [()] * (n_pairs * options.phrases)

    @property
    def has_more(self) -> bool:
        """Whether pairs without constraints have details."""
        options = self._options
        return (
            options.symmetrization is not Symmetrization.JOINT
            or options.posteriors
            or options.explain
            or options.phrases
        )

    def finish(self, number: int, decoded: DecodedPair) -> Sequence[LinkTuple]:
        """Compute and keep the details of a pair; return its links.

        The details are of the caller's pair, the links of the decoded one, which may be turned.
        """
        symmetrization = self._options.symmetrization
        if decoded.is_turned:
            symmetrization = symmetrization.turned
        convention = self._conventions[decoded.style]
        links = self._links(decoded, symmetrization)
        if self.posteriors or decoded.constraints is not None:
            confidence = convention.confidences(
                link_posteriors(decoded, symmetrization), decoded.unlike
            )
            if decoded.constraints is not None:
                confidence = pinned(decoded.constraints, confidence)
                links = self._completed(decoded, links, confidence)
            if self.posteriors:
                own = confidence.T if decoded.is_turned else confidence
                self.posteriors[number] = own.astype(np.float32, order="C")
        if self.phrases:
            self.phrases[number] = phrases_of(
                decoded, links, symmetrization, convention, self._relations
            )
        if self.explanations:
            own_links = sorted((j, i) if decoded.is_turned else (i, j) for i, j, _ in links)
            self.explanations[number] = tuple(
                explanation
                for link in own_links
                for explanation in explain_link(
                    self._table, decoded, *link, self._options.symmetrization
                )
            )
        return links

    def _links(self, decoded: DecodedPair, symmetrization: Symmetrization) -> list[LinkTuple]:
        if symmetrization is Symmetrization.JOINT:
            return decoded.links
        convention = self._conventions[decoded.style]
        links = [
            (i, j, convention.confidence(posterior, bool(decoded.unlike[i, j])))
            for i, j, posterior in links_by_label(decoded, symmetrization)
        ]
        return [link for link in links if link[2] >= self._options.min_confidence]

    def _completed(
        self, decoded: DecodedPair, links: Sequence[LinkTuple], confidence: NDArray[np.float64]
    ) -> list[LinkTuple]:
        """Return the links and those that constraints require; required ones have confidence 1."""
        chosen = {(i, j) for i, j, _ in links}
        if decoded.constraints is not None:
            mean = link_posteriors(decoded, Symmetrization.JOINT)
            chosen |= missing_links(decoded.constraints, chosen, mean)
        return [(i, j, float(confidence[i, j])) for i, j in sorted(chosen)]


T = TypeVar("T")

ALIGNED: Final = 0.2
"""Weight of the alignment: when it was chosen, the largest at which similarity correlated with no
set of judged pairs less well than the cosine alone. lab/experiments.md lists the trials."""

Cosines: TypeAlias = Callable[[Sequence[str], Sequence[str]], NDArray[np.float64]]
"""Takes sources and as many targets; returns the cosine of each pair, in [-1, 1]."""


class ModelBackend(Backend):
    """Aligns annotated pairs by a model.

    `cosines`: of the encoder. `encoded`: whether an encoder reads the pairs, or, if False, would
    read them with more effort; None for a model without an encoder.
    """

    def __init__(
        self,
        model: Model,
        lexicons: Lexicons,
        cosines: Cosines | None = None,
        *,
        encoded: bool | None = None,
    ) -> None:
        self.header = model.header
        self._table = model.table
        self._styles = style_names(model.header)
        styles = model.header.styles or [PLAIN_STYLE]
        is_revised = any(style.get("second_pass") for style in styles)
        second_pass = SecondPass.open_shipped(model.header.encoder) if is_revised else None
        self._conventions = Conventions(styles, second_pass)
        self._decoder = Decoder(model, lexicons)
        self._compare = None if cosines is None else partial(_compared, cosines)
        self._encoded = encoded

    def use_judge(self, judge: ConflictJudge) -> None:
        """Let another judge tell which places are conflicts, as for training one."""
        self._decoder.judge = judge

    def check(self, options: AlignOptions) -> None:
        self._styles.chosen(options.style)
        options.check_effort(self.header.name, takes_effort=self._encoded is not None)

    def _style_numbers(
        self,
        pairs: Sequence[EncodedPair],
        options: AlignOptions,
        *,
        compares: bool = False,
        answers: bool = False,
    ) -> list[int]:
        """Return the number of each pair's style; -1 where one is chosen by the pair.

        Pairs with a question have a style of their own, if the model has one. Candidates are scored
        in one style: if the call `compares` pairs, the first style decides all, or, if it `answers`
        a question, that of questions.
        """
        name = self._styles.chosen(options.style)
        names, asking = self._styles.names, self._styles.asks
        if name != AUTO:
            return [names.index(name) if name else 0] * len(pairs)
        if answers and asking:
            return [names.index(asking)] * len(pairs)
        if compares or not asking:
            return [0 if compares else -1] * len(pairs)
        number = names.index(asking)
        return [number if asks(pair[0]) or asks(pair[1]) else -1 for pair, _ in pairs]

    def decide(
        self, pairs: Sequence[EncodedPair], options: AlignOptions, extras: Extras = NO_EXTRAS
    ) -> Decided:
        numbers = self._style_numbers(
            pairs, options, compares=extras.compares, answers=bool(extras.expected)
        )
        relations = self.relations if options.relations else None
        details = PairDetails(options, self._conventions, self._table, relations, len(pairs))
        evidence = EvidenceRows(extras.expected) if extras.expected else None
        given = [as_given(pair) for pair, _ in pairs]
        sources, targets = [source for source, _ in given], [target for _, target in given]
        support = SupportRows(list(map(len, targets))) if extras.supports else None
        decided, styles, errors = self._run(
            pairs,
            numbers,
            options,
            details.finish,
            least=options.min_confidence,
            finishes_all=details.has_more,
            relations=relations,
            evidence=evidence,
            support=support,
        )
        names = self._styles.names
        columns = AlignmentColumns(
            sources=sources,
            targets=targets,
            **decided,
            model=self.header.name,
            version=self.header.version,
            symmetrization=options.symmetrization,
            posteriors=details.posteriors,
            explanations=details.explanations,
            phrases=details.phrases,
            unit=options.offsets,
            truncated=truncated(sources, targets) if options.truncate else (),
            styles=[names[number] for number in styles] if names else (),
            compare=self._compare if self._has_cosines(options, extras) else None,
            encoded=self._encoded,
        )
        if options.edits:
            columns.edits = edits_of(columns, errors)
        return Decided(
            columns,
            errors,
            None if evidence is None else evidence.values,
            None if support is None else support.values,
        )

    def _run(
        self,
        pairs: Sequence[EncodedPair],
        numbers: Sequence[int],
        options: AlignOptions,
        finish: Callable[[int, DecodedPair], Sequence[LinkTuple]],
        least: float = 0.0,
        **more: Any,
    ) -> tuple[dict[str, Any], list[int], dict[int, Exception]]:
        """Return the joint decision of pairs by this model; see decide_batch."""
        no_link = RELATED_NO_LINK if options.related else 0.0
        known = self._decoder, pairs, numbers, self._conventions, least, finish
        return decide_batch(*known, no_link=no_link, **more)

    def _has_cosines(self, options: AlignOptions, extras: Extras) -> bool:
        """Whether pairs have the encoder's cosines; see tokalign.decoding.cascade."""
        compares = extras.compares or options.detail is Detail.SCORES
        return self._encoded is not False or (compares and options.effort > 0.0)

    def gains(
        self, pairs: Sequence[EncodedPair], options: AlignOptions, *, compares: bool
    ) -> tuple[NDArray[np.float64], list[int]]:
        """Return what another encoder is expected to gain on each pair, for each of its tokens, and
        the number of the pair's style; 0 for one that failed. Options as of `encode`."""
        found, styles = [EncoderGains(0).values], []
        for start in range(0, len(pairs), AT_ONCE):
            some = pairs[start : start + AT_ONCE]
            gains = EncoderGains(len(some))
            numbers = self._style_numbers(some, options, compares=compares)
            _, decided, _ = self._run(
                some, numbers, options, lambda _, each: each.links, finishes_all=False, gains=gains
            )
            found.append(gains.values)
            styles += decided
        return np.concatenate(found), styles

    @cached_property
    def relations(self) -> RelationModel:
        """The model of relations, opened on first use."""
        return RelationModel.open_shipped()

    @cached_property
    def chunk_relations(self) -> RelationModel:
        name = self.header.relations
        return RelationModel.open_shipped(name) if name else self.relations

    def explain(
        self, pair: EncodedPair, source_index: int, target_index: int, options: AlignOptions
    ) -> tuple[LinkExplanation, ...]:
        link = source_index, target_index
        return self.ask(
            pair,
            options,
            lambda decoded: tuple(
                explain_link(self._table, decoded, *link, options.symmetrization)
            ),
        )

    def unit_inputs(
        self, pair: EncodedPair, units: Sequence[Unit], options: AlignOptions
    ) -> NDArray[np.float32]:
        return self.ask(pair, options, lambda decoded: decoded.unit_inputs(units))

    def ask(
        self, pair: EncodedPair, options: AlignOptions, question: Callable[[DecodedPair], T]
    ) -> T:
        """Return the result of `question` on the decoded pair, called while it is held."""
        found: list[T] = []

        def finish(number: int, decoded: DecodedPair) -> list[LinkTuple]:
            found.append(question(decoded))
            return decoded.links

        *_, errors = self._run([pair], self._style_numbers([pair], options), options, finish)
        for error in errors.values():
            raise error
        return found[0]


def _compared(cosines: Cosines, columns: AlignmentColumns) -> EncoderFigures:
    """Return cosines and similarities, for AlignmentColumns.compare."""
    sources, targets = ([each.text for each in side] for side in (columns.sources, columns.targets))
    found = cosines(sources, targets) if sources else np.empty(0)
    return found, mixed_similarity(columns.covered, found, columns.agreement)


def mixed_similarity(
    covered: NDArray[np.float64],
    cosine: NDArray[np.float64],
    agreement: NDArray[np.float64],
    *,
    aligned: float = ALIGNED,
) -> NDArray[np.float64]:
    """Return similarities in [0, 1], shape (n_pairs,), from alignments and an encoder.

    `covered`, `agreement` (float64 array, shape (n_pairs,)): see Alignment. `cosine` (float64
    array, shape (n_pairs,)): in [-1, 1]. `aligned`: weight of `covered`, in [0, 1].

    Examples
    --------
    >>> one = np.ones(2)
    >>> mixed_similarity(one, np.array([1.0, -0.5]), one).tolist()
    [1.0, 0.2]
    """
    shares = aligned * covered + (1 - aligned) * np.maximum(cosine, 0.0)
    return lowered_shares(shares, agreement)
