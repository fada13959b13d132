"""A metric is declared in one place, and every report shows it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from tokalign.cli.main import main
from tokalign.evaluate import Metric, all_metrics
from tokalign.evaluate.metrics import Scores, metric

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "data" / "sample.jsonl"
GOLDEN = ROOT / "tests" / "golden"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreScores(Scores):
    """The scores with one that only this test knows."""

    missing: float = metric(
        "share of gold links missing",
        lambda n: 1 - n["right"] / n["gold"],
        in_lengths="miss",
        in_systems="M",
        note="M: missing links",
        is_tested=True,
    )


@pytest.fixture(params=["evaluate", "compare"])
def shown(request, monkeypatch, tmp_path):
    """What a command prints as text and as JSON, and the tables of its page."""
    monkeypatch.setattr("tokalign.evaluate.metrics.Scores", MoreScores)
    page = tmp_path / "page.html"
    first, second = (GOLDEN / f"sample.{name}.pharaoh" for name in ("s2t", "t2s"))
    systems = [first, second]
    if request.param == "evaluate":
        systems = ["--predictions", first]
    command = [request.param, "--gold", SAMPLE, *systems, "--samples", "20", "--html", page]
    text, value = (
        CliRunner().invoke(main, [*map(str, command), *more]).stdout for more in ((), ("--json",))
    )
    (data,) = re.findall(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    tables = {table["title"]: table for table in json.loads(data)["tables"]}
    return request.param, text, json.loads(value), tables


def test_a_metric_that_is_declared_is_in_every_report(shown):
    command, text, value, tables = shown
    result = value if command == "evaluate" else value["systems"][1]
    percent = f"{100 * result['missing']:.1f}"
    assert result["missing"] == pytest.approx(1 - result["micro_recall"])
    low, high = result["intervals"]["missing"]
    assert low <= result["missing"] <= high
    if command == "evaluate":
        row = value["by_length"]["11-20"]
        assert row["missing"] == pytest.approx(1 - row["micro_recall"])
        lines = [line for line in text.splitlines() if "share of gold links missing" in line]
        assert len(lines) == 1 and percent in lines[0]
        assert re.search(
            r"tokens of the longer side\n  tokens +pairs +P +R +F1 +exact +miss\n", text
        )
        shown = [row[:2] for row in tables["Scores"]["rows"]]
        assert ["share of gold links missing", percent] in shown
        assert tables["By tokens of the longer side"]["columns"][-1] == "miss"
    else:
        assert result["against_first"]["missing"]["p_value"] <= 1
        assert re.search(r"^  system .* M .* p of M$", text, re.MULTILINE)
        assert "M: missing links" in text
        columns = tables["Systems"]["columns"]
        assert tables["Systems"]["rows"][1][columns.index("M")] == percent
        assert {"95% interval of M", "p of M"} <= set(columns)


def test_every_metric_is_described_in_the_docs():
    page = (ROOT / "docs" / "evaluation.md").read_text()
    assert [name for name in all_metrics() if f"`{name}`" not in page] == []
    assert all(isinstance(each, Metric) and each.label for each in all_metrics().values())
