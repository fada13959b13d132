"""The evaluation as a table of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tokalign.evaluate.breakdown import LinkError, worst_word_pairs
from tokalign.evaluate.calibration import Calibration
from tokalign.evaluate.metrics import Scores
from tokalign.evaluate.report import Report
from tokalign.evaluate.significance import Comparison

LABELS = {
    "precision": "precision (macro)",
    "recall": "recall (macro)",
    "f1": "F1 (of the macro figures)",
    "exact_match": "exact match",
    "micro_precision": "precision (micro)",
    "micro_recall": "recall (micro)",
    "micro_f1": "F1 (micro)",
    "f1_identical": "F1, identical words (micro)",
    "f1_non_identical": "F1, other words (micro)",
    "f1_content": "F1, content words (micro)",
    "aer": "AER",
}
"""What to call each scalar metric in reports."""

AER_WARNING = (
    "AER does not balance precision and recall: where gold has many possible links it can be low "
    "though most links are missing (Fraser and Marcu 2007); judge by F"
)


def lines(report: Report, *, n_errors: int = 0, other: str = "") -> Iterator[str]:
    """Yield a report in percent.

    Parameters
    ----------
    report : Report
    n_errors : int
        How many errors to list; 0 leaves them out.
    other : str
        What to call the second system, if there is one.
    """
    yield from _score_lines(report.result.scores, report.result.intervals, report.choice.value)
    if report.comparison is not None:
        yield from _comparison_lines(report.comparison, other)
    yield from _breakdown_lines(report)
    if report.calibration is not None:
        yield from _calibration_lines(report.calibration)
    if n_errors:
        yield from _error_lines(report.errors, n_errors)


def _score_lines(
    scores: Scores, intervals: Mapping[str, tuple[float, float]], choice: str
) -> Iterator[str]:
    """Yield the table of scores in percent with their intervals."""
    yield f"{scores.pairs} pairs, links that count: {choice}; percent, 95% bootstrap interval"
    for name, label in LABELS.items():
        low, high = intervals[name]
        value = getattr(scores, name)
        yield f"  {label:<28}{100 * value:6.1f}   {100 * low:5.1f} to {100 * high:5.1f}"
    yield f"    note: {AER_WARNING}"
    yield "  F-alpha (micro)             " + "  ".join(
        f"{alpha}: {100 * value:.1f}" for alpha, value in scores.f_alpha.items()
    )
    yield "  ... precision on possible   " + "  ".join(
        f"{alpha}: {100 * value:.1f}" for alpha, value in scores.f_alpha_sure_possible.items()
    )


def _breakdown_lines(report: Report) -> Iterator[str]:
    """Yield the tables by length, by kind of link and by word class."""
    yield f"{'by tokens of the longer side':<41}pairs      P      R     F1  exact"
    for name, scores in report.lengths.items():
        row = (scores.precision, scores.recall, scores.f1, scores.exact_match)
        yield f"  {name:<38}{scores.pairs:>6}{_percents(row)}"
    for title, counts in (
        ("by kind of link", report.kinds),
        ("by class of the target word", report.tags),
    ):
        if counts:
            yield f"{title:<42}gold      P      R     F1"
        for name, each in counts.items():
            yield f"  {name:<38}{each.gold:>6}{_percents((each.precision, each.recall, each.f1))}"


def _percents(figures: Sequence[float]) -> str:
    return "".join(f"{100 * figure:7.1f}" for figure in figures)


def _calibration_lines(calibration: Calibration) -> Iterator[str]:
    """Yield the reliability table of the confidences."""
    yield (
        f"confidences of {calibration.links} links: expected calibration error "
        f"{100 * calibration.expected_error:.1f} points"
    )
    yield f"  {'confidence':<38}links   mean  right"
    for each in calibration.bins:
        name = f"{each.low:.1f} to {each.high:.1f}"
        yield f"  {name:<37}{each.links:>6}{_percents((each.confidence, each.right))}"


def _comparison_lines(comparison: Mapping[str, Comparison], name: str) -> Iterator[str]:
    """Yield how the system differs from another one."""
    yield f"difference to {name}: points, 95% paired bootstrap interval, p by randomisation"
    for metric, label in LABELS.items():
        each = comparison[metric]
        yield (
            f"  {label:<28}{100 * each.difference:+6.1f}   {100 * each.low:+5.1f} to "
            f"{100 * each.high:+5.1f}   p = {each.p_value:.3f}"
        )


def _error_lines(errors: Sequence[LinkError], n_shown: int) -> Iterator[str]:
    """Yield the word pairs and the links that cost most, at most `n_shown` of each."""
    n_missing = sum(error.is_missing for error in errors)
    yield f"{len(errors)} errors: {n_missing} missing, {len(errors) - n_missing} wrong"
    yield "word pairs by harm (points of F1)"
    for source, target, is_missing, count, harm in worst_word_pairs(errors)[:n_shown]:
        kind = "missing" if is_missing else "wrong"
        yield f"  {100 * harm:7.3f}  {count:4} x {kind:<8}{source} ~ {target}"
    yield "links by harm"
    for error in errors[:n_shown]:
        kind = "missing" if error.is_missing else "possible" if error.is_possible else "wrong"
        where = f"pair {error.id}: {error.source}-{error.target}"
        yield f"  {100 * error.harm:7.3f}  {kind:<9}{where:<24} {error.words[0]} ~ {error.words[1]}"
