"""``tokalign evaluate`` on chunk alignments: the four F1 of interpretable similarity."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tokalign.cli.corpora import ScoreFlags
from tokalign.evaluate.chunks import score_chunks, type_confusion
from tokalign.evaluate.tables import Column, ReportTable
from tokalign.formats.ists import read_wa


def is_wa(path: Path | None) -> bool:
    """Whether a file holds chunk alignments, by its first line that is not blank."""
    if path is None:
        return False
    with path.open(encoding="utf-8", errors="replace") as lines:
        first = next((line for line in lines if line.strip()), "")
    return first.lstrip().startswith("<sentence id=")


def evaluate_chunks(gold: Path, predictions: Path | None, scoring: ScoreFlags) -> None:
    """Print the scores of predicted chunk alignments.

    Raises
    ------
    UsageError
        If there are no predictions, or a page is wanted.
    FormatError
        If a file is bad.
    """
    if predictions is None or scoring.html is not None:
        raise click.UsageError(
            f"{gold.name} holds chunks: give --predictions, a .wa file as tokalign align --chunks "
            "--format ists writes it; there is no --html"
        )
    wanted, found = read_wa(gold), read_wa(predictions)
    scores = score_chunks(wanted, found)
    confusion = sorted(type_confusion(wanted, found).items(), key=lambda each: -each[1])
    value = {
        "pairs": len(wanted),
        "predictions": str(predictions),
        **asdict(scores),
        "types": [{"gold": one, "predicted": other, "links": n} for (one, other), n in confusion],
    }
    scoring.print(value, [_scores(len(wanted), asdict(scores)), _types(confusion)])


def _scores(n_pairs: int, scores: dict[str, float]) -> ReportTable:
    return ReportTable(
        title="F1",
        columns=(Column("of"), Column("percent", "{:.1f}")),
        rows=tuple((name.replace("_", " "), 100 * value) for name, value in scores.items()),
        heading=f"{n_pairs} pairs; F1 over links of tokens, percent",
        line="  {0:<28}{1:6.1f}",
    )


def _types(confusion: list[tuple[tuple[str, str], int]]) -> ReportTable:
    return ReportTable(
        title="Types of token links",
        columns=(Column("gold"), Column("predicted"), Column("links")),
        rows=tuple((one, other, n) for (one, other), n in confusion),
        heading="types of token links: gold, predicted",
        line="  {0:<8}{1:<8}{2:>6}",
    )
