"""The tables of a report: values and their formats, for a page and for lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tokalign.evaluate.breakdown import LinkError, worst_word_pairs
from tokalign.evaluate.calibration import Calibration
from tokalign.evaluate.metrics import Scores, all_metrics
from tokalign.evaluate.nulls import NullScores
from tokalign.evaluate.report import Report
from tokalign.evaluate.significance import Comparison, p_text

AER_WARNING = (
    "AER does not balance precision and recall: where gold has many possible links it can be low "
    "though most links are missing (Fraser and Marcu 2007); judge by F"
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, and the format of a value in the cell of a page."""

    name: str
    cell: str = "{}"


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows of values, with their formats on a page and in a terminal.

    Attributes
    ----------
    title : str
        Stands above the table on a page.
    columns : tuple of Column
        The first one names the row.
    rows : tuple of tuples
        One value for each column; a column of intervals holds (low, high).
    heading : str
        Stands above the rows in text.
    line : str
        Format of a row as a line of text, whose fields are the columns by number.
    note : str
        Stands under the table.
    is_open : bool
        Whether a page shows the table unfolded.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[object, ...], ...]
    heading: str
    line: str
    note: str = ""
    is_open: bool = False


def tables(report: Report, *, n_errors: int = 0, other: str = "") -> list[ReportTable]:
    """Return the tables of a report, in percent, with so many errors.

    `other` is the name of the second system, if there is one.
    """
    found = [_scores(report), _f_alpha(report.result.scores)]
    if report.comparison is not None:
        found.append(_comparison(report.comparison, other))
    found.append(_lengths(report))
    for title, counts in (
        ("By kind of link", report.kinds),
        ("By class of the target word", report.tags),
    ):
        rows = [
            (name, each.gold, *_percents(each.precision, each.recall, each.f1))
            for name, each in counts.items()
        ]
        if rows:
            found.append(_breakdown(title, ("class", "gold", "P", "R", "F1"), rows))
    found.append(_nulls(report.nulls))
    if report.calibration is not None:
        found.append(_calibration(report.calibration))
    if n_errors:
        found += [_word_pairs(report.errors, n_errors), _links(report.errors[:n_errors])]
    return found


def _lower(title: str) -> str:
    return title[0].lower() + title[1:]


def _percents(*fractions: float) -> tuple[float, ...]:
    return tuple(100 * fraction for fraction in fractions)


def _percent_columns(names: Iterable[str]) -> list[Column]:
    return [Column(name, "{:.1f}") for name in names]


def _scores(report: Report) -> ReportTable:
    scores, intervals = report.result.scores, report.result.intervals
    return ReportTable(
        title="Scores",
        columns=(
            Column("score"),
            Column("percent", "{:.1f}"),
            Column("95% interval", "{0[0]:.1f} to {0[1]:.1f}"),
        ),
        rows=tuple(
            (each.label, 100 * getattr(scores, name), _percents(*intervals[name]))
            for name, each in all_metrics().items()
        ),
        heading=f"{scores.pairs} pairs, links that count: {report.choice.value}; "
        "percent, 95% bootstrap interval",
        line="  {0:<28}{1:6.1f}   {2[0]:5.1f} to {2[1]:5.1f}",
        note=AER_WARNING,
        is_open=True,
    )


def _comparison(comparison: Mapping[str, Comparison], other: str) -> ReportTable:
    found = [(metric.label, comparison[name]) for name, metric in all_metrics().items()]
    return ReportTable(
        title=f"Difference to {other}",
        columns=(
            Column("score"),
            Column("points", "{:+.1f}"),
            Column("95% interval", "{0[0]:+.1f} to {0[1]:+.1f}"),
            Column("p"),
        ),
        rows=tuple(
            (label, 100 * each.difference, _percents(each.low, each.high), p_text(each.p_value))
            for label, each in found
        ),
        heading=f"difference to {other}: points, 95% paired bootstrap interval, p by randomisation",
        line="  {0:<28}{1:+6.1f}   {2[0]:+5.1f} to {2[1]:+5.1f}   p: {3}",
        is_open=True,
    )


def _f_alpha(scores: Scores) -> ReportTable:
    """Return F-alpha with one column for each alpha; lines of text repeat its name."""
    alphas = tuple(scores.f_alpha)
    return ReportTable(
        title="F-alpha (micro)",
        columns=(Column("alpha"), *_percent_columns(alphas)),
        rows=(
            ("F-alpha (micro)", *_percents(*scores.f_alpha.values())),
            ("... precision on possible", *_percents(*scores.f_alpha_sure_possible.values())),
        ),
        heading="",
        line="  {0:<28}" + "  ".join(f"{alpha}: {{{k}:.1f}}" for k, alpha in enumerate(alphas, 1)),
    )


def _lengths(report: Report) -> ReportTable:
    shown = {name: each.in_lengths for name, each in all_metrics().items() if each.in_lengths}
    return _breakdown(
        "By tokens of the longer side",
        ("tokens", "pairs", *shown.values()),
        [
            (length, each.pairs, *_percents(*(getattr(each, name) for name in shown)))
            for length, each in report.lengths.items()
        ],
    )


def _nulls(scores: NullScores) -> ReportTable:
    """Return the table of scores of links, of unaligned words, and of both."""
    rows = (
        ("links", scores.links),
        ("words left alone", scores.nulls),
        ("both", scores.total),
    )
    return ReportTable(
        title="With words left alone",
        columns=(Column("of"), *_percent_columns(("P", "R", "F1"))),
        rows=tuple((name, *_percents(each.precision, each.recall, each.f1)) for name, each in rows),
        heading=f"{'with words left alone':<46}" + "".join(f"{n:>7}" for n in ("P", "R", "F1")),
        line="  {0:<44}" + "".join(f"{{{k}:7.1f}}" for k in (1, 2, 3)),
    )


def _breakdown(
    title: str, names: tuple[str, ...], rows: Sequence[tuple[object, ...]]
) -> ReportTable:
    """Return a table of a name, a count and percents; in text the title heads the names."""
    _, count, *percents = names
    return ReportTable(
        title=title,
        columns=(Column(names[0]), Column(count), *_percent_columns(percents)),
        rows=tuple(rows),
        heading=f"{_lower(title):<40}{count:>6}" + "".join(f"{name:>7}" for name in percents),
        line="  {0:<38}{1:>6}" + "".join(f"{{{k}:7.1f}}" for k in range(2, len(names))),
    )


def _calibration(calibration: Calibration) -> ReportTable:
    about = (
        f"Confidences of {calibration.links} links: expected calibration error "
        f"{100 * calibration.expected_error:.1f} points"
    )
    return ReportTable(
        title=about,
        columns=(Column("confidence"), Column("links"), *_percent_columns(("mean", "right"))),
        rows=tuple(
            (f"{one.low:.1f} to {one.high:.1f}", one.links, *_percents(one.confidence, one.right))
            for one in calibration.bins
        ),
        heading=f"{_lower(about)}\n  {'confidence':<38}links   mean  right",
        line="  {0:<37}{1:>6}{2:7.1f}{3:7.1f}",
    )


def _error_columns(third: str) -> tuple[Column, ...]:
    names = ("source ~ target", "error", third)
    return (*map(Column, names), Column("points of F1", "{:.3f}"))


def _word_pairs(errors: Sequence[LinkError], n_shown: int) -> ReportTable:
    n_missing = sum(error.is_missing for error in errors)
    about = f"{len(errors)} errors: {n_missing} missing, {len(errors) - n_missing} wrong"
    return ReportTable(
        title="Word pairs by harm",
        columns=_error_columns("count"),
        rows=tuple(
            (f"{source} ~ {target}", "missing" if is_missing else "wrong", count, 100 * harm)
            for source, target, is_missing, count, harm in worst_word_pairs(errors)[:n_shown]
        ),
        heading=f"{about}\nword pairs by harm (points of F1)",
        line="  {3:7.3f}  {2:4} x {1:<8}{0}",
    )


def _links(errors: Sequence[LinkError]) -> ReportTable:
    return ReportTable(
        title="Links by harm",
        columns=_error_columns("link"),
        rows=tuple(
            (
                " ~ ".join(error.words),
                "missing" if error.is_missing else "possible" if error.is_possible else "wrong",
                f"pair {error.id}: {error.source}-{error.target}",
                100 * error.harm,
            )
            for error in errors
        ),
        heading="links by harm",
        line="  {3:7.3f}  {1:<9}{2:<24} {0}",
    )
