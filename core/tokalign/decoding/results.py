"""From a model's posteriors to alignments, under the model's styles."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tokalign.columns import AlignmentColumns
from tokalign.decoding._batch import decide_batch
from tokalign.decoding._convention import Convention
from tokalign.decoding._decoder import Decoded, Decoder
from tokalign.decoding._joint import coverage
from tokalign.decoding.answering import Answering, EncodedPair
from tokalign.decoding.constrained import missing_links, pinned
from tokalign.decoding.explain import explain_link
from tokalign.decoding.links import decide, link_posteriors
from tokalign.decoding.phrases import phrases_of
from tokalign.decoding.score import sentence_score
from tokalign.decoding.similarity import similarity
from tokalign.errors import InputError, quoted
from tokalign.features.lexicons import Lexicons
from tokalign.lengths import is_cut
from tokalign.model import Model
from tokalign.offsets import in_unit
from tokalign.options import AlignOptions, Symmetrization
from tokalign.outcomes import AnnotatedPair, attempt
from tokalign.phrases import Phrase
from tokalign.styles import DEFAULT_THRESHOLD, StyleHeader, calibrate
from tokalign.types import Alignment, Link, LinkExplanation

if TYPE_CHECKING:
    from tokalign.features._extract import Encoded

_PLAIN: StyleHeader = {"name": "plain", "links": "", "threshold": DEFAULT_THRESHOLD}
"""What a model without styles decides by."""
_AS_IT_IS = Convention(_PLAIN)
_ONE_DIRECTION = (Symmetrization.SOURCE_TO_TARGET, Symmetrization.TARGET_TO_SOURCE)

AT_ONCE = 64
"""Pairs that are decoded at once; what is remembered of words is bounded between them."""


def is_plain(options: AlignOptions) -> bool:
    """Whether options ask for nothing beyond what columns hold: the joint decision alone."""
    return (
        options.symmetrization is Symmetrization.JOINT
        and not options.posteriors
        and not options.explain
        and not options.phrases
        and not options.truncate
    )


class Results(Answering[Decoded]):
    """Aligns annotated pairs by a model, one by one or many at once.

    Parameters
    ----------
    model : Model
    lexicons : Lexicons
    """

    def __init__(self, model: Model, lexicons: Lexicons) -> None:
        self.header = model.header
        self._table = model.table
        self._styles = list(model.header.styles) or [_PLAIN]
        self._numbers = {"": 0} | {
            style["name"]: number for number, style in enumerate(model.header.styles)
        }
        self._conventions = list(map(Convention, self._styles))
        self._decoder = Decoder(model, lexicons)

    def check(self, options: AlignOptions) -> None:
        """Raise InputError if the model has no such style."""
        self.style_number(options.style)

    def style_number(self, name: str) -> int:
        """Return the number of a style, that of the default without a name.

        Raises
        ------
        InputError
            If the model has no such style.
        """
        if name not in self._numbers:
            names = ", ".join(style["name"] for style in self.header.styles) or "(none)"
            raise InputError(
                f"no style {quoted(name)}; the model {self.header.name} has {names}",
                field="options.style",
            )
        return self._numbers[name]

    def decode(self, pair: AnnotatedPair, encoded: Encoded | None, style: str) -> Decoded:
        """Return the posteriors of one pair; see Decoder.decode."""
        constraints = pair[2] if len(pair) == 3 else None
        return self._decoder.decode(
            pair[0], pair[1], encoded, self.style_number(style), constraints
        )

    def align(
        self, pairs: Sequence[EncodedPair | Exception], options: AlignOptions
    ) -> Iterator[Alignment | Exception]:
        """Yield what Answering.align does, of plain options as views of columns."""
        if not is_plain(options):
            yield from super().align(pairs, options)
            return
        self.check(options)
        for start in range(0, len(pairs), AT_ONCE):
            yield from self._views(pairs[start : start + AT_ONCE], options)

    def one(self, pair: EncodedPair, options: AlignOptions) -> Alignment:
        """Return the alignment of a pair, or raise what `align` yields in its place."""
        if len(pair[0]) > 2 or not is_plain(options):
            return super().one(pair, options)
        columns, errors = self.columns([pair], options)
        for error in errors.values():
            raise error
        return columns.alignment(0)

    def _views(
        self, pairs: Sequence[EncodedPair | Exception], options: AlignOptions
    ) -> Iterator[Alignment | Exception]:
        """Yield alignments, views of columns but for those of constrained pairs."""
        ready = [pair for pair in pairs if not isinstance(pair, Exception) and len(pair[0]) == 2]
        columns, errors = self.columns(ready, options)
        numbers = itertools.count()
        for outcome in pairs:
            if isinstance(outcome, Exception):
                yield outcome
            elif len(outcome[0]) > 2:
                yield attempt(lambda pair: self.one(pair, options), outcome)
            else:
                number = next(numbers)
                yield errors[number] if number in errors else columns.alignment(number)

    def columns(
        self,
        pairs: Sequence[EncodedPair],
        options: AlignOptions,
    ) -> tuple[AlignmentColumns, dict[int, Exception]]:
        """Return the alignments of many pairs, as `alignment` gives them one by one.

        Parameters
        ----------
        pairs : sequence of EncodedPair
            Without constraints.
        options : AlignOptions
            Plain ones; see `is_plain`.

        Returns
        -------
        columns : AlignmentColumns
        errors : dict from int to Exception
            Number of each pair that failed and why; it has no links among the columns.
        """
        style = self.style_number(options.style)
        (offsets, source, target, confidence, score, likeness), errors = decide_batch(
            self._decoder, pairs, style, self._conventions[style], options.min_confidence
        )
        columns = AlignmentColumns(
            sources=[in_unit(pair[0], options.offsets) for pair, _ in pairs],
            targets=[in_unit(pair[1], options.offsets) for pair, _ in pairs],
            offsets=offsets,
            source=source,
            target=target,
            confidence=confidence,
            score=score,
            similarity=likeness,
            model=self.header.name,
            version=self.header.version,
            symmetrization=options.symmetrization,
        )
        return columns, errors

    def alignment(self, decoded: Decoded, options: AlignOptions) -> Alignment:
        """Return the alignment of one decoded pair, with all that is asked for."""
        source, target = decoded.source, decoded.target
        number = self.style_number(options.style)
        style, convention = self._styles[number], self._conventions[number]
        decided = decide(decoded, options.symmetrization, convention.threshold)
        if options.symmetrization in _ONE_DIRECTION:  # the maps are of the mean of both
            style, convention = _PLAIN, _AS_IT_IS
        confidences = [convention.confidence(posterior) for _, _, posterior in decided]
        links = tuple(
            Link(i, j, confidence)
            for (i, j, _), confidence in zip(decided, confidences, strict=True)
            if confidence >= options.min_confidence
        )
        confidence_of = None
        if options.posteriors or decoded.constraints is not None:
            confidence_of = calibrate(style, link_posteriors(decoded, options.symmetrization))
        if decoded.constraints is not None and confidence_of is not None:
            confidence_of = pinned(decoded.constraints, confidence_of)
            mean = link_posteriors(decoded, Symmetrization.JOINT)
            chosen = {(link.source, link.target) for link in links}
            chosen |= missing_links(decoded.constraints, chosen, mean)
            links = tuple(Link(i, j, float(confidence_of[i, j])) for i, j in sorted(chosen))
        posteriors = None
        if options.posteriors and confidence_of is not None:
            posteriors = confidence_of.astype(np.float32)
        phrases: tuple[Phrase, ...] = ()
        if options.phrases:
            phrases = phrases_of(decoded, links, options.symmetrization, convention)
        return Alignment(
            source=in_unit(source, options.offsets),
            target=in_unit(target, options.offsets),
            links=links,
            score=sentence_score(coverage(decoded.s2t_posterior, decoded.t2s_posterior), target),
            similarity=similarity(decoded),
            model=self.header.name,
            version=self.header.version,
            symmetrization=options.symmetrization,
            posteriors=posteriors,
            explanations=self.explanations(decoded, links, options),
            phrases=phrases,
            source_truncated=options.truncate and is_cut(source),
            target_truncated=options.truncate and is_cut(target),
        )

    def explain(
        self,
        decoded: Decoded,
        source_index: int,
        target_index: int,
        symmetrization: Symmetrization,
    ) -> tuple[LinkExplanation, ...]:
        """Return why two tokens are, or are not, linked; see explain_link."""
        return tuple(explain_link(self._table, decoded, source_index, target_index, symmetrization))
