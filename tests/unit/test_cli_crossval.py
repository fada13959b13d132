"""``tokalign crossval``, and what is quoted of figures."""

from __future__ import annotations

import csv
import json
import re
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner
from tokalign.aligner import Aligner
from tokalign.cli.crossval import folds_of
from tokalign.cli.main import main
from tokalign.errors import InputError
from tokalign.evaluate.report import MARKUP, Column, ReportTable, cells_of
from tokalign.formats import read_gold
from tokalign.model.training import train
from tokalign.types import GoldPair, Sentence

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "tests" / "data" / "sample.jsonl"
FAST = ["--max-iterations", "5", "--samples", "10"]


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def pair(name, source, target):
    source, target = (Sentence.from_tokens(each.split()) for each in (source, target))
    return GoldPair(name, source, target, frozenset({(0, 0)}), frozenset())


CHAIN = [pair("1", "a", "x"), pair("2", "b", "x"), pair("3", "b", "y"), pair("4", "c", "z")]


def test_pairs_that_share_a_sentence_are_in_one_fold():
    for seed in range(10):
        folds = folds_of(CHAIN, 2, seed)
        assert folds[0] == folds[1]
        assert set(folds) == {0, 1}
    with pytest.raises(InputError, match="make 3 groups that share no target, too few for 4"):
        folds_of(CHAIN, 4, 0)


def test_no_model_learns_from_a_held_out_pair_in_another_corpus(tmp_path, monkeypatch):
    also = tmp_path / "also.jsonl"
    rows = SAMPLE.read_text().splitlines(keepends=True)
    also.write_text("".join(row.replace('"id": "', '"id": "again-') for row in rows))
    learned = []

    def noted_train(data, *args, **kwargs):
        learned.append({kind: {each.source.tokens for each in data.corpora[kind]}
                        for kind in (SAMPLE.name, also.name)})  # fmt: skip
        return train(data, *args, **kwargs)

    monkeypatch.setattr("tokalign.model.training.train", noted_train)
    result = run("crossval", "--gold", SAMPLE, "--folds", 2, "--also", also, *FAST)
    assert result.exit_code == 0, result.output
    assert "also.jsonl: 72 pairs are in --gold, too, such as 'again-" in result.stderr
    assert len(learned) == 2
    assert all(each[SAMPLE.name] == each[also.name] for each in learned)


@pytest.fixture(scope="module")
def crossed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("crossed")
    files = [
        "--pair-scores",
        folder / "pairs.jsonl",
        "-o",
        folder / "links",
        "--html",
        folder / "p",
    ]
    asked = ["--folds", 3, "--learning-curve", "--json", *files, *FAST]
    result = run("crossval", "--gold", SAMPLE, *asked)
    assert result.exit_code == 0, result.output
    return folder, json.loads(result.stdout)


def test_every_pair_is_scored_once(crossed):
    folder, value = crossed
    n_pairs = len(read_gold(SAMPLE))
    assert value["pairs"] == n_pairs == sum(each["pairs"] for each in value["folds"])
    rows = [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [each.id for each in read_gold(SAMPLE)]
    assert sum(row["precision"] for row in rows) / n_pairs == pytest.approx(value["precision"])
    assert "Learning curve" in (folder / "p").read_text()


def test_the_links_that_are_written_have_the_scores_that_are_shown(crossed):
    folder, value = crossed
    result = run("evaluate", "--gold", SAMPLE, "--predictions", folder / "links", "--json")
    assert json.loads(result.stdout)["f1"] == pytest.approx(value["f1"])


def test_the_curve_ends_at_all_pairs(crossed):
    _, value = crossed
    sizes = [each["trained_on"] for each in value["learning_curve"]]
    assert sizes == sorted(sizes) and len(sizes) == 4
    assert value["learning_curve"][-1]["f1"] == value["f1"]


def test_no_model_has_seen_what_it_aligns(monkeypatch):
    learned, aligned = [], []

    def noted_train(data, *args, **kwargs):
        learned.append({each.id for each in data.corpora["sample.jsonl"]})
        return train(data, *args, **kwargs)

    def noted_pipe(self, pairs, *args, **kwargs):
        pairs = list(pairs)
        aligned.append({(source.tokens, target.tokens) for source, target in pairs})
        return pipe(self, pairs, *args, **kwargs)

    pipe = Aligner.pipe
    monkeypatch.setattr("tokalign.model.training.train", noted_train)
    monkeypatch.setattr(Aligner, "pipe", noted_pipe)
    run("crossval", "--gold", SAMPLE, "--folds", 3, *FAST)
    of_id = {each.id: (each.source.tokens, each.target.tokens) for each in read_gold(SAMPLE)}
    assert len(learned) == len(aligned) == 3
    for names, pairs in zip(learned, aligned, strict=True):
        seen = {of_id[name] for name in names}
        assert not seen & pairs
        assert seen | pairs == set(of_id.values())


def test_a_corpus_learned_from_besides_may_have_a_style(tmp_path):
    (tmp_path / "other.jsonl").write_bytes(SAMPLE.read_bytes())
    styles = ["--style", "sample.jsonl=one", "--style", "other.jsonl=two"]
    asked = ["--folds", 2, "--also", tmp_path / "other.jsonl", *styles, *FAST]
    result = run("crossval", "--gold", SAMPLE, *asked)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].startswith("signature: tokalign ")
    assert "\nFolds\n" in f"\n{result.stdout}"


@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "--model", "en", "--style", "strict"],
        ["compare", "one=lemma", "en"],
    ],
)
def test_a_signature_names_version_gold_and_model(command):
    name, *rest = command
    shown = run(name, "--gold", SAMPLE, *rest, "--samples", 10).stdout.splitlines()[-1]
    assert shown.startswith(f"signature: tokalign {version('tokalign')}; gold sample.jsonl sha256 ")
    assert re.search(r"en 1\.0\.0 sha256 [0-9a-f]{12}", shown)
    value = json.loads(run(name, "--gold", SAMPLE, *rest, "--samples", 10, "--json").stdout)
    assert f"signature: {value['signature']}" == shown


def test_scores_of_each_pair_are_csv(tmp_path):
    files = ["--pair-scores", tmp_path / "o.csv", "--samples", 10]
    run("compare", "--gold", SAMPLE, "lemma", "meteor", *files)
    rows = list(csv.DictReader((tmp_path / "o.csv").read_text().splitlines()))
    assert {row["system"] for row in rows} == {"lemma", "meteor"}
    assert len(rows) == 2 * len(read_gold(SAMPLE))


TABLE = ReportTable(
    title="x",
    columns=(
        Column("sys_1"),
        Column("F1 %", "{:.1f}"),
        Column("interval", "{0[0]:.1f} to {0[1]:.1f}"),
    ),
    rows=(("a|b & c", 0.25, (1, 2)), ("d", "", (3, 4))),
)


def test_tables_for_papers_and_spreadsheets():
    assert cells_of(TABLE)[1:] == [["a|b & c", "0.2", "1.0 to 2.0"], ["d", "", "3.0 to 4.0"]]
    assert MARKUP["markdown"](TABLE).splitlines() == [
        "| sys_1 | F1 % | interval |",
        "| --- | ---: | ---: |",
        "| a\\|b & c | 0.2 | 1.0 to 2.0 |",
        "| d |  | 3.0 to 4.0 |",
    ]
    assert MARKUP["csv"](TABLE).splitlines()[1] == "a|b & c,0.2,1.0 to 2.0"
    lines = MARKUP["latex"](TABLE).splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert lines[2] == r"sys\_1 & F1 \% & interval \\"
    assert lines[4] == r"a|b \& c & 0.2 & 1.0--2.0 \\"


def test_compare_writes_them(tmp_path):
    asked = ["compare", "--gold", SAMPLE, "lemma", "--samples", 10]
    assert run(*asked, "--format", "markdown").stdout.startswith("| system | P | R |")
    result = run(*asked, "--format", "latex")
    assert result.stdout.splitlines()[-1] == r"\end{tabular}"
    assert "signature: tokalign " in result.stderr


def test_the_citation_is_of_this_version():
    page = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {version('tokalign')}\n" in page


def test_info_shows_one_model_and_whether_it_runs(monkeypatch):
    shown = run("info", "en").stdout
    assert re.search(r"^runs here +yes$", shown, re.MULTILINE)
    assert re.search(r"^digest +[0-9a-f]{64}$", shown, re.MULTILINE)
    assert json.loads(run("info", "lemma", "--json").stdout)["fault"] == ""
    assert "no model 'x'" in run("info", "x").stderr


def test_info_says_what_cannot_run_and_what_would_make_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    shown = run("info").stdout
    assert "cannot run: en-neural needs tokenizers; pip install '.[neural]'" in shown
    assert "cannot run: annotator stanza needs stanza; pip install '.[stanza]'" in shown
    assert "cannot run: train and crossval needs scipy; pip install '.[train]'" in shown
    assert "cannot run: en " not in shown


def test_info_leaves_out_packages_that_are_not_installed(monkeypatch):
    monkeypatch.setattr("tokalign.cli.info.PACKAGES", ("numpy", "no-such-package"))
    versions = json.loads(run("info", "--json").stdout)["versions"]
    assert set(versions) == {"tokalign", "python", "numpy"}
