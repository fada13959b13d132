"""What a model and a system of the literature have in common: annotated pairs to alignments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from tokalign.decoding.links import Posteriors
from tokalign.model import ModelHeader
from tokalign.options import AlignOptions, Symmetrization
from tokalign.outcomes import AnnotatedPair, attempt
from tokalign.types import Alignment, Link, LinkExplanation

if TYPE_CHECKING:
    from tokalign.features._extract import Encoded

DecodedT = TypeVar("DecodedT", bound=Posteriors)

EncodedPair: TypeAlias = "tuple[AnnotatedPair, Encoded | None]"
"""An annotated pair, and what the model's encoder, if it has one, says of it."""


class Answering(ABC, Generic[DecodedT]):
    """Aligns annotated pairs. Threads may share it; they take turns.

    Attributes
    ----------
    header : ModelHeader
    """

    header: ModelHeader

    @abstractmethod
    def check(self, options: AlignOptions) -> None:
        """Raise InputError where options ask for what there is not, such as a style."""

    @abstractmethod
    def decode(self, pair: AnnotatedPair, encoded: Encoded | None, style: str) -> DecodedT:
        """Return what is found out about one pair."""

    @abstractmethod
    def alignment(self, decoded: DecodedT, options: AlignOptions) -> Alignment:
        """Return the alignment of one decoded pair, with all that is asked for."""

    @abstractmethod
    def explain(
        self,
        decoded: DecodedT,
        source_index: int,
        target_index: int,
        symmetrization: Symmetrization,
    ) -> tuple[LinkExplanation, ...]:
        """Return why two tokens are, or are not, linked."""

    def align(
        self, pairs: Sequence[EncodedPair | Exception], options: AlignOptions
    ) -> Iterator[Alignment | Exception]:
        """Yield the alignments of pairs, or what stood or went wrong in their place.

        Raises
        ------
        InputError
            As `check` does.
        """
        self.check(options)
        for outcome in pairs:
            yield attempt(lambda pair: self.one(pair, options), outcome)

    def one(self, pair: EncodedPair, options: AlignOptions) -> Alignment:
        """Return the alignment of a pair, or raise what `align` yields in its place."""
        return self.alignment(self.decode(*pair, options.style), options)

    def explanations(
        self, decoded: DecodedT, links: Iterable[Link], options: AlignOptions
    ) -> tuple[LinkExplanation, ...]:
        """Return those of links, where they are asked for."""
        if not options.explain:
            return ()
        return tuple(
            explanation
            for link in links
            for explanation in self.explain(
                decoded, link.source, link.target, options.symmetrization
            )
        )
