"""Maximal blocks against brute force over every block of a small grid, and in every output."""

from __future__ import annotations

import itertools
import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tokalign.cli.main import main
from tokalign.phrases import Phrase, maximal_blocks

N = 5
LINKS = st.dictionaries(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), st.floats(0, 1))


def spans():
    return [(start, stop) for start in range(N) for stop in range(start + 1, N + 1)]


def brute_force(links):
    def cells(block):
        (a, b), (c, d) = block
        return set(itertools.product(range(a, b), range(c, d)))

    blocks = [block for block in itertools.product(spans(), spans()) if cells(block) <= set(links)]
    maximal = [one for one in blocks if not any(cells(one) < cells(other) for other in blocks)]
    return tuple(
        sorted(Phrase(*s, *t, min(links[cell] for cell in cells((s, t)))) for s, t in maximal)
    )


@given(LINKS)
def test_blocks_equal_brute_force(links):
    assert maximal_blocks(links) == brute_force(links)


@given(LINKS)
def test_blocks_cover_exactly_the_links(links):
    covered = {
        (i, j)
        for block in maximal_blocks(links)
        for i in range(block.source_start, block.source_end)
        for j in range(block.target_start, block.target_end)
    }
    assert covered == set(links)


def test_corner_and_block_by_hand():
    # rows 0-1 x columns 0-1 are full; row 1 goes on to column 2, which only it has
    links = dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)], 1.0) | {(1, 2): 0.5}
    assert maximal_blocks(links) == (Phrase(0, 2, 0, 2, 1.0), Phrase(1, 2, 0, 3, 0.5))


def test_no_links_have_no_blocks():
    assert maximal_blocks({}) == ()


def test_align_writes_phrases():
    pair = json.dumps({"source": ["dogs", "bark"], "target": ["dogs", "bark"]})
    arguments = ["align", "--format", "jsonl", "--phrases"]
    answer = json.loads(CliRunner().invoke(main, arguments, input=pair).stdout)
    assert [each["source"] + each["target"] for each in answer["phrases"]] == [
        [0, 1, 0, 1],
        [1, 2, 1, 2],
    ]
    assert [each["confidence"] for each in answer["phrases"]] == pytest.approx(
        [confidence for _, _, confidence in answer["links"]]
    )
    assert "phrases" not in json.loads(CliRunner().invoke(main, arguments[:3], input=pair).stdout)


def test_phrases_need_jsonl():
    result = CliRunner().invoke(main, ["align", "--phrases"], input="a ||| a\n")
    assert result.exit_code == 2
    assert "written by --format jsonl only" in result.output
