"""Terms: each file of data has some, and the package names the texts of all."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from tokalign.cli.info import RESEARCH, license_terms
from tokalign.cli.main import main
from tokalign.files.shipped import data_dir
from tokalign.files.tables import Table

from lab.recipes.settings import LICENSES
from packaging.licenses import canonicalize_license_expression

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def file_of(name: str) -> str:
    kind, _, rest = name.partition(" ")
    return {"model": f"{rest}.tokalign", "table": f"{rest}.table"}.get(kind, name)


def test_each_file_of_data_has_terms():
    found = {file_of(each["name"]): each for each in license_terms() if each["name"] != "code"}
    endings = (".tokalign", ".table", ".tsv", ".txt")
    shipped = {path.name for path in data_dir().iterdir() if path.suffix in endings}
    assert shipped - found.keys() - {"version.txt", "neural-version.txt"} == set()
    assert all(each["license"] and each["source"] for each in found.values())


def test_what_learned_from_corpora_for_research_says_so():
    found = {each["name"]: each["license"] for each in license_terms()}
    learned = ("model en-research", "model en-rte2", "model en-neural", "table gates")
    assert [name for name in learned if RESEARCH not in found[name]] == []


OF_RESEARCH_MODELS = {"table gates", "table second-pass", "table relations-research"}
OPEN_NEURAL = {"model en-neural-open", "table encoder-en-open", "table gates-open"}


def test_nothing_of_research_terms_stands_behind_the_default():
    """All but the other models, their encoders and what decides for these; nor behind the open
    neural model, which has a gate of its own and no second pass."""
    behind = [
        each
        for each in license_terms()
        if each["name"] in OPEN_NEURAL
        or (
            each["name"] not in OF_RESEARCH_MODELS
            and not each["name"].startswith(("model en-", "table encoder-"))
        )
    ]
    assert {each["name"] for each in behind} > OPEN_NEURAL
    assert {"model en", "table vectors", "table counts", "table relations", "table edits"} <= {
        each["name"] for each in behind
    }
    assert {"table support", "question-weights.tsv"} <= {each["name"] for each in behind}
    assert [each for each in behind if RESEARCH in each["license"]] == []
    corpora = re.compile(
        "RTE2|MTRef|mtref|MultiMWA|wiki-|MSRP|SICK|TrecQA|WikiQA|SemEval|arXiv|SSD|ASSET|PAN"
    )
    assert [each for each in behind if corpora.search(each["source"])] == []


@pytest.mark.parametrize("name", LICENSES)
def test_a_shipped_table_has_the_terms_of_its_recipe(name):
    table = Table.open_shipped(name)
    table.verify()
    assert table.header["license"] == LICENSES[name]


def test_info_prints_the_terms():
    shown = CliRunner().invoke(main, ["info", "--licenses"], catch_exceptions=False)
    assert (
        "model en\n  Apache-2.0\n  tokalign-entailment, gold.train.sure+poss.json," in shown.stdout
    )
    as_json = CliRunner().invoke(main, ["info", "--licenses", "--json"], catch_exceptions=False)
    assert json.loads(as_json.stdout) == license_terms()


def test_the_package_names_each_licence_and_has_its_text():
    expression = PROJECT["license"]
    assert canonicalize_license_expression(expression) == expression
    files = [path for pattern in PROJECT["license-files"] for path in ROOT.glob(pattern)]
    texts = {path.stem for path in files} | {"Apache-2.0"}
    notice = (ROOT / "NOTICE").read_text()
    for each in expression.split(" AND "):
        assert each in texts or each in notice, each


def test_the_expression_has_every_licence_that_a_header_names():
    spdx = re.compile(r"\b(?:Apache|CC-BY-SA|CC-BY|CC0|ODC-By|PDDL)-\d\.\d")
    named = {found for each in license_terms() for found in spdx.findall(each["license"])}
    assert {"Apache-2.0", "CC-BY-SA-4.0", "ODC-By-1.0"} <= named
    assert named <= set(PROJECT["license"].split(" AND "))
