"""Build the page: one HTML file that holds its data and needs no network.

The data go in as JSON in which ``<`` is escaped, and the script writes them to the page as text,
so that no token can become markup.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files

from tokalign.evaluate import (
    Calibration,
    LinkChoice,
    Links,
    list_errors,
    worst_word_pairs,
)
from tokalign.evaluate.report import Report
from tokalign.evaluate.summary import AER_WARNING, LABELS
from tokalign.types import GoldPair

_N_WORST = 40


@dataclass(frozen=True, slots=True)
class PagePair:
    """One pair of the page.

    Attributes
    ----------
    id : str
    source, target : tuple of str
    links : tuple of (source, target, confidence)
        What is shown; confidence in [0, 1].
    sure, possible : tuple of (source, target)
        Gold; without gold, `possible` marks which of `links` are only possible.
    other : tuple of (source, target), or None
        Links of a second system.
    harm : float
        Summed harm of the pair's errors; see `tokalign.evaluate.LinkError`.
    """

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[tuple[int, int, float], ...]
    sure: tuple[tuple[int, int], ...] = ()
    possible: tuple[tuple[int, int], ...] = ()
    other: tuple[tuple[int, int], ...] | None = None
    harm: float = 0.0


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table above the pairs; the first column names the row, the note stands under it."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def page_pairs(
    pairs: Sequence[GoldPair],
    predictions: Sequence[Links | Mapping[tuple[int, int], float]],
    *,
    choice: LinkChoice = LinkChoice.SURE,
    other: Sequence[Links] | None = None,
    has_gold: bool = True,
) -> list[PagePair]:
    """Return the pairs of a page.

    Parameters
    ----------
    pairs : sequence of GoldPair
    predictions : sequence of sets, or of dicts from link to confidence
    choice : LinkChoice
        For the harm of each pair.
    other : sequence of sets, optional
        Links of a second system.
    has_gold : bool
        False if the pairs' own links are no gold to judge by; the sure ones are left out.
    """
    harm: defaultdict[int, float] = defaultdict(float)
    if has_gold:
        for error in list_errors(pairs, [frozenset(links) for links in predictions], choice):
            harm[error.pair] += error.harm
    result = []
    for index, (pair, links) in enumerate(zip(pairs, predictions, strict=True)):
        confidence = links if isinstance(links, Mapping) else dict.fromkeys(links, 1.0)
        result.append(
            PagePair(
                id=pair.id,
                source=pair.source.tokens,
                target=pair.target.tokens,
                links=tuple(
                    (i, j, round(float(confidence[i, j]), 4)) for i, j in sorted(confidence)
                ),
                sure=tuple(sorted(pair.sure)) if has_gold else (),
                possible=tuple(sorted(pair.possible)),
                other=None if other is None else tuple(sorted(other[index])),
                harm=harm[index],
            )
        )
    return result


def evaluation_tables(report: Report) -> list[ReportTable]:
    """Return the tables of an evaluation, in percent."""
    scores, comparison = report.result.scores, report.comparison
    rows = []
    for name, label in LABELS.items():
        low, high = report.result.intervals[name]
        cells = [label, _percent(getattr(scores, name)), f"{_percent(low)} to {_percent(high)}"]
        if comparison is not None:
            each = comparison[name]
            cells += [
                f"{100 * each.difference:+.1f}",
                f"{100 * each.low:+.1f} to {100 * each.high:+.1f}",
                f"{each.p_value:.3f}",
            ]
        rows.append(tuple(cells))
    columns = ["score", "percent", "95% interval"]
    if comparison is not None:
        columns += ["to the second", "95% interval", "p"]
    tables = [
        ReportTable("Scores", tuple(columns), tuple(rows), AER_WARNING),
        ReportTable(
            "F-alpha (micro)",
            ("alpha", "on counted links", "precision on possible"),
            tuple(
                (alpha, _percent(value), _percent(scores.f_alpha_sure_possible[alpha]))
                for alpha, value in scores.f_alpha.items()
            ),
        ),
        ReportTable(
            "By tokens of the longer side",
            ("tokens", "pairs", "P", "R", "F1", "exact"),
            tuple(
                (name, str(s.pairs), *map(_percent, (s.precision, s.recall, s.f1, s.exact_match)))
                for name, s in report.lengths.items()
            ),
        ),
    ]
    for title, counts in (
        ("By kind of link", report.kinds),
        ("By class of the target word", report.tags),
    ):
        if counts:
            cells_of = tuple(
                (name, str(c.gold), *map(_percent, (c.precision, c.recall, c.f1)))
                for name, c in counts.items()
            )
            tables.append(ReportTable(title, ("class", "gold", "P", "R", "F1"), cells_of))
    if report.calibration is not None:
        tables.append(_calibration_table(report.calibration))
    worst = worst_word_pairs(report.errors)[:_N_WORST]
    tables.append(
        ReportTable(
            "Word pairs by harm",
            ("source ~ target", "error", "count", "points of F1"),
            tuple(
                (f"{s} ~ {t}", "missing" if gone else "wrong", str(n), f"{100 * harm:.3f}")
                for s, t, gone, n, harm in worst
            ),
        )
    )
    tables.append(
        ReportTable(
            "Links by harm",
            ("source ~ target", "error", "pair", "link", "points of F1"),
            tuple(
                (
                    " ~ ".join(error.words),
                    "missing" if error.is_missing else "wrong",
                    error.id,
                    f"{error.source}-{error.target}",
                    f"{100 * error.harm:.3f}",
                )
                for error in report.errors[:_N_WORST]
            ),
        )
    )
    return tables


def _calibration_table(calibration: Calibration) -> ReportTable:
    return ReportTable(
        "Reliability of confidences",
        ("confidence", "links", "mean", "right"),
        tuple(
            (
                f"{each.low:.1f} to {each.high:.1f}",
                str(each.links),
                _percent(each.confidence),
                _percent(each.right),
            )
            for each in calibration.bins
        ),
        f"expected calibration error {_percent(calibration.expected_error)} points",
    )


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def render_page(
    title: str,
    note: str,
    pairs: Sequence[PagePair],
    *,
    tables: Sequence[ReportTable] = (),
    calibration: Calibration | None = None,
    choice: LinkChoice = LinkChoice.SURE,
    has_gold: bool = True,
) -> str:
    """Return the HTML of a self-contained page.

    Parameters
    ----------
    title, note : str
        Heading, and a line under it that says what is shown.
    pairs : sequence of PagePair
    tables : sequence of ReportTable
        The first is shown open.
    calibration : Calibration, optional
        Shown as a reliability plot.
    choice : LinkChoice
        How the page recounts when its threshold moves.
    has_gold : bool
        Whether the pairs' sure and possible links are to be judged against.
    """
    data = {
        "title": title,
        "note": note,
        "choice": choice.value,
        "has_gold": has_gold,
        "has_confidence": any(p != 1.0 for pair in pairs for _, _, p in pair.links),
        "tables": [asdict(table) for table in tables],
        "calibration": None if calibration is None else calibration.to_json(),
        "pairs": [asdict(pair) for pair in pairs],
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    folder = files("tokalign.view")
    template = folder.joinpath("template.html").read_text(encoding="utf-8")
    script = folder.joinpath("page.js").read_text(encoding="utf-8")
    before, rest = template.split("{{DATA}}")
    between, after = rest.split("{{SCRIPT}}")
    return before + text + between + script + after
