"""Comparison of several systems on one gold corpus."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from tokalign.evaluate import Evaluation, evaluate
from tokalign.evaluate.metrics import Metric, all_metrics
from tokalign.evaluate.significance import Comparison, compare, p_text
from tokalign.evaluate.tables import INTERVAL, Column, ReportTable
from tokalign.types import GoldPair, Links
from tokalign.types.options import LinkChoice


@dataclass(frozen=True, slots=True)
class SystemLinks:
    """Links of one system."""

    name: str
    # One per gold pair, in the same order
    predicted: Sequence[Links | Mapping[tuple[int, int], float]]
    pairs_per_s: float | None = None  # if it was measured


@dataclass(frozen=True, slots=True)
class Compared:
    """One system's row."""

    name: str
    result: Evaluation
    # Differences from the first system, by metric; None for the first itself
    against_first: Mapping[str, Comparison] | None
    pairs_per_s: float | None

    def to_json(self) -> dict[str, object]:
        """Return one object of fractions in [0, 1]."""
        value: dict[str, object] = {"system": self.name, **self.result.to_json()}
        value["pairs_per_s"] = self.pairs_per_s
        if self.against_first is not None:
            value["against_first"] = {
                name: asdict(each) for name, each in self.against_first.items()
            }
        return value


def compare_systems(
    gold: Sequence[GoldPair],
    systems: Sequence[SystemLinks],
    *,
    choice: LinkChoice = LinkChoice.SURE,
    n_samples: int = 1000,
    seed: int = 0,
) -> list[Compared]:
    """Return the row of every system, each but the first tested against the first.

    Other arguments and errors are as for `tokalign.evaluate.evaluate`; resamples, shuffles and
    their seed are the same for all systems.
    """
    rows: list[Compared] = []
    for system in systems:
        links = [frozenset(each) for each in system.predicted]
        result = evaluate(gold, links, choice=choice, n_samples=n_samples, seed=seed)
        against = None
        if rows:
            first = rows[0].result.counts
            against = compare(result.counts, first, n_samples=n_samples, seed=seed)
        rows.append(Compared(system.name, result, against, system.pairs_per_s))
    return rows


def comparison_table(rows: Sequence[Compared], choice: LinkChoice, alpha: str) -> ReportTable:
    """Return the table of systems.

    `choice`: which gold links count. If possible links count too, or neither way, F-alpha takes
    precision over sure and possible links, and recall over sure links. `alpha`: of F-alpha: one of
    tokalign.evaluate.ALPHAS.
    """
    shown = {name: each for name, each in all_metrics().items() if each.in_systems}
    columns = [Column("system")]
    for each in shown.values():
        columns.append(Column(each.in_systems, "{:.1f}"))
        if each.is_tested:
            columns.append(replace(INTERVAL, name=f"{INTERVAL.name} of {each.in_systems}"))
    columns += [Column(f"F-{alpha}", "{:.1f}"), Column("pairs/s")]
    columns += [Column(f"p of {each.in_systems}") for each in shown.values() if each.is_tested]
    notes = [
        f"{rows[0].result.scores.pairs} pairs, links that count: {choice.value}; percent, 95% "
        f"bootstrap intervals, p by randomisation against {rows[0].name}",
        *(each.note for each in shown.values() if each.note),
        "F-alpha: micro",
    ]
    return ReportTable(
        "Systems",
        tuple(columns),
        tuple(_cells(row, shown, choice, alpha) for row in rows),
        "; ".join(notes),
        is_open=True,
    )


def _cells(
    row: Compared, shown: Mapping[str, Metric], choice: LinkChoice, alpha: str
) -> tuple[object, ...]:
    scores, tests = row.result.scores, row.against_first
    cells: list[object] = [row.name]
    for name, each in shown.items():
        cells.append(100 * getattr(scores, name))
        if each.is_tested:
            low, high = row.result.intervals[name]
            cells.append((100 * low, 100 * high))
    is_strict = choice is LinkChoice.SURE
    cells.append(100 * (scores.f_alpha if is_strict else scores.f_alpha_sure_possible)[alpha])
    cells.append("" if row.pairs_per_s is None else f"{row.pairs_per_s:,.0f}")
    cells += [
        "" if tests is None else p_text(tests[name].p_value)
        for name, each in shown.items()
        if each.is_tested
    ]
    return tuple(cells)
