"""Many systems on one gold corpus, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from tokalign.evaluate import Evaluation, evaluate
from tokalign.evaluate.counts import LinkChoice, Links
from tokalign.evaluate.significance import Comparison, compare
from tokalign.evaluate.tables import Column, ReportTable
from tokalign.types import GoldPair

TESTED = ("f1", "exact_match")
"""Metrics of which the table shows the test against the first system; JSON has them all."""


@dataclass(frozen=True, slots=True)
class SystemLinks:
    """What one system linked.

    Attributes
    ----------
    name : str
    predicted : sequence of sets of (source, target), or of dicts from link to confidence
        One per gold pair, in the same order.
    pairs_per_s : float or None
        How fast, where that was measured.
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
        How it differs from the first system; None of the first itself.
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

    Parameters
    ----------
    gold : sequence of GoldPair
    systems : sequence of SystemLinks
    choice : LinkChoice
        Which gold links count.
    n_samples, seed : int
        Bootstrap resamples and shuffles, and their seed; the same for all systems.

    Raises
    ------
    ShapeError
        If a system has not as many predictions as there are pairs.
    InputError
        If there are no pairs or a link is out of range.
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
        Which gold links count; where possible links count as well, or neither way, F-alpha takes
        precision over sure and possible, recall over sure links.
    alpha : str
        Of F-alpha: one of tokalign.evaluate.ALPHAS.
    """
    width = max(6, *(len(row.name) for row in rows))
    n_pairs = rows[0].result.scores.pairs
    return ReportTable(
        title="Systems",
        columns=(
            Column("system"),
            *(Column(name, "{:.1f}") for name in ("P", "R", "F1")),
            Column("95% interval", "{0[0]:.1f} to {0[1]:.1f}"),
            Column("E", "{:.1f}"),
            Column("95% interval of E", "{0[0]:.1f} to {0[1]:.1f}"),
            Column("unlike words", "{:.1f}"),
            Column(f"F-{alpha}", "{:.1f}"),
            *(Column(name) for name in ("pairs/s", "p of F1", "p of E")),
        ),
        rows=tuple(_cells(row, choice, alpha) for row in rows),
        heading=f"{n_pairs} pairs, links that count: {choice.value}; percent, 95% bootstrap "
        f"intervals, p by randomisation against {rows[0].name}\n"
        + _line(width, number="{:>6}", interval="{:>13}").format(
            *("system", "P", "R", "F1", "", "E", "", "unlike", f"F-{alpha}", "pairs/s"),
            *("p of F1", "p of E"),
        ),
        line=_line(width, number="{:>6.1f}", interval="{0[0]:>5.1f} to {0[1]:>4.1f}"),
        note="P and R: macro averages; F1: of these two; E: exact match; unlike: micro F1 over "
        "links between words that differ; F-alpha: micro",
        is_open=True,
    )


def _line(width: int, *, number: str, interval: str) -> str:
    """Return the format of a line, whose fields are the columns by number."""
    kinds = (number, number, number, interval, number, interval, number, number)
    fields = [f"{{0:<{width}}}"]
    for place, kind in enumerate(kinds, 1):
        fields.append(kind.replace("{0", f"{{{place}").replace("{:", f"{{{place}:"))
    return "  ".join((*fields, "{9:>8}", "{10:>8}", "{11:>8}"))


def _cells(row: Compared, choice: LinkChoice, alpha: str) -> tuple[object, ...]:
    scores, intervals = row.result.scores, row.result.intervals
    is_strict = choice is LinkChoice.SURE
    f_alpha = scores.f_alpha if is_strict else scores.f_alpha_sure_possible
    bounds = {name: tuple(100 * each for each in intervals[name]) for name in TESTED}
    tests = row.against_first
    return (
        row.name,
        *(100 * value for value in (scores.precision, scores.recall, scores.f1)),
        bounds["f1"],
        100 * scores.exact_match,
        bounds["exact_match"],
        100 * scores.f1_non_identical,
        100 * f_alpha[alpha],
        "" if row.pairs_per_s is None else f"{row.pairs_per_s:,.0f}",
        *("" if tests is None else f"{tests[name].p_value:.3f}" for name in TESTED),
    )
