"""Systems of the literature on the command line."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tokalign.cli.main import main
from tokalign.systems import SYSTEMS, system_class

PAIR = "The dogs barked all night.\tAll night, the dog was barking.\n"


def run(*arguments: str, text: str = PAIR):
    return CliRunner().invoke(main, arguments, input=text)


@pytest.mark.parametrize("system", SYSTEMS)
def test_align_writes_what_a_system_says(system):
    result = run("align", "--model", system, "--format", "jsonl", "--explain")
    assert result.exit_code == 0, result.output
    (line,) = result.stdout.splitlines()
    value = json.loads(line)
    assert value["model"] == system
    assert len(value["explanations"]) == len(value["links"]) > 0


def test_a_distance_is_written_where_there_is_one():
    ted, lemma = (
        json.loads(run("align", "--model", name, "--format", "jsonl").stdout)
        for name in ("ted", "lemma")
    )
    assert ted["distance"] > 0
    assert "distance" not in lemma


@pytest.mark.parametrize("option", [("--symmetrization", "s2t"), ("--style", "free")])
def test_options_of_models_end_the_run_with_a_reason(option):
    result = run("align", "--model", "ted", *option)
    assert result.exit_code == 1
    assert "ted" in result.stderr and result.stdout == ""


def test_posteriors_end_the_run_with_a_reason():
    result = run("align", "--model", "lemma", "--format", "jsonl", "--posteriors")
    assert result.exit_code == 1
    assert "lemma decides by rules and has no posteriors" in result.stderr


def test_rank_and_similarity_take_a_system():
    result = run("rank", "--model", "ted", "who barked ?", text="A cat slept.\nThe dogs barked.\n")
    assert [line.split("\t")[1] for line in result.stdout.splitlines()] == ["2", "1"]
    assert 0 < float(run("similarity", "--model", "lemma").stdout) <= 1


def test_evaluate_takes_a_system(tmp_path):
    gold = tmp_path / "gold.txt"
    gold.write_text("Dogs bark . ||| The dogs bark . ||| 0-1 1-2 2-3\n")
    result = run("evaluate", "--gold", str(gold), "--model", "lemma", "--json")
    assert json.loads(result.stdout)["f1"] == 1.0


def test_info_lists_the_systems():
    shown = run("info").stdout
    listed = json.loads(run("info", "--json").stdout)["systems"]
    assert [each["name"] for each in listed] == list(SYSTEMS)
    for each in listed:
        assert each["uses_trees"] == system_class(each["name"]).uses_trees
        assert f"\nsystem\n  name               {each['name']}\n" in shown
        assert each["description"] in shown
