"""Words that programs mark in revisions."""

from __future__ import annotations

from tokalign import Aligner

from lab.accuracy.judging import counts, order_of, shown
from lab.accuracy.revisions import (
    PAIRS,
    _marked,
    n_touched,
    with_difflib,
    with_tokalign,
)

OLD, NEW = "It has 40 rooms. It rains.", "It has 45 big rooms. It rains."


def test_a_word_counts_if_any_part_of_it_is_marked():
    assert n_touched("It has forty rooms", [(4, 8), (5, 6), (18, 18)]) == 2
    assert n_touched("It has", []) == 0


def test_an_insertion_behind_a_deletion_is_of_its_edit():
    assert _marked("It [-has 40-] {+had+} rooms {+now+} and [-a-] b {+c+}") == (6, 0, 4)
    assert _marked("<del>a b</del><ins>c</ins> d") == (3, 0, 1)


def test_programs_are_counted_alike():
    assert with_difflib(OLD, NEW) == (3, 0, 1)
    assert with_tokalign(Aligner.load(), OLD, NEW)[:2] == (3, 0)


def test_a_sentence_is_shown_as_it_is_marked_and_nothing_of_its_neighbours():
    pieces = [("=", "A b. "), ("-", "c d"), ("+", "e f"), ("=", " g. "), ("-", "h"), ("=", "i.")]
    assert shown(pieces, 3, 7) == "[-c d-]{+e f+} g."


def test_letters_of_verdicts_are_programs():
    first, last = order_of(7)[0], order_of(7)[3]
    rows = {row["system"]: (row["best"], row["shared"]) for row in counts(["7 A", "7 AD"])}
    assert (rows[first], rows[last]) == ((1, 1), (0, 1))


def test_every_pair_has_two_versions_that_differ():
    olds = sorted(PAIRS.glob("*.old.txt"))
    news = [each.with_name(each.name.replace(".old.", ".new.")) for each in olds]
    assert len(olds) > 10
    assert all(old.read_text() != new.read_text() for old, new in zip(olds, news, strict=True))
