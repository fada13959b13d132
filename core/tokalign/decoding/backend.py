"""Backends of an aligner: they make alignments from annotated pairs.

A model has weights of its own for each direction, and features that name a side. So that links,
conflicts and similarity do not depend on which sentence the caller names first, every pair is read
in one order, the longer sentence first, in training too, and `decide_batch` turns the results back.
Of two sentences of one length, the one whose words sort first is read first. Pairs whose sides have
roles, such as a candidate and its question, are read as they stand.
"""

from abc import ABC, abstractmethod
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tokalign.batches.outcomes import restore, values
from tokalign.errors import InputError
from tokalign.features.feature_groups import Encoded
from tokalign.model.file import ModelHeader
from tokalign.types import Alignment, AnnotatedPair, LinkExplanation, Sentence
from tokalign.types.columns import AlignmentColumns
from tokalign.types.edits import Edit
from tokalign.types.links import reads_target_first
from tokalign.types.options import AlignOptions, RankBy
from tokalign.types.sentence import is_cut

if TYPE_CHECKING:
    from tokalign.ranking.answer_types import Expected
    from tokalign.relations.related_units import RelationModel

EncodedPair: TypeAlias = tuple[AnnotatedPair, Encoded | None]
"""An annotated pair, and the output of the model's encoder for it, if there is one."""

Unit: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""Source tokens and target tokens of a unit, both rising."""

AT_ONCE = 64
"""Pairs per call of the decoder; its caches of words are bounded between calls."""


class Extras(NamedTuple):
    """Results of a batch to compute besides those that the options ask for."""

    ranks: bool = False  # whether the scores of pairs must be comparable
    # The answer type that each target expects, to return evidence, too
    expected: "Sequence[Expected]" = ()
    supports: bool = False  # whether to return support, too

    @property
    def compares(self) -> bool:
        """Whether one style decides all pairs, so that their scores are comparable."""
        return self.ranks or self.supports


NO_EXTRAS = Extras()


@dataclass(slots=True, eq=False)
class Decided:
    """Results of a batch."""

    columns: AlignmentColumns  # a pair that failed has no links
    errors: dict[int, Exception]  # by the number of the pair
    # [n_pairs, n_evidence] that each source answers its target, if asked for; see
    # tokalign.decoding.evidence
    evidence: NDArray[np.float64] | None = None
    # [n_tokens of all targets, n_columns] of each target's words by its source, pair after pair, if
    # asked for; see tokalign.decoding.evidence
    support: NDArray[np.float32] | None = None

    def alignments(self) -> Iterator[Alignment | Exception]:
        """Yield the alignment of every pair, or its error."""
        for number in range(len(self.columns)):
            if number in self.errors:
                yield self.errors[number]
            else:
                yield self.columns.alignment(number)


class Backend(ABC):
    """Aligns annotated pairs. Threads may share it; they take turns."""

    header: ModelHeader

    def encode(
        self, pairs: Sequence[AnnotatedPair], options: AlignOptions, *, compares: bool = False
    ) -> list[EncodedPair]:
        """Return pairs with the output of the model's encoder, if it has one.

        `options`: that `check` lets pass. `compares`: whether pairs are compared by their scores.
        """
        return [(pair, None) for pair in pairs]

    @property
    def takes_effort(self) -> bool:
        """Whether AlignOptions.effort may be less than 1."""
        return False

    @abstractmethod
    def check(self, options: AlignOptions) -> None:
        """Raise InputError if options ask for something that the model lacks, such as a style."""

    @abstractmethod
    def decide(
        self, pairs: Sequence[EncodedPair], options: AlignOptions, extras: Extras = NO_EXTRAS
    ) -> Decided:
        """Return the alignments of pairs.

        `options`: that `check` lets pass. InputError is raised if a published system is asked for
        support.
        """

    @abstractmethod
    def explain(
        self, pair: EncodedPair, source_index: int, target_index: int, options: AlignOptions
    ) -> tuple[LinkExplanation, ...]:
        """Return why two tokens are, or are not, linked; -1 is the other side's NULL.

        InputError is raised if `decide` fails on the pair.
        """

    @property
    def relations(self) -> "RelationModel":
        """The model of relations.

        InputError is raised if it is a published system, which knows no relations.
        """
        raise self._no_relations()

    @property
    def chunk_relations(self) -> "RelationModel":
        """The model of the relations of chunks, mostly the same; errors are as for `relations`."""
        return self.relations

    def _no_relations(self) -> InputError:
        return InputError(
            f"{self.header.name} decides by rules and knows no relations; ask a model",
            field="options.relations",
        )

    def unit_inputs(
        self, pair: EncodedPair, units: Sequence[Unit], options: AlignOptions
    ) -> NDArray[np.float32]:
        """Return the inputs of the relation model for some units; see DecodedPair.unit_inputs."""
        raise self._no_relations()

    def align(
        self, pairs: Sequence[EncodedPair | Exception], options: AlignOptions
    ) -> Iterator[Alignment | Exception]:
        """Yield the alignment of every pair, or its error.

        The options are those that `check` lets pass.
        """
        for start in range(0, len(pairs), AT_ONCE):
            some = pairs[start : start + AT_ONCE]
            yield from restore(some, self.decide(values(some), options).alignments())

    def align_candidates(
        self, pairs: Sequence[EncodedPair | Exception], options: AlignOptions, by: RankBy
    ) -> Iterator[tuple[Alignment, list[float] | None] | Exception]:
        """Yield each result of `align` with the evidence that the source answers the target, or
        None unless that is a question, and candidates are judged as answers."""
        from tokalign.english.questions import is_query
        from tokalign.ranking.answer_types import expected_answer

        is_judged = by in (RankBy.AUTO, RankBy.ANSWER)
        for start in range(0, len(pairs), AT_ONCE):
            some = pairs[start : start + AT_ONCE]
            judged = values(some)
            targets = {id(pair[1]): pair[1] for pair, _ in judged}
            asking = {key for key, each in targets.items() if is_judged and is_query(each)}
            expected = {key: expected_answer(each) for key, each in targets.items()}
            decided = self.decide(
                judged,
                options,
                Extras(
                    ranks=True,
                    expected=[expected[id(pair[1])] for pair, _ in judged] if asking else (),
                ),
            )
            rows = [None] * len(judged) if decided.evidence is None else decided.evidence.tolist()
            both = (
                each
                if isinstance(each, Exception)
                else (each, row if id(pair[1]) in asking else None)
                for each, row, (pair, _) in zip(decided.alignments(), rows, judged, strict=True)
            )
            yield from restore(some, both)


def truncated(sources: Sequence[Sentence], targets: Sequence[Sentence]) -> list[tuple[bool, bool]]:
    """Return, per pair, whether the source and the target were truncated."""
    return list(zip(map(is_cut, sources), map(is_cut, targets), strict=True))


def edits_of(columns: AlignmentColumns, errors: Container[int]) -> list[tuple[Edit, ...]]:
    """Return the edits of each pair; a pair that failed has no edits."""
    from tokalign.edits import edits_between

    return [
        ()
        if number in errors
        else edits_between(
            columns.sources[number],
            columns.targets[number],
            columns.confidences_of(number),
            columns.conflicts_of(number),
        )
        for number in range(len(columns))
    ]


class TurnedPair(tuple[Any, ...]):
    """The target and the source of a pair, in this order, and the constraints as they were, if any.

    ``TurnedPair((target, source))`` is the pair (source, target) as a model reads it.
    """

    __slots__ = ()


def in_reading_order(pair: AnnotatedPair) -> AnnotatedPair:
    """Return a pair as a model reads it: itself, or a TurnedPair."""
    if not reads_target_first(pair[0], pair[1]):
        return pair
    return TurnedPair((pair[1], pair[0], *pair[2:]))


def as_given(pair: AnnotatedPair) -> tuple[Sentence, Sentence]:
    """Return the caller's source and target of a pair in reading order."""
    return (pair[1], pair[0]) if isinstance(pair, TurnedPair) else (pair[0], pair[1])
