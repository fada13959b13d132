"""Short sentences of a subject and a bare past verb, which treebanks hardly have: our own sixty."""

from __future__ import annotations

import pytest
from tokalign import align
from tokalign.english.annotate import load_annotator

SENTENCES = """
Profits *fell*. Prices *rose*. Sales *dropped*. Shares *slid*. Dogs *barked*. Birds *sang*. Stocks
*fell*. Profits *fell* sharply. Revenue *grew*. Earnings *fell*. Taxes *rose*. Costs *doubled*.
Talks *failed*. Police *fled*. Voters *left*. Rates *rose*. Leaves *fell*. Children *slept*.
Workers *struck*. Trains *stopped*. Bombs *fell*. Temperatures *fell*. Exports *shrank*. Imports
*rose*. Losses *widened*. Investors *sold*. Banks *closed*. Markets *rallied*. Orders *fell*.
Bonds *fell*. Oil *rose*. Gold *fell*. Demand *fell*. Unemployment *fell*. Inflation *rose*.
Production *fell*. Output *fell*. Rain *fell*. Snow *fell*. Night *fell*. Time *flew*. Glass
*broke*. Ice *melted*. Water *froze*. War *broke* out. Turnout *fell*. The profits *fell*. Net
income *fell*. Tensions *rose*. Hopes *faded*. Doors *opened*. Walls *fell*. Empires *fell*. Kings
*died*. Planes *crashed*. Ships *sank*. Cars *collided*. Students *protested*. Teachers *spoke*.
Crowds *cheered*.
"""
"""The past verb of each stands between stars."""
UNKNOWN = {"Losses widened.", "Hopes faded.", "Crowds cheered."}
"""A regular past form may as well be a participle: "Men arrested."."""


def tagged(*texts):
    return load_annotator("native").annotate(list(texts), trees=False)


def test_the_past_verb_of_a_short_sentence_is_one():
    marked = SENTENCES.split(".")[:-1]
    assert len(marked) == 60
    missed = set()
    for each in marked:
        before, verb, after = each.strip().split("*")
        text = f"{before}{verb}{after}."
        (sentence,) = tagged(text)
        place = len(before.split())
        if sentence.tags[place] != "VBD":
            missed.add(text)
    assert missed == UNKNOWN


@pytest.mark.parametrize(
    ("text", "word", "tag"),
    [
        ("A wild rose.", "rose", "NN"),
        ("The tea rose and the lily.", "rose", "NN"),
        ("Exports fell.", "Exports", "NNS"),
        ("He has fell ideas.", "fell", "JJ"),
    ],
)
def test_other_words_of_such_forms_stay(text, word, tag):
    (sentence,) = tagged(text)
    assert sentence.tags[sentence.tokens.index(word)] == tag


def test_a_short_example_of_finance_has_its_conflict():
    found = align("Profits fell.", "Profits rose.")
    assert [each.kind.value for each in found.conflicts] == ["opposite"]
    assert tagged("Profits fell.")[0].lemmas[1] == "fall"


@pytest.mark.parametrize("other", ['"It rained," Ann Lee said.', "Ann Lee said it rained."])
def test_a_name_of_two_words_that_crosses_its_verb_exchanges_no_roles(other):
    assert align('"It rained," said Ann Lee.', other, relations=True).conflicts == ()


def test_two_names_that_cross_their_verb_do():
    found = align("Ann Lee beat Bob Ray.", "Bob Ray beat Ann Lee.", relations=True)
    assert [each.kind.value for each in found.conflicts] == ["roles"]
