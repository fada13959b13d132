"""Counts of links in unrelated pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.pairs import gold_pair
from tokalign.english.annotate import load_annotator
from tokalign.errors import InputError, ShapeError

from lab.accuracy.unrelated import LinkKind, count_unrelated, judge_unrelated


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
