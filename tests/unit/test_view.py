"""The page holds its data safely and needs no network; the terminal grid marks links."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from support.pairs import gold_pair
from tokalign.cli.main import main
from tokalign.cli.shared_flags import TerminalFlags
from tokalign.evaluate.report import Column, ReportTable
from tokalign.view import grid_lines, page_pairs, render_page

SAMPLE = Path(__file__).parents[1] / "data" / "sample.jsonl"
NASTY = "</script><script>alert(1)</script>&amp;\u2028<img src=x>"


def data_of(page):
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def test_no_text_becomes_markup():
    nasty = gold_pair([NASTY, "b"], ["c"], {(0, 0)}, name=NASTY)
    table = ReportTable(NASTY, (Column(NASTY),), ((NASTY,),))
    page = render_page(NASTY, NASTY, page_pairs([nasty], [{(1, 0)}]), tables=[table])
    assert "alert(1)<" not in page
    assert "<img" not in page
    assert page.count("<script") == 2
    data = data_of(page)
    assert data["title"] == data["tables"][0]["title"] == data["pairs"][0]["source"][0] == NASTY


def test_the_script_writes_text_only_as_text():
    page = render_page("t", "n", [])
    for unsafe in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert unsafe not in page


def test_the_page_loads_nothing():
    page = render_page("t", "n", page_pairs([gold_pair("a", "b", {(0, 0)})], [{(0, 0)}]))
    assert "default-src 'none'" in page
    assert not re.search(
        r"\ssrc\s*=|href\s*=\s*[\"'](?!#)|@import|url\(|fetch\(|XMLHttpRequest", page
    )
    addresses = set(re.findall(r"https?://[^\s\"']+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}  # a namespace, never fetched


def test_pairs_carry_links_gold_harm_and_the_second_system():
    gold = [gold_pair("ab", "cd", {(0, 0), (1, 1)}, {(0, 1)}), gold_pair("a", "a", {(0, 0)})]
    first, second = page_pairs(gold, [{(0, 0): 0.75}, {(0, 0): 1.0}], other=[{(1, 0)}, set()])
    assert first["links"] == [(0, 0, 0.75)]
    assert first["sure"] == [(0, 0), (1, 1)]
    assert first["possible"] == [(0, 1)]
    assert first["other"] == [(1, 0)]
    assert first["harm"] > second["harm"] == 0.0


def test_without_gold_nothing_is_judged():
    [shown] = page_pairs([gold_pair("a", "a", {(0, 0)})], [{(0, 0)}], has_gold=False)
    assert (shown["sure"], shown["harm"]) == ([], 0.0)


def test_terminal_grid_of_gold():
    lines = list(
        grid_lines(gold_pair(["dog", "barks"], ["Dogs", "bark"], {(0, 0)}, {(1, 1)}), width=5)
    )
    assert lines == [
        "      ┌── Dogs",
        "      │ ┌ bark",
        "  dog ● ·",
        "barks · ◌",
    ]


def test_terminal_grid_marks_right_wrong_and_missing():
    gold = gold_pair(["a", "b"], ["c", "d"], {(0, 0), (1, 1)}, {(0, 1)})
    assert list(grid_lines(gold, {(0, 0), (1, 0), (0, 1)}, width=1))[2:] == ["a ● ◌", "b × ○"]


def test_long_words_are_cut():
    assert list(grid_lines(gold_pair(["abcdef"], ["x"], ()), width=4))[-1] == "abc… ·"


def test_view_command_writes_a_page_and_grids(tmp_path):
    page = tmp_path / "page.html"
    result = CliRunner().invoke(
        main,
        ["view", str(SAMPLE), "--gold", str(SAMPLE), "--against", str(SAMPLE), "--html", str(page)],
    )
    assert result.exit_code == 0, result.output
    data = data_of(page.read_text(encoding="utf-8"))
    assert len(data["pairs"]) == 72
    assert data["has_gold"]
    grids = CliRunner().invoke(main, ["view", str(SAMPLE), "--pair", "name-04"])
    assert grids.exit_code == 0
    assert "# name-04" in grids.stdout
    assert "┌ ." in grids.stdout


def test_view_shows_confidences_of_jsonl(tmp_path):
    path, page = tmp_path / "x.jsonl", tmp_path / "page.html"
    path.write_text('{"id": "7", "source": ["a"], "target": ["a"], "links": [[0, 0, 0.25]]}\n')
    assert CliRunner().invoke(main, ["view", str(path), "--html", str(page)]).exit_code == 0
    data = data_of(page.read_text(encoding="utf-8"))
    assert data["pairs"][0]["links"] == [[0, 0, 0.25]]
    assert data["has_confidence"]
    path.write_text('{"id": "7", "source": ["a"], "target": ["a"], "links": [[0, 0, 3]]}\n')
    bad = CliRunner().invoke(main, ["view", str(path), "--html", str(page)])
    assert bad.exit_code == 1
    assert "confidence 3" in bad.stderr


def test_view_needs_a_pair_that_exists():
    result = CliRunner().invoke(main, ["view", str(SAMPLE), "--pair", "nothing"])
    assert result.exit_code == 2
    assert "no pair is called nothing" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--pair", "name-04", "--pair", "nothing"], "no pair is called nothing"),
        (["--against", str(SAMPLE)], "--against is shown on a page: give --html"),
        (["--html", "no-folder/page.html"], "there is no folder 'no-folder'"),
    ],
)
def test_what_view_cannot_show_is_wrong_usage(options, message):
    result = CliRunner().invoke(main, ["view", str(SAMPLE), *options])
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_format_that_is_named_is_not_looked_for(tmp_path):
    path = tmp_path / "none.pharaoh"
    path.write_text("\n" * 72)  # no link in any pair: the content does not tell the format
    result = CliRunner().invoke(
        main, ["view", str(path), "--gold", str(SAMPLE), "--from", "pharaoh", "--pair", "name-04"]
    )
    assert result.exit_code == 0, result.output


def test_evaluate_writes_the_report(tmp_path):
    page = tmp_path / "report.html"
    arguments = ["evaluate", "--gold", SAMPLE, "--predictions", SAMPLE, "--html", page]
    assert CliRunner().invoke(main, [str(each) for each in arguments]).exit_code == 0
    data = data_of(page.read_text(encoding="utf-8"))
    titles = [table["title"] for table in data["tables"]]
    open_titles = [table["title"] for table in data["tables"] if table["is_open"]]
    assert open_titles == ["Scores"]
    assert [title for title in titles if title not in open_titles][:2] == [
        "F-alpha (micro)",
        "By tokens of the longer side",
    ]
    assert data["tables"][0]["rows"][3][:3] == ["exact match", "100.0", "100.0 to 100.0"]


def test_page_and_text_show_the_same_tables(tmp_path):
    path, page = tmp_path / "predicted", tmp_path / "report.html"
    golden = Path(__file__).parents[1] / "golden"
    path.write_text((golden / "sample.s2t.pharaoh").read_text(encoding="utf-8"), encoding="utf-8")
    arguments = ["evaluate", "--gold", SAMPLE, "--predictions", path]
    arguments += ["--worst", 40, "--html", page]
    result = CliRunner().invoke(main, [str(each) for each in arguments])
    text = " ".join(result.stdout.split())
    cells = [
        cell
        for table in data_of(page.read_text(encoding="utf-8"))["tables"]
        for row in table["rows"]
        for cell in row
    ]
    assert len(cells) > 250
    assert [cell for cell in cells if " ".join(cell.split()) not in text] == []


def test_a_grid_is_fitted_to_the_columns():
    gold = gold_pair(["abcdefghij", "b"], ["x", "yy"], {(0, 0)})
    for columns in (13, 16, 30):
        lines = list(grid_lines(gold, columns=columns))
        assert max(map(len, lines)) <= columns
        assert lines[-1].endswith("b · ·")
    assert list(grid_lines(gold, columns=13))[2] == "abcde… ● ·"


def test_a_pair_too_wide_for_a_grid_is_shown_link_by_link():
    gold = gold_pair(["abcdefghij", "b"], ["x", "yy"], {(0, 0)}, {(1, 1)})
    assert list(grid_lines(gold, columns=12)) == ["● abcdefghij = x", "◌ b = yy"]
    found = grid_lines(gold, {(0, 0), (1, 0)}, columns=12, confidences={(1, 0): 0.25})
    assert list(found) == ["● abcdefghij = x", "× b = x (0.25)"]


@pytest.mark.parametrize("columns", [None, 8])
def test_right_wrong_and_missing_links_have_colours_where_there_is_gold(columns):
    gold = gold_pair(["abcdefghij", "b"], ["x", "yy"], {(0, 0), (1, 1)})
    plain = "\n".join(grid_lines(gold, {(0, 0), (1, 0)}, columns=columns))
    coloured = "\n".join(
        grid_lines(gold, {(0, 0), (1, 0)}, columns=columns, is_judged_in_colour=True)
    )
    for mark, colour in (("●", 32), ("×", 31), ("○", 33)):
        assert mark in plain
        assert f"\x1b[{colour}m{mark}\x1b[0m" in coloured
    assert click.unstyle(coloured) == plain
    assert "\x1b" not in "\n".join(grid_lines(gold, columns=columns, is_judged_in_colour=True))


@pytest.mark.parametrize("is_coloured", [True, False])
def test_the_terminal_shows_gold_in_colour(run_command, tmp_path, monkeypatch, is_coloured):
    monkeypatch.setattr(TerminalFlags, "is_coloured", lambda self: is_coloured)
    gold = tmp_path / "gold"
    gold.write_text("a b ||| c d ||| 0-0 1-1\n")
    found = tmp_path / "found"
    found.write_text("0-0 1-0\n")
    result = run_command("view", str(found), "--gold", str(gold))
    assert result.exit_code == 0
    assert result.stdout.count("\x1b[31m×\x1b[0m") == (2 if is_coloured else 0)  # and the legend
    assert "× wrong" in click.unstyle(result.stdout)


@pytest.mark.parametrize("columns", [None, 8])
def test_control_characters_of_tokens_do_nothing(columns):
    gold = gold_pair(["a\x1b[31mb"], ["c\r\u202ed"], {(0, 0)})
    text = "\n".join(grid_lines(gold, columns=columns))
    assert "a␛[31mb" in text
    assert not set(text) & {"\x1b", "\r", "\u202e"}
