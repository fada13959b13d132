import math

import pytest
from tokalign import Aligner
from tokalign.errors import InputError
from tokalign.integrations.framework_scores import citation_support_of, support_of

PASSAGES = ["It rained in May.", "Marta founded the bakery in 1894.", "The bakery sells rye bread."]


@pytest.fixture(scope="module")
def aligner():
    return Aligner.load()


def score(aligner, answer, passages=PASSAGES):
    return citation_support_of(aligner, answer, passages).score


@pytest.mark.parametrize(
    "answer",
    [
        "Marta founded the bakery [2].",
        "Marta founded the bakery. [2]",
        "Marta founded the bakery.[2]",
        "Marta founded [2] the bakery.",
        "[2] Marta founded the bakery.",
    ],
)
def test_a_mark_cites_for_its_sentence_wherever_it_stands(aligner, answer):
    expected = support_of(aligner, "Marta founded the bakery.", PASSAGES[1:2]).score
    assert score(aligner, answer) == expected > 0.8


def test_what_others_cite_or_nobody_does_not_count(aligner):
    cited, other = "The bakery sells rye bread [3].", "Marta founded the bakery"
    first = score(aligner, cited)
    assert score(aligner, f"{cited} {other}.") == first / 2
    assert score(aligner, f"{cited} {other} [1].") < first / 2 + 0.25
    assert score(aligner, f"{cited} {other}. [2]") > first / 2 + 0.35
    found = citation_support_of(aligner, f"{cited} {other}.", PASSAGES)
    assert found.unsupported == ("Marta founded the bakery.",)


def test_an_answer_that_cites_nothing_is_told_so(aligner):
    found = citation_support_of(aligner, "Marta founded the bakery.", PASSAGES)
    assert (found.score, found.uncited) == (0.0, ("Marta founded the bakery.",))
    assert found.reason == "without a citation: 'Marta founded the bakery.'"


def test_a_sentence_that_claims_nothing_needs_no_citation(aligner):
    cited = "The bakery sells rye bread [3]."
    for polite in ("Sure!", "Yes.", "Is it so?"):
        if math.isnan(support_of(aligner, polite, PASSAGES).score):
            assert score(aligner, f"{polite} {cited}") == score(aligner, cited)
            assert math.isnan(score(aligner, polite))
    assert math.isnan(support_of(aligner, "Yes.", PASSAGES).score)  # so the loop asks something


def test_several_passages_may_be_cited_together(aligner):
    answer = "Marta founded the bakery, which sells rye bread"
    expected = support_of(aligner, f"{answer}.", PASSAGES[1:]).score
    for marks in ("[2, 3]", "[3;2]", "[2][3]", "[2] [3]"):
        assert score(aligner, f"{answer} {marks}.") == expected


@pytest.mark.parametrize("number", ["0", "4", str(10**30), "9" * 5000])
@pytest.mark.parametrize("marks", ["[{}]", "[1, {}]", "[{}][2]"])
def test_a_sentence_that_cites_a_passage_that_is_not_there_counts_nothing(aligner, number, marks):
    false, right = f"Marta founded the bakery {marks.format(number)}.", "It rained in May [1]."
    found = citation_support_of(aligner, false, PASSAGES)
    assert (found.score, found.missing) == (0.0, (number,))
    assert found.unsupported == ("Marta founded the bakery.",)
    assert found.reason.startswith(f"cites [{number}], which is not there; without support: 'Ma")
    both = citation_support_of(aligner, f"{right} {false}", PASSAGES)
    assert both.score == score(aligner, right) / 2 and both.missing == (number,)


def test_passages_are_named_as_they_are_written_but_for_zeros(aligner):
    found = citation_support_of(
        aligner, "It rained in May [01]. It rained [9, 7]. Ah [7].", PASSAGES
    )
    assert found.missing == ("9", "7")
    assert found.score == score(aligner, "It rained in May [1].") / 3


@pytest.mark.parametrize("answer", ["", None, " ", "[1]"])
def test_an_answer_without_a_sentence_is_refused(aligner, answer):
    with pytest.raises(InputError, match="answer has no sentence"):
        score(aligner, answer)


def test_brackets_without_a_number_are_text(aligner):
    assert score(aligner, "It rained [sic] in May.") == 0.0
