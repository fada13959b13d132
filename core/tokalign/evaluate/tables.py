"""The tables of a report: values and the formats of their cells."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tokalign.evaluate.breakdown import LinkError, worst_word_pairs
from tokalign.evaluate.calibration import Calibration
from tokalign.evaluate.metrics import Scores, all_metrics
from tokalign.evaluate.report import Report

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
