"""`tokalign compare`: one row a system, and files as aligners write them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tokalign.cli.evaluate import read_spec
from tokalign.cli.main import main
from tokalign.errors import InputError

SAMPLE = Path(__file__).parents[1] / "data" / "sample.jsonl"
GOLD = "a cat sat ||| the cat sat down ||| 1-1 2-2 2p3\nno ||| yes ||| 0-0\n"


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold"
    path.write_text(GOLD)
    return path


def compared(gold, *systems):
    result = run("compare", "--gold", gold, *systems, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["systems"]


def test_rows_are_what_evaluate_says_of_each(small_model):
    rows = compared(SAMPLE, f"crf={small_model},symmetrization=t2s", "lemma", small_model)
    assert [row["system"] for row in rows] == ["crf", "lemma", str(small_model)]
    evaluate = ("evaluate", "--gold", SAMPLE, "--model", small_model, "--json")
    one = json.loads(run(*evaluate, "--symmetrization", "t2s").stdout)
    both = json.loads(run(*evaluate).stdout)
    for row, expected in ((rows[0], one), (rows[2], both)):
        for name in ("precision", "recall", "f1", "exact_match", "f_alpha", "intervals"):
            assert row[name] == expected[name]
        assert row["pairs_per_s"] > 0
    assert "against_first" not in rows[0]
    assert rows[2]["against_first"]["f1"]["difference"] == pytest.approx(
        both["f1"] - one["f1"], abs=1e-12
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pharaoh", "1-1 2-2\n0-0\n"),
        ("pharaoh, nothing linked", "1-1 2-2\n\n"),
        ("probabilities", "1-1-0.91 2-2-1e-05\n0-0:0.5\n"),
        ("possible links", "1-1 2-2 2p3\n0-0 0?0\n"),
        ("fast_align -s", "1-1 2-2 ||| -12.5\n0-0 ||| -inf\n"),
        (
            "fast_align -f",
            "a cat sat ||| the cat sat down ||| 1-1 2-2 ||| -1.5\nno ||| yes ||| 0-0 ||| -2\n",
        ),
        ("SimAlign", "0\t1-1 2-2\n1\t0-0\n"),
        ("SimAlign, nothing linked", "0\t1-1 2-2\n1\t\n"),
        ("SimAlign --add-probs", "0\t1-1-.812-.9 2-2-.0-.0\n1\t0-0-.7-.7\n"),
        (
            "GIZA++, the target's words listed",
            "# Sentence pair (1) source length 3 target length 4 alignment score : 0.01\n"
            "a cat sat\nNULL ({ 1 }) the ({ }) cat ({ 2 }) sat ({ 3 }) down ({ })\n"
            "# Sentence pair (2) source length 1 target length 1 alignment score : 0.1\n"
            "no\nNULL ({ }) yes ({ 1 })\n",
        ),
        (
            "GIZA++, the source's words listed",
            "# Sentence pair (1) source length 4 target length 3 alignment score : 1e-05\n"
            "the cat sat down\nNULL ({ 1 4 }) a ({ }) cat ({ 2 }) sat ({ 3 })\n"
            "# Sentence pair (2) source length 1 target length 1 alignment score : 0.1\n"
            "yes\nNULL ({ }) no ({ 1 })\n",
        ),
    ],
    ids=lambda value: value.split("\n")[0] if "\n" not in value else "",
)
def test_what_aligners_write_is_read_as_it_comes(gold, tmp_path, name, text):
    path = tmp_path / "links"
    path.write_text(text)
    (row,) = compared(gold, path)
    assert row["precision"] == (0.5 if "nothing linked" in name else 1.0)
    assert row["pairs_per_s"] is None


def test_the_table_names_its_columns_and_the_test(gold, tmp_path):
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text("1-1 2-2\n0-0\n")
    bad.write_text("0-0\n0-0\n")
    lines = run("compare", "--gold", gold, f"good={good}", f"bad={bad}").stdout.splitlines()
    assert "2 pairs, links that count: sure" in lines[4]
    assert "against good" in lines[4]
    assert lines[1].split()[:4] == ["system", "P", "R", "F1"]
    assert lines[2].split()[:5] == ["good", "100.0", "100.0", "100.0", "100.0"]
    assert lines[3].split()[0:4] == ["bad", "50.0", "50.0", "50.0"]
    assert re.fullmatch(r"[01]\.\d{3} +[01]\.\d{3}", lines[3][-18:].strip())


def test_the_page_has_a_plot_and_the_links_of_all_systems(gold, tmp_path):
    one, two, page = tmp_path / "one", tmp_path / "two", tmp_path / "page.html"
    one.write_text("1-1 2-2\n0-0\n")
    two.write_text("0-0\n\n")
    assert run("compare", "--gold", gold, one, two, "--html", page).exit_code == 0
    text = page.read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert [each["name"] for each in data["systems"]] == [str(one), str(two)]
    assert data["systems"][0]["f1"] == 1.0
    first = data["pairs"][0]
    assert [links for links, *_ in first["systems"]] == [[[1, 1, 1.0], [2, 2, 1.0]], [[0, 0, 1.0]]]
    assert first["links"] == first["systems"][0][0]
    assert first["other"] == [[0, 0]]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("en,colour=red", "no setting 'colour=red'"),
        ("en,symmetrization=up", "symmetrization is 'up'"),
        ("en,from=msr", "from is a setting of files"),
        ("en-rte2,reversed", "reversed is a setting of files"),
        ("links.txt,style=free", "style is a setting of models"),
        ("links.txt,symmetrization=union", "symmetrization is a setting of models"),
        ("links.txt,from=", "nothing follows 'from='"),
        ("en,style=loose,style=free", "style is there twice"),
    ],
)
def test_bad_systems_say_what_is_wrong(spec, message):
    with pytest.raises(InputError, match=message):
        read_spec(spec)


def test_settings_are_read():
    spec = read_spec("x=y=a.txt,one-based,reversed,from=pharaoh")
    assert (spec.label, spec.what) == ("x=y", "a.txt")
    assert spec.options.one_based
    assert spec.options.reverse
    assert spec.format == "pharaoh"


def test_what_is_neither_file_nor_model_names_what_there_is(gold):
    result = run("compare", "--gold", gold, "en-typo")
    assert result.exit_code == 1
    assert "no model 'en-typo': not a file" in result.stderr


def test_other_pairs_are_refused(gold, tmp_path):
    path = tmp_path / "links"
    path.write_text(GOLD.replace("cat", "dog"))
    result = run("compare", "--gold", gold, path)
    assert result.exit_code == 1
    assert "wanted the same pairs" in result.stderr


@pytest.mark.parametrize("option", [("--samples", 0), ("--seed", -1)])
def test_numbers_that_make_no_sense_are_wrong_usage(gold, option):
    assert run("compare", "--gold", gold, "lemma", *option).exit_code == 2


def test_no_pairs_are_an_error(tmp_path):
    path = tmp_path / "empty.jsonl"
    path.touch()
    result = run("compare", "--gold", path, "--from", "jsonl", "lemma")
    assert result.exit_code == 1
    assert "no pairs to score" in result.stderr


def test_labels_differ(gold):
    assert run("compare", "--gold", gold, "lemma", "lemma").exit_code == 2
