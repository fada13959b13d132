"""Constraints that contradict themselves or do not fit are refused; the message says where."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from tokalign import Aligner, Constraints, InputError
from tokalign.cli.main import main

SOURCE, TARGET = "Dogs bark loudly at night.", "The dogs barked."


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"anchors": [(0, 0), (1, 0)], "forbidden": [(1, 0)]}, "anchors[1]", "forbidden, too"),
        ({"anchors": [(0, 1)], "unlinked_source": [0]}, "anchors[0]", "source token 0 is to have"),
        ({"anchors": [(0, 1)], "unlinked_target": [1]}, "anchors[0]", "target token 1 is to have"),
        ({"linked_target": [2, 1], "unlinked_target": [1]}, "linked_target[1]", "to have none"),
        ({"anchors": "ab"}, "anchors", "wanted a list of links"),
        ({"forbidden": [(0, 1), 3]}, "forbidden[1]", "3 is no link"),
        ({"forbidden": [(0, 1, 2)]}, "forbidden[0]", "is no link"),
        ({"anchors": [(-1, 0)]}, "anchors[0]", "is no link"),
        ({"anchors": [(0.0, 0)]}, "anchors[0]", "is no link"),
        ({"linked_source": 3}, "linked_source", "wanted a list of token indices"),
        ({"linked_source": [True]}, "linked_source[0]", "True is no token"),
        ({"unlinked_target": [1 << 40]}, "unlinked_target[0]", "is no token"),
    ],
)
def test_bad_constraints_name_their_field(given, field, message):
    with pytest.raises(InputError, match=message.replace("(", r"\(")) as caught:
        Constraints(**given)
    assert caught.value.field == f"constraints.{field}"
    assert str(caught.value).startswith(field)


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"anchors": [(0, 0), (6, 0)]}, "anchors[1]", "link 6-0, but the source has 6 tokens"),
        ({"forbidden": [(0, 4)]}, "forbidden[0]", "link 0-4, but the target has 4 tokens"),
        ({"linked_source": [6]}, "linked_source[0]", "token 6, but the source has 6 tokens"),
        ({"unlinked_target": [4]}, "unlinked_target[0]", "the target has 4 tokens"),
        (
            {"linked_target": [1], "forbidden": [(i, 1) for i in range(6)]},
            "linked_target[0]",
            "all are forbidden",
        ),
        (
            {
                "linked_source": [1],
                "forbidden": [(1, 0), (1, 1), (1, 2)],
                "unlinked_target": [3],
            },
            "linked_source[0]",
            "all are forbidden",
        ),
    ],
)
def test_constraints_that_sentences_cannot_obey_name_their_field(aligner, given, field, message):
    with pytest.raises(InputError, match=message) as caught:
        aligner.align(SOURCE, TARGET, **given)
    assert caught.value.field == f"constraints.{field}"


def test_indices_of_any_integer_type_are_taken():
    assert Constraints(anchors=np.array([[0, 1]])) == Constraints(anchors=[(0, 1)])
    assert Constraints(linked_source={np.int64(2)}).linked_source == (2,)


def test_a_bad_constraint_costs_its_own_pair_alone(aligner: Aligner):
    far = Constraints(anchors=[(99, 0)])
    pairs = [(SOURCE, TARGET), (SOURCE, TARGET, far), (SOURCE, TARGET, "anchors"), (SOURCE, TARGET)]
    first, second, third, last = aligner.pipe(pairs, errors="return")
    assert first.links == last.links
    assert second.field == "constraints.anchors[0]"
    assert third.field == "constraints"


def test_two_links_fixed_by_hand_move_the_rest(aligner: Aligner):
    source, target = "The man saw the dog and the dog ran", "The dog saw the man"
    before = aligner.align(source, target)
    after = aligner.align(source, target, anchors=[(7, 1)], forbidden=[(4, 1)])
    assert (4, 1) in {(link.source, link.target) for link in before.links}
    links = {(link.source, link.target): link.confidence for link in after.links}
    assert links[7, 1] == 1.0
    assert (4, 1) not in links
    assert after.posteriors is None


def test_systems_without_a_model_obey_none():
    with pytest.raises(InputError, match="obeys no constraints") as caught:
        Aligner.load("lemma").align(SOURCE, TARGET, anchors=[(0, 1)])
    assert caught.value.field == "constraints"


def test_lines_of_json_hold_constraints(small_model):
    lines = [
        {"source": SOURCE, "target": TARGET},
        {"source": SOURCE, "target": TARGET, "anchors": [[4, 0]], "unlinked_target": [2]},
        {"source": SOURCE, "target": TARGET, "forbidden": [[9, 9]]},
        {"source": SOURCE, "target": TARGET, "linked_source": None},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    command = ["align", "--model", str(small_model), "--format", "jsonl"]
    result = CliRunner().invoke(main, command, input=text)
    plain, fixed, bad, none = map(json.loads, result.stdout.splitlines())
    assert [4, 0, 1.0] in fixed["links"]
    assert 2 not in [j for _, j, _ in fixed["links"]]
    assert bad["error"] == "forbidden[0]: link 9-9, but the source has 6 tokens"
    assert none["links"] == plain["links"]
    assert result.exit_code == 3


def test_edits_are_written_and_shown(small_model, tmp_path):
    command = ["align", "--model", str(small_model), "--format", "jsonl"]
    text = json.dumps({"id": "x", "source": "Dogs bark.", "target": "Dogs bark loudly."})
    with_edits = CliRunner().invoke(main, [*command, "--edits"], input=text)
    without = CliRunner().invoke(main, command, input=text)
    value = json.loads(with_edits.stdout)
    edits = value.pop("edits")
    assert value == json.loads(without.stdout)
    assert {"kind": "INS", "source": [], "target": [2], "change": "content"} in edits
    path = tmp_path / "aligned.jsonl"
    path.write_text(with_edits.stdout)
    shown = CliRunner().invoke(main, ["view", str(path), "--edits"]).stdout
    assert "INS loudly" in shown.splitlines()
    assert "INS" not in CliRunner().invoke(main, ["view", str(path)]).stdout
    page = tmp_path / "page.html"
    assert (
        CliRunner().invoke(main, ["view", str(path), "--edits", "--html", str(page)]).exit_code == 0
    )
    assert '["INS",[],[2]]' in page.read_text()


def test_edits_need_lines_of_json(small_model):
    result = CliRunner().invoke(main, ["align", "--model", str(small_model), "--edits"], input="")
    assert result.exit_code == 2
    assert "--edits" in result.stderr
