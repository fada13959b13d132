"""The report of one system on one gold corpus, and the comparison of several, as tables and JSON.

A report scores words that are linked with NULL, too, after Arase, Bao and Yokoi (2023), ACL:
Unbalanced Optimal Transport for Unbalanced Word Alignment. Scores of links do not say how well a
system recognises words without a counterpart, which is half of the use of a comparison.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypeAlias

import numpy as np

from tokalign.evaluate import Evaluation, evaluate
from tokalign.evaluate.breakdown import (
    LinkCounts,
    LinkError,
    by_kind,
    by_length,
    by_tag,
    list_errors,
    worst_word_pairs,
)
from tokalign.evaluate.metrics import (
    Calibration,
    Comparison,
    Metric,
    Scores,
    all_metrics,
    calibrate,
    choose_links,
    compare,
    harmonic_mean,
    p_text,
    precision_recall,
)
from tokalign.types import GoldPair, Links
from tokalign.types.options import LinkChoice

_Word = tuple[str, int]
"""Side and index of a token."""


@dataclass(frozen=True, slots=True)
class ShareScores:
    """Macro averages over pairs, and the harmonic mean of both; in [0, 1]."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class NullScores:
    """Scores of links, of unaligned words, and of both pooled."""

    links: ShareScores
    nulls: ShareScores
    total: ShareScores


def null_scores(
    gold: Sequence[GoldPair], predictions: Sequence[Links], choice: LinkChoice = LinkChoice.SURE
) -> NullScores:
    """Return the scores of predicted links and of unaligned words.

    If possible links count neither way, neither do words that have only such links.
    """
    rows = []
    for pair, predicted in zip(gold, predictions, strict=True):
        wanted, found = choose_links(pair, predicted, choice)
        ignored = (
            _words(pair.possible - pair.sure) if choice is LinkChoice.IGNORE_POSSIBLE else set()
        )
        every = {("source", k) for k in range(len(pair.source))}
        every |= {("target", k) for k in range(len(pair.target))}
        alone = [every - _words(links) - ignored for links in (wanted, found)]
        right = len(wanted & found), len(alone[0] & alone[1])
        counts = [(right[0], len(found), len(wanted)), (right[1], len(alone[1]), len(alone[0]))]
        counts.append((sum(right), len(found) + len(alone[1]), len(wanted) + len(alone[0])))
        rows.append([precision_recall(*each) for each in counts])
    means = np.array(rows, dtype=np.float64).mean(axis=0).tolist()
    return NullScores(*(ShareScores(p, r, harmonic_mean(p, r)) for p, r in means))


def _words(links: Links) -> set[_Word]:
    return {("source", i) for i, _ in links} | {("target", j) for _, j in links}


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
        value["by_length"] = {name: asdict(each) for name, each in self.lengths.items()}
        value["by_kind"] = {name: each.to_json() for name, each in self.kinds.items()}
        value["by_tag"] = {name: each.to_json() for name, each in self.tags.items()}
        value["with_nulls"] = asdict(self.nulls)
        if self.calibration is not None:
            value["calibration"] = asdict(self.calibration)
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


AER_WARNING = (
    "AER does not balance precision and recall: where gold has many possible links it can be low "
    "though most links are missing (Fraser and Marcu 2007); judge by F"
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and the format of a value."""

    name: str
    cell: str = "{}"


INTERVAL = Column("95% interval", "{0[0]:.1f} to {0[1]:.1f}")


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows of values, which a page and a terminal show alike."""

    title: str  # above the table
    columns: tuple[Column, ...]  # the first one names the row
    # One value for each column; a column of intervals holds (low, high)
    rows: tuple[tuple[object, ...], ...]
    note: str = ""  # under the table
    is_open: bool = False  # whether a page shows the table unfolded


def tables(report: Report, *, n_errors: int = 0) -> list[ReportTable]:
    """Return the tables of a report, in percent, with so many errors."""
    found = [_scores(report), _f_alpha(report.result.scores), _lengths(report)]
    for title, counts in (
        ("By kind of link", report.kinds),
        ("By class of the target word", report.tags),
    ):
        rows = [
            (name, each.gold, *_percents(each.precision, each.recall, each.f1))
            for name, each in counts.items()
        ]
        if rows:
            found.append(percent_table(title, ("class", "gold", "P", "R", "F1"), rows))
    nulls = report.nulls
    rows = [
        (name, *_percents(each.precision, each.recall, each.f1))
        for name, each in (
            ("links", nulls.links), ("words left alone", nulls.nulls), ("both", nulls.total)
        )
    ]  # fmt: skip
    found.append(percent_table("With words left alone", ("of", "P", "R", "F1"), rows, n_before=1))
    if report.calibration is not None:
        found.append(_calibration(report.calibration))
    if n_errors:
        found += [_word_pairs(report.errors, n_errors), _links(report.errors[:n_errors])]
    return found


def percent_table(
    title: str,
    names: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    note: str = "",
    *,
    n_before: int = 2,
    is_open: bool = False,
) -> ReportTable:
    """Return a table of percents, but for its first columns: a name, and mostly a number."""
    percents = [Column(name, "{:.1f}") for name in names[n_before:]]
    columns = (*map(Column, names[:n_before]), *percents)
    return ReportTable(title, columns, tuple(rows), note, is_open)


def _percents(*fractions: float) -> tuple[float, ...]:
    return tuple(100 * fraction for fraction in fractions)


def _scores(report: Report) -> ReportTable:
    scores, intervals = report.result.scores, report.result.intervals
    return ReportTable(
        title="Scores",
        columns=(Column("score"), Column("percent", "{:.1f}"), INTERVAL),
        rows=tuple(
            (each.label, 100 * getattr(scores, name), _percents(*intervals[name]))
            for name, each in all_metrics().items()
        ),
        note=f"{scores.pairs} pairs, links that count: {report.choice.value}; percent, 95% "
        f"bootstrap interval. {AER_WARNING}",
        is_open=True,
    )


def _f_alpha(scores: Scores) -> ReportTable:
    """Return F-alpha with one column for each alpha."""
    rows = [
        ("F-alpha", *_percents(*scores.f_alpha.values())),
        ("precision on possible", *_percents(*scores.f_alpha_sure_possible.values())),
    ]
    return percent_table("F-alpha (micro)", ("alpha", *scores.f_alpha), rows, n_before=1)


def _lengths(report: Report) -> ReportTable:
    shown = {name: each.in_lengths for name, each in all_metrics().items() if each.in_lengths}
    rows = [
        (length, each.pairs, *_percents(*(getattr(each, name) for name in shown)))
        for length, each in report.lengths.items()
    ]
    return percent_table("By tokens of the longer side", ("tokens", "pairs", *shown.values()), rows)


def _calibration(calibration: Calibration) -> ReportTable:
    rows = [
        (f"{one.low:.1f} to {one.high:.1f}", one.links, *_percents(one.confidence, one.right))
        for one in calibration.bins
    ]
    title = (
        f"Confidences of {calibration.links} links: expected calibration error "
        f"{100 * calibration.expected_error:.1f} points"
    )
    return percent_table(title, ("confidence", "links", "mean", "right"), rows)


def _errors(title: str, third: str, rows: Iterable[tuple[object, ...]], note: str) -> ReportTable:
    names = ("source ~ target", "error", third)
    columns = (*map(Column, names), Column("points of F1", "{:.3f}"))
    return ReportTable(title, columns, tuple(rows), note)


def _word_pairs(errors: Sequence[LinkError], n_shown: int) -> ReportTable:
    n_missing = sum(error.is_missing for error in errors)
    rows = (
        (f"{source} ~ {target}", "missing" if is_missing else "wrong", count, 100 * harm)
        for source, target, is_missing, count, harm in worst_word_pairs(errors)[:n_shown]
    )
    note = f"{len(errors)} errors: {n_missing} missing, {len(errors) - n_missing} wrong"
    return _errors("Word pairs by harm", "count", rows, note)


def _links(errors: Sequence[LinkError]) -> ReportTable:
    rows = (
        (
            " ~ ".join(error.words),
            "missing" if error.is_missing else "possible" if error.is_possible else "wrong",
            f"pair {error.id}: {error.source}-{error.target}",
            100 * error.harm,
        )
        for error in errors
    )
    return _errors("Links by harm", "link", rows, "")


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{each: f"\\{each}" for each in "&%$#_{}"},
}


def cells_of(table: ReportTable) -> list[list[str]]:
    """Return the head of a table and its rows, as a page shows them."""
    head = [column.name for column in table.columns]
    rows = [
        [
            column.cell.format(value) if value != "" else ""
            for column, value in zip(table.columns, row, strict=True)
        ]
        for row in table.rows
    ]
    return [head, *rows]


def latex(table: ReportTable) -> str:
    """Return a tabular that needs the package booktabs."""
    head, *rows = ([_escaped(cell) for cell in row] for row in cells_of(table))
    lines = [
        f"\\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
        "\\toprule",
        f"{' & '.join(head)} \\\\",
        "\\midrule",
        *(f"{' & '.join(row)} \\\\" for row in rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines)


def _escaped(cell: str) -> str:
    cell = re.sub(r"[\\~^&%$#_{}]", lambda found: _SPECIAL[found[0]], cell)
    return re.sub(r"(?<=\d) to (?=\d)", "--", cell)


def markdown(table: ReportTable) -> str:
    """Return a table of GitHub's Markdown."""
    head, *rows = ([cell.replace("|", "\\|") for cell in row] for row in cells_of(table))
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))


def records_of(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as CSV, without the last line break."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue().removesuffix("\n")


MARKUP: Mapping[str, Callable[[ReportTable], str]] = {
    "latex": latex,
    "markdown": markdown,
    "csv": lambda table: records_of(cells_of(table)),
}
"""Writers of tables, by the name of the format."""


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
