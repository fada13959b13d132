"""Modals and quantities as scales: what obliges or forbids, how many and how often, said in many
ways."""

from __future__ import annotations

from itertools import combinations, product

import pytest
from tokalign.aligner import Aligner

SAID = {
    "oblige": ("must", "shall", "has to", "is required to", "is obliged to", "MUST", "needs to",
               "is to"),
    "forbid": ("must not", "shall not", "may not", "is not allowed to", "MUST NOT", "cannot",
               "is forbidden to"),
    "permit": ("may", "can", "is allowed to", "is permitted to", "MAY", "is free to"),
    "exempt": ("need not", "does not have to", "is not required to", "does not need to",
               "needn't", "is not obliged to"),
    "advise": ("should", "ought to", "SHOULD", "is advised to"),
}  # fmt: skip
UNTOLD = {("forbid", "is forbidden to"), ("oblige", "is to")}
"""Not told beside all that say it otherwise; they say the same as the others of their kind."""


@pytest.fixture(scope="module")
def aligner() -> Aligner:
    return Aligner.load("en")


def conflicts(aligner, one, other):
    return aligner.align(*(f"The client {each} send the token." for each in (one, other))).conflicts


@pytest.mark.parametrize("kind", SAID)
def test_what_says_the_same_is_no_conflict(aligner, kind):
    for pair in combinations(SAID[kind], 2):
        assert not conflicts(aligner, *pair), pair


@pytest.mark.parametrize(("kind", "other"), list(combinations(SAID, 2)))
def test_what_says_otherwise_is_a_conflict(aligner, kind, other):
    for pair in product(SAID[kind], SAID[other]):
        if not UNTOLD & set(zip((kind, other), pair, strict=True)):
            assert conflicts(aligner, *pair), pair
            assert conflicts(aligner, *pair[::-1]), pair


QUANTITIES = {
    "{} people must fit into the hall.": [
        ("At least 50", "No fewer than 50", "Not less than 50", "A minimum of 50", "50 or more"),
        ("At most 50", "No more than 50", "Up to 50", "A maximum of 50", "Not more than 50"),
    ],
    "{} guests paid the fee.": [
        ("All", "All of the", "Every one of the"),
        ("Most", "Most of the", "The majority of"),
        ("Some", "A few", "Several"),
        ("No", "None of the"),
    ],
    "The clerk {} checks the seal.": [
        ("always", "invariably"),
        ("often", "frequently", "usually", "mostly"),
        ("rarely", "seldom", "hardly ever"),
        ("never",),
    ],
    "The deal holds {} they pay.": [
        ("if", "provided that", "providing that"),
        ("unless", "except if"),
        ("until", "till"),
    ],
}


@pytest.mark.parametrize("frame", QUANTITIES)
def test_quantities_and_conditions_in_many_words(aligner, frame):
    said = [(kind, way) for kind, ways in enumerate(QUANTITIES[frame]) for way in ways]
    for (kind, one), (other_kind, other) in combinations(said, 2):
        found = aligner.align(frame.format(one), frame.format(other)).conflicts
        assert bool(found) == (kind != other_kind), (one, other)
