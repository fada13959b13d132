"""Maximal blocks against brute force over every block of a small grid, and in every output."""

from __future__ import annotations

import dataclasses
import itertools
import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from support.decoding import ask
from tokalign import Aligner, InputError, Symmetrization
from tokalign.cli.main import main
from tokalign.decoding.decoder import Decoder, maximal_blocks, weakest_links
from tokalign.features.feature_groups import Lexicons
from tokalign.model import load_model
from tokalign.model.shipped import model_path
from tokalign.types.links import Phrase

N = 5
LINKS = st.dictionaries(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), st.floats(0, 1))


def links_of(block):
    source_start, source_end, target_start, target_end = block
    return itertools.product(range(source_start, source_end), range(target_start, target_end))


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
    assert weakest_links(links) == brute_force(links)


@given(LINKS)
def test_blocks_cover_exactly_the_links(links):
    assert {link for block in maximal_blocks(links) for link in links_of(block)} == set(links)


def test_corner_and_block_by_hand():
    # rows 0-1 x columns 0-1 are full; row 1 goes on to column 2, which only it has
    links = dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)], 1.0) | {(1, 2): 0.5}
    assert weakest_links(links) == (Phrase(0, 2, 0, 2, 1.0), Phrase(1, 2, 0, 3, 0.5))


def test_no_links_have_no_blocks():
    assert maximal_blocks([]) == weakest_links({}) == ()


def test_links_before_the_first_token_are_refused():
    with pytest.raises(IndexError, match="a link of tokens 0, -1"):
        maximal_blocks([(0, -1)])


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load()


SENTENCES = ("She came .", "She did come .", "Dogs bark at night .", "The dogs did bark .", "a a a")


@pytest.mark.parametrize("symmetrization", list(Symmetrization))
@pytest.mark.parametrize("style", ["strict", "paraphrase"])
def test_phrases_are_the_blocks_of_links_and_a_single_link_is_its_phrase(
    aligner, style, symmetrization
):
    asked = {"symmetrization": symmetrization, "style": style}
    for source, target in itertools.product(SENTENCES, repeat=2):
        alignment = aligner.align(source.split(), target.split(), phrases=True, **asked)
        confidence = {(link.source, link.target): link.confidence for link in alignment.links}
        blocks = [dataclasses.astuple(each)[:4] for each in alignment.phrases]
        assert tuple(blocks) == maximal_blocks(confidence)
        for block, phrase in zip(blocks, alignment.phrases, strict=True):
            assert 0.0 <= phrase.confidence <= 1.0
            links = list(links_of(block))
            if len(links) == 1:
                assert phrase.confidence == pytest.approx(confidence[links[0]], abs=1e-9)
        assert aligner.align(source.split(), target.split(), **asked).phrases == ()


def test_a_phrase_keeps_what_its_links_share(aligner):
    alignment = aligner.align("She came.", "She did come.", style="paraphrase", phrases=True)
    (phrase,) = (each for each in alignment.phrases if each.source_start == 1 == each.target_start)
    assert (phrase.source_end, phrase.target_end) == (2, 3)
    confidences = [link.confidence for link in alignment.links if link.source == 1]
    assert min(confidences) < phrase.confidence <= 1.0


def test_a_phrase_of_anchors_is_certain(aligner):
    anchors = [(0, 1), (0, 2)]
    alignment = aligner.align(
        "Rain fell.", "It was wet.", style="strict", anchors=anchors, phrases=True
    )
    assert Phrase(0, 1, 1, 3, 1.0) in alignment.phrases


def test_blocks_outside_the_pair_are_refused(aligner):
    model = load_model(model_path("en"))
    decoder = Decoder(model, Lexicons.for_groups(model.table.groups))
    pair = aligner.annotate(["Rain fell.", "It rained."])
    for block in ((0, 0, 0, 1), (0, 4, 0, 1), (-1, 1, 0, 1), (0, 1, 2, 4)):
        with pytest.raises(InputError, match=r"no block .* in a pair of 3 and 3 tokens"):
            ask(decoder, *pair, lambda each, block=block: each.block_probability(*block))


def test_phrases_of_a_system_are_as_confident_as_their_weakest_link():
    source, target = ["The", "dogs", "bark", "."], ["The", "dogs", "bark", "at", "night", "."]
    alignment = Aligner.load("lemma").align(source, target, phrases=True)
    links = {(link.source, link.target): link.confidence for link in alignment.links}
    assert alignment.phrases == weakest_links(links)
    assert len(alignment.phrases) > 0


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
