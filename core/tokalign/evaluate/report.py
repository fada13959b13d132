"""The report of one system on one gold corpus: computed once, shown as text, page or JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TypeAlias

from tokalign.evaluate import Evaluation, evaluate
from tokalign.evaluate.breakdown import (
    LinkCounts,
    LinkError,
    by_kind,
    by_length,
    by_tag,
    list_errors,
)
from tokalign.evaluate.calibration import Calibration, calibrate
from tokalign.evaluate.metrics import Scores
from tokalign.evaluate.nulls import NullScores, null_scores
from tokalign.types import GoldPair, Links
from tokalign.types.options import LinkChoice

Confidences: TypeAlias = Sequence[Mapping[tuple[int, int], float]]
"""Confidence of each predicted link, pair by pair."""


@dataclass(frozen=True, slots=True)
class Report:
    """Contents of a report."""

    choice: LinkChoice
    result: Evaluation
    lengths: Mapping[str, Scores]  # by bin
    kinds: Mapping[str, LinkCounts]  # by class, as `tags`
    tags: Mapping[str, LinkCounts]
    nulls: NullScores
    errors: Sequence[LinkError]  # the most harmful first
    calibration: Calibration | None = None  # present if there are confidences

    def to_json(self, system: Mapping[str, object], n_errors: int) -> dict[str, object]:
        """Return one object of fractions in [0, 1].

        `system`: the system's description, written after the scores. `n_errors`: number of errors
        to list; 0 for none.
        """
        value = {**self.result.to_json(), "links": self.choice.value, **system}
        value["by_length"] = {name: each.to_json() for name, each in self.lengths.items()}
        value["by_kind"] = {name: each.to_json() for name, each in self.kinds.items()}
        value["by_tag"] = {name: each.to_json() for name, each in self.tags.items()}
        value["with_nulls"] = self.nulls.to_json()
        if self.calibration is not None:
            value["calibration"] = self.calibration.to_json()
        if n_errors:
            value["errors"] = [asdict(error) for error in self.errors[:n_errors]]
        return value


def report(
    gold: Sequence[GoldPair],
    predicted: Sequence[Links] | Confidences,
    *,
    choice: LinkChoice = LinkChoice.SURE,
    n_samples: int = 1000,
    seed: int = 0,
) -> Report:
    """Score a system, and break the scores down.

    Gold with tags has scores by word class, and predictions with confidences a calibration. Other
    arguments and errors are as for `tokalign.evaluate.evaluate`.
    """
    links = [frozenset(each) for each in predicted]
    confidences = [each for each in predicted if isinstance(each, Mapping)]
    result = evaluate(gold, links, choice=choice, n_samples=n_samples, seed=seed)
    return Report(
        choice=choice,
        result=result,
        lengths=by_length(gold, links, choice),
        kinds=by_kind(gold, links, choice),
        tags=by_tag(gold, links, choice),
        nulls=null_scores(gold, links, choice),
        errors=list_errors(gold, links, choice),
        calibration=calibrate(gold, confidences, choice) if confidences else None,
    )
