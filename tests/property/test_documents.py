"""Sentences of two texts, against what trying all ways finds."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tokalign.texts.sentence_matching import best_chain, best_partners
from tokalign.texts.text_plan import TextPlan
from tokalign.texts.text_words import TextWords

from tests.reference import chains

SIZES = st.sampled_from([(1, 1), (1, 2), (2, 1), (2, 2)])
BLOCK = st.builds(
    lambda i, j, size: (i, size[0], j, size[1]), st.integers(0, 6), st.integers(0, 6), SIZES
)
SENTENCES = st.lists(st.sets(st.integers(0, 7), max_size=5), min_size=1, max_size=6)
WORDS = st.sampled_from(["Dogs bark.", "Cats sleep.", "Rain fell.", "Dogs sleep all night.", "!!!"])
TEXT = st.lists(WORDS, max_size=7).map("\n\n".join)


@given(st.lists(st.tuples(BLOCK, st.integers(1, 4)), max_size=9))
def test_chain_is_the_best_of_all(found):
    found.sort(key=lambda each: each[0])
    blocks = [block for block, _ in found]
    gains = [gain for _, gain in found]
    array = np.array(blocks, np.int32).reshape(-1, 4)
    chosen = best_chain(array, np.array(gains, np.int64)).tolist()
    assert tuple(chosen) == chains.best_chain(blocks, gains)


def words(sentences):
    offsets = np.cumsum([0, *map(len, sentences)])
    return TextWords(offsets, np.array([s for each in sentences for s in sorted(each)], np.int32))


@given(SENTENCES, SENTENCES, st.integers(1, 4), st.integers(1, 3), st.data())
def test_partners_are_the_best_of_all(side, other, most, n_best, data):
    weights = np.arange(1.0, 9.0)
    bound = st.integers(0, len(other))
    ranges = [tuple(sorted((data.draw(bound), data.draw(bound)))) for _ in side]
    partners, scores = best_partners(
        words(side), words(other), weights, np.array(ranges, np.int32), most, n_best
    )
    expected = chains.best_partners(side, other, weights.tolist(), ranges, most)
    for row, values, all_scores in zip(partners.tolist(), scores.tolist(), expected, strict=True):
        best = sorted(all_scores.values(), reverse=True)[:n_best]
        np.testing.assert_allclose(values[: len(best)], best)
        assert row[len(best) :] == [-1] * (n_best - len(best))
        kept = row[: len(best)]
        assert len(set(kept)) == len(kept)
        np.testing.assert_allclose([all_scores[j] for j in kept], best)


@settings(deadline=None)
@given(TEXT, TEXT, st.data())
def test_every_sentence_is_in_one_block_in_order(old, new, data):
    plan = TextPlan.of(old, new)
    n = len(plan.candidates)
    similarities = data.draw(st.lists(st.floats(0, 1), min_size=n, max_size=n))
    blocks = plan.decide(similarities)
    assert blocks == plan.decide(similarities)
    assert sorted(i for each in blocks for i in each.old) == list(range(len(plan.old)))
    assert [j for each in blocks for j in each.new] == list(range(len(plan.new)))
    kept = [each.old for each in blocks if each.old and each.new and not each.moved]
    assert kept == sorted(kept)
    for k, each in enumerate(blocks):
        if each.old and not each.new:
            # A deleted sentence comes right after the one before it in the old text.
            (i,) = each.old
            assert (blocks[k - 1].old[-1:] if k else ()) == ((i - 1,) if i else ())
