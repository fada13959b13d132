"""Optional tables: PPDB's compilation, the registry, and the command."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.sample import sample_pairs
from tokalign.aligner import Aligner
from tokalign.cli.main import main
from tokalign.english.annotate import load_annotator
from tokalign.english.lexicon import lexical_resources as resources
from tokalign.english.lexicon.lexical_resources import NLTK_FILE, compile_ppdb, read_pairs
from tokalign.english.lexicon.lexical_tables import Paraphrases
from tokalign.errors import FormatError, ResourceError
from tokalign.features.feature_groups import needed_resources
from tokalign.features.templates import DEFAULT_GROUPS
from tokalign.files.tables import Table
from tokalign.model import load_model, save_model
from tokalign.model.training import TrainingData, TrainingSettings, train
from tokalign.types import GoldPair, Sentence

from lab.kernels.doors import are_paraphrases

PAIRS = [("big", "large"), ("Buy", "purchase"), ("big", "huge"), ("same", "same"), ("big", "huge")]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("TOKALIGN_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def pair_file(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("".join(f"{a}\t{b}\n" for a, b in PAIRS), encoding="utf-8")
    return path


def run(*arguments):
    return CliRunner().invoke(main, ["resources", *map(str, arguments)], prog_name="tokalign")


def test_paraphrases_are_symmetric_and_lower_case(tmp_path):
    compile_ppdb(PAIRS, tmp_path / "p.table")
    table = Paraphrases(Table.open(tmp_path / "p.table"))
    assert len(table) == 3
    words = ["big", "large", "buy", "purchase", "huge", "same", "other"]
    wanted = {("big", "large"), ("buy", "purchase"), ("big", "huge")}
    for a in words:
        for b in words:
            assert are_paraphrases(table, a, b) == ((a, b) in wanted or (b, a) in wanted)


def sample_words(request):
    """Return the different words that the sample links."""
    return list(
        dict.fromkeys(
            (source, target)
            for pair in sample_pairs()
            for i, j in sorted(pair.sure)
            for source, target in [(pair.source.tokens[i].lower(), pair.target.tokens[j].lower())]
            if source != target
        )
    )


def ppdb_words(request):
    (path,) = (request.getfixturevalue("data_dir") / "ppdb").iterdir()
    return list(read_pairs(path))


@pytest.mark.parametrize("pairs_of", [sample_words, ppdb_words])
def test_every_pair_of_real_words_is_found_and_few_others(request, pairs_of, tmp_path):
    pairs = pairs_of(request)
    assert len(pairs) > 300
    compile_ppdb(pairs, tmp_path / "p.table")
    table = Paraphrases(Table.open(tmp_path / "p.table"))
    either = {frozenset(pair) for pair in pairs}
    assert len(table) == len(either)
    assert all(are_paraphrases(table, a, b) and are_paraphrases(table, b, a) for a, b in pairs)
    crossed = [(a, b) for (a, _), (_, b) in pairwise(pairs)]
    assert all(are_paraphrases(table, a, b) == (frozenset((a, b)) in either) for a, b in crossed)


def test_nothing_to_compile_is_an_error(tmp_path):
    with pytest.raises(ResourceError, match="no pair of different words"):
        compile_ppdb([("same", "same")], tmp_path / "p.table")


def test_a_line_with_other_columns_is_refused(tmp_path):
    path = tmp_path / "pairs.txt"
    path.write_text("big\tlarge\nbig large\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"pairs.txt:2: 1 columns; wanted two words"):
        list(read_pairs(path))


def test_home_follows_the_environment(tmp_path, monkeypatch, home):
    assert resources.home() == home
    monkeypatch.delenv("TOKALIGN_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert resources.home() == tmp_path / "xdg" / "tokalign"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert resources.home() == tmp_path / ".local" / "share" / "tokalign"


def test_missing_resource_says_how_to_install_it():
    with pytest.raises(ResourceError, match="tokalign resources install ppdb PATH"):
        resources.open_resource("ppdb")
    with pytest.raises(ResourceError, match="no resource is called 'ppbd'; choose one of"):
        resources.open_resource("ppbd")


def test_installed_table_is_listed_and_opens(pair_file, home):
    answer = run("install", "ppdb", pair_file)
    assert answer.exit_code == 0, answer.output
    assert sorted(path.name for path in home.iterdir()) == ["ppdb.table"]
    assert are_paraphrases(Paraphrases(resources.open_resource("ppdb")), "large", "big")
    listed = [json.loads(line) for line in run("list", "--json").output.splitlines()]
    by_name = {entry["name"]: entry for entry in listed}
    assert by_name["ppdb"]["present"] and not by_name["ppdb"]["shipped"]
    assert by_name["ppdb"]["license"] == "CC-BY-3.0"
    assert {"wordnet", "vectors"} <= by_name.keys()
    assert all(len(entry["digest"]) == 64 and entry["size"] > 0 for entry in listed)


def test_shipped_tables_call_themselves_what_models_call_them():
    shipped = [each for each in resources.list_resources() if each.shipped]
    assert [Table.open(each.path).header["name"] for each in shipped] == [
        each.name for each in shipped
    ]


def test_failed_install_leaves_the_old_table(pair_file, home):
    run("install", "ppdb", pair_file)
    before = (home / "ppdb.table").read_bytes()
    pair_file.write_text("one column\n", encoding="utf-8")
    answer = run("install", "ppdb", pair_file)
    assert answer.exit_code == 1
    assert "wanted two words" in answer.output
    assert [path.name for path in home.iterdir()] == ["ppdb.table"]
    assert (home / "ppdb.table").read_bytes() == before


def test_verify_finds_a_flipped_byte(pair_file, home):
    run("install", "ppdb", pair_file)
    assert run("verify").exit_code == 0
    path = home / "ppdb.table"
    damaged = bytearray(path.read_bytes())
    damaged[-70] ^= 1
    path.write_bytes(bytes(damaged))
    answer = run("verify", "ppdb")
    assert answer.exit_code == 1
    assert "the file is damaged" in answer.output
    answer = run("verify", "--json", "wordnet", "ppdb")
    assert [json.loads(line)["ok"] for line in answer.output.splitlines()[:2]] == [True, False]


def test_listing_shows_what_is_not_installed():
    lines = run("list").output.splitlines()
    assert any(line.startswith("ppdb") and "not installed" in line for line in lines)
    assert run("verify", "ppdb").exit_code == 1


def test_listing_shows_sizes_below_one_another():
    lines = [line for line in run("list").output.splitlines() if " kB " in line]
    assert len({line.index(" kB ") for line in lines}) == 1
    sizes = [line.partition(" kB ")[0].split()[-1] for line in lines]
    assert sizes and all(float(size.replace(",", "")) > 0 for size in sizes)


def test_install_wants_one_source(pair_file):
    assert run("install", "ppdb").exit_code == 2
    assert run("install", "ppdb", pair_file, "--nltk").exit_code == 2


def test_pairs_come_from_nltks_corpus(pair_file, tmp_path, monkeypatch):
    import nltk

    corpus = tmp_path / "nltk_data" / "misc" / "mwa_ppdb"
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nltk_data")])
    answer = run("install", "ppdb", "--nltk")
    assert answer.exit_code == 1
    assert "python -m nltk.downloader mwa_ppdb" in answer.output
    corpus.mkdir(parents=True)
    pair_file.rename(corpus / Path(NLTK_FILE).name)
    answer = run("install", "ppdb", "--nltk")
    assert answer.exit_code == 0, answer.output
    assert are_paraphrases(Paraphrases(resources.open_resource("ppdb")), "huge", "big")


def train_tiny(groups):
    dog = Sentence.from_tokens(["big", "dog"], tags=["JJ", "NN"], lemmas=["big", "dog"])
    hound = Sentence.from_tokens(["large", "dog"], tags=["JJ", "NN"], lemmas=["large", "dog"])
    gold = GoldPair("1", dog, hound, frozenset({(0, 0), (1, 1)}))
    settings = TrainingSettings(feature_groups=groups, max_iterations=2)
    return train(TrainingData({"tiny": [gold]}), load_annotator("native"), settings, name="tiny")


def test_model_trained_with_a_resource_says_so_and_needs_it(pair_file, home, tmp_path):
    groups = ("string", "paraphrases", "null")
    with pytest.raises(ResourceError, match="'ppdb' is not installed"):
        train_tiny(groups)
    run("install", "ppdb", pair_file)
    path = tmp_path / "tiny.tokalign"
    model = train_tiny(groups)
    assert model.table.slot("paraphrase[same-tag]") in model.weights.any(axis=1).nonzero()[0]
    save_model(model, path)
    assert load_model(path).header.resources == ("wordnet", "ppdb")
    assert Aligner.load(path).align("big dog", "large dog").links
    (home / "ppdb.table").unlink()
    with pytest.raises(ResourceError, match="tokalign resources install ppdb PATH"):
        Aligner.load(path)


def test_default_features_need_no_optional_resource():
    assert set(needed_resources(DEFAULT_GROUPS)) <= {"wordnet", "vectors"}
