"""The similarity of two sentences."""

import numpy as np
import pytest
from tokalign.aligner import Aligner
from tokalign.decoding.link_decision import covered_shares
from tokalign.english.lexicon.lexical_tables import Frequencies
from tokalign.errors import ShapeError
from tokalign.types import Sentence

DOG = "The dog that lives next door barked all night."


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load()


def posteriors(mean):
    """Return what both directions say, who agree."""
    mean = np.array(mean)
    return tuple(
        np.ascontiguousarray(np.hstack([1 - side.sum(axis=1, keepdims=True), side]))
        for side in (mean, mean.T)
    )


def similarity(s2t, t2s, source_weights, target_weights):
    return covered_shares(s2t, t2s, [1.0] * len(target_weights), source_weights, target_weights)[1]


def test_it_is_the_share_of_the_side_that_has_less_in_common():
    # The second word of the source is linked with the first of the target, a third of the latter.
    both = posteriors([[0.0, 0.0], [1.0, 0.0]])
    assert similarity(*both, [0.0, 0.5], [0.5, 1.0]) == pytest.approx(1 / 3)


def test_links_of_one_word_count_once():
    assert similarity(*posteriors([[1.0, 1.0]]), [1.0], [0.5, 0.5]) == 1.0


def test_words_that_say_nothing_weigh_alike_where_there_are_no_others():
    both = posteriors([[1.0, 0.0], [0.0, 0.5]])
    assert similarity(*both, [0.0, 0.0], [0.0, 0.0]) == pytest.approx(0.75)


def test_weights_of_another_pair_are_refused():
    with pytest.raises(ShapeError, match="1, 2 and 2 weights for 1 and 1 tokens"):
        similarity(*posteriors([[1.0]]), [1.0], [1.0, 1.0])


def test_each_word_weighs_its_idf_numbers_double_and_marks_nothing(aligner):
    (sentence,) = aligner.annotate(["The dog ate 7 bones."])
    idf = Frequencies.open_shipped().idf
    weights = [idf("the"), idf("dog"), idf("eat"), 2 * idf("7"), idf("bone"), 0.0]
    for left_out, weight in enumerate(weights):
        others = [k for k in range(len(weights)) if k != left_out]
        alignment = aligner.align(
            sentence,
            sentence,
            anchors=[(k, k) for k in others],
            unlinked_source=[left_out],
            unlinked_target=[left_out],
        )
        assert alignment.similarity == pytest.approx(1 - weight / sum(weights))


@pytest.mark.parametrize("text", [DOG, "Dogs bark.", "It is what it is .", "7 , 8 and 9"])
def test_a_sentence_is_as_similar_to_itself_as_can_be(aligner, text):
    assert aligner.align(text, text).similarity > 0.95


def test_it_falls_from_paraphrase_to_part_to_other_matter(aligner):
    paraphrase = aligner.align(DOG, "The neighbor's dog was barking all night.")
    part = aligner.align(DOG, "The dog barked.")
    other = aligner.align(DOG, "Prices rose again in March.")
    found = [each.similarity for each in (paraphrase, part, other)]
    assert found == sorted(found, reverse=True) and found[2] < 0.3
    assert part.score > 0.9 > part.similarity  # all of the part is in the whole, not vice versa


def test_swapped_sentences_are_about_as_similar(aligner):
    both = DOG, "The neighbor's dog was barking all night."
    there, back = (aligner.align(*each, detail="scores") for each in (both, both[::-1]))
    assert there.similarity == pytest.approx(back.similarity, abs=0.1)


def test_the_way_both_directions_are_combined_changes_nothing(aligner):
    found = {aligner.align(DOG, "A dog barked.", symmetrization=each).similarity for each in
             ("joint", "s2t", "union")}  # fmt: skip
    assert len(found) == 1


def test_sentences_of_marks_alone_have_one(aligner):
    marks = Sentence.from_tokens(["."], tags=["."], lemmas=["."])
    assert 0 <= aligner.align(marks, marks).similarity <= 1
