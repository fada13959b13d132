"""Texts made of real pairs, and how links of their sentences are measured."""

from __future__ import annotations

import math

import pytest
from tokalign import split
from tokalign.texts.text_plan import TextPlan

from lab.accuracy.texts import Prepared, difflib_links, links_of, overlap_links, ratios
from lab.recipes.made_texts import RATES, MadeUnit, heaviest, make_text, make_texts

NAMES = ["baker", "farmer", "teacher", "lawyer", "painter", "sailor", "tailor", "miner"]
POOL = [
    MadeUnit(
        (f"The {name} came home late on Monday, and the dog of the {name} barked at night.",),
        (f"On Monday the {name} was late.",),
    )
    for name in NAMES
]
STRANGERS = [MadeUnit((f"Stranger {k} sings.",), (f"Stranger {k} sang.",)) for k in range(60)]


@pytest.mark.parametrize("kind", RATES)
@pytest.mark.parametrize("seed", range(10))
def test_every_sentence_is_in_one_block_and_stands_where_it_says(kind, seed):
    made = make_text(POOL, STRANGERS, RATES[kind], seed)
    old, new = split(made.old), split(made.new)
    assert (len(old), len(new)) == (made.n_old, made.n_new)
    for side, n in (("old", made.n_old), ("new", made.n_new)):
        numbers = sorted(k for block in made.blocks for k in getattr(block, side))
        assert numbers == list(range(n))
    for block in made.blocks:
        for i in block.old:
            for j in block.new:
                names = [name for name in NAMES if name in old[i].text]
                assert any(name in new[j].text for name in names) or "barked" in new[j].text


def test_a_seed_makes_the_same_text_and_others_make_others():
    made = [make_text(POOL, STRANGERS, RATES["rewritten"], seed) for seed in (1, 1, 2, 3, 4, 5)]
    assert made[0] == made[1]
    assert any(each != made[0] for each in made[2:])


def test_the_heaviest_chain_keeps_the_order_of_the_old_text():
    blocks = [((2,), (0,)), ((0,), (1,)), ((1,), (2,)), ((), (3,))]
    assert heaviest(blocks, [5, 2, 2, 9]) == {0}
    assert heaviest(blocks, [3, 2, 2, 9]) == {1, 2}


def test_ratios_are_over_all_texts():
    assert ratios([{1, 2}, {3}], [{1}, {3, 4}]) == (2 / 3, 2 / 3, 2 / 3)
    precision, recall, f1 = ratios([set()], [{1}])
    assert math.isnan(precision) and (recall, f1) == (0.0, 0.0)


def test_baselines_link_what_they_say():
    made = make_text(POOL, STRANGERS, RATES["revised"], 3)
    old = "Dogs bark loudly. It rained. Cats purr."
    new = "Cats purr. Dogs bark very loudly. It rained."
    text = Prepared(made, TextPlan.of(old, new), ())
    assert overlap_links(text, 0.2) == {(0, 1), (1, 2), (2, 0)}
    assert overlap_links(text, 1.01) == set()
    assert difflib_links(text) <= {(i, j) for i in range(3) for j in range(3)}
    assert len(difflib_links(text)) < 3


def test_texts_of_the_corpora_use_each_unit_once(data_dir):
    for made in make_texts(data_dir, n_units=10).values():
        assert made
        for text in made:
            assert links_of(text.blocks)
            assert sum(len(block.old) for block in text.blocks) == text.n_old
