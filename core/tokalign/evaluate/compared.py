"""Comparison of several systems on one gold corpus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

from tokalign.evaluate import Evaluation, evaluate
from tokalign.evaluate.metrics import Metric, all_metrics
from tokalign.evaluate.significance import Comparison, compare, p_text
from tokalign.evaluate.tables import Column, ReportTable
from tokalign.types import GoldPair, Links
from tokalign.types.options import LinkChoice


@dataclass(frozen=True, slots=True)
class SystemLinks:
    """Links of one system.

    Attributes
    ----------
    name : str
    predicted : sequence of sets of (source, target), or of dicts from link to confidence
        One per gold pair, in the same order.
    pairs_per_s : float or None
        Speed, if it was measured.
    """

    name: str
    predicted: Sequence[Links | Mapping[tuple[int, int], float]]
    pairs_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """One system's row.

    Attributes
    ----------
    name : str
    result : Evaluation
    against_first : dict from metric to Comparison, or None
        Differences from the first system; None for the first itself.
    pairs_per_s : float or None
    """

    name: str
    result: Evaluation
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

    Parameters
    ----------
    rows : sequence of Compared
    choice : LinkChoice
        Which gold links count. If possible links count too, or neither way, F-alpha takes precision
        over sure and possible links, and recall over sure links.
    alpha : str
        Of F-alpha: one of tokalign.evaluate.ALPHAS.
    """
    shown = {name: each for name, each in all_metrics().items() if each.in_systems}
    tested = [each.in_systems for each in shown.values() if each.is_tested]
    width = max(6, *(len(row.name) for row in rows))
    columns = [_SystemColumn("system", f"{'system':<{width}}", f"{{0:<{width}}}")]
    for each in shown.values():
        columns.append(_percent(each.in_systems))
        if each.is_tested:
            columns.append(_INTERVAL._replace(name=f"95% interval of {each.in_systems}"))
    columns.append(_percent(f"F-{alpha}"))
    columns += [
        _SystemColumn(name, f"{name:>8}", "{0:>8}")
        for name in ("pairs/s", *(f"p of {head}" for head in tested))
    ]
    return ReportTable(
        title="Systems",
        columns=tuple(Column(each.name, each.cell) for each in columns),
        rows=tuple(_cells(row, shown, choice, alpha) for row in rows),
        heading=f"{rows[0].result.scores.pairs} pairs, links that count: {choice.value}; percent, "
        f"95% bootstrap intervals, p by randomisation against {rows[0].name}\n"
        + "  ".join(each.head for each in columns),
        line="  ".join(each.line.replace("{0", f"{{{k}") for k, each in enumerate(columns)),
        note="; ".join(each.note for each in shown.values() if each.note) + "; F-alpha: micro",
        is_open=True,
    )


class _SystemColumn(NamedTuple):
    """A column: its name on a page, its head and cells in text, and its cells on a page."""

    name: str
    head: str
    line: str
    cell: str = "{}"


_INTERVAL = _SystemColumn("", " " * 13, "{0[0]:>5.1f} to {0[1]:>4.1f}", "{0[0]:.1f} to {0[1]:.1f}")


def _percent(name: str) -> _SystemColumn:
    return _SystemColumn(name, f"{name:>6}", "{0:>6.1f}", "{:.1f}")


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
