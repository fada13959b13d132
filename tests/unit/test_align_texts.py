"""Two texts of several sentences."""

import pytest
import tokalign
from tokalign import Aligner, InputError, LimitError
from tokalign.errors import ShapeError
from tokalign.texts import sentence_candidates
from tokalign.texts.text_plan import TextPlan

OLD = (
    "The cat sat on the mat. Dogs bark at strangers loudly. Paris is the capital of France. "
    "He bought three red apples in town."
)


def blocks(old, new):
    found = tokalign.align_texts(old, new).blocks
    return [(each.old, each.new, each.moved) for each in found]


def test_the_lighter_of_two_crossing_blocks_moved():
    new = "Paris is the capital of France. The cat sat on the mat. Dogs bark at strangers loudly."
    assert blocks(OLD, new) == [
        ((2,), (0,), True), ((3,), (), False), ((0,), (1,), False), ((1,), (2,), False),
    ]  # fmt: skip


def test_split_merged_inserted_and_deleted_sentences():
    one = "He bought three red apples and sold two old bicycles."
    two = "He bought three red apples. He sold two old bicycles."
    assert blocks(one, two) == [((0,), (0, 1), False)]
    assert blocks(two, one) == [((0, 1), (0,), False)]
    assert blocks("", "Dogs bark.") == [((), (0,), False)]
    assert blocks("Dogs bark.", " \n") == [((0,), (), False)]
    assert blocks("", " \n ") == []


CONTRACT = (
    "The tenant must pay the rent on the first day of each month.",
    "The landlord repairs the roof and the outer walls.",
    "Either party may end this contract with three months' notice.",
)


@pytest.mark.parametrize(
    "rule",
    ["The tenant must insure the furniture.", "The tenant must keep the garden tidy.",
     "Guests may use the pool.", "The tenant must not keep any dogs."],
)  # fmt: skip
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_rule_beside_a_sentence_that_lost_its_must_is_not_a_part_of_it(rule, place):
    changed = [CONTRACT[0].replace("must", "should"), *CONTRACT[1:]]
    longer = [*changed[:place], rule, *changed[place:]]
    olds = [each for each in range(4) if each != place]
    paired = [((k,), (at,), False) for k, at in enumerate(olds)]
    came = sorted([*paired, ((), (place,), False)], key=lambda each: each[1])
    assert blocks(" ".join(CONTRACT), " ".join(longer)) == came
    gone = blocks(" ".join(longer), " ".join(CONTRACT))
    assert sorted(gone) == sorted([(new, old, False) for old, new, _ in came])


def test_alignment_is_that_of_the_text_of_the_block():
    aligner = Aligner.load()
    found = aligner.align_texts(OLD, OLD.replace("loudly", "at night"))
    for block in found.blocks:
        (a, b), (c, d) = found.old_span(block), found.new_span(block)
        assert block.alignment == aligner.align(found.old_text[a:b], found.new_text[c:d])
    assert found == aligner.align_texts(found.old_text, found.new_text)


def test_sentences_are_in_the_unit_of_the_offsets():
    found = tokalign.align_texts("Café food? Dogs bark.", "Dogs bark.", offsets="utf-8")
    assert [(each.start, each.end) for each in found.old] == [(0, 11), (12, 22)]


def test_blocks_of_long_sentences_fit_a_pair():
    text = "word " * 2000
    found = tokalign.align_texts(text, text)
    assert len(found.old) > 1
    assert all(len(each.alignment.source.tokens) <= 512 for each in found.blocks)


def test_errors(monkeypatch):
    with pytest.raises(InputError, match="new_text"):
        tokalign.align_texts("Dogs bark.", None)
    with pytest.raises(InputError, match="old_text is not valid Unicode"):
        tokalign.align_texts("\ud800", "Dogs bark.")
    with pytest.raises(ShapeError, match="2 similarities for 1 candidates"):
        TextPlan.of("Dogs bark.", "Dogs barked.").decide([1.0, 1.0])
    monkeypatch.setattr(sentence_candidates, "MAX_TEXT_SENTENCES", 2)
    with pytest.raises(LimitError, match="old_text has 4 sentences that the other text lacks"):
        tokalign.align_texts(OLD, "")


def test_equal_sentences_count_for_no_limit(monkeypatch):
    monkeypatch.setattr(sentence_candidates, "MAX_TEXT_SENTENCES", 2)
    diff = tokalign.diff(OLD, OLD.replace("three", "four").replace(". ", ".\n"))
    assert [str(block.kind) for block in diff.blocks] == ["same", "same", "same", "changed"]


def test_a_difference_asks_the_model_for_changed_sentences_only(monkeypatch):
    aligner = Aligner.load()
    asked = []

    def pipe(pairs, options):
        asked.extend(found := list(pairs))
        return Aligner.pipe(aligner, found, options)

    monkeypatch.setattr(aligner, "pipe", pipe)
    diff = aligner.diff(OLD, OLD.replace("three", "four").replace(". ", ".\n"))
    assert {old for old, _ in asked} == {"He bought three red apples in town."}
    assert [each.change for each in diff.segments() if each.change] == ["space"] * 3 + ["number"]
