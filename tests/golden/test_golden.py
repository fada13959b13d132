"""The shipped default model answers as it did when its answers were last reviewed."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tokalign.aligner import Aligner
from tokalign.cli.main import main
from tokalign.evaluate import count_pairs, scores_of
from tokalign.formats import open_document, read_gold
from tokalign.formats.pharaoh import read_links
from tokalign.model.shipped import DEFAULT_MODEL
from tokalign.types.options import Symmetrization
from tokalign.v1 import align_pb2

FOLDER = Path(__file__).parent
DATA = FOLDER.parent / "data"
SAMPLE = read_gold(DATA / "sample.jsonl")
ADVICE = "if the change is meant, run `python tests/golden/refresh.py` and review the diff"


def _load_refresh():
    spec = importlib.util.spec_from_file_location("golden_refresh", FOLDER / "refresh.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


refresh = _load_refresh()


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load(DEFAULT_MODEL)


@pytest.fixture(scope="module")
def current(aligner):
    return refresh.alignments(aligner)


def golden_lines(symmetrization: Symmetrization) -> list[str]:
    return (FOLDER / f"sample.{symmetrization}.pharaoh").read_text().splitlines()


def words(pair, line):
    links = (item.split("-") for item in line.split())
    return {f"{pair.source.tokens[int(i)]}~{pair.target.tokens[int(j)]}" for i, j in links}


@pytest.mark.parametrize("symmetrization", list(Symmetrization))
def test_alignments_are_the_reviewed_ones(current, symmetrization):
    changes = []
    for pair, before, now in zip(
        SAMPLE, golden_lines(symmetrization), current[symmetrization.value], strict=True
    ):
        if before != now:
            gone, new = (
                words(pair, before) - words(pair, now),
                words(pair, now) - words(pair, before),
            )
            changes.append(f"{pair.id}: lost {sorted(gone)}, gained {sorted(new)}")
    assert not changes, "\n".join([*changes, ADVICE])


def test_ranks_are_the_reviewed_ones(aligner):
    before = [json.loads(line) for line in (FOLDER / "rank.jsonl").read_text().splitlines()]
    for row, now in zip(before, refresh.ranks(aligner), strict=True):
        assert row["order"] == now["order"], f"{row['id']}: {ADVICE}"
        assert row["scores"] == pytest.approx(now["scores"], abs=2e-3), f"{row['id']}: {ADVICE}"


def test_the_golden_files_belong_to_the_shipped_model(aligner):
    header = aligner.header
    written = (FOLDER / "model.txt").read_text().strip()
    assert written == f"{header.name} {header.version}", ADVICE


@pytest.mark.parametrize("symmetrization", list(Symmetrization))
def test_golden_alignments_are_good(symmetrization):
    """Well under today's figures, so that only a real loss of quality fails."""
    path = FOLDER / f"sample.{symmetrization}.pharaoh"
    predicted = [sure for _, sure, _ in read_links(open_document(path))]
    scores = scores_of(count_pairs(SAMPLE, predicted))
    assert scores.f1 > 0.8
    assert scores.f1_non_identical > 0.3


def test_right_candidates_rank_high():
    """Mean reciprocal rank; the other candidates share words with the question on purpose."""
    rows = [json.loads(line) for line in (FOLDER / "rank.jsonl").read_text().splitlines()]
    questions = (DATA / "rank.jsonl").read_text().splitlines()
    places = [
        row["order"].index(json.loads(question)["answer"]) + 1
        for row, question in zip(rows, questions, strict=True)
    ]
    assert sum(1 / place for place in places) / len(places) > 0.55


def test_evaluate_scores_the_model_as_its_golden_predictions():
    """The command line, given tokens, agrees with the golden files, made from raw text."""
    gold = ["evaluate", "--gold", str(DATA / "sample.jsonl"), "--json"]
    by_model = CliRunner().invoke(
        main, [*gold, "--model", DEFAULT_MODEL, "--symmetrization", "t2s"]
    )
    predicted = ["--predictions", str(FOLDER / "sample.t2s.pharaoh")]
    by_file = CliRunner().invoke(main, [*gold, *predicted])
    assert by_model.exit_code == by_file.exit_code == 0
    one, two = json.loads(by_model.stdout), json.loads(by_file.stdout)
    assert (one.pop("model"), one.pop("symmetrization")) == (DEFAULT_MODEL, "t2s")
    assert one.pop("calibration")["links"] > 0
    assert two.pop("predictions").endswith("sample.t2s.pharaoh")
    system = f"system {DEFAULT_MODEL} "
    assert system in one.pop("signature")
    assert "system sample.t2s.pharaoh " in two.pop("signature")
    assert one == two


def test_a_client_of_the_frozen_contract_reads_the_reviewed_answers():
    with refresh.running_server("--metrics-port", "-1", "--workers", "1") as server:
        now = refresh.frozen_answers(server.address)
    assert_alike(now, json.loads((FOLDER / "frozen.json").read_text()))
    methods = {method for method, _ in json.loads((refresh.FROZEN / "calls.json").read_text())}
    service = align_pb2.DESCRIPTOR.services_by_name["AlignService"]
    assert methods == {method.name for method in service.methods}


def assert_alike(now, before, path=""):
    """Compare JSON, numbers roughly: a field that is misread is far from its value."""
    if isinstance(before, float) or isinstance(now, float):
        assert now == pytest.approx(before, abs=0.1), f"{path}: {ADVICE}"
    elif isinstance(before, dict):
        assert now.keys() == before.keys(), f"{path}: {ADVICE}"
        for name, value in before.items():
            assert_alike(now[name], value, f"{path}.{name}")
    elif isinstance(before, list):
        assert len(now) == len(before), f"{path}: {ADVICE}"
        for index, (one, other) in enumerate(zip(now, before, strict=True)):
            assert_alike(one, other, f"{path}[{index}]")
    else:
        assert now == before, f"{path}: {ADVICE}"
