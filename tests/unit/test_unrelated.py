"""Reports on links in unrelated pairs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from support.pairs import gold_pair
from tokalign.cli.main import main
from tokalign.english.annotate import load_annotator
from tokalign.errors import InputError, ShapeError
from tokalign.evaluate.unrelated import LinkKind, count_unrelated, judge_unrelated
from tokalign.formats import read_gold, write_gold


@pytest.fixture(scope="module")
def pair():
    bare = gold_pair(
        ["The", "old", "cat", "sleeps", "."], ["A", "cat", "of", "steel", "breaks", "."], ()
    )
    source, target = load_annotator("native").annotate([bare.source, bare.target], trees=False)
    return replace(bare, source=source, target=target)


LINKS = {
    (0, 0): 0.9,  # function words
    (2, 1): 0.95,  # alike
    (3, 4): 0.85,  # unlike
    (1, 3): 0.55,  # unlike
    (1, 2): 0.3,  # a content and a function word
    (4, 5): 1.0,  # marks
}


def test_links_are_counted_per_100_pairs_by_kind_and_confidence(pair):
    counts = count_unrelated([pair, pair], [LINKS, {}])
    assert counts.pairs == 2
    assert counts.links_per_100 == {
        LinkKind.UNLIKE: (100.0, 100.0, 50.0),
        LinkKind.ALIKE: (50.0, 50.0, 50.0),
        LinkKind.MIXED: (50.0, 0.0, 0.0),
        LinkKind.OTHER: (100.0, 100.0, 100.0),
    }
    # Six content words in each of the pairs, of which the first has all linked.
    assert counts.content_linked == 0.5


def test_only_links_with_unlike_words_are_judged_and_they_are_wrong(pair):
    assert sorted(judge_unrelated([pair], [LINKS])) == [(0.3, False), (0.55, False), (0.85, False)]


def test_predictions_and_pairs_must_fit(pair):
    with pytest.raises(ShapeError, match="0 predictions for 1 unrelated pairs"):
        count_unrelated([pair], [])
    with pytest.raises(InputError, match="no unrelated pairs"):
        judge_unrelated([], [])


def run(*arguments):
    return CliRunner().invoke(main, ["evaluate", *map(str, arguments)])


@pytest.fixture
def unrelated(tmp_path):
    path = tmp_path / "unrelated.jsonl"
    sides = [side.split() for side in ("A dog barks .", "Six ships sank .")]
    pairs = [gold_pair(*sides, (), name=str(k)) for k in range(3)]
    write_gold(pairs, path, "jsonl")
    assert len(read_gold(path)) == 3
    return path


def test_unrelated_pairs_need_a_model_and_no_gold(unrelated):
    report = json.loads(run("--model", "en", "--unrelated", unrelated, "--json").stdout)
    assert report["unrelated"]["pairs"] == 3
    assert set(report["unrelated"]["links_per_100"]) == {kind.value for kind in LinkKind}
    shown = run("--model", "en", "--unrelated", unrelated).stdout
    assert "3 unrelated pairs" in shown and "unlike content words" in shown
    assert run("--model", "en").exit_code == 2
    assert run("--predictions", unrelated, "--unrelated", unrelated).exit_code == 2


def test_beside_gold_they_are_part_of_the_report_and_of_the_calibration(tmp_path, unrelated):
    gold = tmp_path / "gold"
    gold.write_text("a cat sat ||| a cat sat ||| 0-0 1-1 2-2\n")
    alone = json.loads(run("--model", "en", "--gold", gold, "--json").stdout)
    both = json.loads(
        run("--model", "en", "--gold", gold, "--unrelated", unrelated, "--json").stdout
    )
    rates = both["unrelated"]["links_per_100"]
    n_wrong = sum(3 * rates[kind]["0.0"] / 100 for kind in (LinkKind.UNLIKE, LinkKind.MIXED))
    assert both["calibration"]["links"] == alone["calibration"]["links"] + round(n_wrong)
    assert both["f1"] == alone["f1"]
